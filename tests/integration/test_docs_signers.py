"""The how-to on keys that stay where they are: each command that it shows is typed, and does what it shows."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.test_docs import DOCS, bin_folder, steps, transcript, typed_in

__all__ = ["bin_folder"]

pytestmark = pytest.mark.integration


def test_the_page_on_tokens_and_keyrings_does_what_it_shows(tmp_path: Path, bin_folder: Path) -> None:
    wanted = steps(DOCS / "how-to" / "kms-and-hsm.md")
    assert len(wanted) > 15
    try:
        assert "\n".join(transcript(typed_in(tmp_path, bin_folder, wanted), wanted)) == ""
    finally:
        subprocess.run(["gpgconf", "--homedir", tmp_path / "keyring", "--kill", "all"], check=False)  # its agent
