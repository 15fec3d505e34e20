"""Removing, nulling, retyping or doubling any field of any policy input never turns a denial into an admission, and a
rule that is left out denies.

The inputs are those of every receipt of testdata. Of one input, what each field decides: test_admission_fail_closed.py;
the documents and receipts behind them: test_hostile_results.py, test_hostile_receipts.py.
"""

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.custom.tools import whole_bundle
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import close_engine, open_engine
from in_toto_done_receipt.admission.opa import OpaEngine
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import EngineError
from tests.policy_inputs import of_all_cases
from tests.property.denied import DELETED, Place, at, changed, doubled, other_types
from tests.running_opa import running_opa

Mutation = tuple[str, Place, Any]  # an input, a place in it, what stands there instead
Documents = dict[str, dict[str, Any]]
RULES = [rule.code for rule in load_catalogue().rules]
ENOUGH = settings(max_examples=150, derandomize=True, database=None)


class Doubled:
    """An element of a list that stands there twice."""


TWICE = Doubled()


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Documents:
    found = of_all_cases(tmp_path_factory.mktemp("inputs"))
    return {name: json.loads(raw) for name, raw in found.items()}


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    made = EmbeddedEngine(jit=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def denied(documents: Documents, engine: EmbeddedEngine) -> Documents:
    return {name: document for name, document in documents.items() if not accepted(engine, document, document)}


def accepted(engine: Any, document: Any, original: dict[str, Any]) -> bool:
    """What Python makes of the engine's answer: every demand of the original, which Python knows, must be met."""
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    try:
        answer = engine.decide(raw, 60.0)
    except EngineError:
        return False
    met = {*answer["satisfied"], *(waived["code"] for waived in answer.get("exceptions", ()))}
    return answer["allow"] is True and not answer["violations"] and met >= set(original["demanded"])


def walk(value: Any, at_: Place = ()) -> Iterator[Place]:
    """Every member and every element below the result, but what the agent says: no rule reads it."""
    if at_[:2] == ("result", "untrusted"):
        return
    if at_[:1] == ("result",) and len(at_) > 1:
        yield at_
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in pairs:
        yield from walk(inner, (*at_, step))


def mutations(name: str, document: dict[str, Any]) -> Iterator[Mutation]:
    for place in walk(document):
        value = at(document, place)
        for other in (DELETED, None, *other_types(value)):
            yield name, place, other
        if isinstance(place[-1], int):
            yield name, place, TWICE


def mutated(document: dict[str, Any], place: Place, value: Any) -> Any:
    if value is not TWICE:
        return changed(document, place, value)
    made = copy.deepcopy(document)
    elements = at(made, place[:-1])
    elements.append(elements[place[-1]])
    return made


def healed(engine: Any, denied: Documents, some: list[Mutation]) -> list[tuple[str, Place]]:
    return [
        (name, place)
        for name, place, value in some
        if accepted(engine, mutated(denied[name], place, value), denied[name])
    ]


def test_there_are_many_of_both(documents: Documents, denied: Documents) -> None:
    assert len(denied) > 40
    assert len(documents) - len(denied) > 15
    assert {name for name in denied if not name.endswith("_fail")} <= {"no_policy_admits_it"}


def test_no_field_decides_by_being_away(engine: EmbeddedEngine, denied: Documents) -> None:
    """Every field of every denied input, removed or null; some of them here, all in the next but one."""
    every = [one for name, document in denied.items() for one in mutations(name, document) if one[2] in (DELETED, None)]
    assert healed(engine, denied, every[:: 1 + len(every) // 4000]) == []


@ENOUGH
@given(data=st.data())
def test_no_field_decides_by_its_type_or_by_standing_twice(
    engine: EmbeddedEngine, denied: Documents, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(denied)))
    place = data.draw(st.sampled_from(list(walk(denied[name]))))
    values: list[Any] = [DELETED, None, *other_types(at(denied[name], place))]
    if isinstance(place[-1], int):
        values.append(TWICE)
    for value in values:
        assert healed(engine, denied, [(name, place, value)]) == []


@pytest.mark.integration
def test_no_field_of_any_denied_input_heals_it(engine: EmbeddedEngine, denied: Documents) -> None:
    """All of it, for every denied input: two threads, as evaluating lets the other run. Takes minutes."""
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda one: healed(engine, denied, list(mutations(*one))), denied.items())
        assert [place for places in found for place in places] == []


@pytest.mark.integration
@pytest.mark.loopback
def test_no_field_of_a_denied_input_heals_it_for_a_server(denied: Documents, tool: Callable[[str], Path]) -> None:
    """A part of the same: there a type error ends the evaluation, where the embedded engine makes a rule silent."""
    every = [one for name, document in denied.items() for one in mutations(name, document)]
    with running_opa(tool("opa"), whole_bundle(policy_folder())) as url:
        server = open_engine(f"opa-server={url}")
        assert healed(server, denied, every[::53]) == []
        close_engine(server)


@ENOUGH
@given(data=st.data())
def test_a_member_that_stands_twice_in_the_bytes_never_heals(
    engine: EmbeddedEngine, denied: Documents, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(denied)))
    members = [place for place in walk(denied[name]) if isinstance(place[-1], str)]
    place = data.draw(st.sampled_from(members))
    value = at(denied[name], place)
    other = data.draw(st.sampled_from((value, *other_types(value))))
    raw = doubled(denied[name], place, other, data.draw(st.booleans()))
    assert not accepted(engine, raw, denied[name])


@ENOUGH
@given(data=st.data())
def test_several_fields_at_once_do_not_either(engine: EmbeddedEngine, denied: Documents, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(denied)))
    places = data.draw(st.lists(st.sampled_from(list(walk(denied[name]))), min_size=2, max_size=6, unique=True))
    document: Any = denied[name]
    for place in places:
        document = changed(document, place, data.draw(st.sampled_from((DELETED, None, True, 0, "", "x", [], {}))))
    assert not accepted(engine, document, denied[name])


# --- fewer rules


class Without:
    """The engine, as if these rules' packages were not in its policy: they satisfy nothing and object to nothing."""

    name, version, policy_digest = "without", "1", "0" * 64

    def __init__(self, engine: EmbeddedEngine, missing: frozenset[str]) -> None:
        self._engine, self._missing = engine, missing

    def decide(self, raw: bytes, seconds: float) -> Any:
        answer = self._engine.decide(raw, seconds)
        satisfied = [code for code in answer["satisfied"] if code.partition(":")[0] not in self._missing]
        violations = [said for said in answer["violations"] if said["code"] not in self._missing]
        allow = not violations and set(json.loads(raw)["demanded"]) <= set(satisfied)
        return {**answer, "satisfied": satisfied, "violations": violations, "allow": allow}


@ENOUGH
@given(data=st.data(), missing=st.frozensets(st.sampled_from(RULES), min_size=1))
def test_a_rule_that_is_missing_denies_what_demands_it(
    engine: EmbeddedEngine, documents: Documents, data: st.DataObject, missing: frozenset[str]
) -> None:
    document = documents[data.draw(st.sampled_from(sorted(documents)))]
    if missing & {code.partition(":")[0] for code in document["demanded"]}:
        assert not accepted(Without(engine, missing), document, document)


@pytest.mark.parametrize("code", RULES)
def test_each_demanded_rule_alone_is_missed(engine: EmbeddedEngine, documents: Documents, code: str) -> None:
    demanding = {
        name for name, document in documents.items() if any(d.partition(":")[0] == code for d in document["demanded"])
    }
    assert {
        name for name in demanding if accepted(Without(engine, frozenset({code})), documents[name], documents[name])
    } == set()


@pytest.mark.integration
def test_any_subset_of_packages_denies_with_opa(
    documents: Documents, denied: Documents, tool: Callable[[str], Path], tmp_path: Path
) -> None:
    """The packages themselves are left out: the sources may then not even compile, which denies too."""
    pick = random.Random(7)  # noqa: S311 - a fixed sequence is wanted
    admitted = sorted(set(documents) - set(denied))
    subsets = [[code] for code in RULES] + [pick.sample(RULES, pick.randint(2, len(RULES))) for _ in range(30)]
    allowed = []
    for number, missing in enumerate(subsets):
        folder = tmp_path / str(number)
        shutil.copytree(policy_folder() / "done_receipt", folder / "done_receipt")
        for code in missing:
            shutil.rmtree(folder / "done_receipt" / "rules" / code.replace(".", "/"))
        name, other = pick.choice(admitted), pick.choice(sorted(denied))
        opa = OpaEngine(tool("opa"), folder=folder)
        demanded = {code.partition(":")[0] for code in documents[name]["demanded"]}
        if set(missing) & demanded and accepted(opa, documents[name], documents[name]):
            allowed.append((missing, name))
        if accepted(opa, denied[other], denied[other]):
            allowed.append((missing, other))
        opa.close()
        shutil.rmtree(folder)
    assert allowed == []
