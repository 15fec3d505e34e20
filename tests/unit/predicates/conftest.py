"""The base statements of the vectors, and reading one through the same door as a receipt."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.wire.statement import Statement, read_statement

VECTORS = Path(__file__).parents[3] / "testdata" / "predicate"

Read = Callable[[dict[str, Any]], tuple[DoneReceipt, Statement]]


@pytest.fixture(scope="session")
def generator() -> ModuleType:
    """The script that writes the vectors."""
    spec = importlib.util.spec_from_file_location("predicate_vectors", VECTORS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def whole(generator: ModuleType) -> dict[str, Any]:
    """A statement with every member and every kind of evidence, fresh for each test."""
    statement: dict[str, Any] = generator.whole()
    return statement


@pytest.fixture
def small(generator: ModuleType) -> dict[str, Any]:
    """The smallest statement, fresh for each test."""
    statement: dict[str, Any] = generator.small()
    return statement


@pytest.fixture
def read() -> Read:
    """Reads a statement's tree as a receipt, through its bytes."""

    def reading(tree: dict[str, Any]) -> tuple[DoneReceipt, Statement]:
        statement = read_statement(json.dumps(tree).encode())
        return read_predicate(statement), statement

    return reading
