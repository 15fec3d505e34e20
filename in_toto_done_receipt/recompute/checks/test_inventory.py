"""The profile's own test command, run at base and on the change: no test of base is gone, weakened or newly red."""

from typing import TYPE_CHECKING

from in_toto_done_receipt.recompute.bounded import bounded
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:  # a verification that runs no test loads no runner
    from in_toto_done_receipt.recompute.clean_room.outcome import Outcome


def run(case: Case) -> tuple[Finding, ...]:
    """A finding for each test that is worse than at base, and remarks; or one that says that none is.

    Raises ConfigurationError for a test command that cannot be run as it is, LimitExceeded when the time is up.
    """
    outcome = case.context.clean_room.outcome(case)
    if isinstance(outcome, NotRun):
        return (outcome.finding("test-inventory"),)
    return tuple(bounded(_findings(outcome), of="test(s)"))


def _findings(outcome: "Outcome") -> list[Finding]:
    from in_toto_done_receipt.recompute.clean_room.compare import Comparison, contradictions

    faults = [
        finding("error", "test-inventory.contradiction", f"tests of {what}: {escape(fault)}")
        for what, fault in contradictions(outcome, ("base", "restored", "head"))
    ]
    if faults and outcome.runs["restored"].faults and outcome.moved and not outcome.runs["head"].faults:
        text = "head as it is runs: if what base's tests are about rightly went, an exception can name their file"
        faults.append(finding("error", "test-inventory.contradiction", text))
    if faults:
        return faults
    found = list(Comparison(outcome).findings())
    if all(one.status == "pass" for one in found):
        base, head = outcome.runs["base"], outcome.runs["head"]
        text = f"{len(base.states)} test(s) at base, {len(head.states)} on head; none is gone, weakened or newly red"
        found.append(finding("pass", "test-inventory.complete", text))
    return found
