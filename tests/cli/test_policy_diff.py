"""`policy diff`: which earlier decisions another policy or profile would make otherwise."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.sources import policy_folder
from testdata.receipts import generate
from tests.cli.conftest import Cli

TESTDATA = Path(__file__).parents[2] / "testdata"
CASES, OWN = TESTDATA / "receipts", TESTDATA / "own-policy"
HONEST = ["receipt.json", "--trusted-key", "worker=../trust/worker.pub", "--root", "workspace"]
AT = ["--at", generate.NOW]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Path:
    """Three decisions: an admission, the same from a profile, a denial; with what makes them otherwise."""
    shutil.copytree(CASES / "honest", tmp_path / "honest", symlinks=True)
    shutil.copytree(CASES / "trust", tmp_path / "trust")
    monkeypatch.chdir(tmp_path / "honest")
    Path("../stricter.toml").write_text("version = 1\n[agent]\nmodels = ['other-1']\n")
    Path("../wider.toml").write_text("version = 1\n[agent]\nmodels = ['model-1']\n")
    Path("honest.json").write_text(cli("verify", *HONEST, *AT, "--json").out)
    Path("strict.json").write_text(cli("verify", *HONEST, *AT, "--profile", "../stricter.toml", "--json").out)
    Path("workspace/greeting.txt").write_text("bye\n")
    Path("refuted.json").write_text(cli("verify", *HONEST, *AT, "--json").out)
    return tmp_path / "honest"


def differences(cli: Cli, *arguments: str, code: int) -> dict[str, Any]:
    seen = cli("policy", "diff", *arguments, "--json")
    assert seen.code == code, seen.err
    found: dict[str, Any] = {one["result"]: one for one in json.loads(seen.out)["results"]}
    return found


def test_the_same_policy_flips_nothing(cli: Cli, place: Path) -> None:
    found = differences(cli, "--old-profile", "../wider.toml", "--new-profile", "../wider.toml", "honest.json", code=0)
    assert found["honest.json"]["change"] == "same"


def test_a_stricter_profile_flips_an_admission(cli: Cli, place: Path) -> None:
    found = differences(cli, "--new-profile", "../stricter.toml", "honest.json", "refuted.json", code=12)
    assert found["honest.json"]["change"] == "denied"
    assert found["honest.json"]["gained"] == ["agent.model"]
    assert (found["honest.json"]["old"]["allow"], found["honest.json"]["new"]["allow"]) == (True, False)
    assert found["refuted.json"]["change"] == "reasons"


def test_a_wider_profile_flips_a_denial(cli: Cli, place: Path) -> None:
    found = differences(cli, "--new-profile", "../wider.toml", "strict.json", code=12)
    assert (found["strict.json"]["change"], found["strict.json"]["lost"]) == ("admitted", ["agent.model"])


def test_both_sides_can_be_decided_again(cli: Cli, place: Path) -> None:
    flags = ["--old-profile", "../wider.toml", "--new-profile", "../stricter.toml"]
    assert cli("recompute", *HONEST, *AT, "--out", "result.json").code == 11
    found = differences(cli, *flags, "honest.json", "strict.json", "result.json", code=12)
    assert [one["change"] for one in found.values()] == ["denied", "denied", "reasons"]


def test_the_text_names_each_flip_and_counts(cli: Cli, place: Path) -> None:
    seen = cli("policy", "diff", "--new-profile", "../stricter.toml", "honest.json", "strict.json")
    assert seen.code == 12
    assert seen.out.splitlines() == [
        "admitted -> DENIED: honest.json",
        "  + agent.model",
        "the same: strict.json",
        "1 of 2 decision(s) would flip",
    ]


def test_results_are_decided_as_of_their_own_time(cli: Cli, place: Path) -> None:
    exception = "[[exception]]\ncode = 'agent.model'\nsubject = 'greeting.txt'\nreason = 'r'\napprover = 'a'\n"
    Path("../waived.toml").write_text(
        Path("../stricter.toml").read_text() + exception + "expires = 2026-11-30T14:00:00Z\n"
    )
    found = differences(cli, "--new-profile", "../waived.toml", "honest.json", code=0)
    assert found["honest.json"]["exceptions"] == ["agent.model"]


def test_all_of_our_policy_in_another_version_is_compared(cli: Cli, place: Path) -> None:
    shutil.copytree(policy_folder(), "../other")
    found = differences(cli, "--new", "../other", "honest.json", "refuted.json", code=0)
    assert {one["change"] for one in found.values()} == {"same"}


@pytest.fixture
def opa(tool: Callable[[str], Path]) -> Path:
    return tool("opa")


def test_rules_of_ones_own_are_compared_and_explained(cli: Cli, place: Path, opa: Path) -> None:
    shutil.copytree(OWN / "rules", "../rules")
    strict = Path("../rules/team/long_run/long_run.rego")
    shutil.copytree("../rules", "../strict")
    Path("../strict/team/long_run/long_run.rego").write_text(strict.read_text().replace("<= 20", "<= 2"))
    sides = ["--old", "../rules", "--new", "../strict", "--opa", str(opa)]
    found = differences(cli, *sides, "honest.json", code=12)["honest.json"]
    assert (found["change"], found["gained"]) == ("denied", ["custom.team.long_run"])
    assert found["old"]["policy"] != found["new"]["policy"]
    named = ["--policy", "../strict", "--opa", str(opa)]
    Path("own.json").write_text(cli("verify", *HONEST, *AT, *named, "--json").out)
    told = json.loads(cli("policy", "explain", "own.json", "custom", *named, "--json").out)
    assert (told["notes"], [one["code"] for one in told["entries"]]) == ([], ["custom.team.long_run"])
    assert all("value" in fact for fact in told["entries"][0]["facts"])
    assert "decided by policy" in json.loads(cli("policy", "explain", "own.json", "--json").out)["notes"][0]


def test_a_module_of_ones_own_needs_no_opa(cli: Cli, place: Path) -> None:
    found = differences(cli, "--new", str(OWN / "rules.wasm"), "honest.json", code=0)
    assert found["honest.json"]["change"] == "same"


def test_sources_without_a_module_want_an_opa(cli: Cli, place: Path) -> None:
    shutil.copytree(policy_folder(), "../other", ignore=shutil.ignore_patterns("*.wasm", "*.pulley*"))
    seen = cli("policy", "diff", "--new", "../other", "honest.json")
    assert seen.code == 4
    assert "build it (`policy build`), or add --engine opa" in seen.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["honest.json"], 2, "nothing is compared"),
        (["--new", "../nowhere", "honest.json"], 4, "../nowhere"),
        (["--new-profile", "../stricter.toml", "none.json"], 3, "none.json"),
        (["--new-profile", "../none.toml", "honest.json"], 4, "none.toml"),
        (["--new", "../other", "--new", "../rules", "honest.json"], 2, "another one is named beside it"),
    ],
)
def test_what_cannot_be_compared_is_said(cli: Cli, place: Path, arguments: list[str], code: int, message: str) -> None:
    Path("../other/done_receipt/admission").mkdir(parents=True)
    seen = cli("policy", "diff", *arguments)
    assert (seen.code, message in seen.err) == (code, True), seen.err
