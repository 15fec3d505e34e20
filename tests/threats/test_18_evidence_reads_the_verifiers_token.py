"""Attack: evidence reads the verifier's token from its parent.
Answer: nothing runs beside an identity, unless told by name; the parent is closed; the environment is another.
"""

import json
from collections.abc import Callable

import pytest

from in_toto_done_receipt.producer.identity import AMBIENT_VARIABLES
from testdata.receipts import generate
from tests.threats.conftest import Desk

SECRET = "hunter2-and-more"  # noqa: S105 - the word that must not get out
LOOK = "cat /proc/*/environ /proc/*/cmdline; env; echo $SIGSTORE_ID_TOKEN"
ARGV = json.dumps(["/bin/sh", "-c", f"! ( {LOOK} ) 2>/dev/null | grep -q 'hunter[2]'"])
Commands = Callable[..., list[str]]


def arguments(desk: Desk, commands: Commands) -> list[str]:
    item = generate.command_item(json.loads(ARGV))
    change = generate.claims(generate.file_item(), item)
    return desk.lay(generate.Case(why="", change=change, flags=commands(ARGV)))


@pytest.mark.parametrize("command", ["verify", "recompute"])
@pytest.mark.parametrize("name", AMBIENT_VARIABLES[::6])
def test_threat_18_nothing_runs_beside_an_identity(
    desk: Desk, commands: Commands, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    monkeypatch.setenv(name, SECRET)
    seen = desk.run(command, *arguments(desk, commands))
    assert (seen.code, name in seen.err, SECRET in seen.out + seen.err) == (4, True, False)
    assert "hint: run recompute in a job without identity, or add --override identity-near-evidence" in seen.err


def test_threat_18_where_nothing_runs_an_identity_does_no_harm(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", SECRET)
    assert desk.verify(generate.Case(why="")).code == 0


@pytest.mark.usefixtures("bubblewrap")
def test_threat_18_told_to_it_runs_and_still_cannot_read_it(
    desk: Desk, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", SECRET)
    seen = desk.run("verify", *arguments(desk, commands), "--override", "identity-near-evidence", "--json")
    assert (seen.code, seen.states) == (0, {"greets": "confirmed"})
