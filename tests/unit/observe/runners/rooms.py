"""Trees written out and run, by a runner at a level."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from in_toto_done_receipt.observe.runners.model import TestRun, TestRunner
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.results.model import SandboxLevel
from tests.runners.lab import need
from tests.unit.observe.runners.trees import Files


@functools.cache
def offered(level: SandboxLevel) -> bool:
    return probe(highest=level).level == level


def need_level(level: SandboxLevel) -> None:
    need(offered(level), f"level {level}")


def need_program(path: str) -> None:
    need(Path(path).exists(), path)


def room(folder: Path, files: Files, level: SandboxLevel = "bubblewrap", **members: Any) -> Room:
    """A room with these files in its tree; `folder` is new or empty."""
    need_level(level)
    tree, work = folder / "tree", folder / "work"
    tree.mkdir(parents=True)
    work.mkdir()
    for path, data in files.files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)
    members = {"variables": {}, "limits": CommandLimits(seconds=60.0, stream_bytes=16 << 20), **members}
    return Room(tree=tree, work=work, level=level, **members)


def run_tests(
    runner: TestRunner,
    folder: Path,
    argv: tuple[str, ...],
    files: Mapping[str, str | bytes],
    level: SandboxLevel = "bubblewrap",
    **members: Any,
) -> TestRun:
    """All tests of these files."""
    sources = Files(files)
    return runner.run(room(folder, sources, level, **members), argv, sources)
