"""Attacks on the tests of a project for Node, each with the layers that see it. Real runs in the sandbox."""

from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.observe.runners.node import NodeRunner
from tests.runners.lab import Change, Lab, caught, expected, need, need_bubblewrap, put_back, usual_harness
from tests.runners.node_attacks import BASE, BROKEN, FILE, HEAD, NAMES, NODE_ATTACKS
from tests.runners.table import ATTACKS

NODE: Final = "/usr/bin/node"
PASSED: Final = frozenset(f"{FILE} > {name}" for name in NAMES)
QUICK: Final = ("patched assertions",)  # the others are left to `make integration`


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    need_bubblewrap()
    need(Path(NODE).exists(), NODE)
    return Lab(tmp_path, NodeRunner(), (NODE, "--test", "tests/*.test.js"))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.integration) for name in NODE_ATTACKS],
)
def test_attack_is_caught_by_its_layers(name: str, lab: Lab) -> None:
    head = {**HEAD, **NODE_ATTACKS[name]}
    change = Change(base=BASE, head=head, restored=put_back(BASE, head, usual_harness("node")), broken=BROKEN)
    wanted = expected(ATTACKS[name]["node"])
    if name == "forge, knows the gate" and all(site.gate is None for site in lab.sites(BASE, PASSED)):
        wanted = "KG"  # an older Node: what it knows is not what it meets
    assert caught(lab, change, passed=PASSED) == wanted


@pytest.mark.integration
def test_base_is_green_and_can_be_made_to_fail_everywhere(lab: Lab) -> None:
    assert {id for id, state in lab.run(BASE).states.items() if state == "passed"} == PASSED
    assert lab.planted(BASE)[0]
    assert lab.halves(BASE, PASSED, gated=True).works
    assert lab.halves(BASE, PASSED, gated=False).works
    assert {id for site in lab.sites(BASE, PASSED) for id in site.ids} == PASSED


def test_every_row_of_the_table_is_an_attack() -> None:
    assert {row for row, cells in ATTACKS.items() if "node" in cells} == NODE_ATTACKS.keys()
