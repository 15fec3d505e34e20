"""The value canary: tests that compare with something that equals nothing, at base and on head's product.

At base they turn red, if they compare at all. What stays green on head's product then compares nothing there: the
product gave it a result that says it equals everything.
"""

from collections.abc import Collection
from functools import partial

from in_toto_done_receipt.observe.runners.model import RED
from in_toto_done_receipt.observe.runners.value import value_edits
from in_toto_done_receipt.recompute.clean_room.outcome import Comparing, Ran
from in_toto_done_receipt.recompute.clean_room.rooms import Rooms
from in_toto_done_receipt.recompute.clean_room.trees import Tree, laid_over


def compared(rooms: Rooms, tree: Tree, base: Tree, passed: Collection[str]) -> Comparing:
    """What became of the comparisons of the tests that passed at base."""
    at_base, ids = _edited(rooms, base, passed)
    on_head, _ = _edited(rooms, tree, passed)
    if not ids:
        return Comparing(remarks=("no test has a comparison that can be replaced",))
    runs: list[Ran] = rooms.side_by_side(
        "comparisons",
        [
            partial(rooms.run, "base, values replaced", at_base),
            partial(rooms.run, "head's product with base's tests, values replaced", on_head),
        ],
    )
    if runs[0].faults:
        return Comparing(remarks=(f"replacing values does not work at base: {runs[0].faults[0]}",))
    turned = frozenset(id for id in ids if runs[0].states.get(id) in RED)
    blind = frozenset(id for id in turned if runs[1].states.get(id) in ("passed", "xpassed"))
    return Comparing(active=bool(turned), ids=turned, blind=blind, faults=runs[1].faults)


def _edited(rooms: Rooms, tree: Tree, passed: Collection[str]) -> tuple[Tree, frozenset[str]]:
    edits = value_edits(rooms.setup.runner.name, rooms.setup.argv, rooms.sources(tree), passed)
    return laid_over(tree, edits.files), edits.ids
