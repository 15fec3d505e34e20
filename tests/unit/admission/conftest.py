"""An admitted policy input, and the engines that a test of decisions needs."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import convert

ROOT = Path(__file__).parents[3]
ADMITTED = json.loads((ROOT / "testdata" / "policy-input" / "admitted.json").read_bytes())


@pytest.fixture
def admitted() -> dict[str, Any]:
    """The policy input of testdata/policy-input; a copy to change."""
    return copy.deepcopy(ADMITTED)


@pytest.fixture
def result(admitted: dict[str, Any]) -> VerificationResult:
    made: VerificationResult = convert(admitted["result"], VerificationResult, what="admitted.json")
    return made


@pytest.fixture
def settings(admitted: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = admitted["profile"]
    return found


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine()
    yield engine
    engine.close()
