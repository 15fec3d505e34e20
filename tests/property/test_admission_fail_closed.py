"""Leaving something out, nulling it or giving it another type never turns a denial into an admission.

Exhaustive over one admitted input: each member is deleted and set to a value of every other JSON type. What may stay
admitted is listed; everything else must deny.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.errors import EngineError

INPUT = Path(__file__).parents[2] / "testdata" / "policy-input" / "admitted.json"
ADMITTED: dict[str, Any] = json.loads(INPUT.read_bytes())
DEMANDED = set(ADMITTED["demanded"])
DELETED = object()
OTHERS: tuple[Any, ...] = (DELETED, None, True, 0, "", "x", [], {})
Place = tuple[str | int, ...]

# Members (checks by their id, other positions as *) that may be anything: no rule asks them. Names, texts and digests
# that only reports and the decision's own record use; checks of single items, whose state stands in `claims`.
INERT = re.compile(
    r"result/(schema|evaluatedAt|verifier(/.*)?|input(/.*)?|trust/digest|trust/root|summary|profileDigest"
    r"|signers/\*/(name|kind|keyFingerprint)|attesterNames(/\*)?|matchedSubjects(/\*)?|handlers(/\*)?"
    r"|unrecognizedFields|workspace(/.*)?|run/(agent|outcome|finishedOn)|verdict/(reason|summary)"
    r"|contract/(sealed|absent)|sandbox/(required|layers(/.*)?)|coverage/(blocked|reported|byKind(/.*)?)"
    r"|checks/[a-z-]+/findings/\*/(check|message|claim|evidence|path)"
    r"|checks/evidence-[a-z]+(/.*)?"
    r"|checks/(output-manifest|contract-seals|audit-log|freshness)/findings/\*/reason"
    r"|checks/(signature|statement|subjects|contract-seals)/status"
    r"|claims/\*/(statement|evidence/\*/(index|reason|message|path)))"
    r"|profile/(collection|digest|overrides|agent/models/\*)|evaluatedAt"
    r"|profile/(include|exclude|exceptions|backdated)"
)
# Members whose absence says "nothing of this": the verifier's own limits. Python makes this document, not the receipt.
OPTIONAL = re.compile(r"profile/(usage/\w+|evidence/\*/paths/\*)|demanded/\*")


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    made = EmbeddedEngine(jit=True)
    yield made
    made.close()


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    if at[:2] == ("result", "untrusted"):
        return  # no rule reads it: the next test but one
    if at:
        yield at
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in pairs:
        yield from places(inner, (*at, step))


PLACES = list(places(ADMITTED))


def name(place: Place) -> str:
    steps = [step if isinstance(step, str) else "*" for step in place]
    if place[:2] == ("result", "checks") and len(place) > 2:
        steps[2] = ADMITTED["result"]["checks"][place[2]]["id"]
    return "/".join(steps)


def at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document


def changed(document: Any, place: Place, value: Any) -> Any:
    """A copy with one member changed; what is not on the way is shared. A place that is gone stays gone."""
    step, rest = place[0], place[1:]
    made: Any = dict(document) if isinstance(document, dict) else list(document)
    if isinstance(made, list) and (not isinstance(step, int) or step >= len(made)):
        return made
    if rest:
        made[step] = changed(made[step], rest, value)
    elif value is DELETED:
        del made[step]
    else:
        made[step] = value
    return made


def other_types(place: Place) -> list[Any]:
    old = at(ADMITTED, place)
    return [value for value in OTHERS if value is DELETED or type(value) is not type(old)]


def admits(engine: EmbeddedEngine, document: Any) -> bool:
    """What Python accepts: the engine allows, objects to nothing, and has satisfied what was demanded at first."""
    try:
        answer = engine.decide(json.dumps(document).encode(), 60.0)
    except EngineError:
        return False
    return answer["allow"] is True and not answer["violations"] and set(answer["satisfied"]) >= DEMANDED


def test_the_input_is_admitted(engine: EmbeddedEngine) -> None:
    assert admits(engine, ADMITTED)


def test_every_member_that_decides_denies_when_it_is_missing_or_of_another_type(engine: EmbeddedEngine) -> None:
    admitted = {
        (name(place), "deleted" if value is DELETED else json.dumps(value))
        for place in PLACES
        if not INERT.fullmatch(name(place))
        for value in other_types(place)
        if not (value is DELETED and OPTIONAL.fullmatch(name(place)))
        if admits(engine, changed(ADMITTED, place, value))
    }
    assert admitted == set()


def test_the_list_of_what_does_not_decide_is_not_longer_than_it_must_be() -> None:
    deciding = {name(place) for place in PLACES if not INERT.fullmatch(name(place))}
    assert {
        "result/examined",
        "result/signers",
        "result/trust/mode",
        "result/predicateType",
        "result/checks/signature/findings/*/reason",
        "result/checks/context/findings/*/reason",
        "result/checks/freshness/status",
        "result/claims/*/evidence/*/state",
        "result/claims/*/evidence/*/ok",
        "result/claims/*/evidence/*/argv",
        "result/coverage/total",
        "result/contract/state",
        "result/verdict/coherent",
        "result/run/model",
        "result/sandbox/level",
        "profile/unsigned",
        "profile/sandbox/required",
    } <= deciding


def test_no_rule_reads_the_statement_as_signed(engine: EmbeddedEngine) -> None:
    before = engine.decide(json.dumps(ADMITTED).encode(), 60.0)
    for value in ({}, [], None, {"allow": True}, "x", DELETED):
        document = changed(ADMITTED, ("result", "untrusted", "statement"), value)
        after = engine.decide(json.dumps(document).encode(), 60.0)
        assert {key: sorted(map(str, after[key])) if key != "allow" else after[key] for key in after} == {
            key: sorted(map(str, before[key])) if key != "allow" else before[key] for key in before
        }


def test_the_rules_do_not_name_what_is_untrusted() -> None:
    policy = Path(__file__).parents[2] / "policy"
    code = [line for path in policy.rglob("*.rego") for line in path.read_text().splitlines()]
    assert [line for line in code if "untrusted" in line and not line.startswith("#")] == []


# One fault each, as a real result has it.
FAULTS: dict[str, list[tuple[Place, Any]]] = {
    "signature": [
        (("result", "signers"), []),
        (("result", "checks", 0, "status"), "fail"),
        (("result", "checks", 0, "findings", 0, "status"), "fail"),
        (("result", "checks", 0, "findings", 0, "reason"), "signature.no_trusted_key"),
    ],
    "coherence": [
        (("result", "checks", 1, "status"), "fail"),
        (("result", "checks", 1, "findings", 0, "status"), "fail"),
        (("result", "verdict", "coherent"), False),
    ],
    "subjects": [
        (("result", "checks", 3, "status"), "fail"),
        (("result", "checks", 3, "findings", 0, "status"), "fail"),
    ],
    "contract": [
        (("result", "contract", "state"), "moved"),
        (("result", "contract", "moved"), [{"path": "a", "change": "modified"}]),
        (("result", "checks", 5, "findings", 0, "status"), "fail"),
    ],
    "verdict": [(("result", "verdict", "passed"), False)],
    "refuted": [
        (("result", "claims", 0, "evidence", 0, "state"), "refuted"),
        (("result", "claims", 0, "state"), "refuted"),
        (("result", "coverage", "refuted"), 1),
        (("result", "coverage", "confirmed"), 2),
        (("result", "assurance"), "reported"),
    ],
    "failed": [
        (("result", "claims", 0, "evidence", 0, "ok"), False),
        (("result", "claims", 0, "state"), "failed"),
    ],
    "assurance": [
        (("result", "assurance"), "partially_rechecked"),
        (("result", "claims", 0, "evidence", 0, "state"), "reported"),
        (("result", "coverage", "confirmed"), 2),
    ],
    "freshness": [
        (("result", "checks", 9, "status"), "fail"),
        (("result", "checks", 9, "findings", 0, "status"), "fail"),
    ],
    "model": [(("result", "run", "model"), "model-3")],
    "usage": [(("result", "run", "toolCalls"), 51)],
    "sandbox": [(("result", "sandbox", "level"), "landlock")],
}


def faulty(fault: str) -> dict[str, Any]:
    document = ADMITTED
    for place, value in FAULTS[fault]:
        document = changed(document, place, value)
    return document


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_denies(engine: EmbeddedEngine, fault: str) -> None:
    assert not admits(engine, faulty(fault))


@pytest.mark.parametrize("fault", FAULTS)
def test_leaving_out_one_more_member_does_not_heal_a_fault(engine: EmbeddedEngine, fault: str) -> None:
    document = faulty(fault)
    healed = [
        name(place)
        for place in PLACES
        if not OPTIONAL.fullmatch(name(place)) and not INERT.fullmatch(name(place))
        if admits(engine, changed(document, place, DELETED))
    ]
    assert healed == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(document=json_values)
def test_any_other_input_is_denied(engine: EmbeddedEngine, document: Any) -> None:
    assert not admits(engine, document)


@given(fault=st.sampled_from(sorted(FAULTS)), place=st.sampled_from(PLACES), value=json_values)
def test_any_value_anywhere_does_not_heal_a_fault(engine: EmbeddedEngine, fault: str, place: Place, value: Any) -> None:
    touched = {name(where) for where, _ in FAULTS[fault]} | {"profile/agent/models", "profile/usage/maxToolCalls"}
    if any(other == name(place) or other.startswith(name(place) + "/") for other in touched):
        return  # the very place of the fault: a value can be the right one there
    if name(place).startswith("profile/"):
        return  # the verifier's own word may ask for less
    assert not admits(engine, changed(faulty(fault), place, value))
