"""Profiles on the command line: what is shown, what is left open, flags that tighten, time that is replayed."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.profile.lint import THREATS
from in_toto_done_receipt.wire.rfc3339 import parse_time
from testdata.receipts import generate
from tests.cli.conftest import Cli, Ended

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
HONEST = ["receipt.json", "--trusted-key", "worker=../trust/worker.pub", "--root", "workspace"]
AT = ["--at", generate.NOW]
LATER = "9000-01-01T00:00:00Z"
DONE = "https://w3id.org/done-receipt/v0.1"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An honest receipt with its workspace, as the current directory."""
    shutil.copytree(CASES / "honest", tmp_path / "honest", symlinks=True)
    shutil.copytree(CASES / "trust", tmp_path / "trust")
    monkeypatch.chdir(tmp_path / "honest")
    return tmp_path / "honest"


def written(name: str, text: str) -> str:
    Path(name).write_text(f"version = 1\n{text}\n")
    return name


def policy_input(seen: Ended) -> Any:
    return json.loads(seen.out)


# --- show, lint -----------------------------------------------------------------------------------------------------


def test_show_prints_one_profile_that_says_what_all_of_them_say(cli: Cli, place: Path) -> None:
    one = written("one.toml", "[limits]\nseconds = 60")
    two = written("two.toml", "[agent]\nmodels = ['m']\n[limits]\nseconds = 30")
    seen = cli("profile", "show", one, two)
    assert seen.code == 0
    shown = tomllib.loads(seen.out)
    assert (shown["limits"]["seconds"], shown["agent"]["models"]) == (30, ["m"])
    assert 'agent.models = ["m"]  # two.toml' in seen.out.splitlines()
    assert "limits.seconds = 30  # one.toml, two.toml" in seen.out.splitlines()
    Path("shown.toml").write_text(seen.out)
    assert cli("profile", "show", "shown.toml").code == 0


def test_show_in_json_has_value_and_origin_of_each_setting(cli: Cli, place: Path) -> None:
    seen = cli("profile", "show", written("one.toml", "[freshness]\nmaxAge = 60"), "--json")
    found = json.loads(seen.out)
    assert found["settings"]["freshness.maxAge"] == {"value": 60, "origin": "one.toml"}
    assert found["settings"]["freshness.skew"] == {"value": 300, "origin": "default"}
    assert len(found["digest"]) == 64


def test_lint_ends_with_0_and_names_threats_and_weak_lines(cli: Cli, place: Path) -> None:
    seen = cli("profile", "lint", written("one.toml", "[limits]\nseconds = 7200"))
    assert seen.code == 0
    assert "open: threat 10: a test report that the product rewrote" in seen.out
    assert "warning: limits.seconds: 7200 is more than the default, 1800" in seen.out


def test_lint_in_json_has_the_same(cli: Cli, place: Path) -> None:
    found = json.loads(cli("profile", "lint", "--format", "json").out)
    assert [one["threat"] for one in found["open"]] == [1, 3, 4, 5, 6, 7, 8, 9, 10]
    assert {one["what"] for one in found["open"]} <= {threat.what for threat in THREATS}
    assert found["warnings"] == [{"key": "freshness.maxAge", "message": "not set: a receipt of any age is admitted"}]


@pytest.mark.parametrize("word", ["show", "lint"])
@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[freshnes]\nskew = 1", "one.toml: unknown key freshnes", "did you mean freshness?"),
        (
            "[[exception]]\ncode = 'usage.limit'\nreason = 'r'\napprover = 'a'\nexpires = 2027-01-31T00:00:00Z",
            "one.toml: exception[0].code: usage.limit is no rule's code",
            "did you mean usage.limits?",
        ),
        ("include = ['usage', 'usagge']", "one.toml: include[1]: usagge is no rule", "did you mean usage?"),
        ("exclude = ['usage.limit']", "one.toml: exclude[0]: usage.limit is no rule", "did you mean usage.limits?"),
        (
            "include = ['profile.evidence:t/file']\n[[evidence]]\nclaim = 't'\nkind = 'text'",
            "one.toml: include[0]: no [[evidence]] is t/file",
            "did you mean profile.evidence:t/text?",
        ),
    ],
)
def test_a_wrong_profile_ends_with_4(cli: Cli, place: Path, word: str, text: str, message: str, hint: str) -> None:
    seen = cli("profile", word, written("one.toml", text))
    assert seen.code == 4
    assert message in seen.err
    assert f"hint: {hint}" in seen.err


def test_of_several_profiles_the_one_that_is_wrong_is_named(cli: Cli, place: Path) -> None:
    one, two = written("one.toml", "include = ['usage']"), written("two.toml", "include = ['agnt']")
    seen = cli("profile", "show", one, two)
    assert (seen.code, "two.toml: include[0]: agnt is no rule" in seen.err) == (4, True)


@pytest.mark.parametrize("name", ["ci", "protected-branch", "release"])
def test_a_collection_that_wants_what_nobody_checks_yet_denies(cli: Cli, place: Path, name: str) -> None:
    one = written("../one.toml", f"collection = '{name}'")
    assert cli("profile", "lint", one).code == 0
    seen = cli("verify", *HONEST, *AT, "--profile", one, "--json")
    assert seen.code == 12
    codes = {violation["code"] for violation in json.loads(seen.out)["decision"]["violations"]}
    assert {"change.base", "tests.inventory", "tests.canary"} <= codes


def test_a_profile_that_is_not_there_is_named(cli: Cli, place: Path) -> None:
    seen = cli("profile", "lint", "none.toml")
    assert (seen.code, "none.toml" in seen.err) == (4, True)


# --- flags ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--max-age", "3600"], 0),
        (["--max-age", "60", "--skew", "0"], 12),
        (["--predicate-type", DONE], 0),
        (["--predicate-type", "https://example.com/other"], 12),
        (["--repository", "https://example.com/r"], 12),
        (["--max-age", "0"], 2),
        (["--skew", "-1"], 2),
        (["--predicate-type", "done-receipt"], 2),
        (["--repository", "github.com/example/work"], 2),
        (["--override", "freshness.skw"], 2),
    ],
)
def test_a_flag_tightens_what_is_demanded(cli: Cli, place: Path, flags: list[str], code: int) -> None:
    assert cli("verify", *HONEST, *AT, *flags).code == code


def test_another_repository_than_the_profile_s_is_an_error(cli: Cli, place: Path) -> None:
    one = written("../one.toml", "[source]\nrepository = 'https://example.com/r'")
    seen = cli("verify", *HONEST, *AT, "--profile", one, "--repository", "https://example.com/s")
    assert seen.code == 4
    assert "--repository: is https://example.com/s, ../one.toml says https://example.com/r" in seen.err
    again = cli("verify", *HONEST, *AT, "--profile", one, "--repository", "https://example.com/r")
    assert again.code == 12


def test_flags_reach_the_policy(cli: Cli, place: Path) -> None:
    flags = ["--predicate-type", DONE, "--repository", "https://example.com/r", "--sandbox", "rlimits"]
    found = policy_input(cli("verify", *HONEST, *AT, *flags, "--format", "policy-input"))["profile"]
    assert found["predicateTypes"] == [DONE]
    assert found["source"] == {"repository": "https://example.com/r"}
    assert found["sandbox"] == {"required": "rlimits"}
    assert found["overrides"] == ["sandbox.required"]


# --- time -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "backdated"), [(["--at", "2026-11-30T12:30:00Z"], True), (["--at", LATER], False), ([], False)]
)
def test_a_time_that_has_passed_is_said_to_the_policy(cli: Cli, place: Path, at: list[str], backdated: bool) -> None:
    found = policy_input(cli("verify", *HONEST, *at, "--format", "policy-input"))
    assert found["profile"]["backdated"] is backdated


def test_admit_decides_as_of_now_and_replays_by_flag(cli: Cli, place: Path) -> None:
    assert cli("recompute", *HONEST, "--out", "result.json").code == 0
    made = parse_time(json.loads(Path("result.json").read_text())["evaluatedAt"])
    now = policy_input(cli("admit", "result.json", "--format", "policy-input"))
    assert parse_time(now["evaluatedAt"]) >= made
    assert now["profile"]["backdated"] is False
    replayed = policy_input(cli("admit", "result.json", *AT, "--format", "policy-input"))
    assert replayed["evaluatedAt"] == generate.NOW
    assert replayed["profile"]["backdated"] is True


def test_a_result_that_was_back_dated_stays_so_for_admit(cli: Cli, place: Path) -> None:
    assert cli("recompute", *HONEST, "--at", "2026-11-30T12:30:00Z", "--out", "result.json").code == 0
    assert json.loads(Path("result.json").read_text())["backdated"] is True
    assert policy_input(cli("admit", "result.json", "--format", "policy-input"))["profile"]["backdated"] is True


def test_a_wrong_time_is_a_usage_error(cli: Cli, place: Path) -> None:
    assert cli("verify", *HONEST, "--at", "yesterday").code == 2
