"""Attack: an allowed executable or script under the agent's control; relative entries of PATH.
Answer: absolute, outside of the tree, not writable by others, digest shown; an unsealed script of the tree is said.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile

pytestmark = pytest.mark.usefixtures("bubblewrap")
PROGRAM = "#!/bin/sh\nexit 0\n"
Commands = Callable[..., list[str]]


def tool(desk: Desk, path: str, mode: int = 0o755) -> Path:
    place = desk.write(path, PROGRAM)
    place.chmod(mode)
    return place


def recheck(desk: Desk, argv: list[str], flags: list[str]) -> set[str]:
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    seen = desk.verify(generate.Case(why="", change=change, flags=flags))
    assert (seen.code, seen.states) == (12, {"greets": "blocked"})
    return seen.reasons


def test_threat_27_below_the_tree_is_blocked(desk: Desk, commands: Commands) -> None:
    inside = tool(desk, "workspace/bin/check")
    link = desk.folder / "check"
    link.symlink_to(inside)
    for path in (str(inside), str(link), f"{desk.folder}/x/../workspace/bin/check"):
        (desk.folder / "x").mkdir(exist_ok=True)
        assert "evidence-command.untrusted_executable" in recheck(desk, [path], commands(path))


@pytest.mark.parametrize("what", ["file", "folder"])
def test_threat_27_writable_by_others_is_blocked(desk: Desk, what: str, commands: Commands) -> None:
    path = tool(desk, "tools/check", 0o777 if what == "file" else 0o755)
    if what == "folder":
        path.parent.chmod(0o777)
    assert "evidence-command.untrusted_executable" in recheck(desk, [str(path)], commands(str(path)))


@pytest.mark.parametrize("name", ["check", "./check", "bin/check", "../check"])
def test_threat_27_relative_names_are_refused_everywhere(
    desk: Desk, name: str, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(desk, "workspace/check")
    monkeypatch.setenv("PATH", f".:{desk.folder}/workspace")
    assert "evidence-command.relative_executable" in recheck(desk, [name], commands("/bin/true"))
    assert desk.run("verify", *desk.lay(generate.Case(why="")), *commands(name)).code == 2
    case = generate.Case(why="", **profile(f'[[command]]\nargv = ["{name}"]\n'))
    assert desk.run("verify", *desk.lay(case), "--recheck-commands").code == 4


def test_threat_27_a_command_inside_finds_only_the_systems_programs(
    desk: Desk, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(desk, "workspace/grep")
    monkeypatch.setenv("PATH", f".:{desk.folder}/workspace:/usr/bin:/bin")
    argv = ["/bin/sh", "-c", "grep -q nothing-like-this greeting.txt"]
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    flags = commands('["/bin/sh", "-c", "grep -q nothing-like-this greeting.txt"]')
    assert desk.verify(generate.Case(why="", change=change, flags=flags)).code == 11


def test_threat_27_the_executables_digest_is_shown(desk: Desk) -> None:
    change = generate.claims(generate.file_item(), generate.command_item())
    seen = desk.verify(generate.Case(why="", change=change, flags=generate.COMMANDS))
    (check,) = (check for check in seen.result["checks"] if check["id"] == "evidence-command")
    assert (seen.code, "executable sha256 " in check["findings"][0]["message"]) == (0, True)


@pytest.mark.parametrize(
    ("sealed", "own", "warned"),
    [
        (["tests/check.sh"], None, False),
        ([], None, True),
        (["greeting.txt"], None, True),
        (["tests/check.sh"], ["tests/check.sh"], False),
        (["greeting.txt", "tests/check.sh"], ["greeting.txt"], True),
    ],
)
def test_threat_27_an_unsealed_script_of_the_tree_is_a_warning(
    desk: Desk, sealed: list[str], own: list[str] | None, warned: bool
) -> None:
    files = {name: generate.file(name, text) for name, text in generate.WORK.items()}
    change = generate.both(
        generate.claims(generate.file_item(), generate.command_item()),
        generate.update("contract", sealed=[files[name] for name in sealed]),
    )
    flags = list(generate.COMMANDS)
    inputs = {}
    if own is not None:
        inputs["contract.json"] = generate.contract_text([files[name] for name in own], [])
        flags += ["--contract", "contract.json"]
    seen = desk.verify(generate.Case(why="", change=change, flags=flags, inputs=inputs))
    assert (seen.code, "evidence-command.unsealed_script" in seen.reasons) == (0, warned)
    assert ("contract.held" in seen.warnings) is warned
