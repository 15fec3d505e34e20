"""Attacks on compiled languages, where a run costs a build: halves by edit only where they differ from the gate's."""

from collections.abc import Mapping
from typing import Final

from in_toto_done_receipt.wire.value import Value
from tests.runners.lab import Change, Files, Lab, Tree, caught, expected
from tests.runners.table import ATTACKS

LAYERS: Final = "FIAPGgRr"


class Attack(Value, kw_only=True):
    """Files laid over head. `row` is the attack's name in the table, where it has one; else `caught` is what it says.

    Of `maybe` it depends on which test runs first.
    """

    files: Mapping[str, str]
    row: str = ""
    caught: str = ""
    maybe: str = ""
    by_edit: bool = False

    def agrees(self, lab: Lab, change: Change, passed: frozenset[str]) -> tuple[str, str]:
        """The layers that see it, and those that have to, both without those that may."""
        layers = LAYERS + ("K" if self.by_edit else "")
        cell = ATTACKS[self.row][lab.runner.name] if self.row else self.caught
        if Files(change.restored).files != Files(change.head).files:
            found = caught(lab, change, layers=layers, passed=passed)
        else:  # head has base's tests: they show there what they show on head as it is
            found = caught(lab, change, layers=layers.replace("Rr", ""), passed=passed)
            found += "r" if set("IA") & set(found) and "F" not in found else ""
        return self._sure(found), self._sure(expected(cell, layers))

    def _sure(self, layers: str) -> str:
        return "".join(sorted(set(layers) - set(self.maybe)))


def passed_at(lab: Lab, base: Tree) -> frozenset[str]:
    """The ids that pass at base, which agrees with itself."""
    run = lab.run(base)
    assert run.faults == (), run.faults
    assert set(run.states.values()) == {"passed"}
    return frozenset(run.states)
