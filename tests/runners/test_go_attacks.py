"""Attacks on the tests of a Go module, each with the layers that see it. Real runs in the sandbox."""

from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.observe.runners.go import GoRunner
from tests.runners.compiled import passed_at
from tests.runners.go_attacks import BASE, BROKEN, GO_ATTACKS, HEAD
from tests.runners.lab import Change, Lab, put_back, usual_harness
from tests.runners.table import ATTACKS
from tests.runners.toolchains import go, go_cache

pytestmark = pytest.mark.integration

PASSED: Final = frozenset(f"example.com/m.{name}" for name in ("TestAdd", "TestMul", "TestSum"))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, GoRunner(), (str(go()), "test", "./..."), cache=go_cache())


@pytest.mark.parametrize("name", GO_ATTACKS)
def test_attack_is_caught_by_its_layers(name: str, lab: Lab) -> None:
    attack = GO_ATTACKS[name]
    head = {**HEAD, **attack.files}
    change = Change(base=BASE, head=head, restored=put_back(BASE, head, usual_harness("go")), broken=BROKEN)
    found, wanted = attack.agrees(lab, change, PASSED)
    assert found == wanted


def test_base_is_green_and_can_be_made_to_fail_everywhere(lab: Lab) -> None:
    assert passed_at(lab, BASE) == PASSED
    assert lab.planted(BASE)[0]
    assert lab.halves(BASE, PASSED, gated=True).works
    assert lab.halves(BASE, PASSED, gated=False).works


def test_every_row_of_the_table_is_an_attack() -> None:
    rows = {row for row, cells in ATTACKS.items() if "go" in cells}
    assert rows == {attack.row for attack in GO_ATTACKS.values() if attack.row}
