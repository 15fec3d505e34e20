"""What one check is given, and short ways to write its findings."""

import time

from in_toto_done_receipt.errors import LimitExceeded
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt, Evidence
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding, Status
from in_toto_done_receipt.wire.statement import Statement
from in_toto_done_receipt.wire.value import Value

Scalar = str | int | bool | None


class Case(Value, kw_only=True):
    """One receipt under examination. `earlier` holds the findings of the checks that ran before this one."""

    statement: Statement
    receipt: DoneReceipt
    context: RecomputeContext
    earlier: tuple[Finding, ...] = ()

    def found(self, reason: str) -> tuple[Finding, ...]:
        """The earlier findings with this reason."""
        return tuple(finding for finding in self.earlier if finding.reason == reason)

    def time_left(self) -> float:
        """Seconds until the whole verification has to end. Raises LimitExceeded when none are left."""
        deadline = self.context.deadline
        if deadline is None:
            return float("inf")
        left = deadline - time.monotonic()
        if left <= 0:
            allowed = self.context.settings.limits["seconds"]
            raise LimitExceeded("seconds", allowed=allowed, value=f"more than {allowed}")
        return left


class Item(Value, kw_only=True):
    """One evidence item and where it stands."""

    claim: str
    claim_index: int
    index: int
    evidence: Evidence

    @property
    def pointer(self) -> str:
        """JSON pointer into the statement."""
        return f"/predicate/claims/{self.claim_index}/evidence/{self.index}"

    def finding(
        self,
        status: Status,
        reason: str,
        message: str,
        *,
        path: str | None = None,
        expected: Scalar = None,
        observed: Scalar = None,
        duration_ms: int | None = None,
    ) -> Finding:
        """A finding about this item; its check is the part of the reason before the dot."""
        return Finding(
            check=reason.partition(".")[0],
            status=status,
            reason=reason,
            message=message,
            claim=self.claim,
            evidence=self.index,
            pointer=self.pointer,
            path=path,
            expected=expected,
            observed=observed,
            duration_ms=duration_ms,
        )


def items_of(receipt: DoneReceipt, kind: str | None = None) -> tuple[Item, ...]:
    """The evidence items, all or of one kind, in document order."""
    return tuple(
        Item(claim=claim.id, claim_index=position, index=index, evidence=evidence)
        for position, claim in enumerate(receipt.claims)
        for index, evidence in enumerate(claim.evidence)
        if kind is None or evidence.kind == kind
    )


def finding(
    status: Status,
    reason: str,
    message: str,
    *,
    pointer: str | None = None,
    path: str | None = None,
    expected: Scalar = None,
    observed: Scalar = None,
    hint: str | None = None,
) -> Finding:
    """A finding that is about no single evidence item; its check is the part of the reason before the dot."""
    return Finding(
        check=reason.partition(".")[0],
        status=status,
        reason=reason,
        message=message,
        pointer=pointer,
        path=path,
        expected=expected,
        observed=observed,
        hint=hint,
    )
