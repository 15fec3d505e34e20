"""`demo`: the whole story in a scratch directory, told by the commands that a newcomer would type. First the work is a
directory, then a change in a git repository.
"""

import base64
import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from in_toto_done_receipt.cli.demo_change import CHEATS as CHEATS_OF_CHANGES
from in_toto_done_receipt.cli.demo_change import change_story
from in_toto_done_receipt.cli.demo_steps import Cheat, heading, run, write
from in_toto_done_receipt.cli.demo_tests import CHEATS as CHEATS_OF_TESTS
from in_toto_done_receipt.cli.demo_tests import tests_story
from in_toto_done_receipt.cli.options import FILE
from in_toto_done_receipt.errors import OutputError
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.observe.sandbox.scratch import scratch
from in_toto_done_receipt.producer.identity import ambient_identity

TEST: Final = "/bin/sh tests/check.sh"
CONTRACT_TEST: Final = 'test "$(cat greeting.txt)" = "hello, world"\n'
WORK: Final = "hello, world\n"

_BUILD: Final = (
    'build --root work --out statement.json --contract contract.json --agent demo-agent --task "Say hello."'
    f' --claim "greets=the greeting is there and the test passes" --file greets=greeting.txt --command "greets={TEST}"'
)
_SIGN: Final = "sign statement.json --key worker.pem --out receipt.json"

_WORDS: Final = {1: "one", 2: "two", 3: "three", 4: "four", 6: "six", 8: "eight"}
_CHEATS: Final = {
    "work": Cheat(title="the work is changed after it was signed", code=11),
    "contract": Cheat(title="the sealed contract is changed: the test now tests nothing", code=11),
    "envelope": Cheat(title="the signed envelope is changed: another task", code=10),
    "evidence": Cheat(title="a claim whose evidence nobody can look at", code=12),
}


@click.command()
@click.option("--into", type=FILE, help="A new directory to leave everything in; else it is removed at the end.")
def command(into: Path | None) -> int:
    """Show honest work that is admitted, and cheats that are refused, each for its own reason: a directory with four
    cheats, a change in a git repository with two, and one whose tests the verifier runs again, with two.

    \b
    Example:
      done-receipt demo
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(scratch()) if into is None else _new(into)
        stack.enter_context(_inside(folder))
        stack.enter_context(_without_identity())
        wrong, admitted, refused = _story()
    if wrong:
        click.echo(f"error: not as expected: {'; '.join(wrong)}", err=True)
        return 1
    counts = f"{_WORDS[admitted]} admitted, {_WORDS[refused]} refused"
    click.echo(f"\nAs it should be: {counts}, each for its own reason.")
    return 0


def _new(path: Path) -> Path:
    try:
        path.mkdir(parents=True)
    except OSError as fault:
        raise OutputError(f"--into {path}: {os.strerror(fault.errno or 0).lower()}") from None
    return path


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def _without_identity() -> Iterator[None]:
    """The variables of the caller's own signing identity are away meanwhile: evidence runs, and nothing needs them."""
    taken = {name: os.environ.pop(name) for name in ambient_identity(os.environ)}
    try:
        yield
    finally:
        os.environ.update(taken)


def _story() -> tuple[list[str], int, int]:
    """What did not go as told, how much was admitted, and how much was refused."""
    level = probe().level
    click.echo(f"The strongest sandbox of this machine is {level}.")
    heading("A contract is sealed before the work, and the work is done")
    write("work/tests/check.sh", CONTRACT_TEST)
    wrong = [*run("keygen --out worker", 0), *run("seal --root work --path 'tests/**' --out contract.json", 0)]
    write("work/greeting.txt", WORK)
    wrong += [*run(_BUILD, 0), *run(_SIGN, 0)]
    heading("The honest work")
    wrong += run(_verify(level), 0)
    wrong += _cheats(level)
    of_change, with_git = change_story()
    of_tests, with_tests = tests_story(level)
    refused = len(_CHEATS) + with_git * len(CHEATS_OF_CHANGES) + with_tests * len(CHEATS_OF_TESTS)
    return wrong + of_change + of_tests, 1 + with_git + with_tests, refused


def _verify(level: str) -> str:
    lower = "" if level == "bubblewrap" else f" --sandbox {level}"
    return (
        "verify receipt.json --trusted-key worker=worker.pub --root work --contract contract.json"
        f' --recheck-commands --allow-command "{TEST}"{lower}'
    )


def _cheats(level: str) -> list[str]:
    wrong: list[str] = []
    for name, cheat in _CHEATS.items():
        heading(f"Refused: {cheat.title}")
        if name == "work":
            write("work/greeting.txt", "hello, moon\n")
        elif name == "contract":
            write("work/greeting.txt", WORK)
            write("work/tests/check.sh", "exit 0\n")
        elif name == "envelope":
            write("work/tests/check.sh", CONTRACT_TEST)
            _forge()
        else:
            claim = ' --claim "fast=it is twice as fast as before"'
            wrong += [*run(_BUILD + claim, 0), *run(_SIGN, 0)]
        wrong += run(_verify(level), cheat.code)
    return wrong


def _forge() -> None:
    """Change one word of the signed payload and put it back as it was encoded."""
    click.echo('(in receipt.json "hello" becomes "howdy", inside the signed payload)')
    envelope = json.loads(Path("receipt.json").read_bytes())
    payload = base64.b64decode(envelope["payload"]).replace(b"hello", b"howdy")
    envelope["payload"] = base64.b64encode(payload).decode()
    Path("receipt.json").write_text(json.dumps(envelope))
