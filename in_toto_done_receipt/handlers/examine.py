"""Steps 2 to 6 for one payload: the one function behind `pipeline.verify` and every handler's `verify`."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.handlers.protocol import PredicateHandler
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.v0_1 import unrecognized
from in_toto_done_receipt.profile.limits import demand
from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.recompute.checks import signature
from in_toto_done_receipt.recompute.checks import statement as statement_check
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.engine import Examination, summarise
from in_toto_done_receipt.recompute.facts import ReceiptFacts
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import InputFacts, VerificationResult
from in_toto_done_receipt.trust.model import TrustPolicy, VerifiedStatement
from in_toto_done_receipt.trust.verify import trust_facts, verify_group
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.reader import Group, ReceiptFile
from in_toto_done_receipt.wire.statement import Statement

Handlers = Mapping[str, PredicateHandler]


def examine(
    group: Group, file: ReceiptFile, *, trust: TrustPolicy, context: RecomputeContext, handlers: Handlers
) -> VerificationResult:
    """The result for one group of attestations over the same payload.

    A signature that is not trusted gives a result that says so, with nothing of the statement in it. Raises
    MalformedStatement (only after a good signature, or without one being asked for) and LimitExceeded.
    """
    demand(context.settings.limits, "payload-bytes", len(group.payload), "payload")
    facts = InputFacts(
        media_type=group.media_type,
        sha256=file.sha256,
        bytes=file.size,
        payload_sha256=sha256_hex(group.payload),
        lines=group.lines,
        skipped=file.skipped,
    )
    return examined_as(
        lambda: verify_group(group, trust, at=context.evaluated_at),
        facts,
        trust=trust,
        context=context,
        handlers=handlers,
    )


def examined_as(
    verify: Callable[[], VerifiedStatement],
    facts: InputFacts,
    *,
    trust: TrustPolicy,
    context: RecomputeContext,
    handlers: Handlers,
) -> VerificationResult:
    """The result for what `verify`, a function of `trust`, makes of the input. Raises as `examine`."""
    common: dict[str, Any] = {"input": facts, "handlers": tuple(sorted(handlers))}
    try:
        verified = verify()  # step 2
    except SignatureNotTrusted as error:
        common |= {"trust": trust_facts(trust, at=context.evaluated_at), "context": context, "examined": False}
        return summarise(Examination(findings=_untrusted(error), **common))
    handler = handlers.get(verified.statement.predicate_type)  # step 3
    if handler is None:
        verified, findings = _of_any(verified, None, context)
        findings += (statement_check.no_handler(verified.statement, common["handlers"]),)
        common |= {"trust": verified.trust, "context": context, "verified": verified}
        return summarise(Examination(findings=findings, examined=False, **common))
    return _handled(verified, handler, context, common)


def _handled(
    verified: VerifiedStatement, handler: PredicateHandler, context: RecomputeContext, common: dict[str, Any]
) -> VerificationResult:
    predicate = handler.parse(verified.statement)
    receipt = predicate if isinstance(predicate, DoneReceipt) else None
    _counted(verified.statement, receipt, context)
    verified, findings = _of_any(verified, receipt, context)
    context = replace(context, signed_on=verified.signed_times, signed_for=_repositories(verified))
    findings += handler.findings(predicate, verified.statement, context)  # steps 4 and 5
    return summarise(  # step 6
        Examination(
            findings=findings,
            examined=True,
            verified=verified,
            trust=verified.trust,
            context=context,
            facts=None if receipt is None else ReceiptFacts.of(receipt),
            unrecognized=_unrecognized(verified.statement, receipt),
            **common,
        )
    )


def _repositories(verified: VerifiedStatement) -> tuple[str, ...]:
    named = (signer.claims.get("sourceRepositoryURI") for signer in verified.signers)
    return tuple(sorted({repository for repository in named if repository is not None}))


def _untrusted(error: SignatureNotTrusted) -> tuple[Finding, ...]:
    return (
        finding("fail", error.reason, error.message, hint=error.hint),
        finding("not_checked", "statement.not_examined", "the statement was not read"),
    )


def _of_any(
    verified: VerifiedStatement, receipt: DoneReceipt | None, context: RecomputeContext
) -> tuple[VerifiedStatement, tuple[Finding, ...]]:
    counting, findings = signature.run(verified, receipt)
    return counting, findings + statement_check.of_any(verified.statement, verified.payload_sha256, context)


def _counted(statement: Statement, receipt: DoneReceipt | None, context: RecomputeContext) -> None:
    """The verifier's limits on what a receipt may ask of it, before any of it is done."""
    limits = context.settings.limits
    demand(limits, "subjects", len(statement.subjects), "statement")
    if receipt is None:
        return
    items = [item for claim in receipt.claims for item in claim.evidence]
    demand(limits, "seals", len(receipt.contract.sealed) + len(receipt.contract.absent), "contract")
    demand(limits, "claims", len(receipt.claims), "claims")
    demand(limits, "evidence", len(items), "claims")
    demand(limits, "commands", sum(item.kind in ("command", "tests") for item in items), "claims")


def _unrecognized(statement: Statement, receipt: DoneReceipt | None) -> tuple[str, ...]:
    if receipt is None:
        return statement.unrecognized
    return statement.unrecognized + unrecognized(receipt, statement)
