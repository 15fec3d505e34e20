"""Running OPA: bounded, with nothing inherited."""

import time
from pathlib import Path

import pytest

from in_toto_done_receipt.admission import process
from in_toto_done_receipt.errors import EngineError, EngineUnavailable


def shell(tmp_path: Path, text: str, *, seconds: float = 30.0, stdin: bytes = b"") -> process.Ran:
    return process.run(["/bin/sh", "-c", text], seconds=seconds, cwd=tmp_path, home=tmp_path, stdin=stdin)


def test_it_gives_input_and_returns_both_outputs(tmp_path: Path) -> None:
    ran = shell(tmp_path, "cat; echo no >&2; exit 3", stdin=b"yes" * 100_000)
    assert (ran.code, ran.stdout, ran.stderr) == (3, b"yes" * 100_000, b"no\n")


def test_it_inherits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPA_EVAL_FORMAT", "raw")
    names = {line.partition("=")[0] for line in shell(tmp_path, "env").stdout.decode().splitlines()}
    assert names <= {"PATH", "LANG", "HOME", "PWD", "SHLVL", "_", "OLDPWD"}


def test_it_ends_what_runs_too_long_and_its_children(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(EngineError, match=r"no decision within 0\.2 s") as caught:
        shell(tmp_path, "sleep 60 & sleep 60", seconds=0.2)
    assert caught.value.code == "engine.timeout"
    assert time.monotonic() - start < 30


def test_it_ends_what_closes_its_outputs_and_goes_on(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no decision within"):
        shell(tmp_path, "exec >&- 2>&-; sleep 60", seconds=0.2)


def test_it_ends_what_prints_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_OUTPUT", 100_000)
    with pytest.raises(EngineError, match="printed more than 100000 bytes") as caught:
        shell(tmp_path, "while :; do echo 0123456789012345678901234567890123456789; done")
    assert caught.value.code == "engine.output"


def test_what_cannot_be_started_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="missing: cannot be started"):
        process.run([str(tmp_path / "missing")], seconds=1, cwd=tmp_path, home=tmp_path)
