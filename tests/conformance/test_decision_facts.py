"""What a decision says of the cases of testdata: each fact is a place in the policy input, no demand is passed over."""

import json
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from tests.policy_inputs import of_all_cases

CATALOGUE = load_catalogue()
COLLECTIONS = tuple(CATALOGUE.collections)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return of_all_cases(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="module")
def engine() -> EmbeddedEngine:
    return EmbeddedEngine(jit=True)


def asked_by(collection: str, raw: bytes) -> dict[str, Any]:
    """The same input, as a profile with this collection asks it."""
    document: dict[str, Any] = json.loads(raw)
    own = [code for code in document["demanded"] if code not in CATALOGUE.collections["minimal"]]
    document["profile"]["collection"] = collection
    unasked = {"signature.trusted"} if document["profile"]["unsigned"] else set()
    codes = [code for code in CATALOGUE.collections[collection] if code not in unasked]
    document["demanded"] = [*codes, *own]
    return document


def unresolved(document: Any, pointers: set[str]) -> list[str]:
    return [pointer for pointer in sorted(pointers) if not there(document, pointer)]


def there(document: Any, pointer: str) -> bool:
    """RFC 6901, without an escape: no name of ours needs one."""
    assert "~" not in pointer
    for step in pointer.split("/")[1:]:
        if isinstance(document, list) and step.isdigit() and int(step) < len(document):
            document = document[int(step)]
        elif isinstance(document, dict) and step in document:
            document = document[step]
        else:
            return False
    return True


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_every_fact_is_a_place_in_the_input(inputs: dict[str, bytes], engine: EmbeddedEngine, collection: str) -> None:
    faults = {}
    for name, raw in inputs.items():
        document = asked_by(collection, raw)
        encoded = json.dumps(document).encode()
        decision = engine.decide(encoded, 60.0)
        said = [*decision["violations"], *decision["warnings"]]
        assert all(one["facts"] for one in said)
        pointers = {fact for one in said for fact in one["facts"]}
        pointers |= {fact for facts in engine.grounds(encoded, 60.0).values() for fact in facts}
        if missing := unresolved(document, pointers):
            faults[name] = missing
    assert faults == {}


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_rule_is_satisfied_or_says_why_not(inputs: dict[str, bytes], engine: EmbeddedEngine, collection: str) -> None:
    faults = {}
    waits = {rule.code: rule.depends_on for rule in CATALOGUE.rules}
    for name, raw in inputs.items():
        document = asked_by(collection, raw)
        decision = engine.decide(json.dumps(document).encode(), 60.0)
        violated = {violation["code"] for violation in decision["violations"]}
        heard = {code for code in waits if not blocked(code, waits, violated)}
        met = set(decision["satisfied"])
        silent = [code for code in document["demanded"] if code in heard and (code in met) is (code in violated)]
        if silent:
            faults[name] = silent
    assert faults == {}


def blocked(code: str, waits: dict[str, tuple[str, ...]], violated: set[str]) -> bool:
    return any(before in violated or blocked(before, waits, violated) for before in waits[code])


def test_every_satisfied_requirement_stands_on_something(inputs: dict[str, bytes], engine: EmbeddedEngine) -> None:
    for raw in inputs.values():
        grounds = engine.grounds(raw, 60.0)
        assert set(grounds) == set(engine.decide(raw, 60.0)["satisfied"])
        assert all(grounds.values())
