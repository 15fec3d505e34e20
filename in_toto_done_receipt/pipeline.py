"""verify(): a receipt's bytes in, a result and a decision out. The steps are numbered as in the design.

1. Read.  2. Verify the signature.  3. Read the statement, pick the handler.  4. Match subjects.  5. Recompute.
6. Summarise.  7. Decide.  (8. Report is the caller's.)
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.handlers.examine import examine
from in_toto_done_receipt.handlers.protocol import PredicateHandler
from in_toto_done_receipt.handlers.registry import handlers_by_type
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.contradiction import with_contradictions
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import PayloadFacts, VerificationResult
from in_toto_done_receipt.results.outcome import exit_code, refutation_code
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.reader import ReceiptFile, read_receipts
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.value import Value

T = TypeVar("T")

DECISION_SECONDS: Final = 30.0  # far above the largest decision measured, far below the whole verification's limit

# How far a payload got, by its code: of several that fail, the one that got furthest is reported.
_FURTHEST_FIRST: Final = (0, 12, 11, 10)


class Recomputed(Value, kw_only=True):
    """The result of steps 1 to 6. `skipped` counts lines of another kind in JSON Lines."""

    result: VerificationResult
    skipped: int


class Outcome(Value, kw_only=True):
    """What one receipt file comes to."""

    result: VerificationResult
    decision: Decision
    exit_code: int
    skipped: int


def verify(
    data: bytes,
    *,
    trust: TrustPolicy,
    context: RecomputeContext,
    engine: PolicyEngine,
    handlers: Mapping[str, PredicateHandler] | None = None,
    what: str = "receipt",
    as_format: str | None = None,
) -> Outcome:
    """Verify a receipt, do its work again, decide.

    Attestations over the same payload count together; one payload must satisfy everything. `as_format` names an old
    format (`importers.registry`): the file is one of its files, and takes the same steps. Raises MalformedInput when
    nothing in the file can be examined. An engine that fails is a denial, not an exception.
    """

    def judge(found: Recomputed) -> Outcome:
        decision = decide_on(found.result, context.settings, engine)  # 7
        code = exit_code(found.result, decision)
        return Outcome(result=found.result, decision=decision, exit_code=code, skipped=found.skipped)

    if as_format is not None:
        return judge(_recomputed_as(as_format, data, trust, context, what))
    file = read_receipts(data, what=what, allow_statement=trust.mode == "unsigned")  # 1
    del data  # nobody holds a large file while what it says is examined
    return _best(file, trust, context, handlers, judge, lambda outcome: outcome.exit_code)


def recompute(
    data: bytes,
    *,
    trust: TrustPolicy,
    context: RecomputeContext,
    handlers: Mapping[str, PredicateHandler] | None = None,
    what: str = "receipt",
    as_format: str | None = None,
) -> Recomputed:
    """Steps 1 to 6, for a job that holds no policy. Raises as `verify` does."""
    if as_format is not None:
        return _recomputed_as(as_format, data, trust, context, what)
    file = read_receipts(data, what=what, allow_statement=trust.mode == "unsigned")  # 1
    del data
    return _best(file, trust, context, handlers, lambda found: found, lambda found: refutation_code(found.result))


def _recomputed_as(as_format: str, data: bytes, trust: TrustPolicy, context: RecomputeContext, what: str) -> Recomputed:
    """Steps 1 to 6 for a file of an old format."""
    from in_toto_done_receipt.handlers.old_receipt import examine_old
    from in_toto_done_receipt.importers.registry import old_format

    old = old_format(as_format).read(data, what=what)  # 1
    return Recomputed(result=examine_old(old, trust=trust, context=context), skipped=0)  # 2 to 6


def decide_on(
    result: VerificationResult, settings: Settings, engine: PolicyEngine, *, at: datetime | None = None
) -> Decision:
    """Step 7 for a result: the policy, asked with the verifier's settings, as of the result's time or `at`."""
    return decide(
        result,
        policy_document(result, settings),
        engine=engine,
        evaluated_at=result.evaluated_at if at is None else format_time(at),
        seconds=DECISION_SECONDS,
    )


def policy_document(result: VerificationResult, settings: Settings) -> dict[str, Any]:
    """The `profile` member of the policy input: a result that was back-dated, or loosened by name, stays so."""
    document = settings.policy_document()
    overrides = list(dict.fromkeys((*settings.overrides, *result.overrides)))
    return document | {"backdated": settings.backdated or result.backdated, "overrides": overrides}


def payload_facts(result: VerificationResult) -> PayloadFacts:
    """One payload in the list of a file's payloads; nothing of it is told unless trusted principals signed it."""
    return PayloadFacts(
        payload_sha256=result.input.payload_sha256,
        lines=result.input.lines,
        signers=result.attester_names,
        predicate_type=result.predicate_type,
    )


def _best(
    file: ReceiptFile,
    trust: TrustPolicy,
    context: RecomputeContext,
    handlers: Mapping[str, PredicateHandler] | None,
    judge: Callable[[Recomputed], T],
    code: Callable[[T], int],
) -> T:
    """The first payload that comes to 0, else the one that got furthest. All are examined: one may contradict it."""
    known = handlers_by_type() if handlers is None else handlers
    results: list[VerificationResult] = []
    faults: list[MalformedInput] = []
    payloads: list[PayloadFacts] = []
    for group in file.groups:
        try:
            results.append(examine(group, file, trust=trust, context=context, handlers=known))  # 2 to 6
            payloads.append(payload_facts(results[-1]))
        except MalformedInput as error:
            faults.append(error)
            facts = PayloadFacts(payload_sha256=sha256_hex(group.payload), lines=group.lines, fault=error.message)
            payloads.append(facts)
    if not results:
        raise faults[0]
    if len(payloads) > 1:
        results = [replace(one, input=replace(one.input, payloads=tuple(payloads))) for one in results]
    judged: list[T] = []
    for result in with_contradictions(results):
        judged.append(judge(Recomputed(result=result, skipped=file.skipped)))
        if code(judged[-1]) == 0:
            break
    return min(judged, key=lambda one: _FURTHEST_FIRST.index(code(one)))
