"""Ask the policy, believe nothing: the answer's shape is checked and allow is computed again. No answer is a denial.

Source: design, "Decision".
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from in_toto_done_receipt.admission.catalogue import Catalogue, load_catalogue
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.admission.failures import ENGINE_CODES
from in_toto_done_receipt.errors import EngineError, EngineUnavailable
from in_toto_done_receipt.results.decision import DECISION_SCHEMA, Decision, Digests, Engine, Violation
from in_toto_done_receipt.results.model import Untrusted, VerificationResult

MAX_INPUT: Final = 64 * 2**20  # bytes: the findings of a statement of 10 MiB, and room

_Code = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$", max_length=200)]
_Text = Annotated[str, Meta(min_length=1)]


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One violation or warning as the policy gives it; packages of the verifier's own may bring a solution."""

    code: _Code
    message: _Text
    facts: tuple[Annotated[str, Meta(pattern=r"^(/|$)")], ...]
    term: str | None = None
    solution: str = ""


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    allow: bool
    violations: tuple[_Said, ...]
    warnings: tuple[_Said, ...]
    satisfied: tuple[_Text, ...]


def policy_input(
    result: VerificationResult, settings: Mapping[str, Any], *, codes: Sequence[str], evaluated_at: str
) -> bytes:
    """What the engine gets, as JSON with sorted member names.

    Each evidence demand has `argv` and `paths`, empty when the profile names none, so that leaving one out never
    asks for less. The statement as signed stays out: no rule may read it, and the engine would hold it four times over.
    Raises EngineError (engine.input) for what JSON cannot say, or over the limit of size.
    """
    evidence = [{"argv": [], "paths": [], **demand} for demand in settings["evidence"]]
    tree = {
        "result": replace(result, untrusted=Untrusted()),
        "profile": {**settings, "evidence": evidence},
        "demanded": list(codes),
        "evaluatedAt": evaluated_at,
    }
    try:
        raw = msgspec.json.encode(tree, order="sorted")
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise EngineError(f"the result cannot be written as JSON: {error}", code="engine.input") from None
    if len(raw) > MAX_INPUT:
        raise EngineError(f"the policy input has {len(raw)} bytes, at most {MAX_INPUT}", code="engine.input")
    return raw


def decide(
    result: VerificationResult,
    settings: Mapping[str, Any],
    *,
    engine: PolicyEngine,
    evaluated_at: str,
    seconds: float,
    valid_until: str | None = None,
    catalogue: Catalogue | None = None,
) -> Decision:
    """The decision on this result under these settings (the `profile` member of the policy input).

    Allowed only if the engine allows, gives no violation, and everything demanded is among what it calls satisfied.
    An engine without an answer is a denial with an engine.* code. Raises ConfigurationError for an unknown
    collection, or an engine that cannot load its policy or be reached. Does not check who wrote the result.
    """
    catalogue = catalogue or load_catalogue()
    codes = demanded(catalogue, settings)
    raw = b""
    try:
        raw = policy_input(result, settings, codes=codes, evaluated_at=evaluated_at)
        answer = _answer(engine, raw, seconds)
        violations = [*_said(answer.violations, catalogue), *_contradictions(answer, codes)]
    except EngineError as error:
        answer = _Answer(False, (), (), ())
        violations = [_engine_violation(error.code, error.message)]
    violations = _sorted(violations, catalogue)
    return Decision(
        schema=DECISION_SCHEMA,
        allow=answer.allow and not violations and set(codes) <= set(answer.satisfied),
        violations=tuple(violations),
        warnings=tuple(_sorted(_said(answer.warnings, catalogue), catalogue)),
        exceptions=(),
        satisfied=tuple(sorted(set(answer.satisfied))),
        demanded=codes,
        collection=settings["collection"],
        evaluated_at=evaluated_at,
        engine=Engine(name=engine.name, version=engine.version),
        digests=Digests(
            policy=engine.policy_digest,
            input=hashlib.sha256(raw).hexdigest(),
            profile=settings.get("digest"),
            trust=result.trust.digest,
        ),
        overrides=tuple(settings.get("overrides", ())),
        valid_until=valid_until,
    )


def _answer(engine: PolicyEngine, raw: bytes, seconds: float) -> _Answer:
    """What the engine says, in the right shape. Raises EngineError."""
    try:
        value = engine.decide(raw, seconds)
    except (EngineError, EngineUnavailable):
        raise
    except Exception as error:  # noqa: BLE001 - an engine may be somebody else's code: whatever it was, no decision
        raise EngineError(f"no decision: {type(error).__name__}") from None
    if value is None:
        raise EngineError("the policy gave null", code="engine.null")
    try:
        return msgspec.convert(value, _Answer, strict=True)
    except msgspec.ValidationError as error:
        raise EngineError(f"the decision does not have the right shape: {error}", code="engine.shape") from None


def _contradictions(answer: _Answer, codes: Sequence[str]) -> Iterable[Violation]:
    """What is wrong with the answer as a whole: a demand without a word, an allow against its own reasons."""
    missing = [code for code in codes if code not in set(answer.satisfied)]
    if missing and not answer.violations:
        for code in missing:
            yield _engine_violation("engine.unsatisfied", f"{code} is demanded and not satisfied", term=code)
    if answer.allow is not (not missing and not answer.violations):
        said = "allows" if answer.allow else "denies"
        yield _engine_violation(
            "engine.disagrees",
            f"the policy {said}, with {len(answer.violations)} violation(s) and {len(missing)} unmet demand(s)",
        )


def _engine_violation(code: str, message: str, term: str | None = None) -> Violation:
    solution = ENGINE_CODES.get(code, ENGINE_CODES["engine.error"])
    return Violation(code=code, message=message, term=term, solution=solution)


def _said(found: Iterable[_Said], catalogue: Catalogue) -> Iterable[Violation]:
    for said in found:
        rule = catalogue.rule(said.code)
        yield Violation(
            code=said.code,
            message=said.message,
            solution=said.solution if rule is None else rule.solution,
            term=said.term,
            facts=tuple(sorted(set(said.facts))),
        )


def _sorted(found: Iterable[Violation], catalogue: Catalogue) -> list[Violation]:
    """In pipeline order, what no rule of ours says last: two engines give the same bytes."""
    place = {rule.code: position for position, rule in enumerate(catalogue.rules)}

    def key(violation: Violation) -> tuple[Any, ...]:
        position = place.get(violation.code, len(place))
        return position, violation.code, violation.term or "", violation.message, violation.facts, violation.solution

    return sorted(set(found), key=key)
