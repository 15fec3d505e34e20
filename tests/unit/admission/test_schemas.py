"""The published schemas of decisions and policy inputs fit what is made, and are not empty words."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from in_toto_done_receipt.admission import decide as module
from in_toto_done_receipt.admission.decide import decide, policy_input
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import convert, to_tree

FOLDER = Path(module.__file__).parent
RESULT = FOLDER.parent / "results" / "result.v0.1.schema.json"
AT = "2026-11-30T12:00:00Z"


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((FOLDER / f"{name}.v0.1.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    result = (
        json.loads(RESULT.read_bytes()) if RESULT.is_file() else {"$id": "https://w3id.org/done-receipt/result/v0.1"}
    )
    resource = Resource.from_contents(result, default_specification=DRAFT202012)
    return Draft202012Validator(schema, registry=Registry().with_resource(result["$id"], resource))


@pytest.fixture
def decision(embedded: EmbeddedEngine, result: VerificationResult, settings: dict[str, Any]) -> dict[str, Any]:
    made = decide(result, settings, engine=embedded, evaluated_at=AT, seconds=30.0, valid_until=AT)
    tree: dict[str, Any] = to_tree(made)
    return tree


def test_an_allowed_decision_fits(decision: dict[str, Any]) -> None:
    assert [error.message for error in validator("decision").iter_errors(decision)] == []


def test_a_denied_decision_fits(embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]) -> None:
    admitted["result"]["contract"] |= {"state": "moved", "moved": [{"path": "a", "change": "modified"}]}
    denied = decide(
        convert(admitted["result"], VerificationResult, what="x"),
        settings,
        engine=embedded,
        evaluated_at=AT,
        seconds=30.0,
    )
    assert not denied.allow
    assert [error.message for error in validator("decision").iter_errors(to_tree(denied))] == []


def test_a_decision_with_an_exception_and_with_what_waits_fits(
    embedded: EmbeddedEngine, admitted: dict[str, Any], settings: dict[str, Any]
) -> None:
    admitted["result"]["verdict"]["passed"] = False
    admitted["result"]["contract"]["state"] = "not_checked"
    made = {"code": "verdict.passed", "reason": "r", "approver": "a", "expires": "2027-01-01T00:00:00.5Z"}
    asked = {**settings, "collection": "ci", "exceptions": [made, {**made, "subject": "src/app.py"}]}
    result = convert(admitted["result"], VerificationResult, what="x")
    tree = to_tree(decide(result, asked, engine=embedded, evaluated_at=AT, seconds=30.0))
    assert (len(tree["exceptions"]), [one["code"] for one in tree["waiting"]]) == (2, ["contract.verified"])
    assert [error.message for error in validator("decision").iter_errors(tree)] == []
    assert not validator("decision").is_valid({**tree, "exceptions": [{**made, "more": 1}]})


@pytest.mark.parametrize(
    "change",
    [
        {"allow": "true"},
        {"violations": [{"code": "a.b", "message": "m"}]},
        {"violations": [{"code": "a.b"}], "allow": False},
        {"exceptions": ["x"]},
        {"digests": {}},
        {"demanded": []},
        {"more": 1},
    ],
    ids=json.dumps,
)
def test_another_decision_does_not_fit(decision: dict[str, Any], change: dict[str, Any]) -> None:
    assert not validator("decision").is_valid({**decision, **change})


def test_the_input_that_is_made_fits(
    admitted: dict[str, Any], result: VerificationResult, settings: dict[str, Any]
) -> None:
    raw = policy_input(result, settings, codes=admitted["demanded"], evaluated_at=AT)
    assert [error.message for error in validator("policy-input").iter_errors(json.loads(raw))] == []
    assert [error.message for error in validator("policy-input").iter_errors(admitted)] == []


@pytest.mark.parametrize("member", ["unsigned", "minimumAssurance", "sandbox", "predicateTypes", "evidence"])
def test_an_input_without_a_setting_does_not_fit(admitted: dict[str, Any], member: str) -> None:
    changed = copy.deepcopy(admitted)
    del changed["profile"][member]
    assert not validator("policy-input").is_valid(changed)
