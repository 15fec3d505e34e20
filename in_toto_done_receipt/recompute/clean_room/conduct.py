"""Which runs there are, and in which order: base, the change as it is, head's product with base's tests, and what each
of these gives reason for.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import LimitExceeded, ObservationError, RepositoryRefused
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.observe.runners.junit import JUnitRunner
from in_toto_done_receipt.observe.runners.model import RED, PlantTemplate, TestRunner, TestState
from in_toto_done_receipt.observe.runners.registry import runner_named
from in_toto_done_receipt.observe.runners.standing import files_of_tests, new_files_of_tests
from in_toto_done_receipt.observe.sandbox.executable import check_executable
from in_toto_done_receipt.observe.sandbox.model import ExecutableFacts
from in_toto_done_receipt.observe.sandbox.scratch import scratch
from in_toto_done_receipt.profile.model import Canary, TestsDemand
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.clean_room.comparing import compared
from in_toto_done_receipt.recompute.clean_room.halves import Tried, tried
from in_toto_done_receipt.recompute.clean_room.inline import with_base_tests
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
from in_toto_done_receipt.recompute.clean_room.outcome import RUNS, Comparing, Outcome, Ran, RunName, Trial
from in_toto_done_receipt.recompute.clean_room.overlay import hidden_tests
from in_toto_done_receipt.recompute.clean_room.rooms import Rooms, Setup
from in_toto_done_receipt.recompute.clean_room.trees import Tree, Trees, laid_over
from in_toto_done_receipt.wire.escape import escape

_NAMED: Final = 3  # tests in a remark

USUAL_LAYERS: Final[tuple[Canary, ...]] = ("planted", "halves", "gate")


def conducted(case: Case, overlay: Path | None) -> Outcome | NotRun:
    """What the runs come to, or why there are none. Nothing else stands in the way. Raises as `CleanRoom.outcome`."""
    tests, workspace = case.context.settings.tests, case.context.workspace
    assert tests is not None and workspace is not None  # noqa: S101, PT018 - obstacle() looked
    try:
        executable = check_executable(tests.argv[0], outside=workspace.root)
    except ObservationError as error:
        return NotRun(obstacle="untrusted_executable", message=error.message)
    try:
        with scratch() as place:
            return _conducted(case, overlay, executable, place)
    except (RepositoryRefused, ObservationError) as error:
        return NotRun(obstacle="not_run", message=f"the tests were not run: {error.message}")
    except LimitExceeded as error:
        if error.limit == "seconds":
            raise
        return NotRun(obstacle="not_run", message=f"the tests were not run: {error.message}")


def _conducted(case: Case, overlay: Path | None, executable: ExecutableFacts, place: Path) -> Outcome:
    tests, workspace, change = case.context.settings.tests, case.context.workspace, case.context.change
    sandbox = case.context.sandbox
    assert tests is not None and change is not None and sandbox is not None  # noqa: S101, PT018 - obstacle() looked
    assert isinstance(workspace, GitWorkspace)  # noqa: S101 - there is a change
    setup = Setup(
        case=case,
        runner=_runner(tests, case.context.settings),
        argv=tests.argv,
        repository=workspace.repository,
        level=sandbox.level,
        place=place,
    )
    hidden = {} if overlay is None else hidden_tests(overlay)
    rooms = Rooms(setup, None if tests.cache is None else Path(tests.cache))
    return Conduct(rooms, Trees(case.context, change), tests, hidden).outcome(executable.sha256)


def _runner(tests: TestsDemand, settings: Settings) -> TestRunner:
    if tests.runner != "junit":
        return runner_named(tests.runner)
    templates = tuple(
        PlantTemplate(path=entry.path, text=entry.text, failing=entry.failing, passing=entry.passing)
        for entry in tests.plant or ()
    )
    return JUnitRunner(templates, limit=settings.limits["junit-bytes"])


class Conduct:
    """The runs of one clean room, each made when it is known to be needed."""

    def __init__(self, rooms: Rooms, trees: Trees, tests: TestsDemand, hidden: Mapping[str, bytes]) -> None:
        self._rooms = rooms
        self._trees = trees
        self._tests = tests
        self._hidden = hidden
        self._layers = USUAL_LAYERS if tests.canaries is None else tests.canaries
        self._reruns: dict[RunName, dict[str, tuple[TestState | None, ...]]] = {}

    def outcome(self, executable: str) -> Outcome:
        """Everything that ran."""
        trees, runs = self._trees, dict[RunName, Ran]()
        runs["base"], runs["head"] = self._rooms.side_by_side(
            "base and head",
            [
                partial(self._rooms.run, RUNS["base"], trees.base()),
                partial(self._rooms.run, RUNS["head"], trees.head()),
            ],
        )
        passed = frozenset(id for id, state in runs["base"].states.items() if state == "passed")
        if runs["base"].faults:  # nothing of it is believed, and nothing can be held against it
            passed = frozenset()
        else:
            trees = self._trees = trees.holding(self._standing(runs["base"].states))
        restored = laid_over(self._put_back(), self._hidden)
        trial, runs["restored"] = self._restored(restored, passed, runs)
        if self._tests.negative_control and runs["head"].states.keys() - runs["base"].states.keys():
            runs["control"] = self._rooms.run(RUNS["control"], trees.control())
        hidden = frozenset(runs["restored"].states.keys() - runs["base"].states.keys() if self._hidden else ())
        self._run_again("restored", restored, runs["restored"].red & (passed | hidden))
        self._run_again("head", trees.head(), self._doubtful(runs))
        comparing = Comparing()
        if "value" in self._layers and passed:
            comparing = compared(self._rooms, restored, trees.base(), passed)
        return Outcome(
            runner=self._tests.runner,
            argv=self._tests.argv,
            executable=executable,
            runs=runs,
            trial=trial,
            comparing=comparing,
            layers=_active(self._tests, runs, trial, comparing),
            reruns=self._reruns,
            unstable=self._unstable(runs),
            path_of=self._paths(frozenset(runs["base"].states)),
            moved=trees.moved,
            overlay=hidden,
            overlaid=frozenset(self._hidden),
            agreed=trees.agreed,
        )

    def _put_back(self) -> Tree:
        """Head's product with base's tests, also those that stand in files of the product."""
        tree = self._trees.restored()
        if self._tests.runner != "cargo":
            return tree
        base = self._rooms.sources(self._trees.base())
        return with_base_tests(tree, self._rooms.sources(tree), base, self._tests.argv)

    def _restored(self, tree: Tree, passed: frozenset[str], runs: Mapping[RunName, Ran]) -> tuple[Trial, Ran]:
        """Run (a): the two halves if that works and leaves no question, else the tests as they are."""
        found = Tried(trial=Trial(), halves=None)
        plain = cache(partial(self._rooms.run, RUNS["restored"], tree))
        if tree == self._trees.head():  # the change left tests and harness alone: they have run already
            plain = cache(partial(runs.__getitem__, "head"))
        if {"halves", "gate"} & set(self._layers) and passed:
            found = self._tried(tree, passed, plain)
        if found.halves is None or found.halves.faults:
            return found.trial, plain()
        merged = _merged(found.halves.runs, found.halves.real)
        if (
            merged is not None
            and merged.red <= runs["base"].red
            and all(merged.states.get(id) == "passed" for id in passed)
        ):
            return found.trial, merged
        real = plain()
        beside = [id for id, state in sorted(found.halves.real.items()) if state != "passed"]
        beside = [id for id in beside if id in passed and real.states.get(id) == "passed"]
        if not beside:
            return found.trial, real
        named = ", ".join(map(escape, beside[:_NAMED]))
        remark = f"{len(beside)} test(s) pass alone and not beside others that were made to fail: {named}"
        return replace(found.trial, remarks=(*found.trial.remarks, remark)), real

    def _tried(self, tree: Tree, passed: frozenset[str], plain: Callable[[], Ran]) -> Tried:
        """Two halves by the best way there is. A profile that names both has them by the gate and by edits: who knows
        the gate does not know the edit, and the other way round.
        """
        base = self._trees.base()
        found = tried(self._rooms, tree, base, passed, gate="gate" in self._layers, plain=plain)
        both = {"halves", "gate"} <= set(self._tests.canaries or ())
        if not both or found.trial.way != "gate" or found.trial.faults:
            return found
        more = tried(self._rooms, tree, base, passed, gate=False, plain=plain).trial
        trial = replace(
            found.trial,
            ids=found.trial.ids | more.ids,
            deaf=found.trial.deaf | more.deaf,
            faults=more.faults,
            remarks=(*found.trial.remarks, *more.remarks),
        )
        return replace(found, trial=trial)

    def _doubtful(self, runs: Mapping[RunName, Ran]) -> frozenset[str]:
        """What is red on head as it is, was not red at base, and is not known to be red for good."""
        again = self._reruns.get("restored", {})
        settled = {id for id, states in again.items() if all(state in RED for state in states)}
        return runs["head"].red - runs["base"].red - settled

    def _run_again(self, name: RunName, tree: Tree, red: frozenset[str]) -> None:
        """Runs red tests again, all of them with their neighbours: what a test needs may be what its neighbour does."""
        if not red:
            return
        found: dict[str, tuple[TestState | None, ...]] = dict.fromkeys(sorted(red), ())
        for number in range(self._tests.reruns):
            ran = self._rooms.run(f"{name}, run again ({number + 1})", tree)
            found = {id: (*states, ran.states.get(id)) for id, states in found.items()}
        self._reruns[name] = found

    def _unstable(self, runs: Mapping[RunName, Ran]) -> frozenset[str]:
        """Ids that base does not have every time. Base runs again only if something of it seems to be missing."""
        base = frozenset(runs["base"].states)
        if all(base <= runs[name].states.keys() for name in ("restored", "head")):
            return frozenset()
        again = self._rooms.run("base, run again", self._trees.base())
        return frozenset() if again.faults else base ^ frozenset(again.states)

    def _standing(self, ids: Collection[str]) -> frozenset[str]:
        """The files of base in which these tests stand, and the new ones that the command takes for tests."""
        runner, argv = self._rooms.setup.runner, self._tests.argv
        base, head = (self._rooms.sources(tree) for tree in (self._trees.base(), self._trees.head()))
        return files_of_tests(runner, argv, base, ids) | new_files_of_tests(runner, argv, base, head)

    def _paths(self, ids: Collection[str]) -> dict[str, str]:
        """In which file of base a test stands, as far as its runner finds a place in it."""
        base = self._rooms.sources(self._trees.base())
        sites = self._rooms.setup.runner.sites(self._tests.argv, base, ids)
        return {id: site.path for site in sites for id in site.ids}


def _merged(runs: tuple[Ran, Ran], real: Mapping[str, TestState | None]) -> Ran | None:
    """Both halves as one run, in which every test ran for real; None if a test came out in two ways."""
    states = {id: state for id, state in real.items() if state is not None}
    if len(states) != len(real) or runs[0].states.keys() != runs[1].states.keys():
        return None
    return Ran(
        states=states,
        exit_code=runs[1].exit_code,
        duration_ms=sum(run.duration_ms for run in runs),
        lost=tuple(sorted({*runs[0].lost, *runs[1].lost})),
        wrong={**runs[0].wrong, **runs[1].wrong},
    )


def _active(tests: TestsDemand, runs: Mapping[RunName, Ran], trial: Trial, comparing: Comparing) -> tuple[Canary, ...]:
    """The layers that were there, whatever they showed. For runner `junit`, the profile says what is planted."""
    layers: list[Canary] = []
    lost = any(runs[name].lost for name in ("base", "restored", "head"))
    if (tests.runner != "junit" or tests.plant) and not lost and not runs["base"].wrong:
        layers.append("planted")
    if trial.way != "none":
        layers.append("halves")
    if trial.way == "gate":
        layers.append("gate")
    if comparing.active:
        layers.append("value")
    return tuple(layers)
