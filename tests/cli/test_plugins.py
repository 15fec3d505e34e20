"""A third party's handler: a real distribution, built and installed, found through its entry point when named."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "plugins" / "acme_review"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site-packages folder with the plug-in in it."""
    source = tmp_path_factory.mktemp("source") / "acme_review"
    shutil.copytree(PLUGIN, source, ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(place)]
    subprocess.run([*pip, *offline, str(source)], check=True)
    return place


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """A signed review, of a predicate type that is not ours."""
    statement = generate.base() | {"predicateType": "https://example.com/review/v1", "predicate": {"approved": True}}
    path = tmp_path / "review.json"
    path.write_text(generate.pretty(generate.envelope(generate.payload_of(statement))), encoding="utf-8")
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"), encoding="utf-8")
    return path


def verify(receipt: Path, site: Path, *flags: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "in_toto_done_receipt", "verify", str(receipt), "--json"]
    trust = ["--trusted-key", f"worker={receipt.parent / 'worker.pub'}"]
    environment = os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [*command, *trust, *flags], capture_output=True, text=True, env=environment, check=False, cwd=cwd
    )


def checks(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return {check["id"]: check for check in json.loads(done.stdout)["result"]["checks"]}


def test_a_handler_that_is_not_named_is_not_loaded(review: Path, site: Path) -> None:
    done = verify(review, site)
    assert done.returncode == 12
    assert "acme-review was loaded" not in done.stderr
    assert checks(done)["statement"]["findings"][-1]["reason"] == "statement.no_handler"


def test_a_handler_that_is_named_examines_its_predicate(review: Path, site: Path) -> None:
    done = verify(review, site, "--plugin", "acme-review")
    assert "acme-review was loaded" in done.stderr
    assert checks(done)["acme-review"]["findings"][0]["reason"] == "acme-review.approved"


def test_a_handler_cannot_grant_itself_claims_or_assurance(review: Path, site: Path) -> None:
    result = json.loads(verify(review, site, "--plugin", "acme-review").stdout)["result"]
    assert result["claims"] == []
    assert result["assurance"] == "reported"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acme-nowhere", "plug-in acme-nowhere is not installed"),
        ("acme-broken", "plug-in acme-broken of acme-review 1.0 does not load"),
        ("acme-empty", "plug-in acme-empty of acme-review 1.0 is no handler"),
        ("acme-same-type", "two handlers read predicate type https://w3id.org/done-receipt/v0.1"),
    ],
)
def test_a_plug_in_that_does_not_fit_is_an_error_that_names_it(
    name: str, message: str, review: Path, site: Path
) -> None:
    done = verify(review, site, "--plugin", name)
    assert done.returncode == 4
    assert message in done.stderr


def test_a_plug_in_in_the_current_directory_is_refused(review: Path, site: Path) -> None:
    done = verify(review, site, "--plugin", "acme-review", cwd=site)
    assert done.returncode == 4
    assert "is not the verifier's" in done.stderr


def test_a_name_that_two_distributions_claim_is_refused(review: Path, site: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "acme_twin-2.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-twin\nVersion: 2.0\n")
    (other / "entry_points.txt").write_text("[in_toto.predicate_handlers]\nacme-review = acme_review:HANDLER\n")
    done = verify(review, Path(f"{site}{os.pathsep}{other.parent}"), "--plugin", "acme-review")
    assert done.returncode == 4
    assert "acme-review 1.0" in done.stderr
    assert "acme-twin 2.0" in done.stderr
