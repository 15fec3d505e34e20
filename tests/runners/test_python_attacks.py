"""Every attack of the table on Python's two runners: real projects, real runs in bubblewrap, all layers at work."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.runners.model import RED
from in_toto_done_receipt.observe.runners.registry import runner_named
from in_toto_done_receipt.observe.runners.value import value_edits
from tests.runners.lab import (
    Change,
    Files,
    Lab,
    Tree,
    caught,
    expected,
    need_bubblewrap,
    put_back,
    usual_harness,
)
from tests.runners.python_attacks import IDS, PROJECTS, attacks, broken
from tests.runners.table import ATTACKS

COMMANDS = {
    "pytest": (sys.executable, "-m", "pytest"),
    "unittest": (sys.executable, "-m", "unittest", "discover", "-s", "tests"),
}
ROWS = [(runner, attack) for runner in COMMANDS for attack, cells in ATTACKS.items() if runner in cells]

# Some rows in every run of the tests, each by the layers that it is about.
QUICK = [
    ("pytest", "patched assertions", "FP"),
    ("pytest", "ini deselects", "F"),
    ("pytest", "exit inside a test", "FIA"),
    ("pytest", "new test patches product", "FR"),
    ("pytest", "forge, if sources unchanged", "Fg"),
    ("unittest", "forge one known id", "FPKGV"),
    ("unittest", "load_tests drops tests", "FIR"),
    ("unittest", "always-equal result", "FPV"),
    ("unittest", "stale .pyc of the tests", "F"),
    ("unittest", "forge the channel, exit", "FIAP"),
]


def change(runner: str, attack: str) -> Change:
    base = PROJECTS[runner]
    head: Tree = {**broken(base), **attacks(runner)[attack]}
    return Change(base=base, head=head, restored=put_back(base, head, usual_harness(runner)), broken="mul$")


def blind(lab: Lab, change: Change, passed: frozenset[str]) -> bool:
    """Whether a test that turns red at base stays green on head when nothing equals what it expects.

    All of them turn red at base, see test_the_value_canary_turns_base_red.
    """
    states = valued(lab, change.head, passed)
    return any(states.get(id) == "passed" for id in passed)


def valued(lab: Lab, tree: Tree, passed: frozenset[str]) -> Mapping[str, str]:
    edits = value_edits(lab.runner.name, lab.argv, Files(tree), passed)
    return lab.run({**tree, **edits.files}).states


@pytest.fixture
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Lab:
    need_bubblewrap()
    runner = request.getfixturevalue("runner")
    return Lab(tmp_path, runner_named(runner), COMMANDS[runner])


@pytest.mark.parametrize(("runner", "attack", "layers"), QUICK)
def test_an_attack_is_seen_by_its_layers(lab: Lab, runner: str, attack: str, layers: str) -> None:
    seen = caught(lab, change(runner, attack), layers=layers, value=blind, passed=frozenset(IDS[runner]))

    assert seen == expected(ATTACKS[attack][runner], layers)


@pytest.mark.integration
@pytest.mark.parametrize(("runner", "attack"), ROWS)
def test_an_attack_is_seen_by_exactly_the_layers_of_the_table(lab: Lab, runner: str, attack: str) -> None:
    seen = caught(lab, change(runner, attack), value=blind, passed=frozenset(IDS[runner]))

    assert seen == expected(ATTACKS[attack][runner])


@pytest.mark.parametrize("runner", COMMANDS)
def test_the_projects_pass_at_base(lab: Lab, runner: str) -> None:
    run = lab.run(PROJECTS[runner])

    assert (run.faults, run.states) == ((), dict.fromkeys(IDS[runner], "passed"))


@pytest.mark.parametrize("runner", COMMANDS)
def test_without_an_attack_head_is_red_in_one_test(lab: Lab, runner: str) -> None:
    run = lab.run(broken(PROJECTS[runner]))

    assert (run.faults, [id for id, state in run.states.items() if state in RED]) == ((), [IDS[runner][-1]])


@pytest.mark.parametrize("runner", COMMANDS)
def test_the_value_canary_turns_base_red(lab: Lab, runner: str) -> None:
    states = valued(lab, PROJECTS[runner], frozenset(IDS[runner]))

    assert {id: state in RED for id, state in states.items()} == dict.fromkeys(IDS[runner], True)


def test_every_attack_has_a_row() -> None:
    assert {(runner, attack) for runner in COMMANDS for attack in attacks(runner)} == set(ROWS)
