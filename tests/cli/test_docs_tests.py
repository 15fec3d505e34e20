"""The page on running tests: every line is typed, with this interpreter in the place of the one that it names."""

import sys
from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.observe.runners.registry import check_command
from in_toto_done_receipt.profile.load import load_profile
from tests.cli.test_docs import DOCS, Step, bin_folder, blocks, steps, transcript, typed_in
from tests.runners.lab import need_bubblewrap

__all__ = ["bin_folder"]

PAGE: Final = DOCS / "how-to" / "run-tests.md"
THEIRS: Final = "/srv/venv/bin/python"


@pytest.mark.integration  # three runs of pytest by hand, and eight by the verifier
def test_the_page_does_what_it_shows(tmp_path: Path, bin_folder: Path) -> None:
    need_bubblewrap()
    wanted = [Step(typed=step.typed.replace(THEIRS, sys.executable), shown=step.shown) for step in steps(PAGE)]
    assert len(wanted) > 15
    assert "\n".join(transcript(typed_in(tmp_path, bin_folder, wanted), wanted)) == ""


@pytest.mark.parametrize("text", blocks(PAGE, "toml"))
def test_each_profile_of_the_page_is_one(text: str) -> None:
    profile = load_profile(text.encode(), what="acceptance.toml")
    assert profile.tests is not None
    check_command(profile.tests.runner, profile.tests.argv)
