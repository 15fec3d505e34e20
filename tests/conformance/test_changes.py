"""Every directory of testdata/receipts/changes: the repository is built, and the command line gives its verdict."""

import filecmp
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main
from tests.repositories.history import build_history, filled

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
NAMES = sorted(path.parent.name for path in CASES.glob("changes/*/expected.json"))


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES / "changes" / name
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    repo, ids = build_history(json.loads((case / "history.json").read_text(encoding="utf-8")), tmp_path)
    monkeypatch.chdir(case)
    code = main.run(["verify", *filled(expected["arguments"], repo, ids), "--json"])
    out = capsys.readouterr().out
    assert code == expected["exitCode"], out
    if "violations" not in expected:
        return
    document = json.loads(out)
    result, decision = document["result"], document["decision"]
    found: dict[str, Any] = {
        "violations": list(dict.fromkeys(v["code"] for v in decision["violations"])),
        "warnings": [w["code"] for w in decision["warnings"] if w["code"] != "profile.backdated"],
        "contract": result["contract"]["state"],
    }
    assert found == {key: expected[key] for key in found}, decision
    reasons = {finding["reason"] for check in result["checks"] for finding in check["findings"]}
    assert set(expected.get("reasons", [])) <= reasons


def test_the_name_says_whether_it_is_refused() -> None:
    codes = {
        name: json.loads((CASES / "changes" / name / "expected.json").read_text(encoding="utf-8"))["exitCode"]
        for name in NAMES
    }
    assert {name for name, code in codes.items() if code} == {name for name in NAMES if name.endswith("_fail")}


def test_the_generator_writes_exactly_these_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, CASES / "generate_changes.py", tmp_path], check=True)
    compared = filecmp.dircmp(tmp_path / "changes", CASES / "changes")

    def differences(node: filecmp.dircmp[str]) -> list[str]:
        own = node.left_only + node.right_only + node.diff_files + node.funny_files
        return own + [name for below in node.subdirs.values() for name in differences(below)]

    assert differences(compared) == []
