"""Progress: on a terminal, and nowhere else."""

import io
import sys

import pytest

from in_toto_done_receipt.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_log_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress("scanning") as step:
        assert step is None


def test_a_terminal_has_it_and_is_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress("scanning") as step:
        assert step is not None
        step(3, 1024)
    assert terminal.getvalue().endswith("\x1b[2K")
