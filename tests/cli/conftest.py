"""A command line run in this process: what it prints, and the code it ends with."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from in_toto_done_receipt.cli.main import run


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command line ended."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ended]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run one command line; `stdin` is what it finds on standard input."""

    def call(*arguments: str | Path, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert "internal error" not in captured.err
        return Ended(code=code, out=captured.out, err=captured.err)

    return call


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A small piece of finished work, in a folder of its own."""
    root = tmp_path / "work"
    (root / "tests").mkdir(parents=True)
    (root / "report.md").write_text("# Report\nPASS\n")
    (root / "tests" / "test_report.py").write_text("assert True\n")
    return root
