"""The frame of the command line: commands, help, exit codes, what a later version brings."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from in_toto_done_receipt import errors
from in_toto_done_receipt.cli import main
from in_toto_done_receipt.version import VERSION


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_help_of_each_command_shows_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([name, "--help"]) == 0
    shown = capsys.readouterr().out
    if "Commands:" in shown:
        group = main.group.get_command(click.Context(main.group), name)
        assert isinstance(group, click.Group)
        for below in group.commands:
            assert main.run([name, below, "--help"]) == 0
            assert "Example:" in capsys.readouterr().out
    else:
        assert "Example:" in shown


def test_every_command_is_listed_with_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in main.COMMANDS if f"  {name} " not in shown] == []


@pytest.mark.parametrize("name", main.LATER_COMMANDS)
def test_a_command_of_a_later_version_is_unavailable(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([name, "x"]) == 4
    assert f"{name}: " in capsys.readouterr().err


@pytest.mark.parametrize("line", [["veriffy"], ["verify"], ["verify", "--no-such-flag"], ["--no-such-flag"]])
def test_a_wrong_call_is_2(line: list[str]) -> None:
    assert main.run(line) == 2


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--version"]) == 0
    assert capsys.readouterr().out == f"done-receipt, version {VERSION}\n"


def test_every_error_of_ours_has_an_exit_code() -> None:
    def below(kind: type[errors.DoneReceiptError]) -> set[type[errors.DoneReceiptError]]:
        return {kind} | {one for sub in kind.__subclasses__() for one in below(sub)}

    coded = tuple(kind for kind, _ in main.EXIT_CODES)
    assert {kind for kind in below(errors.DoneReceiptError) if not issubclass(kind, coded)} == {errors.DoneReceiptError}


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    line = f"{sys.executable} -I -m in_toto_done_receipt policy catalogue --format json | head -c 1"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_doctor_names_every_layer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "sandbox: " in shown
    assert "engine embedded: " in shown


def test_init_drafts_files_that_verify_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("repo/tests").mkdir(parents=True)
    Path("repo/tests/test_a.py").write_text("")
    Path("repo/pytest.ini").write_text("")
    assert main.run(["keygen", "--out", "worker"]) == 0
    assert main.run(["init", "--root", "repo", "--out", "gate", "--trusted-key", "worker=worker.pub"]) == 0
    shown = capsys.readouterr().out
    assert "tests/**, **/test_*.py, **/pytest.ini" in shown
    assert "not protected by these drafts" in shown
    assert main.run(["trust", "check", "gate/trust.toml"]) == 0
    assert main.run(["profile", "show", "gate/acceptance.toml"]) == 0
    assert main.run(["init", "--root", "repo", "--out", "gate", "--trusted-key", "worker=worker.pub"]) == 4
    assert main.run(["init", "--root", "repo", "--out", "repo/gate"]) == 4
