"""The predicate handler of this project, registered like anybody's: entry point `done-receipt` of group
`in_toto.predicate_handlers`.
"""

from typing import Final

from in_toto_done_receipt.errors import MalformedEnvelope
from in_toto_done_receipt.handlers.examine import examine
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.engine import run_checks
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.statement import Statement


class DoneReceiptHandler:
    """Reads done receipts and does their work again."""

    predicate_type: Final = PREDICATE_TYPE

    def parse(self, statement: Statement) -> DoneReceipt:
        """The typed receipt. Raises MalformedStatement with pointer, reason and at most 20 faults."""
        return read_predicate(statement)

    def findings(self, predicate: DoneReceipt, statement: Statement, context: RecomputeContext) -> tuple[Finding, ...]:
        """Every check's findings. Raises LimitExceeded when the time is up."""
        return run_checks(predicate, statement, context)

    def verify(self, envelope: bytes, trust: TrustPolicy, context: RecomputeContext) -> VerificationResult:
        """Steps 1 to 6 for one payload, which must be a done receipt: another type is a result without examination.

        Raises MalformedInput. Decides nothing: that is `admission`.
        """
        file = read_receipts(envelope, what="receipt", allow_statement=trust.mode == "unsigned")
        if len(file.groups) != 1:
            raise MalformedEnvelope(f"receipt: {len(file.groups)} different payloads, a handler takes one")
        return examine(file.groups[0], file, trust=trust, context=context, handlers={self.predicate_type: self})


HANDLER: Final = DoneReceiptHandler()
