"""A runner that nobody knows, by its report on disk: `verify` with runner `junit`, and pytest in that part."""

import json
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from in_toto_done_receipt.observe.sandbox import probe as probing
from in_toto_done_receipt.observe.sandbox.model import SandboxFacts
from in_toto_done_receipt.observe.sandbox.probe import probe as find
from in_toto_done_receipt.results.model import SandboxLevel
from tests.cli.conftest import Cli
from tests.repositories.rooms import Desk
from tests.runners.lab import need_bubblewrap

pytestmark = pytest.mark.integration

PLANT: Final = """
[[tests.plant]]
path = "tests/test_{token}.py"
text = \"\"\"
def test_{token}_fails():
    assert 1 == 2


def test_{token}_passes():
    assert 1 == 1
\"\"\"
failing = ["tests.test_{token}::test_{token}_fails"]
passing = ["tests.test_{token}::test_{token}_passes"]
"""
# At the end of the run, the product takes every failure out of the report.
REWRITES: Final = """

import atexit, os, re, sys


def _rewrite():
    path = next((word[11:] for word in sys.argv if word.startswith("--junitxml=")), None)
    if path:
        text = re.sub(r"><failure.*?</failure></testcase>", "/>", open(path).read(), flags=re.S)
        open(path, "w").write(re.sub('failures="."', 'failures="0"', text))
        os._exit(0)


atexit.register(_rewrite)
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An honest change whose receipt cites tests and counts of the verifier's own command."""
    need_bubblewrap()
    desk = Desk("pytest_feature", tmp_path)
    monkeypatch.chdir(desk.case)
    return desk


def profile(desk: Desk, *, plant: str = PLANT, required: str = "bubblewrap") -> None:
    """The case's profile with another runner."""
    shown = json.dumps(sorted({sys.prefix, sys.base_prefix}))
    text = desk.profile.replace('runner = "pytest"', 'runner = "junit"\ncanaries = ["planted"]')
    text += f'{plant}\n[sandbox]\nrequired = "{required}"\nreadOnly = {shown}\n'
    (desk.folder / "acceptance.toml").write_text(text)


def verified(cli: Cli, desk: Desk, *more: str) -> tuple[int, dict[str, Any], set[str]]:
    """The exit code, the result, and the reasons of what is no pass."""
    done = cli("verify", *desk.words, *more, "--json")
    result = json.loads(done.out)["result"]
    found = [finding for check in result["checks"] for finding in check["findings"]]
    quiet = {"context.not_demanded", "output-manifest.not_claimed", "audit-log.not_demanded"}
    return done.code, result, {one["reason"] for one in found if one["status"] != "pass"} - quiet


def test_an_honest_change_is_admitted(cli: Cli, desk: Desk) -> None:
    profile(desk)
    code, result, reasons = verified(cli, desk)
    assert (code, reasons) == (0, set())
    assert (result["tests"]["runner"], result["tests"]["layers"]) == ("junit", ["planted"])


def test_without_templates_the_layer_cannot_be_demanded(cli: Cli, desk: Desk) -> None:
    profile(desk, plant="")
    done = cli("verify", *desk.words)
    assert done.code == 4
    assert "planted" in done.err


def test_without_templates_and_without_the_demand_no_layer_was_there(cli: Cli, desk: Desk) -> None:
    profile(desk, plant="")
    path = desk.folder / "acceptance.toml"
    path.write_text(path.read_text().replace('canaries = ["planted"]\n', ""))
    _, result, _ = verified(cli, desk)
    assert result["tests"]["layers"] == []


def test_a_report_that_is_rewritten_is_refuted(cli: Cli, desk: Desk) -> None:
    profile(desk)
    desk.repo.git("checkout", "-q", "work")
    product = desk.repo.path / "shop" / "prices.py"
    product.write_text(product.read_text() + REWRITES)
    desk.repo.commit(message="rewrites")
    code, _, reasons = verified(cli, desk)
    assert code == 11
    assert {"harness-canary.misreported", "evidence-tests.harness"} <= reasons


@pytest.mark.parametrize("level", ["landlock", "rlimits"])
def test_below_bubblewrap_a_report_is_no_evidence(
    cli: Cli, desk: Desk, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "probe", lambda: offered(level))
    profile(desk, required=level)
    code, result, reasons = verified(cli, desk)
    assert (code, result["sandbox"]["level"]) == (12, level)
    assert {"evidence-tests.contradiction", "test-inventory.contradiction"} <= reasons


def offered(level: SandboxLevel) -> SandboxFacts:
    """What a machine offers that has no better level."""
    return find(highest=level)
