"""One run of the test command: a tree written into scratch, the verifier's canaries in it, the runner at work."""

import os
import secrets
import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, TypeVar

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.git.repository import Repository
from in_toto_done_receipt.observe.runners.model import RED, Planted, Sources, TestRun, TestRunner
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.sandbox.executable import is_private_group
from in_toto_done_receipt.observe.sandbox.model import Captured, CommandOutcome
from in_toto_done_receipt.observe.sandbox.scratch import remove_tree
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.clean_room.outcome import Ran
from in_toto_done_receipt.recompute.clean_room.sources import TreeSources
from in_toto_done_receipt.recompute.clean_room.trees import Tree, laid_over
from in_toto_done_receipt.recompute.context import Step
from in_toto_done_receipt.recompute.limits import command_limits
from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

T = TypeVar("T")

TOKEN_BYTES: Final = 6
_NOTHING: Final = Planted(files={}, failing=frozenset(), passing=frozenset())


class Setup(Value, kw_only=True):
    """What all runs of one clean room have in common. `place` is a scratch folder."""

    case: Case
    runner: TestRunner
    argv: tuple[str, ...]
    repository: Repository
    level: SandboxLevel
    place: Path


class Seeded(Value, kw_only=True):
    """A tree with the verifier's canaries in it."""

    tree: Tree
    planted: Planted


class Rooms:
    """Where runs are made, one after the other or two at a time. Raises LimitExceeded when the time is up."""

    def __init__(self, setup: Setup, cache: Path | None = None) -> None:
        self.setup = setup
        self._lock = threading.Lock()
        self._count = 0
        self._stop = threading.Event()
        self._together = False
        self._cache = self.new_folder("cache") if cache is None else own_folder(cache)

    def side_by_side(self, what: str, runs: Sequence[Callable[[], T]]) -> list[T]:
        """What these come to, two at a time if the profile says so. What ends one of them, or us, ends the others."""
        tests = self.setup.case.context.settings.tests
        jobs = 1 if tests is None else tests.jobs
        if jobs < 2 or self._together:
            return [run() for run in runs]
        self._together = True  # their threads show no progress: a terminal has one line for it
        try:
            with self.setup.case.context.watched(f"tests of {what}", "run"), ThreadPoolExecutor(jobs) as pool:
                futures = [pool.submit(run) for run in runs]
                try:
                    done, _ = wait(futures, return_when=FIRST_EXCEPTION)
                    for future in done:
                        future.result()  # the first that could not go on is the one that is told of
                    return [future.result() for future in futures]
                except BaseException:
                    self._stop.set()
                    raise
        finally:
            self._together = False

    def sources(self, tree: Tree) -> Sources:
        """The files of a tree, as runners read them."""
        return TreeSources(self.setup.repository, tree, self._lock)

    def seeded(self, tree: Tree) -> Seeded:
        """The tree with canaries under new names. Raises RepositoryRefused, ObservationError."""
        token = "zq" + secrets.token_hex(TOKEN_BYTES)
        planted = self.setup.runner.plant(self.setup.argv, self.sources(tree), token)
        return Seeded(tree=laid_over(tree, planted.files), planted=planted)

    def run(self, what: str, tree: Tree) -> Ran:
        """The tests of a tree, and what became of the canaries planted into it."""
        return self.run_seeded(what, self.seeded(tree))

    def run_seeded(self, what: str, seeded: Seeded, *, gate: Path | None = None) -> Ran:
        """The same for a tree with canaries in it. `gate` is a folder that the tests may read."""
        run = self._run(what, seeded.tree, gate)
        return _sorted_out(run, seeded.planted)

    def run_bare(self, what: str, tree: Tree) -> Ran:
        """The tests of a tree without canaries."""
        return _sorted_out(self._run(what, tree, None), _NOTHING)

    def new_folder(self, name: str) -> Path:
        """An empty folder in scratch."""
        with self._lock:
            self._count += 1
            folder = self.setup.place / f"{name}{self._count}"
        folder.mkdir(mode=0o700)
        return folder

    def _run(self, what: str, tree: Tree, gate: Path | None) -> TestRun:
        setup = self.setup
        folder = self.new_folder("run")
        copy, work = folder / "tree", folder / "work"
        work.mkdir()
        try:
            with self._lock, self._watched(f"tests of {what}: writing the tree", "written") as step:
                setup.repository.write(tree.files, copy, literal=tree.literal, progress=step)
            with setup.repository.objects.resting(), self._watched(f"tests of {what}: running", "run"):
                run = setup.runner.run(self._room(copy, work, gate), setup.argv, self.sources(tree))
            self._show(what, run)
            return run
        finally:
            remove_tree(folder)

    def _show(self, what: str, run: TestRun) -> None:
        """What a run of the tests wrote at its end, to whoever wants to see output."""
        on_output = self.setup.case.context.on_output
        if on_output is None or not run.excerpt:
            return
        nothing = Captured(sha256=sha256_hex(b""), excerpt=b"", bytes=0)
        written = Captured(sha256=sha256_hex(run.excerpt), excerpt=run.excerpt, bytes=len(run.excerpt))
        seen = CommandOutcome(
            exit_code=run.exit_code, stdout=nothing, stderr=written, stdout_data=b"", duration_ms=run.duration_ms
        )
        on_output((*self.setup.argv, f"({what})"), seen)

    def _watched(self, label: str, done: str) -> AbstractContextManager[Step | None]:
        return nullcontext() if self._together else self.setup.case.context.watched(label, done)

    def _room(self, copy: Path, work: Path, gate: Path | None) -> Room:
        case, tests = self.setup.case, self.setup.case.context.settings.tests
        settings = case.context.settings
        assert tests is not None  # noqa: S101 - the caller looked
        seconds = min(float(tests.timeout or settings.limits["test-seconds"]), case.time_left())
        return Room(
            tree=copy,
            work=work,
            level=self.setup.level,
            limits=command_limits(settings, seconds=seconds, stream_bytes=settings.limits["test-stream-bytes"]),
            variables=settings.variables,
            read_only=tuple(map(Path, settings.read_only)),
            writable=tests.writable,
            gate=gate,
            stop=self._stop,
            cache=self._cache,
            mounts=() if tests.node_modules is None else ((Path(tests.node_modules), "node_modules"),),
        )


def own_folder(path: Path) -> Path:
    """The folder, made if it is not there, into which nobody else can write. Raises ConfigurationError."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        real = path.resolve(strict=True)
        statuses = {place: place.stat() for place in (real, *real.parents)}
    except OSError as fault:
        raise ConfigurationError(f"tests.cache: {escape(str(path))}: {fault.strerror}") from None
    if not stat.S_ISDIR(statuses[real].st_mode):
        raise ConfigurationError(f"tests.cache: {escape(str(path))} is no folder")
    for place, status in statuses.items():
        group = status.st_mode & stat.S_IWGRP and not is_private_group(status.st_gid)
        others = status.st_mode & stat.S_IWOTH or group
        sticky = place != real and status.st_mode & stat.S_ISVTX  # there, only its owner can replace what is in it
        if status.st_uid not in {0, os.geteuid()} or (others and not sticky):
            hint = "what is in it ends up in test binaries"
            raise ConfigurationError(f"tests.cache: others can write to {escape(str(place))}", hint=hint)
    return real


def _sorted_out(run: TestRun, planted: Planted) -> Ran:
    """What the tests of the tree did, and beside it what the canaries did."""
    canaries = planted.failing | planted.passing
    wrong = {
        id: run.states[id]
        for id in sorted(canaries & run.states.keys())
        if (run.states[id] not in RED if id in planted.failing else run.states[id] != "passed")
    }
    return Ran(
        states={id: state for id, state in run.states.items() if id not in canaries},
        exit_code=run.exit_code,
        duration_ms=run.duration_ms,
        faults=run.faults,
        lost=tuple(sorted(canaries - run.states.keys())),
        wrong=wrong,
    )


def edited(tree: Tree, sources: Sources, insertions: Mapping[str, Sequence[tuple[int, bytes]]]) -> Tree:
    """The tree with these texts inserted into files, each at its position in the file as it is."""
    files = {}
    for path, rows in insertions.items():
        data = sources.read(path)
        for position, text in sorted(rows, key=lambda row: -row[0]):
            data = data[:position] + text + data[position:]
        files[path] = data
    return laid_over(tree, files)
