"""conftest, the real one: the same decisions as admit, and its ways to pass without having looked."""

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.integration.adapters.deciding import Decided

ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("adapters")]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Conftest = Callable[..., Ended]


@pytest.fixture(scope="module")
def conftest(tool: Callable[[str], Path], adapter: Callable[..., Path], tmp_path_factory: Any) -> Conftest:
    policy, empty = adapter("conftest"), tmp_path_factory.mktemp("empty")

    def call(*words: str | Path) -> Ended:
        words = words if "--policy" in words else ("--policy", policy, *words)
        argv = [str(tool("conftest")), "test", "--no-color", *map(str, words)]
        done = subprocess.run(argv, cwd=empty, capture_output=True, text=True, check=False, timeout=120)
        return Ended(done.returncode, done.stdout, done.stderr)

    return call


def failures(text: str) -> dict[str, set[str]]:
    """Name of a file to the codes of what failed there."""
    return {
        Path(entry["filename"]).stem: {failure["metadata"]["code"] for failure in entry.get("failures", ())}
        for entry in json.loads(text)
    }


def test_it_decides_as_admit_does_on_every_result_of_testdata(conftest: Conftest, decided: list[Decided]) -> None:
    ended = conftest("--output", "json", *(case.path for case in decided))
    assert ended.code == 1
    assert failures(ended.out) == {case.name: set(case.codes) for case in decided}
    assert sum(case.allow for case in decided) > 15


def test_it_does_so_combined(conftest: Conftest, decided: list[Decided]) -> None:
    admitted = [case.path for case in decided if case.allow]
    assert conftest("--combine", *admitted).code == 0
    denied = next(case.path for case in decided if not case.allow)
    ended = conftest("--combine", "--output", "json", *admitted, denied)
    assert ended.code == 1
    (entry,) = json.loads(ended.out)
    assert {Path(failure["metadata"]["file"].rpartition(" (")[0]) for failure in entry["failures"]} == {denied}


def case_of(decided: list[Decided], name: str) -> Decided:
    return next(case for case in decided if case.name == name)


def test_a_failure_is_an_object_with_all_there_is(conftest: Conftest, decided: list[Decided]) -> None:
    ended = conftest("--output", "json", case_of(decided, "changed_file_fail").path)
    ((failure, *_),) = [entry["failures"] for entry in json.loads(ended.out)]
    assert set(failure["metadata"]) >= {"code", "message", "facts", "solution", "query"}
    assert failure["msg"].startswith(f"{failure['metadata']['code']}")
    assert failure["metadata"]["solution"]


def test_its_exit_codes(conftest: Conftest, decided: list[Decided]) -> None:
    """0 and 1; with --fail-on-warn 1 is a warning and 2 a failure."""
    admitted, denied = case_of(decided, "policy-input"), case_of(decided, "changed_file_fail")
    warned = case_of(decided, "nothing_sealed")
    assert [conftest(case.path).code for case in (admitted, warned, denied)] == [0, 0, 1]
    assert [conftest("--fail-on-warn", case.path).code for case in (admitted, warned, denied)] == [0, 1, 2]


@pytest.mark.parametrize("text", ["{}", "null", "[{}]", '"a"', "1", '{"result": {}}', '{"kind": "Pod"}'])
def test_what_is_no_policy_input_fails(conftest: Conftest, tmp_path: Path, text: str) -> None:
    path = tmp_path / "input.json"
    path.write_text(text)
    for words in ([], ["--combine"]):
        ended = conftest(*words, path)
        assert (ended.code, "adapter.input" in ended.out) == (1, True)


def test_no_field_can_be_missing(conftest: Conftest, decided: list[Decided], tmp_path: Path) -> None:
    """Of an admitted input, each member of the first two levels away: those that decide nothing stay admitted."""
    document = case_of(decided, "policy-input").document
    for place in [(name,) for name in document] + [("result", name) for name in document["result"]]:
        less = copy.deepcopy(document)
        del (less if len(place) == 1 else less["result"])[place[-1]]
        (tmp_path / f"{'-'.join(place)}.json").write_text(json.dumps(less))
    found = failures(conftest("--output", "json", *sorted(tmp_path.iterdir())).out)
    described = {"verifier", "input", "attesterNames", "summary", "handlers", "unrecognizedFields", "untrusted"}
    described |= {"evaluatedAt", "profileDigest", "workspace", "matchedSubjects"}
    assert {name for name, codes in found.items() if not codes} == {f"result-{name}" for name in described}


def test_no_part_of_the_rules_can_be_missing(
    conftest: Conftest, adapter: Callable[..., Path], decided: list[Decided]
) -> None:
    """A package that is not there is nothing to say, in Rego: also then nothing is admitted that all of it admits."""
    whole, admitted = adapter("conftest"), case_of(decided, "policy-input").path
    parts = [path for path in whole.rglob("*.rego") if "rules" not in path.parts and path.parent.name != "main"]
    harmless = {"custom.rego", "known.rego", "done_receipt.rego"}
    for path in parts:
        text = path.read_bytes()
        path.unlink()
        ended = conftest("--policy", whole, admitted)
        assert ended.code == (0 if path.name in harmless else 1), path
        path.write_bytes(text)
    assert len(parts) > 8


def test_rules_of_ones_own_in_the_folder_speak_too(
    conftest: Conftest, adapter: Callable[..., Path], decided: list[Decided], tmp_path: Path
) -> None:
    whole, document = adapter("conftest"), copy.deepcopy(case_of(decided, "policy-input").document)
    shutil.copytree(ROOT / "testdata" / "own-policy" / "rules", whole / "own")
    document["result"]["run"]["iterations"] = 11
    path = tmp_path / "long.json"
    path.write_text(json.dumps(document))
    assert "custom.team.long_run" not in conftest(path).out
    ended = conftest("--policy", whole, path)
    assert (ended.code, "custom.team.long_run" in ended.out) == (1, True), ended


def test_an_empty_list_passes_alone_and_fails_combined(conftest: Conftest, tmp_path: Path) -> None:
    """conftest tests no document of a file that has none; the page says to combine."""
    (tmp_path / "input.json").write_text("[]")
    assert conftest(tmp_path / "input.json").code == 0
    assert conftest("--combine", tmp_path / "input.json").code == 1


def test_a_misspelt_namespace_tests_nothing_which_shows(conftest: Conftest, decided: list[Decided]) -> None:
    """It ends with 0, whatever the input is; the page says how to notice."""
    denied = case_of(decided, "changed_file_fail").path
    ended = conftest("--namespace", "mian", "--output", "json", denied)
    assert ended.code == 0
    assert [entry["successes"] for entry in json.loads(ended.out)] == [0]
    assert json.loads(conftest("--output", "json", case_of(decided, "policy-input").path).out)[0]["successes"] > 0


def test_all_namespaces_is_an_error_and_no_pass(conftest: Conftest, decided: list[Decided]) -> None:
    assert conftest("--all-namespaces", case_of(decided, "policy-input").path).code == 1


def test_a_message_starts_no_command_of_a_runner(conftest: Conftest, decided: list[Decided], tmp_path: Path) -> None:
    document = copy.deepcopy(case_of(decided, "changed_file_fail").document)
    acting = "x\n::error::y\r##[group]z\u001b[2J 100%0A"
    for claim in document["result"]["claims"]:
        for item in claim["evidence"]:
            item["message"] = acting
    path = tmp_path / "input.json"
    path.write_text(json.dumps(document))
    for style in ("github", "stdout", "tap", "table"):
        ended = conftest("--output", style, path)
        assert ended.code == 1
        assert not [line for line in ended.out.splitlines() if line.startswith(("::error::", "##["))]
        assert "\u001b[2J" not in ended.out
        assert "##[" not in ended.out
    github = conftest("--output", "github", path).out
    assert r"x\x0a::error::y\x0d\x23#[group]z\x1b[2J 100\x250A" in github
    assert "MISSING" not in github  # conftest takes messages for formats
    told = json.loads(conftest("--output", "json", path).out)[0]["failures"]
    assert any(failure["metadata"]["message"].endswith(acting) for failure in told)
