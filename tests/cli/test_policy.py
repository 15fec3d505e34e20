"""`policy build`, `check`, `test`, `bundle`, and `--policy` of verify and admit: rules of one's own."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.cli import main
from testdata.receipts import generate
from tests.running_opa import running_opa

ROOT = Path(__file__).parents[2]
OWN = ROOT / "testdata" / "own-policy"
CASE = ROOT / "testdata" / "receipts" / "honest"
DENY = OWN.joinpath("rules", "team", "long_run", "long_run.rego").read_text().replace("<= 20", "<= 2")


class Ended:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def decision(self) -> Any:
        return json.loads(self.out)["decision"]

    @property
    def codes(self) -> list[str]:
        return [violation["code"] for violation in self.decision["violations"]]


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(CASE / "workspace", tmp_path / "work")
    shutil.copy(CASE / "receipt.json", tmp_path / "receipt.json")
    shutil.copytree(OWN / "rules", tmp_path / "rules")
    shutil.copy(OWN / "rules.wasm", tmp_path / "rules.wasm")
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"))
    (tmp_path / "strict").mkdir()
    (tmp_path / "strict" / "long_run.rego").write_text(DENY)

    def ended(*words: str | Path) -> Ended:
        code = main.run([str(word) for word in words])
        captured = capsys.readouterr()
        assert "internal error" not in captured.err
        return Ended(code, captured.out, captured.err)

    return ended


@pytest.fixture
def opa(tool: Callable[[str], Path]) -> Path:
    return tool("opa")


VERIFY = ("verify", "receipt.json", "--trusted-key", "worker=worker.pub", "--root", "work", "--json")


def test_a_module_joins_the_decision(run: Run) -> None:
    seen = run(*VERIFY, "--policy", "rules.wasm")
    assert (seen.code, seen.codes) == (0, [])
    assert seen.decision["digests"]["policy"] != load_catalogue().policy_digest


def test_rules_without_an_opa_are_a_configuration_error(run: Run) -> None:
    seen = run(*VERIFY, "--policy", "rules")
    assert seen.code == 4
    assert "is Rego, and no OPA was named to compile it" in seen.err
    assert "go install github.com/open-policy-agent/opa@v" in seen.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--policy", "none"], "none cannot be read"),
        (["--policy", "work"], "holds no policy|lies inside"),
        (["--policy", "work/rules.wasm"], "lies inside --root work"),
        (["--policy", f"rules.wasm@sha256:{'0' * 64}"], "pinned is 0000"),
        (["--policy-digest", "0" * 64], "policy digest is"),
        (["--policy", "rules.wasm", "--policy-key", "worker.pub"], "signed with RSA, or ECDSA"),
        (["--engine", "opa-servers"], "not available"),
        (["--engine", "opa", "--opa", "none"], "is not a file"),
        (["--engine", "opa", "--opa", "rules.wasm"], "cannot be started"),
    ],
)
def test_what_cannot_be_used_is_a_configuration_error(run: Run, words: list[str], why: str) -> None:
    import re

    seen = run(*VERIFY, *words)
    assert seen.code == 4
    assert re.search(why, seen.err)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--policy-key", "worker.pub"], "--policy-key verifies a --policy, and none is named"),
        (["--policy", "rules.wasm", "--policy-scope", "x"], "--policy-scope goes with --policy-key"),
        (["--policy-digest", "abc"], "--policy-digest: expected 64"),
        (["--engine", "opa-server"], "--engine opa-server wants an address"),
        (["--engine", "embedded=x"], "takes no address"),
    ],
)
def test_misuse_is_a_usage_error(run: Run, words: list[str], why: str) -> None:
    seen = run(*VERIFY, *words)
    assert (seen.code, why in seen.err) == (2, True)


def test_the_whole_policy_can_be_pinned(run: Run) -> None:
    assert run(*VERIFY, "--policy-digest", f"sha256:{load_catalogue().policy_digest}").code == 0
    both = run(*VERIFY, "--policy", "rules.wasm").decision["digests"]["policy"]
    assert run(*VERIFY, "--policy", "rules.wasm", "--policy-digest", both).code == 0
    assert run(*VERIFY, "--policy-digest", both).code == 4


def test_an_output_does_not_replace_the_policy(run: Run) -> None:
    seen = run(*VERIFY, "--policy", "rules.wasm", "--output", "json=rules.wasm")
    assert (seen.code, "is a file that this command reads" in seen.err) == (2, True)


@pytest.mark.integration
def test_own_rules_deny_with_every_engine_and_in_admit(run: Run, opa: Path) -> None:
    run("recompute", *VERIFY[1:-1], "--out", "result.json")
    for words in (["--engine", "embedded"], ["--engine", "opa"]):
        for command in (VERIFY, ("admit", "result.json", "--json")):
            seen = run(*command, "--policy", "strict", "--opa", opa, *words)
            assert (seen.code, seen.codes) == (12, ["custom.team.long_run"])


@pytest.mark.integration
@pytest.mark.loopback
def test_a_server_with_the_bundle_says_the_same(run: Run, opa: Path, tmp_path: Path) -> None:
    assert run("policy", "bundle", "--policy", "strict", "--opa", opa, "--out", "policy.tar.gz").code == 0
    local = run(*VERIFY, "--policy", "strict", "--opa", opa).decision
    with running_opa(opa, (tmp_path / "policy.tar.gz").read_bytes()) as url:
        seen = run(*VERIFY, "--engine", f"opa-server={url}", "--policy", "strict")
        other = run(*VERIFY, "--engine", f"opa-server={url}")
    assert (seen.code, seen.codes, seen.decision["engine"]["name"]) == (12, ["custom.team.long_run"], "opa-server")
    assert seen.decision["digests"]["policy"] == local["digests"]["policy"]
    assert (other.code, "the server's policy is" in other.err) == (4, True)


@pytest.mark.loopback
def test_a_server_that_is_not_there_is_a_configuration_error(run: Run) -> None:
    seen = run(*VERIFY, "--engine", "opa-server=http://127.0.0.1:9")
    assert (seen.code, "cannot be reached" in seen.err) == (4, True)


@pytest.mark.integration
def test_build_writes_the_module_of_testdata(run: Run, opa: Path, tmp_path: Path) -> None:
    seen = run("policy", "build", "--policy", "rules", "--opa", opa, "--out", "made.wasm")
    assert (seen.code, seen.out) == (0, "")
    assert (tmp_path / "made.wasm").read_bytes() == (tmp_path / "rules.wasm").read_bytes()


def test_build_says_where_to(run: Run) -> None:
    seen = run("policy", "build", "--policy", "rules.wasm")
    assert (seen.code, "--out does not say where" in seen.err) == (2, True)


@pytest.mark.integration
def test_check_says_what_there_is(run: Run, opa: Path) -> None:
    seen = run("policy", "check", "--policy", "rules", "--opa", opa)
    assert seen.code == 0
    assert seen.out.splitlines()[-1] == "policy: runs embedded"


@pytest.mark.integration
def test_check_lists_every_fault(run: Run, opa: Path, tmp_path: Path) -> None:
    (tmp_path / "strict" / "long_run.rego").write_text(
        "package done_receipt.custom.a.b\nviolations contains 1 if input.x != 1\nwarnings contains time.now_ns()\n"
    )
    seen = run("policy", "check", "--policy", "strict", "--opa", opa)
    assert (seen.code, seen.err.count("strict/long_run.rego:") + seen.err.count("METADATA")) == (4, 5)


@pytest.mark.integration
def test_tests_of_ones_own_are_run(run: Run, opa: Path, tmp_path: Path) -> None:
    assert run("policy", "test", "--policy", "rules", "--opa", opa).code == 0
    (tmp_path / "rules" / "team" / "long_run" / "long_run.rego").write_text(DENY)
    seen = run("policy", "test", "--policy", "rules", "--opa", opa)
    assert (seen.code, "long_run_test.test_a_short_run_needs_one: FAIL" in seen.err) == (4, True)


def test_our_bundle_needs_no_opa(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    first = run("policy", "bundle", "--out", "a.tar.gz")
    assert (first.code, first.out, first.err.startswith("wrote a.tar.gz: ")) == (0, "", True)
    run("policy", "bundle", "--out", "b.tar.gz")
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()


@pytest.mark.integration
def test_a_bundle_of_ones_own_is_a_policy(run: Run, opa: Path) -> None:
    assert run("policy", "bundle", "--own-only", "--policy", "strict", "--opa", opa, "--out", "own.tar.gz").code == 0
    seen = run(*VERIFY, "--policy", "own.tar.gz", "--opa", opa)
    assert (seen.code, seen.codes) == (12, ["custom.team.long_run"])


@pytest.mark.parametrize(
    "words", [["--own-only"], ["--revision", "1"], ["--policy", "rules.wasm", "--out", "rules.wasm"]]
)
def test_bundle_misused(run: Run, words: list[str]) -> None:
    shutil.copy("rules.wasm", "x.wasm")
    assert run("policy", "bundle", "--out", "y", *words).code == 2
