"""Hostile programs: none succeeds at level bubblewrap, at each lower level exactly those that attacks.toml says."""

import os
from collections.abc import Callable

import pytest

from in_toto_done_receipt.results.model import SANDBOX_LEVELS, SandboxLevel
from tests.attacks.stage import Stage
from tests.attacks.table import ALWAYS, OPEN, Attack, attacks

Active = Callable[[SandboxLevel], frozenset[str]]

every_attack = pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.name)
quick_attack = pytest.mark.parametrize("attack", [a for a in attacks() if a.quick], ids=lambda attack: attack.name)


def is_stopped(attack: Attack, level: SandboxLevel, layers: frozenset[str]) -> bool:
    """What the table says, on this machine."""
    by = attack.stopped_by(level)
    if by == OPEN and attack.root_only:
        return os.geteuid() != 0
    if by == OPEN and attack.unless_group:
        return os.geteuid() == 0 and "process-limit" in layers
    return by == ALWAYS or by in layers


def check(stage: Stage, attack: Attack, level: SandboxLevel, layers: frozenset[str]) -> None:
    stopped = is_stopped(attack, level, layers)
    if attack.guarded and not stopped:
        pytest.skip(f"{attack.stopped_by(level)} is absent: the machine would suffer")
    seen = stage.attack(attack.name, level, limits=attack.limits, options=attack.options, facts=attack.facts)
    assert (seen.achieved == ()) == stopped, seen.said
    if attack.failure is not None and stopped:
        assert seen.answer["failure"] == attack.failure, seen.said


@quick_attack
def test_attack_is_stopped(stage: Stage, active: Active, attack: Attack) -> None:
    check(stage, attack, "bubblewrap", active("bubblewrap"))


@pytest.mark.integration
@every_attack
def test_attack_at_bubblewrap_never_succeeds(stage: Stage, active: Active, attack: Attack) -> None:
    layers = active("bubblewrap")
    assert is_stopped(attack, "bubblewrap", layers)
    check(stage, attack, "bubblewrap", layers)


@pytest.mark.integration
@pytest.mark.parametrize("level", SANDBOX_LEVELS[:-1])
@every_attack
def test_attack_at_a_lower_level_succeeds_as_the_table_says(
    stage: Stage, active: Active, attack: Attack, level: SandboxLevel
) -> None:
    check(stage, attack, level, active(level))
