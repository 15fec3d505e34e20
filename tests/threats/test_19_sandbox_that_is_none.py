"""Attack: user namespaces are used up, or a `bwrap` of the agent's is first on PATH.
Answer: helpers by absolute path that only root can change; a self-test; below the demanded level: blocked.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox import bubblewrap
from testdata.receipts import generate
from tests.threats.conftest import Desk

Commands = Callable[..., list[str]]
PRETENDS = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'


def fake(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "bwrap"
    path.write_text(text)
    path.chmod(0o755)
    return path


def verify(desk: Desk, commands: Commands, *more: str) -> tuple[int, str, set[str]]:
    change = generate.claims(generate.file_item(), generate.command_item(["/bin/true"]))
    seen = desk.verify(generate.Case(why="", change=change, flags=commands("/bin/true")), *more)
    return seen.code, seen.states["greets"], seen.reasons


@pytest.mark.usefixtures("bubblewrap")
def test_threat_19_a_bwrap_on_path_is_not_asked(
    desk: Desk, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(desk.folder / "bin", f"#!/bin/sh\n: > {desk.folder}/called\nexec /bin/true\n")
    monkeypatch.setenv("PATH", f"{desk.folder}/bin:.:{os.environ['PATH']}")
    code, state, _ = verify(desk, commands)
    assert (code, state, (desk.folder / "called").exists()) == (0, "confirmed", False)


@pytest.mark.parametrize("what", ["none", "pretends", "not root's"])
def test_threat_19_without_the_demanded_level_nothing_runs(
    desk: Desk, commands: Commands, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    place = desk.folder / "elsewhere" / "bwrap"
    if what != "none":
        fake(place.parent, PRETENDS)
    if what == "not root's":
        place.chmod(0o777)
    monkeypatch.setattr(bubblewrap.find_bubblewrap, "__defaults__", ((place,),))
    code, state, reasons = verify(desk, commands)
    assert (code, state) == (12, "blocked")
    assert "evidence-command.sandbox" in reasons


def test_threat_19_a_lower_level_is_by_name_only_and_shown(
    desk: Desk, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap.find_bubblewrap, "__defaults__", ((desk.folder / "nothing",),))
    change = generate.claims(generate.file_item(), generate.command_item(["/bin/true"]))
    flags = [*commands("/bin/true"), "--sandbox", "rlimits"]
    seen = desk.verify(generate.Case(why="", change=change, flags=flags))
    assert (seen.code, seen.states) == (0, {"greets": "confirmed"})
    assert seen.result["sandbox"]["level"] in ("landlock", "rlimits")
    assert {layer["name"]: layer["active"] for layer in seen.result["sandbox"]["layers"]}["no-network"] is False
