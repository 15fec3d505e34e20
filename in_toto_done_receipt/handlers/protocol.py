"""What a predicate handler is: four members, found by a host pipeline under the entry-point group
`in_toto.predicate_handlers`.
"""

from typing import Any, Protocol

from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.wire.statement import Statement


class PredicateHandler(Protocol):
    """Reads one predicate type, exactly the URI in `predicate_type`, and looks again at what it says.

    A handler gives findings. States, coverage and assurance are computed from them by the engine alone.
    """

    @property
    def predicate_type(self) -> str:
        """The predicateType URI, compared as an opaque string."""

    def parse(self, statement: Statement) -> Any:
        """The typed predicate. Raises MalformedStatement with a pointer."""

    def findings(self, predicate: Any, statement: Statement, context: RecomputeContext) -> tuple[Finding, ...]:
        """Look again. Raises LimitExceeded and nothing else."""

    def verify(self, envelope: bytes, trust: TrustPolicy, context: RecomputeContext) -> VerificationResult:
        """Steps 1 to 6 for one envelope or bundle, which must be of this handler's predicate type."""
