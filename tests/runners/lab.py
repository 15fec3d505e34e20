"""A small clean room without receipts: trees as dictionaries of files, an attack laid over head, which layer sees it.

F  head as it is: the broken test is seen red
I  a test that passed at base is missing, skipped or has another name on head
A  head's run contradicts itself
P  the planted canaries do not report what they must
K  existing tests edited to fail in two halves do not turn red
G  the same by the gate
g  by the gate the broken test is seen red
V  what is expected is replaced by what equals nothing, and tests stay green
R  head's product with base's tests and harness: the broken test is seen red
r  the same run has not all of base's tests, or contradicts itself
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.runners.gate import Gate
from in_toto_done_receipt.observe.runners.model import RED, Site, TestRun, TestRunner
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.sandbox.model import CommandLimits, SandboxFacts
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.profile.harness import Harness
from in_toto_done_receipt.results.model import SandboxLevel
from in_toto_done_receipt.wire.value import Value

Tree = Mapping[str, str | bytes]

LAYERS: Final = "FIAPKGgVRr"
LIMITS: Final = CommandLimits(seconds=120.0, stream_bytes=16 * 2**20)
_RANDOM: Final = secrets.SystemRandom()


def need(found: object, what: str) -> None:
    """Skips the test without it; where CI is set, fails it."""
    if not found:
        pytest.fail(f"needs {what}") if os.environ.get("CI") else pytest.skip(f"needs {what}")


def need_bubblewrap() -> None:
    """What a lab runs in."""
    level = machine().level
    need(level == "bubblewrap", f"bubblewrap, this machine's sandbox is {level}")


@cache
def machine() -> SandboxFacts:
    """What the machine's sandbox gives, found out once in each process."""
    return probe()


class Files:
    """Sources in memory."""

    def __init__(self, tree: Tree) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in tree.items()}

    def paths(self) -> Iterable[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise ObservationError(f"{path} is missing", kind="missing")
        return self.files[path]


class Lab:
    """Runs of one command. `variables`, `read_only` and `cache` are those of a room."""

    def __init__(
        self,
        folder: Path,
        runner: TestRunner,
        argv: tuple[str, ...],
        *,
        variables: Mapping[str, str] | None = None,
        read_only: tuple[Path, ...] = (),
        cache: Path | None = None,
        limits: CommandLimits = LIMITS,
        writable: bool = False,
        level: SandboxLevel = "bubblewrap",
    ) -> None:
        self.runner, self.argv, self.folder = runner, argv, folder
        self._variables, self._read_only, self._cache = variables or {}, read_only, cache
        self._limits, self._writable, self._count = limits, writable, 0
        self._level: SandboxLevel = level

    def new_folder(self, name: str) -> Path:
        """An empty one."""
        self._count += 1
        folder = self.folder / f"{name}{self._count}"
        folder.mkdir(parents=True)
        return folder

    def run(self, tree: Tree, gate: Path | None = None) -> TestRun:
        """The tests of a tree."""
        place = self.new_folder("run")
        sources = Files(tree)
        for path, data in sources.files.items():
            file = place / "tree" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        (place / "work").mkdir()
        room = Room(
            tree=place / "tree",
            work=place / "work",
            level=self._level,
            limits=self._limits,
            variables=self._variables,
            read_only=self._read_only,
            writable=self._writable,
            gate=gate,
            cache=self._cache,
        )
        return self.runner.run(room, self.argv, sources)

    def planted(self, tree: Tree) -> tuple[bool, TestRun]:
        """Whether every canary reports what it must, and the run."""
        plant = self.runner.plant(self.argv, Files(tree), "zq" + secrets.token_hex(6))
        run = self.run({**tree, **plant.files})
        failing = all(run.states.get(id) in RED for id in plant.failing)
        return failing and all(run.states.get(id) == "passed" for id in plant.passing), run

    def sites(self, tree: Tree, ids: Iterable[str]) -> tuple[Site, ...]:
        """Where these tests can be made to fail."""
        return self.runner.sites(self.argv, Files(tree), frozenset(ids))

    def halves(self, tree: Tree, ids: Iterable[str], *, gated: bool) -> "Halves":
        """Tests of these ids made to fail in two runs, each in one of them."""
        sites = self.sites(tree, ids)
        first = frozenset(_RANDOM.sample(range(len(sites)), len(sites) // 2))
        deaf: set[str] = set()
        real: dict[str, str] = {}
        unasked: set[str] = set()
        runs = []
        for half in (first, frozenset(range(len(sites))) - first):
            run, asked = self._half(tree, sites, half, gated)
            red = {id for number in half for id in sites[number].ids}
            deaf |= {id for id in red if run.states.get(id) not in RED}
            real |= {id: state for id, state in run.states.items() if id not in red}
            unasked |= {id for number, site in enumerate(sites) if number not in asked for id in site.ids}
            runs.append(run)
        return Halves(deaf=frozenset(deaf), unasked=frozenset(unasked), real=real, runs=tuple(runs))

    def _half(
        self, tree: Tree, sites: tuple[Site, ...], half: frozenset[int], gated: bool
    ) -> tuple[TestRun, frozenset[int]]:
        if not gated:
            red = [(sites[number].path, sites[number].position, sites[number].fail) for number in half]
            return self.run(inserted(tree, red)), frozenset(range(len(sites)))
        folder = self.new_folder("gate")
        with Gate(folder, sites, half) as gate:
            rows = []
            without = set()
            for number, site in enumerate(sites):
                if site.gate is not None:
                    path = str(gate.path(number)).encode()
                    rows.append((site.path, site.position, site.gate.replace(b"{}", path)))
                    rows += [(site.path, *need) for need in site.gate_needs if (site.path, *need) not in rows]
                    continue
                without.add(number)
                rows += [(site.path, site.position, site.fail)] if number in half else []
            run = self.run(inserted(tree, rows), folder)
            return run, gate.asked | without


class Halves(Value, kw_only=True):
    """`deaf` are not red although they were made to fail, `unasked` never asked the gate, `real` is what is left."""

    deaf: frozenset[str]
    unasked: frozenset[str]
    real: dict[str, str]
    runs: tuple[TestRun, ...]

    @property
    def works(self) -> bool:
        """Whether each test could be made to fail, and asked if there was somebody to ask."""
        return not self.deaf and not self.unasked


def inserted(tree: Tree, rows: Iterable[tuple[str, int, bytes]]) -> Tree:
    """The tree with these texts at these places of its files as they are."""
    files = Files(tree).files
    for path, position, text in sorted(rows, key=lambda row: -row[1]):
        files[path] = files[path][:position] + text + files[path][position:]
    return files


def put_back(base: Tree, head: Tree, harness: Callable[[str], bool]) -> Tree:
    """Head's product, and of tests and harness what base has."""
    product = {path: text for path, text in head.items() if not harness(path)}
    return product | {path: text for path, text in base.items() if harness(path)}


def usual_harness(runner: str) -> Callable[[str], bool]:
    """What a clean room puts back without a word of the profile."""
    harness = Harness(frozenset({runner}))
    return lambda path: harness.covers(path) or harness.shadows(path) is not None


class Change(Value, kw_only=True):
    """An attack: base, head with the attack, head's product with base's tests. `broken` is a pattern of the ids that
    head's product breaks.
    """

    base: Tree
    head: Tree
    restored: Tree
    broken: str


ValueCanary = Callable[[Lab, Change, frozenset[str]], bool]


def caught(
    lab: Lab,
    change: Change,
    *,
    layers: str = LAYERS,
    value: ValueCanary | None = None,
    passed: frozenset[str] = frozenset(),
) -> str:
    """Those of these layers that see what is wrong with head. `value` says whether the value canary sees something.
    What is seen red on head as it is, is red with base's tests as well: g, R and r are not looked at then.

    `passed` are the tests that pass at base; without them base is run.
    """
    if not passed:
        passed = frozenset(id for id, state in lab.run(change.base).states.items() if state == "passed")
    assert passed, "nothing passed at base"
    found = _as_it_is(lab, change, passed) if set("FIAP") & set(layers) else set()
    if "K" in layers and not lab.halves(change.head, passed, gated=False).works:
        found.add("K")
    if set("Gg") & set(layers):
        gate = lab.halves(change.head, passed, gated=True)
        if not gate.works:
            found.add("G")
        elif "F" not in found and _red(gate.real, change.broken):
            found.add("g")
    if "V" in layers and value is not None and value(lab, change, passed):
        found.add("V")
    if "F" not in found and set("Rr") & set(layers):
        back = lab.run(change.restored)
        if _red(back.states, change.broken):
            found.add("R")
        elif passed - back.states.keys() or back.faults:
            found.add("r")
    return "".join(layer for layer in LAYERS if layer in found & set(layers))


def _as_it_is(lab: Lab, change: Change, passed: frozenset[str]) -> set[str]:
    good, run = lab.planted(change.head)
    ran = {id for id, state in run.states.items() if state in ("passed", "failed", "error", "xpassed")}
    seen = {"F": _red(run.states, change.broken), "I": bool(passed - ran), "A": bool(run.faults), "P": not good}
    return {layer for layer, sees in seen.items() if sees}


def expected(cell: str, layers: str = LAYERS) -> str:
    """What a cell of the table says about these layers."""
    return "" if cell == "none" else "".join(layer for layer in cell.strip("()") if layer in layers)


def _red(states: Mapping[str, str], broken: str) -> bool:
    return any(re.search(broken, id) and state in RED for id, state in states.items())
