"""Attack: what was not checked passes.
Answer: a collection lists the checks that must have been done, and anything but `pass` denies; what this version cannot
check yet stays demanded.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import convert
from testdata.receipts import generate
from tests.threats.conftest import Desk, profile

ADMITTED = json.loads((Path(__file__).parents[2] / "testdata" / "policy-input" / "admitted.json").read_bytes())
COLLECTIONS = load_catalogue().collections
CHECKS = [check["id"] for check in ADMITTED["result"]["checks"] if not check["id"].startswith("evidence-")]


def decided(result: dict[str, Any], **settings: Any) -> Decision:
    engine = EmbeddedEngine()
    try:
        return decide(
            convert(result, VerificationResult, what="result"),
            ADMITTED["profile"] | settings,
            engine=engine,
            evaluated_at=ADMITTED["evaluatedAt"],
            seconds=30.0,
        )
    finally:
        engine.close()


def undone(check: str, status: str) -> dict[str, Any]:
    """The admitted result in which this check was not done, or could not be."""
    result: dict[str, Any] = copy.deepcopy(ADMITTED["result"])
    (found,) = (one for one in result["checks"] if one["id"] == check)
    found["status"] = status
    found["findings"] = [
        {"check": check, "status": status, "reason": f"{check}.not_looked_at", "message": "nobody looked"}
    ]
    return result


def test_threat_04_with_everything_checked_it_is_admitted() -> None:
    assert decided(ADMITTED["result"]).allow


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("status", ["not_checked", "error"])
def test_threat_04_a_check_that_was_not_done_denies(check: str, status: str) -> None:
    assert not decided(undone(check, status)).allow


@pytest.mark.parametrize("check", CHECKS)
def test_threat_04_a_check_that_is_not_there_denies(check: str) -> None:
    result = copy.deepcopy(ADMITTED["result"])
    result["checks"] = [one for one in result["checks"] if one["id"] != check]
    assert not decided(result).allow


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_threat_04_every_demand_of_a_collection_is_met_or_missed(collection: str) -> None:
    decision = decided(ADMITTED["result"], collection=collection)
    assert set(COLLECTIONS[collection]) <= set(decision.demanded)
    missed = set(decision.demanded) - set(decision.satisfied)
    said = {violation.code for violation in decision.violations} | {waiting.code for waiting in decision.waiting or ()}
    assert decision.allow is (missed == set())
    assert {code.partition(":")[0] for code in missed} <= said


@pytest.mark.parametrize("collection", [name for name in COLLECTIONS if name != "minimal"])
def test_threat_04_a_collection_with_more_does_not_pass_for_want_of_a_check(desk: Desk, collection: str) -> None:
    seen = desk.verify(generate.Case(why="", **profile(f'collection = "{collection}"\n')))
    assert seen.code == 12
    assert seen.violations >= {"change.base", "tests.inventory"}


def test_threat_04_without_a_place_to_look_nothing_was_checked(desk: Desk) -> None:
    words = [word for word in desk.lay(generate.Case(why="")) if word not in ("--root", "workspace")]
    seen = desk.run("verify", *words, "--json")
    assert (seen.code, seen.violations >= {"subjects.matched", "contract.held", "assurance.minimum"}) == (12, True)
