"""`policy explain`: each rule that spoke, with its facts and their values, of a decision as it was made."""

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from testdata.receipts import generate
from tests.cli.conftest import Cli

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
HONEST = ["receipt.json", "--trusted-key", "worker=../trust/worker.pub", "--root", "workspace"]
AT = ["--at", generate.NOW]
PROFILE = "version = 1\n[agent]\nmodels = ['other-1', 'other-2']\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An honest receipt with its workspace, as the current directory; a profile beside it."""
    shutil.copytree(CASES / "honest", tmp_path / "honest", symlinks=True)
    shutil.copytree(CASES / "trust", tmp_path / "trust")
    monkeypatch.chdir(tmp_path / "honest")
    Path("../acceptance.toml").write_text(PROFILE)
    return tmp_path / "honest"


def decided(cli: Cli, name: str, *flags: str, code: int) -> str:
    seen = cli("verify", *HONEST, *AT, *flags, "--format", "json")
    assert seen.code == code, seen.err
    Path(name).write_text(seen.out)
    return name


def explained(cli: Cli, *arguments: str) -> Any:
    seen = cli("policy", "explain", *arguments, "--json")
    assert seen.code == 0, seen.err
    return json.loads(seen.out)


def entry(tree: Any, kind: str, code: str) -> Any:
    return next(one for one in tree["entries"] if (one["kind"], one["code"]) == (kind, code))


def test_a_violation_has_its_rule_and_its_facts_with_values(cli: Cli, place: Path) -> None:
    out = decided(cli, "out.json", "--profile", "../acceptance.toml", code=12)
    found = explained(cli, out, "--profile", "../acceptance.toml")
    assert (found["allow"], found["exact"], found["notes"]) == (False, True, [])
    model = entry(found, "violation", "agent.model")
    rule = load_catalogue().rule("agent.model")
    assert rule is not None
    assert (model["title"], model["description"], model["solution"]) == (rule.title, rule.description, rule.solution)
    assert model["facts"] == [
        {"pointer": "/profile/agent/models", "value": ["other-1", "other-2"]},
        {"pointer": "/result/run/model", "value": "model-1"},
    ]


def test_every_satisfied_requirement_of_an_admission_stands_on_facts_that_are_there(cli: Cli, place: Path) -> None:
    found = explained(cli, decided(cli, "out.json", code=0))
    assert found["allow"] is True
    decision = json.loads(Path("out.json").read_text())["decision"]
    satisfied = [one for one in found["entries"] if one["kind"] == "satisfied"]
    assert [one["code"] for one in satisfied] == decision["demanded"]
    for one in satisfied:
        assert one["facts"], one["code"]
        assert all("value" in fact for fact in one["facts"]), one["code"]


def test_the_grounds_of_a_demand_of_the_profile_are_those_of_its_claim(cli: Cli, place: Path) -> None:
    Path("../acceptance.toml").write_text("version = 1\n[[evidence]]\nclaim = 'greets'\nkind = 'file'\n")
    out = decided(cli, "out.json", "--profile", "../acceptance.toml", code=0)
    (one,) = explained(cli, out, "profile.evidence:greets/file", "--profile", "../acceptance.toml")["entries"]
    assert (one["code"], one["term"], one["kind"]) == ("profile.evidence", "greets/file", "satisfied")
    assert any(isinstance(fact["value"], dict) and fact["value"].get("kind") == "file" for fact in one["facts"])


def test_the_text_shows_the_leaves_of_a_fact(cli: Cli, place: Path) -> None:
    Path("../acceptance.toml").write_text("version = 1\n[usage]\nmaxInputTokens = 10\n")
    out = decided(cli, "out.json", "--profile", "../acceptance.toml", code=12)
    text = cli("policy", "explain", out, "usage.limits", "--profile", "../acceptance.toml").out
    assert "  fact      /profile/usage/maxInputTokens = 10\n" in text
    assert "  fact      /result/run\n" in text
    assert "              /iterations = 3\n" in text


def test_without_the_profile_of_then_nothing_is_guessed_about_it(cli: Cli, place: Path) -> None:
    out = decided(cli, "out.json", "--profile", "../acceptance.toml", code=12)
    found = explained(cli, out)
    assert found["exact"] is False
    assert "are not those of this decision" in found["notes"][0]
    facts = entry(found, "violation", "agent.model")["facts"]
    assert {fact["pointer"]: fact.get("known", True) for fact in facts} == {
        "/profile/agent/models": False,
        "/result/run/model": True,
    }
    assert all(one["facts"] == [] for one in found["entries"] if one["kind"] == "satisfied")
    assert "/profile/agent/models is not at hand" in cli("policy", "explain", out).out


def test_a_result_without_a_decision_is_decided_first(cli: Cli, place: Path) -> None:
    assert cli("recompute", *HONEST, *AT, "--out", "result.json").code == 0
    assert explained(cli, "result.json")["allow"] is True
    found = explained(cli, "result.json", "--predicate-type", "https://example.com/other")
    assert found["allow"] is False
    assert entry(found, "violation", "statement.type")["facts"][0]["value"]


def test_a_policy_input_brings_its_profile(cli: Cli, place: Path) -> None:
    flags = ["--profile", "../acceptance.toml", "--format", "policy-input"]
    Path("input.json").write_text(cli("verify", *HONEST, *AT, *flags).out)
    found = explained(cli, "input.json", "agent.model")
    assert (found["allow"], found["exact"], len(found["entries"])) == (False, True, 1)


def test_a_result_that_asked_for_no_signature_needs_no_flag(cli: Cli, place: Path) -> None:
    tree = json.loads(Path("receipt.json").read_text())
    Path("statement.json").write_bytes(base64.b64decode(tree["payload"]))
    seen = cli("verify", "statement.json", "--unsigned", "--root", "workspace", *AT, "--json")
    Path("out.json").write_text(seen.out)
    found = explained(cli, "out.json")
    assert (found["allow"], found["exact"]) == (True, True)
    assert entry(found, "warning", "signature.unsigned")


def test_what_waits_for_another_rule_is_not_called_a_fault_of_its_own(cli: Cli, place: Path) -> None:
    Path("workspace/greeting.txt").write_text("bye\n")
    found = explained(cli, decided(cli, "out.json", code=11))
    waiting = [one for one in found["entries"] if one["kind"] == "waiting"]
    assert waiting
    assert all(one["message"].startswith("is judged when ") for one in waiting)
    assert not [one for one in found["entries"] if one["kind"] == "unmet"]


def test_an_exception_says_who_waived_what_until_when(cli: Cli, place: Path) -> None:
    Path("../acceptance.toml").write_text(
        PROFILE + "[[exception]]\ncode = 'agent.model'\nsubject = 'greeting.txt'\nreason = 'ticket 7'\n"
        "approver = 'ada'\nexpires = 2027-01-31T00:00:00Z\n"
    )
    out = decided(cli, "out.json", "--profile", "../acceptance.toml", code=0)
    one = entry(explained(cli, out, "--profile", "../acceptance.toml"), "exception", "agent.model")
    assert one["message"] == "waived until 2027-01-31T00:00:00Z by ada: ticket 7"


def test_the_text_fits_a_terminal_and_says_what_it_hides(cli: Cli, place: Path) -> None:
    out = decided(cli, "out.json", "--profile", "../acceptance.toml", code=12)
    lines = cli("policy", "explain", out, "--profile", "../acceptance.toml").out.splitlines()
    assert lines[0] == f"DENIED by embedded, collection minimal, as of {generate.NOW}"
    assert lines[1].startswith("violation agent.model")
    assert lines[-1].endswith("requirement(s) are satisfied; name a code to see one, or take --format json")
    assert all(len(line) <= 80 for line in lines)


def test_a_category_shows_all_its_rules(cli: Cli, place: Path) -> None:
    found = explained(cli, decided(cli, "out.json", code=0), "statement")
    assert {one["code"] for one in found["entries"]} == {"statement.handler", "statement.type", "statement.coherent"}


def test_a_rule_that_said_nothing_is_said_to_be_silent(cli: Cli, place: Path) -> None:
    seen = cli("policy", "explain", decided(cli, "out.json", code=0), "usage.limits")
    assert seen.code == 0
    assert "usage.limits: said nothing in this decision, and is not demanded" in seen.out


def test_several_receipts_are_explained_one_by_one(cli: Cli, place: Path) -> None:
    shutil.copy("receipt.json", "again.json")
    seen = cli("verify", "again.json", *HONEST, *AT, "--format", "json")
    Path("out.json").write_text(seen.out)
    text = cli("policy", "explain", "out.json", "statement.type").out
    assert [line for line in text.splitlines() if line.startswith("out.json: line ")] == [
        "out.json: line 1:",
        "out.json: line 2:",
    ]
    lines = cli("policy", "explain", "out.json", "--json").out.splitlines()
    assert [json.loads(line)["result"] for line in lines] == ["out.json: line 1", "out.json: line 2"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("{}", 3, "is neither a result"),
        ("[]", 3, "is not"),
        ("nonsense", 3, "out.json"),
        ('{"error": {"message": "x"}}', 3, "holds no result"),
        ('{"result": {}, "decision": {}}', 3, "is not a decision of schema"),
    ],
)
def test_another_file_is_refused(cli: Cli, place: Path, text: str, code: int, message: str) -> None:
    Path("out.json").write_text(text)
    seen = cli("policy", "explain", "out.json")
    assert (seen.code, message in seen.err) == (code, True), seen.err


def test_an_unknown_rule_is_answered_with_the_nearest(cli: Cli, place: Path) -> None:
    seen = cli("policy", "explain", decided(cli, "out.json", code=0), "usage.limit")
    assert seen.code == 2
    assert "hint: did you mean usage.limits?" in seen.err


def test_a_forged_result_is_not_explained(cli: Cli, place: Path) -> None:
    out = decided(cli, "out.json", code=0)
    text = Path(out).read_text().replace('"assurance": "fully_rechecked"', '"assurance": "reported"', 1)
    Path(out).write_text(text)
    seen = cli("policy", "explain", out)
    assert (seen.code, "assurance is reported" in seen.err) == (3, True)
