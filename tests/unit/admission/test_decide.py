"""The decision: the engine is asked and not believed."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.decide import decide, policy_input
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.failures import ENGINE_CODES
from in_toto_done_receipt.errors import EngineError
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import convert, to_tree

CATALOGUE = load_catalogue()
AT = "2026-11-30T12:00:00Z"


@dataclass
class Fixed:
    """An engine that gives one answer, or raises it."""

    answer: Any
    name: str = "fixed"
    version: str = "1"
    policy_digest: str = "0" * 64

    def decide(self, raw: bytes, seconds: float) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def allowed(settings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    codes = list(demanded(CATALOGUE, settings))
    return {"allow": True, "violations": [], "warnings": [], "satisfied": codes, **changes}


def ask(engine: Any, result: VerificationResult, settings: dict[str, Any]) -> Decision:
    return decide(result, settings, engine=engine, evaluated_at=AT, seconds=30.0)


def codes(decision: Decision) -> list[str]:
    return [violation.code for violation in decision.violations]


def test_an_admitted_result_is_allowed(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    decision = ask(embedded, result, settings)
    assert decision.allow
    assert (decision.violations, decision.warnings, decision.exceptions) == ((), (), ())
    assert set(decision.demanded) <= set(decision.satisfied)


def test_the_decision_says_what_went_into_it(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    decision = ask(embedded, result, settings)
    raw = policy_input(result, settings, codes=decision.demanded, evaluated_at=AT)
    assert decision.digests.input == hashlib.sha256(raw).hexdigest()
    assert decision.digests.policy == CATALOGUE.policy_digest
    assert (decision.digests.profile, decision.digests.trust) == (settings["digest"], result.trust.digest)
    assert (decision.engine.name, decision.collection, decision.evaluated_at) == ("embedded", "minimal", AT)


def test_solutions_come_from_the_catalogue(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    admitted["result"]["contract"]["breach"] = "tests/a.py was modified"
    (violation,) = ask(embedded, convert(admitted["result"], VerificationResult, what="x"), settings).violations
    rule = CATALOGUE.rule("contract.breach")
    assert rule is not None
    assert (violation.code, violation.solution) == ("contract.breach", rule.solution)


def test_the_input_has_sorted_names_and_the_result_as_it_is(
    admitted: dict[str, Any], result: VerificationResult, settings: dict[str, Any]
) -> None:
    raw = policy_input(result, settings, codes=admitted["demanded"], evaluated_at=AT)
    tree = json.loads(raw)
    assert tree["result"] | {"untrusted": admitted["result"]["untrusted"]} == to_tree(result) == admitted["result"]
    assert raw == json.dumps(tree, sort_keys=True, separators=(",", ":")).encode()


def test_a_demand_has_both_its_lists(result: VerificationResult, settings: dict[str, Any]) -> None:
    bare = {**settings, "evidence": [{"claim": "c", "kind": "file"}]}
    raw = policy_input(result, bare, codes=["x"], evaluated_at=AT)
    assert json.loads(raw)["profile"]["evidence"] == [{"claim": "c", "kind": "file", "argv": [], "paths": []}]


def test_unsigned_is_allowed_with_a_warning(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    admitted["result"]["trust"]["mode"] = "unsigned"
    admitted["result"] |= {"signers": [], "attesterNames": []}
    signature = admitted["result"]["checks"][0]
    signature["status"] = signature["findings"][0]["status"] = "not_checked"
    signature["findings"][0]["reason"] = "signature.unsigned"
    decision = ask(embedded, convert(admitted["result"], VerificationResult, what="x"), {**settings, "unsigned": True})
    assert decision.allow
    assert [warning.code for warning in decision.warnings] == ["signature.unsigned"]
    assert "signature.trusted" not in decision.satisfied


def test_unsigned_is_denied_where_a_signature_is_demanded(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    admitted["result"]["trust"]["mode"] = "unsigned"
    admitted["result"] |= {"signers": [], "attesterNames": []}
    decision = ask(embedded, convert(admitted["result"], VerificationResult, what="x"), settings)
    assert codes(decision) == ["signature.trusted"]


def untrusted(result: dict[str, Any]) -> None:
    result |= {"examined": False, "predicateType": None, "verdict": None, "claims": [], "assurance": "reported"}
    result |= {
        "signers": [],
        "attesterNames": [],
        "run": {},
        "contract": {"state": "not_checked", "sealed": 0, "absent": 0},
    }
    result["coverage"] |= {"total": 0, "confirmed": 0}
    failed = {"check": "signature", "status": "fail", "reason": "signature.no_trusted_key", "message": "nobody known"}
    unread = {
        "check": "statement",
        "status": "not_checked",
        "reason": "statement.not_examined",
        "message": "the signature was not trusted",
    }
    result["checks"] = [
        {"id": "signature", "status": "fail", "findings": [failed]},
        {"id": "statement", "status": "not_checked", "findings": [unread]},
    ]


def unknown_type(result: dict[str, Any]) -> None:
    result |= {"examined": False, "predicateType": "https://slsa.dev/provenance/v1", "verdict": None, "claims": []}
    result |= {"assurance": "reported", "run": {}, "contract": {"state": "not_checked", "sealed": 0, "absent": 0}}
    result["coverage"] |= {"total": 0, "confirmed": 0}
    finding = {"check": "statement", "status": "not_checked", "reason": "statement.no_handler", "message": "none"}
    result["checks"] = [result["checks"][0], {"id": "statement", "status": "not_checked", "findings": [finding]}]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(untrusted, ["signature.trusted"], id="untrusted signature"),
        pytest.param(unknown_type, ["statement.handler"], id="unknown predicate type"),
    ],
)
def test_what_comes_later_is_silent_when_nothing_was_examined(
    embedded: EmbeddedEngine,
    admitted: dict[str, Any],
    settings: dict[str, Any],
    change: Callable[[dict[str, Any]], None],
    expected: list[str],
) -> None:
    change(admitted["result"])
    decision = ask(embedded, convert(admitted["result"], VerificationResult, what="x"), settings)
    assert not decision.allow
    assert codes(decision) == expected


def test_violations_stand_in_the_order_of_the_pipeline(result: VerificationResult, settings: dict[str, Any]) -> None:
    said: list[dict[str, Any]] = [
        {"code": code, "message": "m", "facts": []} for code in ("custom.a.b", "verdict.passed", "signature.trusted")
    ]
    decision = ask(Fixed(allowed(settings, allow=False, violations=said)), result, settings)
    assert codes(decision) == ["signature.trusted", "verdict.passed", "custom.a.b"]


def test_facts_are_sorted_and_said_once(result: VerificationResult, settings: dict[str, Any]) -> None:
    said = {"code": "verdict.passed", "message": "m", "facts": ["/b", "/a", "/b"]}
    decision = ask(Fixed(allowed(settings, allow=False, violations=[said, said])), result, settings)
    assert [violation.facts for violation in decision.violations] == [("/a", "/b")]


def test_an_allow_without_its_reasons_is_denied(result: VerificationResult, settings: dict[str, Any]) -> None:
    decision = ask(Fixed(allowed(settings, satisfied=["signature.trusted"])), result, settings)
    assert not decision.allow
    assert set(codes(decision)) == {"engine.unsatisfied", "engine.disagrees"}
    terms = {violation.term for violation in decision.violations if violation.code == "engine.unsatisfied"}
    assert terms == set(decision.demanded) - {"signature.trusted"}


def test_an_allow_with_a_violation_is_denied(result: VerificationResult, settings: dict[str, Any]) -> None:
    said = [{"code": "verdict.passed", "message": "m", "facts": []}]
    decision = ask(Fixed(allowed(settings, violations=said)), result, settings)
    assert not decision.allow
    assert set(codes(decision)) == {"verdict.passed", "engine.disagrees"}


def test_a_denial_without_a_reason_stays_one(result: VerificationResult, settings: dict[str, Any]) -> None:
    decision = ask(Fixed(allowed(settings, allow=False)), result, settings)
    assert not decision.allow
    assert codes(decision) == ["engine.disagrees"]


def test_the_missing_demand_is_named_only_when_nothing_else_is(
    result: VerificationResult, settings: dict[str, Any]
) -> None:
    answer = allowed(settings, allow=False, satisfied=["signature.trusted"])
    answer["violations"] = [{"code": "verdict.passed", "message": "m", "facts": []}]
    assert codes(ask(Fixed(answer), result, settings)) == ["verdict.passed"]


GOOD = {"code": "verdict.passed", "message": "m", "facts": []}


@pytest.mark.parametrize(
    "changes",
    [
        {"allow": "true"},
        {"allow": 1},
        {"allow": None},
        {"violations": {}},
        {"violations": None},
        {"violations": ["no"]},
        {"violations": [{**GOOD, "code": "x"}]},
        {"violations": [{**GOOD, "code": 1}]},
        {"violations": [{**GOOD, "message": ""}]},
        {"violations": [{**GOOD, "facts": "/a"}]},
        {"violations": [{**GOOD, "facts": ["a"]}]},
        {"violations": [{**GOOD, "term": 1}]},
        {"violations": [{**GOOD, "more": 1}]},
        {"warnings": True},
        {"satisfied": "signature.trusted"},
        {"satisfied": [1]},
        {"more": 1},
    ],
    ids=json.dumps,
)
def test_another_shape_is_a_denial(
    result: VerificationResult, settings: dict[str, Any], changes: dict[str, Any]
) -> None:
    decision = ask(Fixed(allowed(settings, **changes)), result, settings)
    assert (decision.allow, codes(decision), decision.satisfied) == (False, ["engine.shape"], ())


@pytest.mark.parametrize("missing", ["allow", "violations", "warnings", "satisfied"])
def test_a_missing_member_is_a_denial(result: VerificationResult, settings: dict[str, Any], missing: str) -> None:
    answer = allowed(settings)
    del answer[missing]
    assert codes(ask(Fixed(answer), result, settings)) == ["engine.shape"]


@pytest.mark.parametrize("answer", [True, [], "allow", 1, {}], ids=repr)
def test_what_is_no_decision_is_a_denial(result: VerificationResult, settings: dict[str, Any], answer: Any) -> None:
    assert codes(ask(Fixed(answer), result, settings)) == ["engine.shape"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, "engine.null"),
        (EngineError("late", code="engine.timeout"), "engine.timeout"),
        (EngineError("broken"), "engine.error"),
        (ZeroDivisionError("secret"), "engine.error"),
        (RecursionError(), "engine.error"),
    ],
    ids=repr,
)
def test_no_decision_is_a_denial_with_a_solution(
    result: VerificationResult, settings: dict[str, Any], answer: Any, code: str
) -> None:
    decision = ask(Fixed(answer), result, settings)
    (violation,) = decision.violations
    assert not decision.allow
    assert (violation.code, violation.solution) == (code, ENGINE_CODES[code])
    assert "secret" not in violation.message


def test_an_engine_that_is_stopped_by_the_user_stays_stopped(
    result: VerificationResult, settings: dict[str, Any]
) -> None:
    class Stopped(Fixed):
        def decide(self, raw: bytes, seconds: float) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(Stopped(None), result, settings)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "statement",
    [None, nested(200), nested(100_000), "\ud800", {"a": object()}],
    ids=["none", "deep", "very deep", "surrogate", "odd"],
)
def test_the_statement_as_signed_is_not_handed_over(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any], statement: Any
) -> None:
    changed = msgspec.structs.replace(result, untrusted=msgspec.structs.replace(result.untrusted, statement=statement))
    assert ask(embedded, changed, settings) == ask(embedded, result, settings)


def test_a_result_that_cannot_be_handed_over_is_a_denial(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    changed = msgspec.structs.replace(result, summary="\ud800")
    assert codes(ask(embedded, changed, settings)) == ["engine.input"]


def test_a_result_that_is_too_large_is_a_denial(
    embedded: EmbeddedEngine,
    result: VerificationResult,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("in_toto_done_receipt.admission.decide.MAX_INPUT", 1000)
    assert codes(ask(embedded, result, settings)) == ["engine.input"]


MADE = {
    "code": "verdict.passed",
    "reason": "known to be wrong",
    "approver": "a@example.com",
    "expires": "2027-01-01T00:00:00Z",
}


def failed(admitted: dict[str, Any]) -> VerificationResult:
    admitted["result"]["verdict"]["passed"] = False
    made: VerificationResult = convert(admitted["result"], VerificationResult, what="x")
    return made


def test_an_exception_stands_for_what_it_names(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    decision = ask(embedded, failed(admitted), {**settings, "exceptions": [MADE]})
    assert decision.allow
    assert to_tree(decision.exceptions) == [MADE]
    assert set(decision.demanded) - set(decision.satisfied) == {"verdict.passed"}


def test_a_decision_holds_no_longer_than_an_exception_that_it_needs(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    result = failed(admitted)
    for until, expected in ((None, MADE["expires"]), ("2028-01-01T00:00:00Z", MADE["expires"]), (AT, AT)):
        decision = decide(
            result,
            {**settings, "exceptions": [MADE]},
            engine=embedded,
            evaluated_at=AT,
            seconds=30.0,
            valid_until=until,
        )
        assert decision.valid_until == expected


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"expires": AT}, "verdict.passed"),
        ({"term": "a"}, "verdict.passed"),
        ({"subject": "another.txt"}, "verdict.passed"),
        ({"subject": "src/app.py"}, "verdict.passed"),
        ({"code": "contract.held"}, "verdict.passed"),
    ],
    ids=json.dumps,
)
def test_an_exception_for_something_else_does_not_help(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any], changes: dict[str, str], code: str
) -> None:
    decision = ask(embedded, failed(admitted), {**settings, "exceptions": [{**MADE, **changes}]})
    assert (decision.allow, codes(decision), decision.exceptions) == (False, [code], ())
    assert [warning.code for warning in decision.warnings] == ["profile.exceptions"]


def test_every_subject_has_an_exception_of_its_own(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    both = [{**MADE, "subject": subject} for subject in admitted["result"]["matchedSubjects"]]
    assert len(both) == 2
    assert ask(embedded, failed(admitted), {**settings, "exceptions": both}).allow


def waiving(settings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What an engine says that lets the exception stand for the verdict."""
    waived = {**MADE, **changes}
    met = [code for code in demanded(CATALOGUE, settings) if code != waived["code"]]
    return allowed(settings, satisfied=met, exceptions=[waived])


def test_an_engine_may_apply_an_exception_of_the_profile(result: VerificationResult, settings: dict[str, Any]) -> None:
    assert ask(Fixed(waiving(settings)), result, {**settings, "exceptions": [MADE]}).allow


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"reason": "another"}, "is none of the profile's"),
        ({"term": "a"}, "is none of the profile's"),
        ({"code": "contract.held"}, "is none of the profile's"),
    ],
    ids=json.dumps,
)
def test_an_exception_that_the_profile_does_not_hold_is_a_denial(
    result: VerificationResult, settings: dict[str, Any], changes: dict[str, Any], fault: str
) -> None:
    decision = ask(Fixed(waiving(settings, **changes)), result, {**settings, "exceptions": [MADE]})
    assert not decision.allow
    assert [violation.message for violation in decision.violations if violation.code == "engine.exception"] == [
        f"the exception for {changes.get('code', 'verdict.passed')} {fault}"
    ]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"expires": AT}, f"expired on {AT}"),
        ({"expires": "some day"}, "has no time to end"),
        ({"code": "signature.trusted"}, "is for what no exception is ever made for"),
        ({"code": "statement.coherent"}, "is for what no exception is ever made for"),
        ({"code": "engine.shape"}, "is for what no exception is ever made for"),
        ({"code": "profile.exceptions"}, "is for what no exception is ever made for"),
        ({"subject": "other.txt"}, "is for the subject other.txt, which was not matched"),
        ({"subject": "src/app.py"}, "is for some of the subjects only"),
    ],
    ids=json.dumps,
)
def test_an_exception_that_cannot_stand_is_a_denial_whatever_the_engine_says(
    result: VerificationResult, settings: dict[str, Any], changes: dict[str, Any], fault: str
) -> None:
    held = {**settings, "exceptions": [{**MADE, **changes}]}
    decision = ask(Fixed(waiving(settings, **changes)), result, held)
    (message,) = [violation.message for violation in decision.violations if violation.code == "engine.exception"]
    assert not decision.allow
    assert fault in message


def test_no_exception_stands_while_something_is_refuted(admitted: dict[str, Any], settings: dict[str, Any]) -> None:
    check = admitted["result"]["checks"][6]
    check["status"] = check["findings"][0]["status"] = "fail"
    check["findings"][0]["reason"] = "evidence-file.differs"
    result = convert(admitted["result"], VerificationResult, what="x")
    decision = ask(Fixed(waiving(settings)), result, {**settings, "exceptions": [MADE]})
    assert not decision.allow
    assert [violation.message for violation in decision.violations] == [
        "the exception for verdict.passed cannot stand while something is refuted"
    ]


def test_an_exception_without_a_term_names_all_terms_and_one_with_a_term_its_own(
    result: VerificationResult, settings: dict[str, Any]
) -> None:
    for term, allow in ((None, True), ("app/file", True), ("app/text", False)):
        waived = {**MADE, "code": "profile.evidence"} | ({} if term is None else {"term": term})
        met = [code for code in demanded(CATALOGUE, settings) if code != "profile.evidence:app/file"]
        answer = allowed(settings, satisfied=met, exceptions=[waived])
        assert ask(Fixed(answer), result, {**settings, "exceptions": [waived]}).allow is allow


def test_a_profile_that_leaves_nothing_that_judges_is_a_denial(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    bare = {key: value for key, value in settings.items() if key not in ("agent", "usage")}
    decision = ask(embedded, result, {**bare, "evidence": [], "exclude": ["@minimal"]})
    assert (decision.allow, decision.demanded, codes(decision)) == (False, (), ["engine.selection"])


def test_what_depends_on_something_else_waits(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    untrusted(admitted["result"])
    decision = ask(embedded, convert(admitted["result"], VerificationResult, what="x"), settings)
    assert {waiting.on for waiting in decision.waiting} == {("signature.trusted",)}
    waiting = {one.code for one in decision.waiting}
    assert waiting | set(decision.satisfied) >= set(decision.demanded) - {"signature.trusted"}
    assert {"statement.handler", "assurance.minimum", "profile.evidence:app/file"} <= waiting


def test_what_this_version_does_not_look_at_is_said(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    decision = ask(embedded, result, {**settings, "collection": "ci"})
    messages = {violation.code: violation.message for violation in decision.violations}
    assert not decision.allow
    assert messages["tests.canary"] == (
        "harness-canary is demanded by collection ci, and this version does not look at it"
    )
    assert set(messages) == {
        "change.base",
        "change.scope",
        "contract.coverage",
        "tests.confirmed",
        "tests.inventory",
        "tests.canary",
        "freshness.source",
    }


def test_overrides_and_an_earlier_time_are_warnings(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    decision = ask(embedded, result, {**settings, "overrides": ["limits"], "backdated": True})
    assert decision.allow
    assert [(warning.code, warning.message) for warning in decision.warnings] == [
        ("profile.overrides", "override limits was given: it loosens what the verifier's files say"),
        ("profile.backdated", f"judged as of {AT}, which is past"),
    ]


def test_a_profile_may_make_warnings_denials(
    embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]
) -> None:
    strict = {**settings, "overrides": ["limits"], "backdated": True, "include": ["profile"]}
    decision = ask(embedded, result, strict)
    assert codes(decision) == ["profile.overrides", "profile.backdated"]


def test_many_exceptions_and_selectors_take_no_more_than_they_are(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    """Each compared with each would take gigabytes here."""
    many = [f"src/{number}.py" for number in range(4000)]
    check = admitted["result"]["checks"][10]
    finding = {**check["findings"][0], "status": "fail", "reason": "freshness.too_old"}
    check |= {"status": "fail", "findings": [{**finding, "path": path} for path in many]}
    changes = {
        "exceptions": [{**MADE, "code": "freshness.time", "term": path} for path in many[:2000]],
        "exclude": [f"freshness.time:{path}" for path in many[2000:]],
    }
    result = convert(admitted["result"], VerificationResult, what="x")
    decision = ask(embedded, result, {**settings, **changes})
    assert (decision.allow, decision.violations, len(decision.exceptions)) == (True, (), 2000)
