"""Ask the policy, believe nothing: the answer's shape is checked and allow is computed again. No answer is a denial.

Source: design, "Decision".
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from in_toto_done_receipt.admission.answer import NOTHING, Answer, Said, answer_of
from in_toto_done_receipt.admission.catalogue import Catalogue, load_catalogue
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.admission.exceptions import exception_faults
from in_toto_done_receipt.admission.failures import ENGINE_CODES
from in_toto_done_receipt.errors import EngineError, MalformedInput
from in_toto_done_receipt.results.decision import (
    DECISION_SCHEMA,
    Decision,
    Digests,
    Engine,
    Violation,
    Waiting,
    Waiver,
)
from in_toto_done_receipt.results.model import Untrusted, VerificationResult
from in_toto_done_receipt.wire.escape import ascii_json_bytes
from in_toto_done_receipt.wire.rfc3339 import parse_time

MAX_INPUT: Final = 64 * 2**20  # bytes: the findings of a statement of 10 MiB, and room


def policy_input(
    result: VerificationResult, settings: Mapping[str, Any], *, codes: Sequence[str], evaluated_at: str
) -> bytes:
    """What the engine gets, as JSON in ASCII with sorted member names: `--format policy-input` prints these bytes.

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
        raw = ascii_json_bytes(msgspec.json.encode(tree, order="sorted"))
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

    Allowed only if the engine allows, gives no violation, and everything demanded is among what it calls satisfied or
    what an exception stands for that the profile holds. An engine without an answer is a denial with an engine.* code.
    Raises ConfigurationError for an unknown collection or selector, or an engine that cannot load its policy or be
    reached. Does not check who wrote the result.
    """
    catalogue = catalogue or load_catalogue()
    codes = demanded(catalogue, settings, evaluated_at=evaluated_at)
    raw = b""
    try:
        raw = policy_input(result, settings, codes=codes, evaluated_at=evaluated_at)
        answer = answer_of(engine, raw, seconds)
        violations = [*_said(answer.violations, catalogue), *_objections(answer, codes, result, settings, evaluated_at)]
    except EngineError as error:
        answer = NOTHING
        violations = [_engine_violation(error.code, error.message)]
    violations = _sorted(violations, catalogue)
    return Decision(
        schema=DECISION_SCHEMA,
        allow=answer.allow and not violations and bool(codes) and not _unmet(answer, codes),
        violations=tuple(violations),
        warnings=tuple(_sorted(_said(answer.warnings, catalogue), catalogue)),
        exceptions=_waivers(answer),
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
        waiting=_waiting(answer, codes, violations, catalogue),
        valid_until=_earliest(valid_until, answer),
        base=None if result.change is None else result.change.base,
        head=None if result.change is None else result.change.head,
        tree=None if result.change is None else result.change.tree,
    )


def _unmet(answer: Answer, codes: Sequence[str]) -> list[str]:
    """What is demanded and neither satisfied nor waived."""
    met = set(answer.satisfied)
    terms: dict[str, set[str | None]] = {}
    for waived in answer.exceptions:
        terms.setdefault(waived.code, set()).add(waived.term)
    return [code for code in codes if code not in met and not _waived(code, terms)]


def _waived(demand: str, terms: Mapping[str, set[str | None]]) -> bool:
    """Whether an exception names this requirement; one without a term names all of the rule's."""
    code, colon, term = demand.partition(":")
    named = terms.get(code, set())
    return bool(named) if not colon else bool(named & {None, term})


def _objections(
    answer: Answer,
    codes: Sequence[str],
    result: VerificationResult,
    settings: Mapping[str, Any],
    evaluated_at: str,
) -> Iterable[Violation]:
    """What is wrong with the answer as a whole: a demand without a word, an allow against its own reasons."""
    missing = _unmet(answer, codes)
    if not codes:
        yield _engine_violation("engine.selection", "what the profile leaves judges nothing of the work")
    if missing and not answer.violations:
        for code in missing:
            yield _engine_violation("engine.unsatisfied", f"{code} is demanded and not satisfied", term=code)
    for waived, fault in exception_faults(answer.exceptions, result, settings, evaluated_at=evaluated_at):
        yield _engine_violation("engine.exception", f"the exception for {waived.code} {fault}", term=waived.term)
    if answer.allow is not (bool(codes) and not missing and not answer.violations):
        said = "allows" if answer.allow else "denies"
        yield _engine_violation(
            "engine.disagrees",
            f"the policy {said}, with {len(answer.violations)} violation(s) and {len(missing)} unmet demand(s)",
        )


def _waivers(answer: Answer) -> tuple[Waiver, ...]:
    made = {Waiver(**msgspec.structs.asdict(waived)) for waived in answer.exceptions}
    return tuple(sorted(made, key=lambda one: (one.code, one.term or "", one.subject or "", one.expires, one.reason)))


def _waiting(
    answer: Answer, codes: Sequence[str], violations: Sequence[Violation], catalogue: Catalogue
) -> tuple[Waiting, ...]:
    """Demands about which nothing is said, since what they depend on is violated."""
    violated, met = {violation.code for violation in violations}, set(answer.satisfied)
    blocked: dict[str, tuple[str, ...]] = {}  # of every rule, in pipeline order, so those before are already there
    for rule in catalogue.rules:
        on = (name for code in rule.depends_on for name in ((code,) if code in violated else blocked[code]))
        blocked[rule.code] = tuple(dict.fromkeys(on))
    waiting = []
    for code in codes:
        name = code.partition(":")[0]
        if code not in met and name not in violated and blocked.get(name):
            waiting.append(Waiting(code=code, on=blocked[name]))
    return tuple(waiting)


def _earliest(valid_until: str | None, answer: Answer) -> str | None:
    """Until when the decision holds: no longer than any exception that it needs."""
    times = [time for time in (valid_until, *(waived.expires for waived in answer.exceptions)) if time is not None]
    try:
        return min(times, key=parse_time, default=None)
    except MalformedInput:
        return valid_until  # such an exception does not stand


def _engine_violation(code: str, message: str, term: str | None = None) -> Violation:
    solution = ENGINE_CODES.get(code, ENGINE_CODES["engine.error"])
    return Violation(code=code, message=message, term=term, solution=solution)


def _said(found: Iterable[Said], catalogue: Catalogue) -> Iterable[Violation]:
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
