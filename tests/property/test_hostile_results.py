"""Result documents of denied receipts with members deleted, nulled, retyped: in front of the policy, with each engine,
and on the way that `admit` reads them, a denial never becomes an admission.

One admitted document, each member and the values of each type: test_admission_fail_closed.py.
"""

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.decide import decide, policy_input
from in_toto_done_receipt.admission.demands import demanded
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import PolicyEngine
from in_toto_done_receipt.admission.opa import OpaEngine
from in_toto_done_receipt.errors import EngineError, MalformedInput
from in_toto_done_receipt.pipeline import recompute
from in_toto_done_receipt.results.document import read_result
from in_toto_done_receipt.wire.record import to_tree
from tests.property.denied import (
    CASES,
    DELETED,
    OTHER_TYPES,
    Place,
    at,
    changed,
    denied_names,
    other_types,
    places,
    verifier,
)

# One for each kind of denial.
NAMES = (
    "breach_reported_fail",
    "changed_file_fail",
    "context_missing_fail",
    "evidence_not_ok_fail",
    "in_future_fail",
    "incoherent_fail",
    "manifest_differs_fail",
    "model_left_out_fail",
    "no_evidence_fail",
    "no_handler_fail",
    "sealed_modified_fail",
    "type_not_allowed_fail",
    "unchecked_fail",
    "usage_exceeded_fail",
    "weak_only_fail",
)
Denied = dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]
Change = tuple[str, Place, Any]


@pytest.fixture(scope="module")
def documents() -> Denied:
    """For each case the policy input, the result document, and the settings."""
    found = {}
    for name in NAMES:
        with verifier(name) as (trust, context):
            data = (CASES / name / "receipt.json").read_bytes()
            result = recompute(data, trust=trust, context=context).result
            settings = context.settings.policy_document()
            codes = demanded(load_catalogue(), settings)
            raw = policy_input(result, settings, codes=codes, evaluated_at=result.evaluated_at)
            found[name] = (json.loads(raw), to_tree(result), settings)
    return found


@pytest.fixture(scope="module")
def changes(documents: Denied) -> list[Change]:
    """Every member of every result, deleted, nulled, or of another type; below `untrusted` no rule reads."""
    pick = random.Random(4)  # noqa: S311 - a fixed sequence is wanted
    return [
        (name, place, value)
        for name, (document, _, _) in documents.items()
        for place in places(document["result"])
        if place[0] != "untrusted"
        for value in (DELETED, None, pick.choice(other_types(at(document["result"], place))))
    ]


@pytest.fixture(scope="module")
def native() -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(jit=True)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def pulley() -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine()
    yield engine
    engine.close()


def admits(engine: PolicyEngine, document: dict[str, Any], change: Change) -> bool:
    """What Python would accept of the engine's answer on this document."""
    _, place, value = change
    altered = {**document, "result": changed(document["result"], place, value)}
    try:
        answer = engine.decide(json.dumps(altered).encode(), 60.0)
    except EngineError:
        return False
    return bool(answer["allow"] and not answer["violations"] and set(answer["satisfied"]) >= set(document["demanded"]))


def test_every_kind_is_among_the_denied() -> None:
    assert set(NAMES) <= set(denied_names())


def test_no_member_decides_by_being_away_cranelift(
    native: EmbeddedEngine, documents: Denied, changes: list[Change]
) -> None:
    some = changes[::2]  # of three values at each place one or two
    assert [change[:2] for change in some if admits(native, documents[change[0]][0], change)] == []


def test_no_member_decides_by_being_away_pulley(
    pulley: EmbeddedEngine, documents: Denied, changes: list[Change]
) -> None:
    some = changes[::31]
    assert [change[:2] for change in some if admits(pulley, documents[change[0]][0], change)] == []


@pytest.mark.integration
def test_no_member_decides_by_being_away_opa(
    documents: Denied, changes: list[Change], tool: Callable[[str], Path]
) -> None:
    opa = OpaEngine(tool("opa"))
    some = changes[::29]
    with ThreadPoolExecutor(2) as pool:
        admitted = pool.map(lambda change: admits(opa, documents[change[0]][0], change), some)
        assert [change[:2] for change, bad in zip(some, admitted, strict=True) if bad] == []


def test_several_members_at_once_do_not_either(native: EmbeddedEngine, documents: Denied) -> None:
    pick = random.Random(5)  # noqa: S311 - a fixed sequence is wanted
    admitted = []
    for name, (document, _, _) in documents.items():
        known = [place for place in places(document["result"]) if place[0] != "untrusted"]
        for _ in range(60):
            chosen = [(place, pick.choice((DELETED, *OTHER_TYPES))) for place in pick.sample(known, pick.randint(2, 5))]
            result = document["result"]
            for place, value in chosen[1:]:
                result = changed(result, place, value)
            if admits(native, {**document, "result": result}, (name, *chosen[0])):
                admitted.append((name, chosen))
    assert admitted == []


def test_read_back_by_admit_it_is_refused_or_denied(
    native: EmbeddedEngine, documents: Denied, changes: list[Change]
) -> None:
    admitted = []
    for name, place, value in changes[1::2]:
        _, whole, settings = documents[name]
        data = json.dumps(changed(whole, place, value)).encode()
        try:
            result = read_result(data, what="result", max_bytes=len(data))
        except MalformedInput:
            continue
        if decide(result, settings, engine=native, evaluated_at=result.evaluated_at, seconds=60.0).allow:
            admitted.append((name, place))
    assert admitted == []


def test_an_admitted_one_is_read_back(native: EmbeddedEngine) -> None:
    with verifier("honest") as (trust, context):
        found = recompute((CASES / "honest" / "receipt.json").read_bytes(), trust=trust, context=context).result
        data = json.dumps(to_tree(found)).encode()
        settings = context.settings.policy_document()
        result = read_result(data, what="result", max_bytes=len(data))
        assert decide(result, settings, engine=native, evaluated_at=result.evaluated_at, seconds=60.0).allow
