"""The published schemas take what the code writes, and refuse what it would not."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from in_toto_done_receipt.cli import main

ROOT = Path(__file__).parents[3]
CASES = ROOT / "testdata" / "receipts"
PACKAGE = ROOT / "in_toto_done_receipt"


def schema(path: str) -> Draft202012Validator:
    tree = json.loads((PACKAGE / path).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(tree)
    return Draft202012Validator(tree)


@pytest.mark.parametrize(
    "name", ["honest", "context", "manifest", "threshold", "sealed_modified_fail", "no_handler_fail"]
)
def test_results_and_decisions_keep_their_schema(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected: dict[str, Any] = json.loads((CASES / name / "expected.json").read_text(encoding="utf-8"))
    monkeypatch.chdir(CASES / name)
    main.run(["verify", *expected["arguments"], "--json"])
    document = json.loads(capsys.readouterr().out)
    assert list(schema("results/result.v0.1.schema.json").iter_errors(document["result"])) == []
    assert list(schema("admission/decision.v0.1.schema.json").iter_errors(document["decision"])) == []


def test_the_profile_schema_is_closed() -> None:
    profile = schema("profile/profile.v0.1.schema.json")
    assert profile.is_valid({"version": 1, "minimumAssurance": "reported"})
    assert not profile.is_valid({"version": 1, "minimumAsurance": "reported"})
