"""What one look at one thing found. A finding is a verdict; "could not go on" is an error of `errors`."""

from typing import Literal

from in_toto_done_receipt.wire.record import Record

Status = Literal["pass", "fail", "not_checked", "error"]

# fail outranks error outranks not_checked outranks pass: the order in which a check takes its findings' status.
STATUS_ORDER: tuple[Status, ...] = ("fail", "error", "not_checked", "pass")


class Finding(Record):
    """One finding of one check.

    `reason` is a code of `results.reasons`; `claim` (id), `evidence` (index from 0), `pointer` (JSON pointer into the
    statement) and `path` say where it applies; `expected` and `observed` are JSON values; `hint` is what to do next.
    """

    check: str
    status: Status
    reason: str
    message: str
    claim: str | None = None
    evidence: int | None = None
    pointer: str | None = None
    path: str | None = None
    expected: str | int | bool | None = None
    observed: str | int | bool | None = None
    duration_ms: int | None = None
    hint: str | None = None


def worst(findings: tuple[Finding, ...]) -> Status:
    """The status of a check: the first of fail, error, not_checked, pass among its findings; none is not_checked."""
    present = {finding.status for finding in findings}
    return next((status for status in STATUS_ORDER if status in present), "not_checked")
