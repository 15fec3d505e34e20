"""The page on scenarios says what the cases say, and what agent-countercheck really answers."""

from pathlib import Path

import pytest

from tests.conformance import scenario_tables as tables
from tests.repositories.countercheck import verdict_on


def test_the_page_lists_each_scenario_with_its_cases_and_codes() -> None:
    assert tables.shown("scenarios") == tables.scenarios()


def test_the_page_lists_each_honest_change() -> None:
    assert tables.shown("honest") == tables.honest()


def test_each_scenario_has_cases_or_is_practice() -> None:
    assert sorted([*tables.REPORTED, *tables.PRACTICE]) == list(range(1, 31))
    numbers = {number for name in tables.NAMES for number in tables.expected(name).get("scenarios", ())}
    assert set(tables.REPORTED) <= numbers


def test_there_are_cases_enough() -> None:
    refused = [name for name in tables.NAMES if name.endswith("_fail")]
    assert len(refused) >= 30
    assert len(tables.NAMES) - len(refused) >= 25


def test_the_page_lists_what_both_can_be_asked() -> None:
    rows = tables.shown("countercheck")[2:]
    assert [row.split("`")[1] for row in rows] == tables.askable()


@pytest.mark.integration
@pytest.mark.parametrize("name", tables.askable())
def test_countercheck_answers_as_the_page_says(name: str, tmp_path: Path) -> None:
    ours, theirs = tables.countercheck({name: verdict_on(name, tmp_path)})[2:], tables.shown("countercheck")
    assert set(ours) <= set(theirs)
