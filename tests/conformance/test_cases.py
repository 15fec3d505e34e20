"""Every directory of testdata/receipts: the command line gives the verdict that its expected.json states."""

import filecmp
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.observe.sandbox.probe import probe

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
NAMES = sorted(path.parent.name for path in CASES.glob("*/expected.json"))


@pytest.fixture(scope="session")
def level() -> str:
    return probe().level


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, level: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    expected = json.loads((CASES / name / "expected.json").read_text(encoding="utf-8"))
    if expected.get("needs", level) != level:
        reason = f"needs {expected['needs']}, this machine's sandbox is {level}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    monkeypatch.chdir(CASES / name)
    code = main.run(["verify", *expected["arguments"], *([] if "--format" in expected["arguments"] else ["--json"])])
    out = capsys.readouterr().out
    assert code == expected["exitCode"], out
    if "violations" not in expected:
        return
    document = json.loads(out)
    result, decision = document["result"], document["decision"]
    found: dict[str, Any] = {
        "violations": [f"{v['code']}" for v in decision["violations"]],
        # each is judged as of its own time, so that it stays what it is
        "warnings": [w["code"] for w in decision["warnings"] if w["code"] != "profile.backdated"],
        "claims": {claim["id"]: claim["state"] for claim in result["claims"]},
        "assurance": result["assurance"],
        "contract": result["contract"]["state"],
        "unrecognizedFields": result["unrecognizedFields"],
    }
    found["violations"] = list(dict.fromkeys(found["violations"]))
    compared = {key: value for key, value in expected.items() if key in found}
    assert {key: found[key] for key in compared} == compared
    reasons = {finding["reason"] for check in result["checks"] for finding in check["findings"]}
    assert set(expected.get("reasons", [])) <= reasons


def test_the_name_says_whether_it_is_refused() -> None:
    codes = {name: json.loads((CASES / name / "expected.json").read_text())["exitCode"] for name in NAMES}
    assert {name for name, code in codes.items() if code} == {name for name in NAMES if name.endswith("_fail")}


def test_the_generator_writes_exactly_these_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, CASES / "generate.py", tmp_path], check=True)
    others = [path.name for path in CASES.glob("*.py")]  # generators, also of the cases of other tests
    compared = filecmp.dircmp(tmp_path, CASES, ignore=[*others, "changes", "clean_room", "__pycache__"])

    def differences(node: filecmp.dircmp[str]) -> list[str]:
        own = node.left_only + node.right_only + node.diff_files + node.funny_files
        return own + [name for below in node.subdirs.values() for name in differences(below)]

    assert differences(compared) == []
