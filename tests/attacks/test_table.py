"""The table of attacks, the programs, the documentation and the layers of a machine say the same."""

import re
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.observe.sandbox.remedies import IN_CONTAINER, INSTALL, REMEDIES, SETTINGS
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from tests.attacks.stage import PROGRAMS
from tests.attacks.table import ALWAYS, OPEN, Attack, attacks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "sandbox.md"


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)[2:]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


def shown(attack: Attack, level: str) -> str:
    by = attack.stopped_by(level)
    if by == ALWAYS:
        return "stopped"
    if by != OPEN:
        return f"stopped: `{by}`"
    condition = " for root" if attack.root_only else " outside of a control group" if attack.unless_group else ""
    return f"**succeeds**{condition}"


def layers() -> list[str]:
    return [layer.name for layer in probe(highest="rlimits").layers]


def test_every_program_is_in_the_table_once() -> None:
    assert sorted(attack.name for attack in attacks()) == sorted(path.stem for path in PROGRAMS.glob("*.py"))


def test_there_are_many() -> None:
    assert len(attacks()) >= 25


def test_none_succeeds_at_bubblewrap() -> None:
    assert [attack.name for attack in attacks() if attack.bubblewrap == OPEN] == []


def test_what_a_level_stops_a_higher_one_stops_too() -> None:
    for attack in attacks():
        is_open = [attack.stopped_by(level) == OPEN for level in SANDBOX_LEVELS]
        assert is_open == sorted(is_open, reverse=True), attack.name


def test_the_page_has_the_same_table() -> None:
    expected = [[attack.tries, *(shown(attack, level) for level in reversed(SANDBOX_LEVELS))] for attack in attacks()]
    assert rows("Attacks") == expected


def test_the_page_has_every_layer_and_the_table_no_other() -> None:
    named = layers()
    assert [row[0].strip("`") for row in rows("Layers")] == named
    assert {attack.stopped_by(level) for attack in attacks() for level in SANDBOX_LEVELS} - {ALWAYS, OPEN} <= set(named)


def test_the_page_has_every_remedy() -> None:
    bubblewrap = [INSTALL, *(what for _, _, what in SETTINGS), IN_CONTAINER]
    assert [row[1] for row in rows("How to get a layer")] == [*bubblewrap, *REMEDIES.values()]
    assert ["bubblewrap", *REMEDIES] == layers()


@pytest.mark.parametrize("level", SANDBOX_LEVELS)
def test_the_page_has_every_level(level: str) -> None:
    assert f"`{level}`" in [row[0] for row in rows("Levels")]
