"""The clean room: what one run costs over the bare test command, what each runner's layers cost, agent-countercheck on
the same changes in the same run.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.observe.git.change import Asked, open_change
from in_toto_done_receipt.observe.git.repository import open_repository
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.observe.runners.registry import runner_named
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.profile.model import TestsDemand
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.clean_room.conduct import Conduct
from in_toto_done_receipt.recompute.clean_room.outcome import Outcome, Ran
from in_toto_done_receipt.recompute.clean_room.rooms import Rooms, Setup
from in_toto_done_receipt.recompute.clean_room.trees import Trees
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.wire.statement import read_statement
from testdata.receipts import generate
from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import CARGO, GO, NODE, PYTEST, UNITTEST, Project
from tests.benchmarks.changes import OURS, place_of
from tests.benchmarks.measure import Row
from tests.repositories import countercheck
from tests.repositories.build import Repo
from tests.repositories.rooms import CASES, Desk, tool_of

TESTS: Final = 30
RUN_SECONDS: Final = 0.15  # over the bare command, 1,000 files
PROJECTS: Final = {"pytest": PYTEST, "unittest": UNITTEST, "node": NODE, "go": GO, "cargo": CARGO}
PEERS: Final = {"pytest": "pytest_feature", "unittest": "feature", "node": "node_feature", "cargo": "cargo_feature"}
MANY: Final = {
    "pytest": "".join(f"\n\ndef test_{n}():\n    assert {n} + 1 == {n + 1}\n" for n in range(TESTS)),
    "unittest": "import unittest\n\n\nclass ManyTest(unittest.TestCase):"
    + "".join(f"\n    def test_{n}(self):\n        self.assertEqual({n} + 1, {n + 1})\n" for n in range(TESTS)),
}


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """Only at level bubblewrap: what a lower one costs says nothing."""
    if probe().level != "bubblewrap":
        return
    place = place_of(scratch) / "rooms"
    place.mkdir()
    try:
        for files in (1_000, 20_000):
            yield from _over_bare(place / f"bare-{files}", files, rounds)
        for name, project in PROJECTS.items():
            yield from _layers(place / name, name, project, max(1, rounds // 2))
        for name, case in PEERS.items():
            yield from _whole(place / f"whole-{name}", name, case, max(1, rounds // 2))
    finally:
        shutil.rmtree(place)


def _over_bare(folder: Path, files: int, rounds: int) -> Iterator[Row]:
    """One run of thirty tests on a tree of so many files, less what the same command takes in a checkout."""
    more = {f"d{n // 360:03}/e{n // 18:04}/file{n % 18:02}.txt": f"{n}\n" * 100 for n in range(files)}
    with _Bench(folder, "unittest", UNITTEST, more) as bench:
        bare, ours, worktree = (float("inf"),) * 3
        for number in range(rounds + 1):
            times = (_took(bench.usual), _took(bench.clean), bench.worktree(number))
            if number:
                bare, ours, worktree = (min(pair) for pair in zip((bare, ours, worktree), times, strict=True))
        what = f"{files:,} files: one run, over the bare command"
        if files == 1_000:
            yield Row(what=what, ours=ours - bare, peer="target, 0.15 s", theirs=RUN_SECONDS, target=1.0)
        else:
            yield Row(what=what, ours=ours - bare, peer="git worktree add", theirs=worktree, target=1.5)


def _layers(folder: Path, name: str, project: Project, rounds: int) -> Iterator[Row]:
    """What each layer takes, against the usual command in a checkout."""
    with _Bench(folder, name, project, {}) as bench:
        bench.clean()  # compilers fill their caches
        bench.usual()
        usual = _least(bench.usual, rounds)
        parts: dict[str, Callable[[], object]] = {
            "one run": bench.clean,
            "one run with planted tests": bench.planted,
            "the clean room, planted": lambda: bench.whole(("planted",)),
            "the clean room, halves by the gate": lambda: bench.whole(None),
        }
        if name in MANY:
            parts["the clean room, all four layers"] = lambda: bench.whole(("planted", "halves", "gate", "value"))
        for part, work in parts.items():
            yield Row(what=f"{name}: {part}", ours=_least(work, rounds), peer="usual command", theirs=usual)


def _whole(folder: Path, name: str, case: str, rounds: int) -> Iterator[Row]:
    """A whole verification of one change, as typed."""
    folder.mkdir()
    (folder / "theirs").mkdir()
    desk = Desk(case, folder)
    words = [word.replace("../../trust", str(CASES.parent / "trust")) for word in desk.words]
    command, place, environment = countercheck.asked(case, folder / "theirs")
    ours = theirs = float("inf")
    for number in range(rounds + 1):
        times = _command([*OURS, "verify", *words], folder, os.environ), _command(command, place, environment)
        if number:
            ours, theirs = min(ours, times[0]), min(theirs, times[1])
    yield Row(what=f"{name}: verify a change, whole command", ours=ours, peer="agent-countercheck", theirs=theirs)


class _Bench:
    """One project as a change in a repository, a checkout of it beside, rooms to run its tests in."""

    def __init__(self, folder: Path, name: str, project: Project, more: Mapping[str, str]) -> None:
        base = {**more, **({"tests/test_many.py": MANY[name]} if name in MANY else {})}
        case = RoomCase(why="", project=project, base=dict(base))
        folder.mkdir()
        self._folder, self._stack, self._number = folder, ExitStack(), 0
        self._repo = Repo(folder / "repo")
        self._repo.git("config", "gc.auto", "0")
        first, second = case.told()["commits"]
        ids = (self._repo.commit(first["files"]), self._repo.commit(second["files"]))
        self._repo.git("repack", "-a", "-d", "-q")
        shutil.copytree(folder / "repo", folder / "checkout", ignore=shutil.ignore_patterns(".git"))
        words = {"python": sys.executable, project.runner: tool_of(project.runner)}
        argv = tuple(word.format(junit="{junit}", **words) for word in project.argv)
        checkout = folder / "checkout"
        self._argv = [found for word in argv if "{junit}" not in word for found in _expanded(word, checkout)]
        keys = {"cache": str(folder / "cache")} if project.runner == "go" else {}
        self._tests = TestsDemand(runner=project.runner, argv=argv, **keys)  # type: ignore[arg-type]
        repository = self._stack.enter_context(open_repository(self._repo.path))
        change = open_change(repository, Asked(base=ids[0], head=ids[1]))
        statement = read_statement(generate.payload_of(generate.base()))
        self._context = RecomputeContext(
            evaluated_at=datetime.now(UTC),
            settings=Settings(tests=self._tests),
            workspace=GitWorkspace(repository, change.tree),
            change=change,
            recheck_commands=True,
            sandbox=probe(),
        )
        self._case = Case(statement=statement, receipt=read_predicate(statement), context=self._context)
        self._repository, self._change = repository, change
        self._trees = Trees(self._context, change)

    def __enter__(self) -> "_Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def usual(self) -> None:
        """The command in a checkout, as a person types it."""
        done = subprocess.run(
            self._argv,
            cwd=self._folder / "checkout",
            env=_environment(self._folder, self._argv[0]),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode()[-500:] + done.stdout.decode()[-500:])

    def clean(self) -> Ran:
        """One run without canaries."""
        return _good(self._rooms().run_bare("head", self._trees.head()), code=0)

    def planted(self) -> Ran:
        """One run with planted tests."""
        return _good(self._rooms().run("head", self._trees.head()), code=None)

    def whole(self, canaries: Any) -> Outcome:
        """Base, head, and head's product with base's tests."""
        values = {name: getattr(self._tests, name) for name in ("runner", "argv", "cache")}
        tests = TestsDemand(**values, canaries=canaries)
        outcome = Conduct(self._rooms(), self._trees, tests, {}).outcome("0" * 64)
        if any(run.faults or run.red or run.wrong or run.lost for run in outcome.runs.values()):
            raise RuntimeError(json.dumps([[run.faults, sorted(run.red)] for run in outcome.runs.values()]))
        return outcome

    def worktree(self, number: int) -> float:
        """Seconds that git takes to check head out."""
        begin = time.perf_counter()
        self._repo.git("worktree", "add", "-q", "--detach", str(self._folder / f"tree{number}"), "HEAD")
        return time.perf_counter() - begin

    def _rooms(self) -> Rooms:
        self._number += 1
        place = self._folder / f"place{self._number}"
        place.mkdir()
        sandbox = self._context.sandbox
        assert sandbox is not None
        setup = Setup(
            case=self._case,
            runner=runner_named(self._tests.runner),
            argv=self._tests.argv,
            repository=self._repository,
            level=sandbox.level,
            place=place,
        )
        return Rooms(setup, None if self._tests.cache is None else Path(self._tests.cache))


def _expanded(word: str, folder: Path) -> list[str]:
    """As a shell would."""
    return [str(path.relative_to(folder)) for path in folder.glob(word)] if "*" in word else [word]


def _good(ran: Ran, *, code: int | None) -> Ran:
    if ran.faults or ran.red or ran.wrong or ran.lost or (code is not None and ran.exit_code != code):
        raise RuntimeError(f"{ran.faults} {sorted(ran.red)}")
    return ran


def _environment(folder: Path, tool: str) -> dict[str, str]:
    own = {"HOME": str(folder), "GOCACHE": str(folder / "go"), "CARGO_NET_OFFLINE": "true"}
    return own | {"PATH": f"{Path(tool).parent}:/usr/bin:/bin"}


def _command(words: list[str], place: Path, environment: Mapping[str, str]) -> float:
    begin = time.perf_counter()
    done = subprocess.run(words, cwd=place, env=dict(environment), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return time.perf_counter() - begin


def _took(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _least(work: Callable[[], object], rounds: int) -> float:
    return min(_took(work) for _ in range(rounds))
