"""What `policy check` says of rules of the verifier's own, with the line."""

import re
from pathlib import Path

import pytest

from in_toto_done_receipt.admission.custom import tools
from in_toto_done_receipt.admission.custom.policies import read_policies
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import ConfigurationError

pytestmark = pytest.mark.integration
HEAD = "# METADATA\n# title: T\n# description: D\npackage done_receipt.custom.a.b\n\n"
SAY = '{"code": "custom.a.b", "message": "m", "facts": []}'
OWN = Path(__file__).parents[4] / "testdata" / "own-policy" / "rules"


def checked(opa: Path, folder: Path, text: str) -> tuple[list[str], list[str]]:
    (folder / "b.rego").write_text(text)
    faults, notes = tools.check(opa, policy_folder(), read_policies([str(folder)]))
    return [fault.replace(f"{folder}/", "") for fault in faults], notes


def faults(opa: Path, folder: Path, body: str, *, head: str = HEAD) -> list[str]:
    return checked(opa, folder, f"{head}violations contains {SAY} if {{\n\t{body}\n}}\n")[0]


def test_a_good_policy_has_no_fault(opa: Path) -> None:
    faults, notes = tools.check(opa, policy_folder(), read_policies([str(OWN)]))
    assert faults == []
    assert notes[0].startswith(f"{OWN}: sha256 ")
    assert notes[1:] == ["done_receipt.custom.team.long_run: says violations and warnings", "runs embedded"]


@pytest.mark.parametrize(
    ("head", "missing"),
    [
        ("package done_receipt.custom.a.b\n", "title and description"),
        ("# METADATA\n# title: T\npackage done_receipt.custom.a.b\n", "description"),
        ("# METADATA\n# description: D\npackage done_receipt.custom.a.b\n", "title"),
        (
            "# METADATA\n# scope: subpackages\n# title: T\n# description: D\npackage done_receipt.custom.a.b\n",
            "title and",
        ),
    ],
)
def test_a_package_says_what_it_is_about(opa: Path, tmp_path: Path, head: str, missing: str) -> None:
    (fault,) = faults(opa, tmp_path, "input.result", head=head)
    assert fault.startswith(f"b.rego: METADATA of the package lacks {missing}")


def test_a_package_of_helpers_needs_no_metadata(opa: Path, tmp_path: Path) -> None:
    (tmp_path / "helpers.rego").write_text("package done_receipt.custom.a.helpers\n\nf(x) := x\n")
    assert faults(opa, tmp_path, "input.result") == []


@pytest.mark.parametrize(
    "call",
    [
        "http.send({})",
        "net.lookup_ip_addr(input.evaluatedAt)",
        "opa.runtime()",
        "time.now_ns()",
        'rand.intn("x", 3)',
        'uuid.rfc4122("x")',
        'io.jwt.decode("x")',
        'crypto.sha256("x")',
        "rego.metadata.rule()",
    ],
)
def test_a_built_in_that_asks_somebody_else_is_a_fault(opa: Path, tmp_path: Path, call: str) -> None:
    name = call.partition("(")[0]
    assert f"b.rego:7: calls {name}, whose answer is not the input's" in faults(opa, tmp_path, f"{call}")


@pytest.mark.parametrize("call", ["walk(input)", "[_, _] = walk(input)"])
def test_walk_has_two_arguments(opa: Path, tmp_path: Path, call: str) -> None:
    assert any("walk with one argument" in fault for fault in faults(opa, tmp_path, call))


SILENT = "is compared with !=, which is silent when it is absent; write `not … ==`"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('input.result.contract.state != "held"', "input.result.contract.state"),
        ('"held" != input.result.contract.state', "input.result.contract.state"),
        ('state := input.result.contract.state; state != "held"', "input.result.contract.state"),
        ("some check in input.result.checks; check.status != 1", "input.result.checks._.status"),
        ("some i, check in input.result.checks; i; check.status != 1", "input.result.checks._.status"),
        ("count(input.result.signers) != 2", "input.result.signers"),
        ("every x in [1] { x != input.result.assurance }", "input.result.assurance"),
        ("count([1 | input.result.assurance != 1]) > 1", "input.result.assurance"),
        ("input.result.claims[_].state != 1", "input.result.claims._.state"),
    ],
)
def test_a_comparison_that_is_silent_when_absent_is_a_fault(opa: Path, tmp_path: Path, body: str, name: str) -> None:
    assert f"b.rego:7: {name} {SILENT}" in faults(opa, tmp_path, body)


def test_an_import_is_seen_through(opa: Path, tmp_path: Path) -> None:
    head = HEAD + "import input.result as r\n\n"
    assert f"b.rego:9: input.result.assurance {SILENT}" in faults(opa, tmp_path, "r.assurance != 1", head=head)


@pytest.mark.parametrize(
    "body",
    [
        "not input.result.assurance == 1",
        'x := 1; x != 2; input.result.assurance == "a"',
        "input.result.assurance != 1 }\n\nhelper if { not input.result.assurance",
    ],
)
def test_what_is_said_positively_is_none(opa: Path, tmp_path: Path, body: str) -> None:
    assert faults(opa, tmp_path, body) == []


def test_what_the_agent_says_is_not_read(opa: Path, tmp_path: Path) -> None:
    found = faults(opa, tmp_path, "input.result.untrusted.statement")
    assert any(fault.startswith("b.rego:7: reads input.result.untrusted.statement") for fault in found)


def test_opa_checks_it_strictly_and_names_the_file(opa: Path, tmp_path: Path) -> None:
    (fault,) = faults(opa, tmp_path, "unused := 1")
    assert "b.rego:7: rego_compile_error: assigned var unused unused" in fault


def test_a_rule_that_only_an_opa_can_run_is_said_to_be_one(opa: Path, tmp_path: Path) -> None:
    say = SAY.replace('"m"', 'sprintf("%v", [1])')
    found, notes = checked(opa, tmp_path, f"{HEAD}violations contains {say} if input.result\n")
    assert found == []
    assert notes[-1].startswith("needs --engine opa: ")
    assert notes[-1].endswith("asks for built-ins, and none is provided: sprintf")


def test_what_is_refused_is_refused_here_too(opa: Path, tmp_path: Path) -> None:
    (tmp_path / "b.rego").write_text("package done_receipt.admission\n")
    with pytest.raises(ConfigurationError, match=r"b\.rego: package done_receipt\.admission is not allowed"):
        tools.check(opa, policy_folder(), read_policies([str(tmp_path)]))


def test_tests_are_run_with_ours(opa: Path) -> None:
    passed, text = tools.test(opa, policy_folder(), read_policies([str(OWN)]))
    assert (passed, re.search(r"^PASS: [1-9]", text, re.MULTILINE) is not None) == (True, True)


def test_a_test_that_fails_is_named_by_its_file(opa: Path, folder: Path) -> None:
    place = folder / "team" / "never_test.rego"
    place.write_text("package done_receipt.custom.team.never_test\n\ntest_no if 1 == 2\n")
    passed, text = tools.test(opa, policy_folder(), read_policies([str(folder)]))
    assert (passed, f"{place}:" in text, "never_test.test_no: FAIL" in text) == (False, True, True)


def test_a_module_has_nothing_to_check(opa: Path) -> None:
    for work in (tools.check, tools.test):
        with pytest.raises(ConfigurationError, match=r"rules\.wasm: is a compiled module"):
            work(opa, policy_folder(), read_policies([str(OWN) + ".wasm"]))
