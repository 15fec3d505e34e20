"""The page on explaining and comparing decisions: each command that it shows is typed, and does what it shows."""

import shutil
from pathlib import Path

from in_toto_done_receipt.admission.sources import policy_folder
from tests.cli.test_docs import DOCS, bin_folder, steps, transcript, typed_in

__all__ = ["bin_folder"]


def test_the_page_on_explaining_does_what_it_shows(tmp_path: Path, bin_folder: Path) -> None:
    shutil.copytree(policy_folder(), tmp_path / "release" / "policy")
    wanted = steps(DOCS / "how-to" / "explain-and-compare.md")
    assert len(wanted) > 10
    assert "\n".join(transcript(typed_in(tmp_path, bin_folder, wanted), wanted)) == ""
