"""Evidence of kind tests: the verifier's own test command decides, as its clean room ran it; never the receipt's.

A report that a receipt names was written by whoever made the receipt. What is taken from it is what can be held
against the verifier's run: whether the tests pass, which are cited, and the counts if the command was the same.
"""

from typing import TYPE_CHECKING

from in_toto_done_receipt.predicates.done_receipt.model import TestsEvidence, TestsObserved
from in_toto_done_receipt.recompute.case import Case, Item, items_of
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:  # a verification that runs no test loads no runner
    from in_toto_done_receipt.recompute.clean_room.outcome import Outcome
    from in_toto_done_receipt.recompute.clean_room.passing import Counts, Passing

_NAMED = 3  # tests in a message


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item, and a remark on each confirmed one whose command was another than the verifier's.

    Raises ConfigurationError for a test command that cannot be run as it is, LimitExceeded when the time is up.
    """
    found: list[Finding] = []
    for item in items_of(case.receipt, "tests"):
        found.append(_recheck(case, item))
        if found[-1].status == "pass":
            found += _other_command(case, item)
    return tuple(found)


def _recheck(case: Case, item: Item) -> Finding:
    if not case.context.recheck_commands:  # whoever asked for nothing forbids nothing
        message = "the verifier did not ask for commands to be run again"
        return item.finding("not_checked", "evidence-tests.not_asked", message)
    outcome = case.context.clean_room.outcome(case)
    if isinstance(outcome, NotRun):
        return item.finding(
            "error" if outcome.obstacle == "not_run" else "not_checked",
            f"evidence-tests.{outcome.obstacle}",
            outcome.message,
            expected=outcome.expected,
            observed=outcome.observed,
        )
    return _compare(case, item, outcome)


def _compare(case: Case, item: Item, outcome: "Outcome") -> Finding:
    """What the runs say of this item. A red test counts whatever the canaries say; a good result needs them."""
    from in_toto_done_receipt.recompute.clean_room.passing import Passing, contradiction, distrust

    if fault := contradiction(outcome):
        return item.finding("error", "evidence-tests.contradiction", fault)
    evidence, passing = item.evidence, Passing(outcome)
    if not evidence.ok:
        return _not_ok(item, passing)
    if bad := _against(case, item, passing):
        return bad
    if fault := distrust(outcome):
        return item.finding("error", "evidence-tests.harness", f"the harness does not report what happened: {fault}")
    text = f"{passing.counts().words()} on head as it is, by the verifier's {outcome.runner}"
    return item.finding("pass", "evidence-tests.confirmed", text)


def _not_ok(item: Item, passing: "Passing") -> Finding:
    """The receipt itself says that the tests are not good."""
    text = passing.counts().words()
    if passing.all_green() and passing.worse() is None:
        return item.finding("fail", "evidence-tests.differs", f"the tests pass, {text}; the receipt says they do not")
    return item.finding("pass", "evidence-tests.confirmed", f"not ok here either: {text}")


def _against(case: Case, item: Item, passing: "Passing") -> Finding | None:
    """What refutes an item that is said to be ok."""
    from in_toto_done_receipt.recompute.clean_room.outcome import RUNS

    evidence, ours = item.evidence, passing.counts().words()
    assert isinstance(evidence, TestsEvidence)  # noqa: S101 - the reader made it from this kind
    if worse := passing.worse():
        run, red = worse
        text = f"{_listed(red)} red on {RUNS[run]}; the receipt says that all passed"
        return item.finding("fail", "evidence-tests.failed", text)
    if not passing.some_passed():
        return item.finding("fail", "evidence-tests.failed", f"no test passed: {ours}; the receipt says that all did")
    if missing := passing.not_passed(evidence.cited or ()):
        return item.finding("fail", "evidence-tests.cited", f"cited as passed: {_listed(missing)}")
    said = _counts(evidence)
    if _same_command(case, evidence) and said is not None and passing.contradicts(said):
        text = f"the receipt's run of this command says {said.words()}, the verifier's {ours}"
        return item.finding("fail", "evidence-tests.counts", text, expected=ours, observed=said.words())
    return None


def _counts(evidence: TestsEvidence) -> "Counts | None":
    from in_toto_done_receipt.recompute.clean_room.passing import Counts

    seen = evidence.observed
    if not isinstance(seen, TestsObserved):
        return None
    return Counts(passed=seen.passed, red=seen.failed + seen.errored, skipped=seen.skipped)


def _same_command(case: Case, evidence: TestsEvidence) -> bool:
    tests = case.context.settings.tests
    return tests is not None and tests.argv == evidence.argv


def _other_command(case: Case, item: Item) -> tuple[Finding, ...]:
    """A remark, on the claim: an item has one finding only."""
    evidence = item.evidence
    assert isinstance(evidence, TestsEvidence)  # noqa: S101 - the reader made it from this kind
    if _same_command(case, evidence):
        return ()
    remark = Finding(
        check="evidence-tests",
        status="pass",
        reason="evidence-tests.other_command",
        message="the receipt ran another command than the verifier's, whose run alone decided",
        claim=item.claim,
        pointer=item.pointer,
    )
    return (remark,)


def _listed(names: tuple[str, ...]) -> str:
    """Some of the names, and how many more there are."""
    shown = ", ".join(map(escape, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
