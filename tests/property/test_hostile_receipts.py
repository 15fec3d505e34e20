"""Members of a denied receipt deleted, nulled, retyped or doubled, and signed again by the trusted signer: a denial
never becomes an admission, and nothing but our own errors comes out.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.errors import DoneReceiptError, MalformedInput
from in_toto_done_receipt.pipeline import verify
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.trust.model import TrustPolicy
from in_toto_done_receipt.wire.statement import read_statement
from testdata.receipts import generate
from tests.property.denied import (
    CASES,
    DELETED,
    OTHER_TYPES,
    at,
    changed,
    denied_names,
    doubled,
    other_types,
    places,
    verifier,
)

NAMES = denied_names()
BODIES: dict[str, Any] = {
    name: json.loads(base64.b64decode(json.loads((CASES / name / "receipt.json").read_bytes())["payload"]))
    for name in NAMES
}
PLACES = {name: list(places(body)) for name, body in BODIES.items()}
ENOUGH = settings(max_examples=100, derandomize=True, database=None)


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    made = EmbeddedEngine(jit=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def verifiers() -> Iterator[dict[str, tuple[TrustPolicy, RecomputeContext]]]:
    """The workspaces of all cases, held open by their descriptors."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(verifier(name)) for name in NAMES}


@pytest.fixture(scope="module")
def admits(engine: EmbeddedEngine, verifiers: dict[str, tuple[TrustPolicy, RecomputeContext]]) -> Any:
    """Whether this payload, signed by the worker, is admitted where the case was denied."""

    def judge(name: str, payload: bytes) -> bool:
        trust, context = verifiers[name]
        data = json.dumps(generate.envelope(payload)).encode()
        try:
            return verify(data, trust=trust, context=context, engine=engine).decision.allow
        except MalformedInput:
            return False
        except DoneReceiptError as error:
            pytest.fail(f"{type(error).__name__}: {error.message}")

    return judge


def test_the_cases_are_many_and_denied(admits: Any) -> None:
    assert len(NAMES) > 30
    assert [name for name in NAMES if admits(name, json.dumps(BODIES[name]).encode())] == []


def test_an_honest_one_is_admitted(engine: EmbeddedEngine) -> None:
    with verifier("honest") as (trust, context):
        data = (CASES / "honest" / "receipt.json").read_bytes()
        assert verify(data, trust=trust, context=context, engine=engine).decision.allow


@pytest.mark.parametrize("name", NAMES)
def test_one_member_less_or_null_never_admits(admits: Any, name: str) -> None:
    admitted = [
        place
        for place in PLACES[name]
        for value in (DELETED, None)
        if admits(name, json.dumps(changed(BODIES[name], place, value)).encode())
    ]
    assert admitted == []


@pytest.mark.parametrize("name", ["unchecked_fail", "evidence_not_ok_fail", "command_not_asked_fail"])
def test_another_type_at_any_place_never_admits(admits: Any, name: str) -> None:
    body = BODIES[name]
    admitted = [
        (place, value)
        for place in PLACES[name]
        for value in other_types(at(body, place))
        if admits(name, json.dumps(changed(body, place, value)).encode())
    ]
    assert admitted == []


@ENOUGH
@given(draw=st.data(), name=st.sampled_from(NAMES))
def test_any_subset_of_members_never_admits(admits: Any, draw: st.DataObject, name: str) -> None:
    body = BODIES[name]
    for place in draw.draw(st.lists(st.sampled_from(PLACES[name]), min_size=2, max_size=6, unique=True)):
        body = changed(body, place, draw.draw(st.sampled_from((DELETED, DELETED, *OTHER_TYPES))))
    assert not admits(name, json.dumps(body).encode())


@ENOUGH
@given(draw=st.data(), name=st.sampled_from(NAMES), at_end=st.booleans())
def test_a_member_that_stands_twice_is_malformed(draw: st.DataObject, name: str, at_end: bool) -> None:
    place = draw.draw(st.sampled_from(PLACES[name]))
    other = draw.draw(st.sampled_from((at(BODIES[name], place), *OTHER_TYPES)))
    payload = doubled(BODIES[name], place, other, at_end)
    with pytest.raises(MalformedInput, match="duplicate member"):
        read_statement(payload)


@ENOUGH
@given(draw=st.data(), name=st.sampled_from(NAMES))
def test_list_elements_that_stand_twice_never_admit(admits: Any, draw: st.DataObject, name: str) -> None:
    lists = [place for place in PLACES[name] if isinstance(at(BODIES[name], place), list) and at(BODIES[name], place)]
    body = BODIES[name]
    for place in draw.draw(st.lists(st.sampled_from(lists), min_size=1, max_size=3, unique=True)):
        value = at(BODIES[name], place)
        body = changed(body, place, [*value, draw.draw(st.sampled_from(value))])
    assert not admits(name, json.dumps(body).encode())
