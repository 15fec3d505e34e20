"""Every directory of testdata/receipts/clean_room: the repository is built, the tests of the change run in the sandbox,
and the command line gives its verdict. A few of each runner are tried by `make test`, all by `make integration`.
"""

import filecmp
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from in_toto_done_receipt.cli import main, verify_setup
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.results.model import SandboxLevel
from tests.repositories.rooms import CASES, Desk
from tests.runners.lab import machine, need, need_bubblewrap

NAMES: Final = sorted(path.parent.name for path in CASES.glob("*/expected.json"))
QUICK: Final = frozenset(
    {
        "feature",
        "test_deleted_fail",
        "assertions_patched_fail",
        "pytest_feature",
        "skip_marker_fail",
        "node_todo_fail",
    }
)
THREE: Final = ("evidence-tests", "test-inventory", "harness-canary")
USUAL: Final = frozenset({"evidence-tests.confirmed", "test-inventory.complete", "harness-canary.honest"})

NOT_OWED: Final = {"context.not_demanded", "output-manifest.not_claimed", "audit-log.not_demanded"}


def cases() -> list[Any]:
    """All names; what is not tried by every run is marked."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.integration) for name in NAMES]


@pytest.mark.parametrize("name", cases())
def test_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    need_bubblewrap()
    desk = Desk(name, tmp_path)
    monkeypatch.chdir(desk.case)
    monkeypatch.setattr(verify_setup, "_sandbox", machine)  # the machine is the same for each case
    for variable, value in desk.expected.get("environment", {}).items():
        monkeypatch.setenv(variable, value)
    with desk.provided():
        code = main.run(["verify", *desk.words, "--json"])
    captured = capsys.readouterr()
    if "violations" not in desk.expected or not captured.out:
        assert code == desk.expected["exitCode"], captured.err + captured.out
        return
    document = json.loads(captured.out)
    found = {"exitCode": code, **told(document)}
    assert found == {key: desk.expected[key] for key in found}, captured.out
    if "claim" in desk.expected:
        assert [claim["state"] for claim in document["result"]["claims"]] == [desk.expected["claim"]]


def told(document: dict[str, Any]) -> dict[str, Any]:
    """What a case says of its verdict, as it stands in expected.json."""
    decision, findings = document["decision"], list_of(document)
    return {
        "violations": list(dict.fromkeys(one["code"] for one in decision["violations"])),
        "warnings": list(dict.fromkeys(w["code"] for w in decision["warnings"] if w["code"] != "profile.backdated")),
        "reasons": sorted({one["reason"] for one in findings if one["status"] != "pass"} - NOT_OWED),
        "remarks": sorted(
            {
                one["reason"]
                for one in findings
                if one["status"] == "pass" and one["check"] in THREE and one["reason"] not in USUAL
            }
        ),
    }


def list_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All findings of a result."""
    return [finding for check in document["result"]["checks"] for finding in check["findings"]]


def test_the_name_says_whether_it_is_refused() -> None:
    codes = {
        name: json.loads((CASES / name / "expected.json").read_text(encoding="utf-8"))["exitCode"] for name in NAMES
    }
    assert {name for name, code in codes.items() if code} == {name for name in NAMES if name.endswith("_fail")}


def test_what_is_tried_by_every_run_exists() -> None:
    assert set(NAMES) >= QUICK


def test_the_generator_writes_exactly_these_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, CASES.parent / "generate_clean_room.py", tmp_path], check=True)
    compared = filecmp.dircmp(tmp_path / "clean_room", CASES)

    def differences(node: filecmp.dircmp[str]) -> list[str]:
        own = node.left_only + node.right_only + node.diff_files + node.funny_files
        return own + [name for below in node.subdirs.values() for name in differences(below)]

    assert differences(compared) == []


@pytest.mark.integration
@pytest.mark.parametrize("level", ["landlock", "rlimits"])
@pytest.mark.parametrize("name", ["feature", "pytest_feature", "assertions_patched_fail", "exit_at_import_fail"])
def test_case_below_bubblewrap(
    name: str,
    level: SandboxLevel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A lower level is allowed by name, and comes to the same."""
    need(probe(highest=level).level == level, f"level {level}")
    desk = Desk(name, tmp_path)
    monkeypatch.chdir(desk.case)
    monkeypatch.setattr(verify_setup, "_sandbox", lambda: probe(highest=level))
    main.run(["verify", *desk.words, "--sandbox", level, "--override", "sandbox.required", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["result"]["sandbox"]["level"] == level
    found = told(document)
    assert found["reasons"] == desk.expected["reasons"]
    assert found["violations"] == desk.expected["violations"]


def test_below_the_demanded_level_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk("feature", tmp_path)
    monkeypatch.chdir(desk.case)
    monkeypatch.setattr(verify_setup, "_sandbox", lambda: probe(highest="rlimits"))
    assert main.run(["verify", *desk.words, "--json"]) == 12
    found = told(json.loads(capsys.readouterr().out))
    assert found["reasons"] == ["evidence-tests.sandbox", "harness-canary.sandbox", "test-inventory.sandbox"]
