"""Command evidence: what an outcome is written as."""

from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.producer.commands import run_commands
from in_toto_done_receipt.producer.evidence import Seen, Wanted

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def ran(root: Path, *argv: str, **expected: Any) -> Seen:
    members: dict[str, Any] = {"argv": list(argv)}
    if expected:
        members["expected"] = expected
    (seen,) = run_commands([Wanted(claim="c", kind="command", members=members)], root)
    assert seen is not None
    return seen


def test_a_success(tmp_path: Path) -> None:
    seen = ran(tmp_path, "/bin/sh", "-c", "echo hi")
    assert seen.ok is True
    assert seen.observed == {
        "exitCode": 0,
        "stdout": {"sha256": "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4", "bytes": 3},
        "stderr": {"sha256": EMPTY, "bytes": 0},
    }


@pytest.mark.parametrize(("code", "ok"), [(3, True), (0, False)])
def test_an_expected_exit_code(tmp_path: Path, code: int, ok: bool) -> None:
    assert ran(tmp_path, "/bin/sh", "-c", "exit 3", exitCode=code).ok is ok


def test_death_by_a_signal_is_negative(tmp_path: Path) -> None:
    assert ran(tmp_path, "/bin/sh", "-c", "kill -9 $$").observed["exitCode"] == -9


@pytest.mark.parametrize(("text", "ok"), [("\u00e9l", True), ("x", False)])
def test_expected_text(tmp_path: Path, text: str, ok: bool) -> None:
    seen = ran(tmp_path, "/bin/echo", "h\u00e9llo", stdoutContains=text)
    assert (seen.ok, seen.observed["stdoutMatched"]) == (ok, ok)


def test_expected_text_from_a_failing_command(tmp_path: Path) -> None:
    seen = ran(tmp_path, "/bin/sh", "-c", "echo x; exit 1", stdoutContains="x")
    assert (seen.ok, seen.observed["stdoutMatched"]) == (False, True)


@pytest.mark.parametrize(
    "argv", [["/nowhere/at/all"], ["nowhere-at-all"], [""], ["/"], ["/bin/sh", "-c", "yes"]], ids=lambda argv: argv[0]
)
def test_no_exit_code_is_an_error(tmp_path: Path, argv: list[str]) -> None:
    seen = ran(tmp_path, *argv)
    assert (seen.ok, list(seen.observed)) == (False, ["error"])
    assert seen.observed["error"]


def test_it_runs_in_the_root_itself(tmp_path: Path) -> None:
    assert ran(tmp_path, "/usr/bin/touch", "made").ok
    assert (tmp_path / "made").exists()


def test_other_items_have_no_outcome(tmp_path: Path) -> None:
    item = Wanted(claim="c", kind="file", members={"path": "x"})
    assert run_commands([item], tmp_path) == [None]
