"""The pages on attesting a verdict and on reporting it: each command shown is typed, and does what it shows."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.producer.attested_levels import PREFIX
from in_toto_done_receipt.profile.load import COLLECTIONS
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from testdata.receipts import generate
from tests.cli.test_docs import DOCS, HONEST, bin_folder, blocks, steps, transcript, typed_in

__all__ = ["bin_folder"]

PAGE = DOCS / "how-to" / "attest-the-verdict.md"
REPORT_PAGE = DOCS / "how-to" / "report-to-github.md"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """receipt.json, its work, and a gate that trusts its signer."""
    shutil.copytree(HONEST / "workspace", tmp_path / "work")
    shutil.copy(HONEST / "receipt.json", tmp_path / "receipt.json")
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "worker.pub").write_text(generate.public_pem("worker"))
    (tmp_path / "gate" / "trust.toml").write_text('version = 1\n[[key]]\nname = "worker"\npath = "worker.pub"\n')
    return tmp_path


@pytest.mark.parametrize("page", [PAGE, REPORT_PAGE], ids=lambda page: page.stem)
def test_the_page_does_what_it_shows(desk: Path, bin_folder: Path, page: Path) -> None:
    wanted = steps(page)
    assert len(wanted) > 6
    assert "\n".join(transcript(typed_in(desk, bin_folder, wanted), wanted)) == ""


@pytest.mark.integration
def test_slsa_verifier_and_cosign_accept_what_the_page_makes(
    desk: Path, bin_folder: Path, tool: Callable[[str], Path]
) -> None:
    typed_in(desk, bin_folder, steps(PAGE))
    (script,) = blocks(PAGE, "sh")
    path = os.pathsep.join([str(tool("slsa-verifier").parent), "/usr/bin", "/bin"])
    done = subprocess.run(
        ["bash", "-c", script], cwd=desk, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "PASSED: SLSA verification passed")


def test_the_page_names_every_level() -> None:
    text = PAGE.read_text(encoding="utf-8")
    endings = [*(f"_{name}" for name in COLLECTIONS[1:]), *(f"_{level}" for level in SANDBOX_LEVELS[:-1])]
    endings += ["_with_exceptions", "_with_exclusions", "_with_lower_assurance", "_with_overrides", "_and_"]
    assert [end for end in endings if end.upper().replace("-", "_") not in text] == []
    assert set(re.findall(rf"{PREFIX}\w+", text)) >= {
        f"{PREFIX}{name}" for name in ("FULLY_RECHECKED", "PARTIALLY_RECHECKED", "COLLECTION_MINIMAL")
    }
