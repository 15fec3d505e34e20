"""The table of attacks in the documentation is the one that the tests run by."""

from pathlib import Path

from tests.runners.lab import LAYERS, expected
from tests.runners.table import ATTACKS, NONE, markdown

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "clean-room.md"


def test_the_documented_table_is_current() -> None:
    assert markdown() in PAGE.read_text(encoding="utf-8"), (
        "run `python -m tests.runners.table` and paste what it prints"
    )


def test_every_letter_is_a_layer_that_the_page_explains() -> None:
    page = PAGE.read_text(encoding="utf-8")
    letters = {letter for cells in ATTACKS.values() for cell in cells.values() for letter in expected(cell)}

    assert letters <= set(LAYERS)
    assert [letter for letter in LAYERS if f"\n| {letter} | " not in page] == []


def test_what_no_layer_sees_is_named_in_words() -> None:
    words = PAGE.read_text(encoding="utf-8").partition("## What no in-process test can overcome")[2]
    unseen = [attack for attack, cells in ATTACKS.items() if NONE in cells.values()]

    assert unseen
    assert [attack for attack in unseen if f'"{attack}"' not in words] == []
