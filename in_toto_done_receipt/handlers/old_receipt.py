"""A file of an old format, examined in place: the same checks as for the done receipt that it amounts to."""

from typing import Any

from msgspec.structs import replace

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.handlers.examine import examined_as
from in_toto_done_receipt.importers.model import OldReceipt
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE
from in_toto_done_receipt.recompute.context import Artifact, RecomputeContext
from in_toto_done_receipt.recompute.engine import run_checks
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import InputFacts, VerificationResult
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.trust.verify import verify_old
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.statement import Statement


def examine_old(old: OldReceipt, *, trust: TrustPolicy, context: RecomputeContext) -> VerificationResult:
    """Steps 2 to 6 for an old receipt. `input.mediaType` of the result names the old format.

    Raises LimitExceeded, and TrustError for a trusted root that cannot be used.
    """
    sha256 = sha256_hex(old.data)
    facts = InputFacts(media_type=old.media_type, sha256=sha256, bytes=len(old.data), payload_sha256=sha256)
    name = old.statement.subjects[0].name or ""
    context = replace(
        context,
        own_file=Artifact(name=name, digests={"sha256": sha256}),
        manifest=context.manifest or old.manifest,
    )
    return examined_as(
        lambda: verify_old(
            old.statement,
            payload=old.data,
            payload_type=old.media_type,
            signed=old.signed,
            trust=trust,
            at=context.evaluated_at,
        ),
        facts,
        trust=trust,
        context=context,
        handlers={PREDICATE_TYPE: _Old(old)},
    )


class _Old:
    """The handler of one old file, which is read already."""

    predicate_type = PREDICATE_TYPE

    def __init__(self, old: OldReceipt) -> None:
        self._old = old

    def parse(self, _statement: Statement) -> DoneReceipt:
        """The receipt as it was mapped: what the new form cannot say is judged all the same."""
        return self._old.receipt

    def findings(self, predicate: Any, statement: Statement, context: RecomputeContext) -> tuple[Finding, ...]:
        """What the old format's own rules found, then every check."""
        own = tuple(_demanded(found, context) for found in self._old.findings)
        return run_checks(predicate, statement, context, earlier=own)

    def verify(self, _envelope: bytes, _trust: TrustPolicy, _context: RecomputeContext) -> VerificationResult:
        """Not for a host: an old receipt comes in no envelope."""
        raise MalformedInput("an old receipt comes in no envelope")


def _demanded(found: Finding, context: RecomputeContext) -> Finding:
    """A path in another spelling is a remark, and a failure for a verifier who asked for that."""
    if context.canonical_paths and found.reason == "statement.path_spelling":
        return replace(found, status="fail")
    return found
