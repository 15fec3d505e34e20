"""Whether the test harness tells the truth: the verifier's own failing tests are reported failed, and existing ones
that were made to fail as well.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from in_toto_done_receipt.recompute.bounded import bounded
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
from in_toto_done_receipt.results.findings import Finding, Status
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:  # a verification that runs no test loads no runner
    from in_toto_done_receipt.profile.model import TestsDemand
    from in_toto_done_receipt.recompute.clean_room.outcome import Outcome

_CHANGE = ("restored", "head")


def run(case: Case) -> tuple[Finding, ...]:
    """A finding for each canary that was not seen, and for each demanded layer that was not there; or one that says
    which layers were. Raises as `test_inventory.run`.
    """
    outcome = case.context.clean_room.outcome(case)
    if isinstance(outcome, NotRun):
        return (outcome.finding("harness-canary"),)
    tests = case.context.settings.tests
    assert tests is not None  # noqa: S101 - there is an outcome
    found = list(_findings(outcome)) or list(_layers(outcome, tests))
    found += [
        _about("pass", "harness-canary.remark", remark)
        for remark in (*outcome.trial.remarks, *outcome.comparing.remarks)
    ]
    return tuple(bounded(found, of="test(s)"))


def _findings(outcome: "Outcome") -> Iterator[Finding]:
    from in_toto_done_receipt.recompute.clean_room.compare import contradictions

    first: dict[str, str] = {}  # of each run; `test-inventory` has all
    for what, fault in contradictions(outcome, ("base", "restored", "head")):
        first.setdefault(what, fault)
    for what, fault in first.items():
        yield _about("error", "harness-canary.contradiction", f"tests of {what}: {escape(fault)}")
    for fault in dict.fromkeys((*outcome.trial.faults[:1], *outcome.comparing.faults[:1])):
        yield _about("error", "harness-canary.contradiction", f"tests made to fail: {escape(fault)}")
    yield from _planted(outcome)
    for id in sorted(outcome.trial.deaf):
        yield _about("fail", "harness-canary.deaf", f"{escape(id)} was made to fail and is reported good", id)
    for id in sorted(outcome.trial.unasked - outcome.trial.deaf):
        yield _about(
            "fail", "harness-canary.not_entered", f"{escape(id)} is reported good and its body was never entered", id
        )
    for id in sorted(outcome.comparing.blind):
        yield _about("fail", "harness-canary.blind", f"{escape(id)} passes although what it expects equals nothing", id)


def _planted(outcome: "Outcome") -> Iterator[Finding]:
    """What became of the verifier's own tests. What is wrong at base as well says nothing about the change."""
    from in_toto_done_receipt.recompute.clean_room.outcome import RUNS

    base = outcome.runs["base"]
    if base.lost or base.wrong:
        return
    for name in ("restored", "head"):
        ran = outcome.runs["restored" if name == "restored" else "head"]
        what = RUNS["restored" if name == "restored" else "head"]
        if ran.faults:
            continue
        for state in sorted(set(ran.wrong.values())):
            count = sum(1 for one in ran.wrong.values() if one == state)
            text = f"{count} test(s) that the verifier planted were reported {state} on {what}"
            yield _about("fail", "harness-canary.misreported", text)
        if ran.lost:
            text = f"{len(ran.lost)} test(s) that the verifier planted are missing on {what}; base reports all"
            yield _about("fail", "harness-canary.lost", text)


def _layers(outcome: "Outcome", tests: "TestsDemand") -> Iterator[Finding]:
    """What was active against what is demanded."""
    base = outcome.runs["base"]
    if base.lost or base.wrong:
        count, total = len(base.lost) + len(base.wrong), "planted test(s) are not reported as they are at base either"
        yield _about("not_checked", "harness-canary.not_collected", f"{count} {total}")
    for layer in tests.canaries or ():
        if layer not in outcome.layers:
            yield _about(
                "fail", "harness-canary.layer_missing", f"the layer {layer} is demanded, and it was not there", layer
            )
    if not outcome.layers and not base.lost and not base.wrong:
        yield _about("not_checked", "harness-canary.no_layer", "there was no layer of canaries")
    if outcome.layers:
        ids, passed = len(outcome.trial.ids), sum(1 for state in base.states.values() if state == "passed")
        text = f"canaries were reported as they must be: {', '.join(outcome.layers)}"
        if outcome.trial.way != "none":
            text += f"; {ids} of {passed} test(s) made to fail"
        yield _about("pass", "harness-canary.honest", text)


def _about(status: Status, reason: str, message: str, id: str | None = None) -> Finding:
    return finding(status, reason, message, path=id)
