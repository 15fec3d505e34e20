"""The lab for compiled languages, where a run costs a build: as few runs as tell the layers apart.

Planted canaries are in the run of head as it is, as in the clean room. Head's product with base's tests is run only if
it is another tree. Halves by edit are asked for only where they differ from those by the gate.
"""

import re
import secrets
from collections.abc import Mapping
from typing import Final

from in_toto_done_receipt.observe.runners.model import RED, TestRun
from in_toto_done_receipt.wire.value import Value
from tests.runners.lab import LAYERS, Files, Lab, Tree
from tests.runners.table import ATTACKS

REPORTED: Final = ("passed", "failed", "error", "xpassed")


class Attack(Value, kw_only=True):
    """Files laid over head. `row` is the attack's name in the table, where it has one; else `caught` is what it says.

    Of `maybe` it depends on which test runs first. `restored` are files of head's product with base's tests in them,
    where both are in one file.
    """

    files: Mapping[str, str]
    row: str = ""
    caught: str = ""
    maybe: str = ""
    by_edit: bool = False
    restored: Mapping[str, str] | None = None

    def expected(self, runner: str) -> str:
        """The layers, K for G where edits are not asked for."""
        cell = ATTACKS[self.row][runner].strip("()") if self.row else self.caught
        return cell if self.by_edit else cell.replace("K", "")


def layers(lab: Lab, passed: frozenset[str], head: Tree, restored: Tree, broken: str, *, by_edit: bool) -> str:
    """The layers that see something, in the order of `lab.LAYERS`; V is for Python, K only `by_edit`.

    `passed` are the ids that passed at base, `broken` is a pattern of those that head's product breaks. What head shows
    by itself is not told again for the gate and for base's tests.
    """
    plant = lab.runner.plant(lab.argv, Files(head), "zq" + secrets.token_hex(6))
    run = lab.run({**Files(head).files, **plant.files})
    states = {id: state for id, state in run.states.items() if id not in plant.failing | plant.passing}
    found = _of_run(run, states, passed, broken)
    back = found
    if Files(restored).files != Files(head).files:
        again = lab.run(restored)
        back = _of_run(again, dict(again.states), passed, broken)
    failing = all(run.states.get(id) in RED for id in plant.failing)
    told = set(found)
    if not failing or any(run.states.get(id) != "passed" for id in plant.passing):
        told.add("P")
    if by_edit and not lab.halves(head, passed, gated=False).works:
        told.add("K")
    gate = lab.halves(head, passed, gated=True)
    if not gate.works:
        told.add("G")
    elif any(re.search(broken, id) and state in RED for id, state in gate.real.items()):
        told.add("g")
    told |= {"R"} if "F" in back else {"r"} if back & {"I", "A"} else set()
    if "F" in told:
        told -= {"g", "R", "r"}
    return "".join(layer for layer in LAYERS if layer in told)


def _of_run(run: TestRun, states: Mapping[str, str], passed: frozenset[str], broken: str) -> set[str]:
    found = set()
    if any(re.search(broken, id) and state in RED for id, state in states.items()):
        found.add("F")
    if passed - {id for id, state in states.items() if state in REPORTED}:
        found.add("I")
    if run.faults:
        found.add("A")
    return found


def passed_at(lab: Lab, base: Tree) -> frozenset[str]:
    """The ids that pass at base, which agrees with itself."""
    run = lab.run(base)
    assert run.faults == (), run.faults
    assert set(run.states.values()) == {"passed"}
    return frozenset(run.states)
