"""House rule 6: a check is a file, a line in the registry, reason codes, a docs page and a case; none is missing."""

import json
from pathlib import Path

import pytest

from in_toto_done_receipt.recompute.checks.registry import CHECKS, DOCUMENT_ORDER
from in_toto_done_receipt.results.reasons import REASONS

ROOT = Path(__file__).parents[2]
FILES = (ROOT / "in_toto_done_receipt" / "recompute" / "checks").glob("*.py")
IDS = sorted(path.stem.replace("_", "-") for path in FILES if path.stem not in {"__init__", "registry"})


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """The checks that give one of the reasons that the cases expect."""
    cases = [json.loads(path.read_bytes()) for path in ROOT.glob("testdata/receipts/**/expected.json")]
    return {code.partition(".")[0] for case in cases for code in case.get("reasons", ())}


def test_every_check_has_a_line_in_the_registry() -> None:
    assert sorted(DOCUMENT_ORDER) == IDS
    assert {name for name, _ in CHECKS} == set(IDS) - {"signature"}  # which runs on what trust says, before the others


def test_every_reason_belongs_to_a_check() -> None:
    assert {code.partition(".")[0] for code in REASONS} == set(IDS)


@pytest.mark.parametrize("check", IDS)
def test_every_check_has_a_page_and_a_case(check: str, shown: set[str]) -> None:
    page = (ROOT / "docs" / "reference" / "checks" / f"{check}.md").read_text(encoding="utf-8")
    assert [code for code in REASONS if code.startswith(f"{check}.") and f"`{code}`" not in page] == []
    assert check in shown
