"""Attack: an endless file, a FIFO, a device, a slow command, an expression that backtracks.
Answer: regular files only, the size at opening plus one byte, a deadline for everything, a linear matcher.
"""

import os
from collections.abc import Callable

import pytest

from in_toto_done_receipt.trust.pattern import compile_pattern
from testdata.receipts import generate
from tests.threats.conftest import Desk

NOT_A_FILE = ("fifo", "/dev/zero", "folder", "missing")
FLAGS = ("--trust", "--profile", "--contract", "--manifest", "--artifact")


@pytest.fixture
def places(desk: Desk) -> None:
    os.mkfifo(desk.folder / "fifo")
    (desk.folder / "folder").mkdir()


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize("name", NOT_A_FILE)
def test_threat_33_a_receipt_is_a_file(desk: Desk, name: str) -> None:
    arguments = desk.lay(generate.Case(why=""))
    assert desk.run("verify", name, *arguments[1:]).code == 3
    assert desk.run("inspect", name).code == 3


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize("name", NOT_A_FILE)
@pytest.mark.parametrize("flag", FLAGS)
def test_threat_33_a_file_of_the_verifiers_is_a_file(desk: Desk, flag: str, name: str) -> None:
    arguments = desk.lay(generate.Case(why="", trust=[] if flag == "--trust" else list(generate.TRUST)))
    assert desk.run("verify", *arguments, flag, name).code == 4


@pytest.mark.parametrize("name", ["greeting.txt", "tests/check.sh"])
def test_threat_33_a_fifo_in_the_tree_is_refuted_not_waited_for(desk: Desk, name: str) -> None:
    arguments = desk.lay(generate.Case(why=""))
    (desk.folder / "workspace" / name).unlink()
    os.mkfifo(desk.folder / "workspace" / name)
    assert desk.run("verify", *arguments).code == 11


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("script", ["sleep 600", "yes", "trap '' TERM INT; sleep 600"])
def test_threat_33_a_command_ends_in_time(desk: Desk, script: str, commands: Callable[..., list[str]]) -> None:
    argv = ["/bin/sh", "-c", script]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    flags = [*commands(f'["/bin/sh", "-c", "{script}"]'), "--limit", "command-seconds=1"]
    assert desk.verify(generate.Case(why="", change=change, flags=flags)).code == 11


@pytest.mark.usefixtures("bubblewrap")
def test_threat_33_what_a_command_leaves_behind_holds_nobody_up(desk: Desk, commands: Callable[..., list[str]]) -> None:
    argv = ["/bin/sh", "-c", "sleep 600 & exit 1"]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    flags = commands('["/bin/sh", "-c", "sleep 600 & exit 1"]')
    assert desk.verify(generate.Case(why="", change=change, flags=flags)).code == 11


@pytest.mark.usefixtures("bubblewrap")
def test_threat_33_the_whole_has_a_deadline(desk: Desk, commands: Callable[..., list[str]]) -> None:
    argv = ["/bin/sh", "-c", "sleep 600"]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    arguments = desk.lay(generate.Case(why="", change=change, flags=commands('["/bin/sh", "-c", "sleep 600"]')))
    seen = desk.run("verify", *arguments, "--timeout", "1")
    assert (seen.code, "limit seconds is 1" in seen.err) == (3, True)


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*.*.*)*b", "((a?){20}){20}b"])
def test_threat_33_an_expression_does_not_backtrack(pattern: str) -> None:
    try:
        compiled = compile_pattern(pattern)
    except ValueError:
        return  # refused as too large is an answer too
    assert not compiled.fullmatch("a" * 2000)
