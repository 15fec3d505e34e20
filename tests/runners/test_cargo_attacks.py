"""Attacks on the tests of a Rust crate, each with the layers that see it. Real runs in the sandbox."""

from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.observe.runners.cargo import CargoRunner
from in_toto_done_receipt.observe.runners.rust_inline import put_back_inline
from tests.runners.cargo_attacks import BASE, BROKEN, CARGO_ATTACKS, HEAD
from tests.runners.compiled import passed_at
from tests.runners.lab import Change, Files, Lab, Tree, put_back, usual_harness
from tests.runners.table import ATTACKS
from tests.runners.toolchains import cargo

pytestmark = pytest.mark.integration

PASSED: Final = frozenset({"lib::tests::unit_add", "lib::tests::unit_mul", "test:it::it_add", "test:it::mul"})


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, CargoRunner(), (str(cargo()), "test"))


def restored(head: Tree) -> Tree:
    """Head's product with base's tests, also of those that stand in product files."""
    files, base = dict(Files(put_back(BASE, head, usual_harness("cargo"))).files), Files(BASE).files
    for path in files.keys() & base.keys():
        inline = put_back_inline(base[path], files[path]) if path.endswith(".rs") else None
        files[path] = files[path] if inline is None else inline
    return files


@pytest.mark.parametrize("name", CARGO_ATTACKS)
def test_attack_is_caught_by_its_layers(name: str, lab: Lab) -> None:
    attack = CARGO_ATTACKS[name]
    head = {**HEAD, **attack.files}
    change = Change(base=BASE, head=head, restored=restored(head), broken=BROKEN)
    found, wanted = attack.agrees(lab, change, PASSED)
    assert found == wanted


def test_base_is_green_and_can_be_made_to_fail_everywhere(lab: Lab) -> None:
    assert passed_at(lab, BASE) == PASSED
    assert lab.planted(BASE)[0]
    assert lab.halves(BASE, PASSED, gated=True).works
    assert lab.halves(BASE, PASSED, gated=False).works


def test_every_row_of_the_table_is_an_attack() -> None:
    rows = {row for row, cells in ATTACKS.items() if "cargo" in cells}
    assert rows == {attack.row for attack in CARGO_ATTACKS.values() if attack.row}
