"""The pages on moving here from the old formats: each command that they show is typed, and does what they show."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.test_docs import DOCS, steps, transcript, typed_in


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `done-receipt` and `agent-receipt` in it, for PATH."""
    folder = tmp_path_factory.mktemp("bin")
    for name, module in (("done-receipt", "in_toto_done_receipt"), ("agent-receipt", "agent_receipt")):
        (folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m {module} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


def test_the_page_on_agent_receipt_does_what_it_shows(tmp_path: Path, both: Path) -> None:
    wanted = steps(DOCS / "how-to" / "moving-from-agent-receipt.md")
    assert len(wanted) > 15
    assert "\n".join(transcript(typed_in(tmp_path, both, wanted), wanted)) == ""
