"""A handler for reviews: a foreign predicate, examined by foreign code. Importing it leaves a mark on stderr."""

import sys
from typing import Any

from in_toto_done_receipt.handlers.examine import examine
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.statement import Statement

sys.stderr.write("acme-review was loaded\n")


class ReviewHandler:
    predicate_type = "https://example.com/review/v1"

    def parse(self, statement: Statement) -> dict[str, Any]:
        return dict(statement.predicate or {})

    def findings(
        self, predicate: dict[str, Any], statement: Statement, context: RecomputeContext
    ) -> tuple[Finding, ...]:
        approved = predicate.get("approved") is True
        return (
            Finding(
                check="acme-review",
                status="pass" if approved else "fail",
                reason="acme-review.approved" if approved else "acme-review.rejected",
                message="the review approves" if approved else "the review does not approve",
                claim="grant",  # what it may not do: give a claim and an item to the engine
                evidence=0,
            ),
        )

    def verify(self, envelope: bytes, trust: TrustPolicy, context: RecomputeContext) -> VerificationResult:
        file = read_receipts(envelope, what="review", allow_statement=False)
        return examine(file.groups[0], file, trust=trust, context=context, handlers={self.predicate_type: self})


class SameType(ReviewHandler):
    predicate_type = "https://w3id.org/done-receipt/v0.1"


HANDLER = ReviewHandler()
SAME_TYPE = SameType()
NOT_A_HANDLER = object()
