"""Where runs are made: the verifier's own folder for compiled packages, two runs at a time, whoever watches."""

import time
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError, LimitExceeded
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.observe.runners.model import Sources, TestRun
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.profile.model import TestsDemand
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.clean_room.rooms import Rooms, Setup, own_folder
from tests.repositories.plain import PlainRunner
from tests.unit.recompute.clean_room.conftest import SETTINGS, Open
from tests.unit.recompute.clean_room.test_trees import trees as trees_of


def test_a_cache_is_made_for_nobody_else(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "cache")
    assert made.stat().st_mode & 0o777 == 0o700


def test_a_cache_is_where_its_links_lead(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert own_folder(tmp_path / "link") == (tmp_path / "real").resolve()


@pytest.mark.parametrize("open_one", ["above/cache", "above"])
def test_a_cache_that_others_can_write_to_is_refused(tmp_path: Path, open_one: str) -> None:
    (tmp_path / "above" / "cache").mkdir(parents=True, mode=0o700)
    (tmp_path / open_one).chmod(0o777)
    with pytest.raises(ConfigurationError, match=f"others can write to .*/{open_one}"):
        own_folder(tmp_path / "above" / "cache")


def test_a_cache_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="file"):
        own_folder(tmp_path / "file")
    with pytest.raises(ConfigurationError, match="No such file"):
        own_folder(tmp_path / "nothing" / "cache")


class Stuck(PlainRunner):
    """Waits until it is stopped, but for its second run, in which the time is up."""

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        self.runs += 1
        if self.runs == 2:
            raise LimitExceeded("seconds", allowed=1, value="more than 1")
        assert room.stop is not None
        assert room.stop.wait(20)
        return super().run(room, argv, sources)


def rooms(case: Case, folder: Path, runner: PlainRunner) -> Rooms:
    workspace = case.context.workspace
    assert isinstance(workspace, GitWorkspace)
    folder.mkdir()
    repository = workspace.repository
    return Rooms(Setup(case=case, runner=runner, argv=("/a",), repository=repository, level="rlimits", place=folder))


def in_twos(opened: Open, **context: Any) -> Case:
    tests = TestsDemand(runner="unittest", argv=("/a",), jobs=2)
    case = opened(settings=replace(SETTINGS, tests=tests))
    return replace(case, context=replace(case.context, **context))


def test_what_ends_one_run_ends_the_other(opened: Open, tmp_path: Path) -> None:
    case = in_twos(opened)
    made, trees = rooms(case, tmp_path / "place", Stuck()), trees_of(case)
    began = time.monotonic()
    with pytest.raises(LimitExceeded):
        made.side_by_side("both", [partial(made.run_bare, name, trees.head()) for name in ("one", "two")])
    assert time.monotonic() - began < 10
    assert [path.name for path in (tmp_path / "place").iterdir() if path.name.startswith("run")] == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_whoever_watches_is_told_what_runs(opened: Open, tmp_path: Path, jobs: int) -> None:
    """Two runs at a time have one line between them: a terminal has no more."""
    told: list[str] = []

    def progress(label: str, _done: str) -> AbstractContextManager[None]:
        told.append(label)
        return nullcontext()

    case = in_twos(opened, on_progress=progress)
    made, trees = rooms(case, tmp_path / "place", PlainRunner()), trees_of(case)
    runs = [partial(made.run_bare, name, trees.head()) for name in ("one", "two")]
    results = made.side_by_side("both", runs) if jobs == 2 else [run() for run in runs]
    assert [sorted(one.states) for one in results] == [["tests/a.t:one", "tests/a.t:three", "tests/a.t:two"]] * 2
    alone = [f"tests of {name}: {what}" for name in ("one", "two") for what in ("writing the tree", "running")]
    assert told == (["tests of both"] if jobs == 2 else alone)
