"""Progress: on a terminal, and nowhere else."""

import io
import sys
from pathlib import Path

import pytest

from in_toto_done_receipt.cli.progress import progress
from testdata.receipts import generate
from testdata.receipts.generate_changes import Case
from tests.cli.conftest import Cli
from tests.cli.terminal import on_a_terminal
from tests.repositories.changes import Laid


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


def changed(folder: Path) -> tuple[list[str], list[str]]:
    """The words of a verification that writes head's tree and hashes it, and those of an inventory of it."""
    case = Case(why="", manifest=True)
    laid = Laid(case, folder)
    statement = case.statement(laid.repo, laid.ids)
    statement["predicate"]["claims"][0]["evidence"].append(generate.command_item(["/bin/true"]))
    text = generate.pretty(generate.envelope(generate.payload_of(statement)))
    (folder / "receipt.json").write_text(text)
    verify = ["verify", *laid.words("--recheck-commands", "--allow-command", "/bin/true", "--sandbox", "rlimits")]
    words = ["--repo", str(laid.repo.path), "--head", laid.ids["work"], "--out", str(folder / "manifest.json")]
    return verify, ["manifest", "create", *words]


def test_a_tree_of_git_is_written_and_hashed_in_view(tmp_path: Path) -> None:
    verify, manifest = changed(tmp_path)
    code, shown = on_a_terminal([], *verify, environment={"TERM": "xterm"})
    assert code == 0, shown
    assert b"writing the tree: 0 files, " in shown
    assert b"bytes written" in shown
    assert b"manifest: 0 files, " in shown
    code, shown = on_a_terminal([], *manifest, environment={"TERM": "xterm"})
    assert code == 0, shown
    assert b"bytes read" in shown


def test_a_log_of_the_same_has_no_word_of_it(cli: Cli, tmp_path: Path) -> None:
    verify, manifest = changed(tmp_path)
    assert cli(*verify).err == ""
    assert cli(*manifest).err == ""
