"""Existing tests made to fail in two complementary halves: each is red once as a canary, and once runs for real.

By the gate where the runner has one: the sources are the same in both runs, and each test reads its fate from a FIFO.
Else by an edit. What looks wrong on head is tried on base as well, whose product nobody of the change has touched: what
does not work there either says something about the way, and nothing about the change.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Literal

from msgspec.structs import replace

from in_toto_done_receipt.observe.runners.gate import Gate
from in_toto_done_receipt.observe.runners.model import Site, TestState
from in_toto_done_receipt.recompute.clean_room.outcome import Ran, Trial
from in_toto_done_receipt.recompute.clean_room.rooms import Rooms, Seeded, edited
from in_toto_done_receipt.recompute.clean_room.trees import Tree
from in_toto_done_receipt.wire.value import Value

Way = Literal["gate", "edit"]

_RANDOM = secrets.SystemRandom()


class Halves(Value, kw_only=True):
    """Two runs. `real` is what became of the tests that were let go on; None where their two real runs disagree."""

    runs: tuple[Ran, Ran]
    ids: frozenset[str]
    deaf: frozenset[str]
    unasked: frozenset[str]
    real: Mapping[str, TestState | None]

    @property
    def faults(self) -> tuple[str, ...]:
        """Contradictions of either run."""
        return tuple(fault for run in self.runs for fault in run.faults)


class Tried(Value, kw_only=True):
    """What came of it. `halves` is None where no way worked: then the tests have to be run as they are."""

    trial: Trial
    halves: Halves | None


def tried(
    rooms: Rooms, tree: Tree, base: Tree, passed: Collection[str], *, gate: bool, plain: Callable[[], Ran]
) -> Tried:
    """The best way that works, tried on `tree`; `base` tells what works at all, `plain` runs `tree` as it is."""
    remarks: list[str] = []
    runner, argv = rooms.setup.runner, rooms.setup.argv
    sites = runner.sites(argv, rooms.sources(tree), passed)
    if not sites:
        return Tried(trial=Trial(remarks=("no existing test has a place where it can be made to fail",)), halves=None)
    ways: tuple[Way, ...] = ("gate", "edit") if gate and any(site.gate is not None for site in sites) else ("edit",)
    for way in ways:
        halves = _halves(way, rooms, tree, sites, "head's product with base's tests")
        if halves.faults and plain().faults:  # canaries or not: there is nothing to find out about the way
            return Tried(trial=Trial(way=way, faults=halves.faults, remarks=tuple(remarks)), halves=halves)
        found = _held_against_base(way, rooms, base, halves, passed)
        remarks += found.trial.remarks
        if found.halves is not None:
            return Tried(trial=replace(found.trial, remarks=tuple(remarks)), halves=halves)
    return Tried(trial=Trial(remarks=tuple(remarks)), halves=None)


def _held_against_base(way: Way, rooms: Rooms, base: Tree, halves: Halves, passed: Collection[str]) -> Tried:
    """What is left against head when base has been made to fail in the same way."""
    if not (halves.faults or halves.deaf or halves.unasked):
        return Tried(trial=Trial(way=way, ids=halves.ids), halves=halves)
    places = rooms.setup.runner.sites(rooms.setup.argv, rooms.sources(base), passed)
    at_base = _halves(way, rooms, base, places, "base")
    if at_base.faults:
        why = f"making tests fail by {_BY[way]} does not work at base either: {at_base.faults[0]}"
        return Tried(trial=Trial(remarks=(why,)), halves=None)
    unfit = at_base.deaf | at_base.unasked
    remarks = (f"{len(unfit)} test(s) cannot be made to fail by {_BY[way]} at base either",) if unfit else ()
    trial = Trial(
        way=way,
        ids=halves.ids - unfit,
        deaf=halves.deaf - unfit,
        unasked=halves.unasked - unfit,
        faults=halves.faults,
        remarks=remarks,
    )
    return Tried(trial=trial, halves=halves)


_BY: Mapping[Way, str] = {"gate": "the gate", "edit": "an edit"}


def _halves(way: Way, rooms: Rooms, tree: Tree, sites: Sequence[Site], what: str) -> Halves:
    first = frozenset(_RANDOM.sample(range(len(sites)), len(sites) // 2))
    second = frozenset(range(len(sites))) - first
    seeded = rooms.seeded(tree)
    run = _gated if way == "gate" else _edited
    parts = [partial(run, rooms, seeded, sites, half, f"{what}, half {n}") for n, half in ((1, first), (2, second))]
    one, two = rooms.side_by_side(f"{what}, two halves", parts)
    made_red = [frozenset(id for k in half for id in sites[k].ids) for half in (first, second)]
    deaf = {id for (ran, _), ids in zip((one, two), made_red, strict=True) for id in ids if _green(ran, id)}
    real: dict[str, TestState | None] = {}
    for (ran, _), ids in zip((one, two), made_red, strict=True):
        for id, state in ran.states.items():
            if id not in ids:
                real[id] = state if real.get(id, state) == state else None
    return Halves(
        runs=(one[0], two[0]),
        ids=frozenset().union(*made_red),
        deaf=frozenset(deaf),
        unasked=one[1] | two[1],
        real=real,
    )


def _gated(
    rooms: Rooms, seeded: Seeded, sites: Sequence[Site], half: frozenset[int], what: str
) -> tuple[Ran, frozenset[str]]:
    """One run behind the gate, and the ids of the tests that never asked it."""
    folder = rooms.new_folder("gate")
    with Gate(folder, sites, set(half)) as gate:
        rows: dict[str, list[tuple[int, bytes]]] = {}
        for number, site in enumerate(sites):
            row = rows.setdefault(site.path, [])
            if site.gate is not None:
                row += [need for need in site.gate_needs if need not in row]
                row.append((site.position, site.gate.replace(b"{}", bytes(gate.path(number)))))
            elif number in half:  # it has no gate: an edit is what is left
                row.append((site.position, site.fail))
        tree = edited(seeded.tree, rooms.sources(seeded.tree), rows)
        ran = rooms.run_seeded(what, Seeded(tree=tree, planted=seeded.planted), gate=folder)
        asked = gate.asked
    silent = [
        id for number, site in enumerate(sites) if site.gate is not None and number not in asked for id in site.ids
    ]
    return ran, frozenset(id for id in silent if _green(ran, id))


def _green(ran: Ran, id: str) -> bool:
    """Whether a test was reported good. One that is missing or skipped is the inventory's business."""
    return ran.states.get(id) in ("passed", "xpassed")


def _edited(
    rooms: Rooms, seeded: Seeded, sites: Sequence[Site], half: frozenset[int], what: str
) -> tuple[Ran, frozenset[str]]:
    """One run with half of the tests edited; nobody is asked anything."""
    rows: dict[str, list[tuple[int, bytes]]] = {}
    for number in half:
        rows.setdefault(sites[number].path, []).append((sites[number].position, sites[number].fail))
    tree = edited(seeded.tree, rooms.sources(seeded.tree), rows)
    return rooms.run_seeded(what, Seeded(tree=tree, planted=seeded.planted)), frozenset()
