"""What is kept in the repository is what the pinned OPA makes of the sources."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.admission import toolchain
from in_toto_done_receipt.admission.sources import policy_digest, policy_folder
from in_toto_done_receipt.errors import ConfigurationError, EngineUnavailable


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A copy of the sources to break; the name counts, it is in the compiled module."""
    made = tmp_path / "policy"
    shutil.copytree(policy_folder() / "done_receipt", made / "done_receipt")
    return made


@pytest.mark.integration
@pytest.mark.parametrize("name", ["admission.wasm", "catalogue.json"])
def test_a_rebuild_gives_the_same_bytes(policy: Path, tmp_path: Path, tool: Callable[[str], Path], name: str) -> None:
    toolchain.build(tool("opa"), policy, tmp_path / "out")
    assert (tmp_path / "out" / name).read_bytes() == (policy_folder() / name).read_bytes(), "run `make policy`"


@pytest.mark.integration
def test_the_policy_is_formatted_and_without_errors(tool: Callable[[str], Path]) -> None:
    assert toolchain.check(tool("opa"), policy_folder()) == "policy: formatted, no errors\n"


@pytest.mark.integration
def test_the_policys_own_tests_pass(tool: Callable[[str], Path]) -> None:
    assert "PASS: " in toolchain.test(tool("opa"), policy_folder())


@pytest.mark.integration
def test_a_badly_formatted_file_is_named(policy: Path, tool: Callable[[str], Path]) -> None:
    (policy / "done_receipt" / "ugly.rego").write_text("package   done_receipt.ugly\n")
    with pytest.raises(ConfigurationError, match=r"opa fmt: .*ugly\.rego"):
        toolchain.check(tool("opa"), policy)


@pytest.mark.integration
def test_an_error_is_named_with_its_line(policy: Path, tool: Callable[[str], Path]) -> None:
    (policy / "done_receipt" / "wrong.rego").write_text("package done_receipt.wrong\n\nx := nothing(1)\n")
    with pytest.raises(ConfigurationError, match=r"opa check: (.|\n)*wrong\.rego:3"):
        toolchain.check(tool("opa"), policy)


HANDLER = "done_receipt/rules/statement/handler/handler.rego"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("input.result.examined", "input.result.examind", r"undefined ref: input\.result\.examind"),
        ("input.result.examined", "input.result.untrusted", r"undefined ref: input\.result\.untrusted"),
        ("short_name: handler", "short_name: handle", r"statement\.handler: METADATA short_name is handle"),
        (
            "#   effective_on: always\n",
            "",
            r"statement\.handler: METADATA custom keys missing or unknown: effective_on",
        ),
        ("effective_on: always", "effective_on: 2027-01-01T00:00:00Z", r"catalogue\.rego: is not what the METADATA"),
        ("depends_on: [signature.trusted]", "depends_on: []", r"catalogue\.rego: is not what the METADATA"),
        ("severity: error", "severity: grave", r"statement\.handler: METADATA severity is grave"),
    ],
)
def test_the_policy_lints_itself(policy: Path, tool: Callable[[str], Path], old: str, new: str, message: str) -> None:
    shutil.copytree(policy_folder() / "schemas", policy / "schemas")
    rule = policy / HANDLER
    text = rule.read_text(encoding="utf-8")
    assert old in text
    rule.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        toolchain.check(tool("opa"), policy)


@pytest.mark.integration
def test_a_build_tells_the_policy_of_its_rules(policy: Path, tmp_path: Path, tool: Callable[[str], Path]) -> None:
    told = policy / "done_receipt" / "catalogue" / "catalogue.rego"
    whole = told.read_bytes()
    told.unlink()
    toolchain.build(tool("opa"), policy, tmp_path / "out")
    assert told.read_bytes() == whole


@pytest.mark.integration
def test_a_failing_test_is_an_error(policy: Path, tool: Callable[[str], Path]) -> None:
    (policy / "done_receipt" / "bad_test.rego").write_text("package done_receipt.bad_test\n\ntest_no if 1 == 2\n")
    with pytest.raises(ConfigurationError, match=r"opa test: (.|\n)*test_no: FAIL"):
        toolchain.test(tool("opa"), policy)


@pytest.mark.integration
def test_a_rule_without_a_block_is_not_built(policy: Path, tmp_path: Path, tool: Callable[[str], Path]) -> None:
    folder = policy / "done_receipt" / "rules" / "team" / "own"
    folder.mkdir(parents=True)
    (folder / "own.rego").write_text("package done_receipt.rules.team.own\n\nsatisfied := true\n")
    with pytest.raises(ConfigurationError, match=r"no METADATA block: team\.own"):
        toolchain.build(tool("opa"), policy, tmp_path / "out")


def test_another_opa_does_not_build(tmp_path: Path) -> None:
    other = tmp_path / "opa"
    other.write_text("#!/bin/sh\necho Version: 1.20.2\n")
    other.chmod(0o755)
    with pytest.raises(ConfigurationError, match=r"version is 1\.20\.2, the policy is compiled by 1\.22\.3"):
        toolchain.build(other, policy_folder(), tmp_path / "out")


def test_an_opa_before_1_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "opa"
    other.write_text("#!/bin/sh\necho Version: 0.70.0\n")
    other.chmod(0o755)
    with pytest.raises(EngineUnavailable, match=r"version is 0\.70\.0, 1\.0 or newer is needed"):
        toolchain.build(other, policy_folder(), tmp_path / "out")


def test_the_digest_depends_on_names_and_bytes_and_not_on_tests(policy: Path) -> None:
    before = policy_digest(policy)
    (policy / "done_receipt" / "lib" / "more_test.rego").write_text("package done_receipt.lib_test\n")
    assert policy_digest(policy) == before == policy_digest(policy_folder())
    (policy / "done_receipt" / "lib" / "more.rego").write_text("package done_receipt.lib\n")
    assert policy_digest(policy) != before
