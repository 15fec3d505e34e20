"""A folder of the verifier's in the place of one of the tree."""

import sys
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.results.model import SandboxLevel
from tests.unit.observe.runners.rooms import need_level

LEVELS: tuple[SandboxLevel, ...] = ("bubblewrap", "landlock", "rlimits")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("tree", "work", "packages/lib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "packages" / "lib" / "index.js").write_text("verifier's\n")
    return tmp_path / "tree"


def shown(tree: Path, level: SandboxLevel, script: str) -> str:
    need_level(level)
    room = Room(
        tree=tree,
        work=tree.parent / "work",
        level=level,
        limits=CommandLimits(),
        variables={},
        read_only=(Path(sys.base_prefix),),
        mounts=((tree.parent / "packages", "node_modules"),),
    )
    for _ in range(2):  # one room, several commands
        outcome = room.execute(("/bin/sh", "-c", script))
    return outcome.stdout_data.decode()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("there", ["nothing", "folder", "link", "file"])
def test_a_mount_is_shown(tree: Path, level: SandboxLevel, there: str) -> None:
    place = tree / "node_modules"
    if there == "folder":
        (place / "lib").mkdir(parents=True)
        (place / "lib" / "index.js").write_text("the change's\n")
    elif there == "link":
        place.symlink_to(tree.parent / "work")
    elif there == "file":
        place.write_text("x")
    assert shown(tree, level, "cat node_modules/lib/index.js") == "verifier's\n"
    assert (tree.parent / "packages" / "lib" / "index.js").read_text() == "verifier's\n"


@pytest.mark.parametrize("level", LEVELS[:2])
def test_a_mount_is_not_written(tree: Path, level: SandboxLevel) -> None:
    assert shown(tree, level, "echo x >node_modules/lib/index.js || echo refused") == "refused\n"
    assert (tree.parent / "packages" / "lib" / "index.js").read_text() == "verifier's\n"
