"""Every vector of testdata/predicate, and that the generator writes exactly these."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from in_toto_done_receipt.errors import MalformedStatement
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.extra_rules import SCHEMA_RULES, count_faults
from in_toto_done_receipt.predicates.done_receipt.faults import FAULT_REASONS
from in_toto_done_receipt.predicates.done_receipt.schema_faults import validator
from in_toto_done_receipt.predicates.done_receipt.typed import FaultFound, read_tree
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.results.reasons import REASONS
from in_toto_done_receipt.wire.statement import Statement, read_statement

VECTORS = Path(__file__).parents[3] / "testdata" / "predicate"
COHERENCE = {
    "statement.passed",
    "statement.unchecked",
    "statement.failed_without_reason",
    "statement.outcome",
    "statement.breach",
    "statement.evidence_ok",
    "statement.output_subject",
    "statement.times",
    "statement.task_digest",
}


@pytest.fixture(scope="module")
def schema() -> Any:
    return validator()


def cases(kind: str) -> list[Path]:
    return sorted(path for path in (VECTORS / kind).iterdir() if path.is_dir())


def load(case: Path) -> tuple[Statement, Any]:
    statement = read_statement((case / "statement.json").read_bytes())
    return statement, json.loads((case / "expected.json").read_bytes())


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for kind in ("accept", "reject", "incoherent")
        for path in (folder / kind).rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("case", cases("accept"), ids=lambda case: case.name)
def test_accepted_vector_is_read_and_coherent(case: Path) -> None:
    statement, expected = load(case)
    assert expected == {"accepted": True}
    assert coherence_faults(read_predicate(statement), statement) == ()


@pytest.mark.parametrize("case", cases("reject"), ids=lambda case: case.name)
def test_rejected_vector_has_its_reason_and_pointer(case: Path) -> None:
    statement, expected = load(case)
    with pytest.raises(MalformedStatement) as refused:
        read_predicate(statement)
    assert {"reason": refused.value.reason, "pointer": refused.value.pointer} == expected
    assert refused.value.reason in FAULT_REASONS
    assert refused.value.message.isprintable()


@pytest.mark.parametrize("case", cases("incoherent"), ids=lambda case: case.name)
def test_incoherent_vector_is_read_and_has_its_faults(case: Path) -> None:
    statement, expected = load(case)
    faults = coherence_faults(read_predicate(statement), statement)
    assert [{"reason": fault.reason, "pointer": fault.pointer} for fault in faults] == expected["faults"]


@pytest.mark.parametrize("case", [*cases("accept"), *cases("reject"), *cases("incoherent")], ids=lambda case: case.name)
def test_schema_takes_what_types_and_schema_rules_take(case: Path, schema: Any) -> None:
    statement, _ = load(case)
    tree = statement.predicate or {}
    counts = (fault for fault in count_faults(tree) if "limit evidence" not in fault.message)
    try:
        receipt = read_tree(tree)
    except FaultFound:
        taken = False
    else:
        taken = not any(fault for rule in SCHEMA_RULES for fault in rule(receipt, statement)) and not any(counts)
    assert schema.is_valid(tree) == taken


def test_generator_writes_these_vectors(generator: ModuleType, tmp_path: Path) -> None:
    generator.write(tmp_path)
    assert contents(tmp_path) == contents(VECTORS)


def test_every_schema_reason_has_a_vector() -> None:
    assert {load(case)[1]["reason"] for case in cases("reject")} == set(FAULT_REASONS)


def test_every_coherence_reason_has_a_vector() -> None:
    found = {fault["reason"] for case in cases("incoherent") for fault in load(case)[1]["faults"]}
    assert found == COHERENCE
    assert all(REASONS[reason].weight == "refuted" for reason in found)


def test_no_reason_is_both_malformed_and_incoherent() -> None:
    assert set(FAULT_REASONS) & set(REASONS) == set()


@pytest.mark.parametrize("case", [*cases("accept"), *cases("reject"), *cases("incoherent")], ids=lambda case: case.name)
def test_readme_is_one_sentence(case: Path) -> None:
    assert (case / "README").read_text(encoding="utf-8").count("\n") == 1
