"""Twenty-nine reports of what went wrong with Rego elsewhere, by number, and what happens here.

Each row names the tests that show it (here or in another file), or says why it is none of ours.
"""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from in_toto_done_receipt.admission.custom import tools
from in_toto_done_receipt.admission.custom.policies import read_policies
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import close_engine, open_engine
from in_toto_done_receipt.admission.sources import policy_folder, rego_files
from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.record import convert
from tests.unit.admission.custom.test_compiled import stub

ROOT = Path(__file__).parents[2]
RULES = policy_folder() / "done_receipt"
ADMITTED = json.loads((ROOT / "testdata" / "policy-input" / "admitted.json").read_bytes())
HERE = "tests/conformance/test_rego_reports.py::"
CUSTOM = "tests/unit/admission/custom/"
PACKAGES = f"{CUSTOM}test_packages.py::"
CONFTEST = "tests/integration/adapters/test_conftest.py::"
FAILURES = "tests/conformance/test_engine_failures.py::"

# Number -> the report, and the tests that show what happens here, or why it does not apply.
REPORTS: Final[dict[int, tuple[str, tuple[str, ...] | str]]] = {
    1: (
        "conftest#181: a misspelt package, nothing checked, exit 0",
        (
            f"{PACKAGES}test_another_package_is_refused_with_its_place",
            f"{HERE}test_01_nothing_demanded",
            f"{CONFTEST}test_a_misspelt_namespace_tests_nothing_which_shows",
        ),
    ),
    2: (
        "conftest#298: rules in a deeper namespace are loaded and not evaluated",
        (
            f"{PACKAGES}test_another_package_is_refused_with_its_place",
            f"{CUSTOM}test_compiled.py::test_a_package_that_vanishes_is_an_error",
        ),
    ),
    3: (
        "conftest#197, #141: an empty or wrong policy path is silent",
        (
            f"{CUSTOM}test_policies.py::test_what_is_not_there_is_refused",
            f"{CUSTOM}test_policies.py::test_without_rules_it_is_none",
        ),
    ),
    4: (
        "conftest#864: `deny_x = true` is ignored",
        (
            f"{PACKAGES}test_what_the_decision_would_pass_over_is_refused",
            f"{CUSTOM}test_compiled.py::test_what_the_decision_would_pass_over_cannot_be_loaded",
        ),
    ),
    5: ("conftest#353, #462, #545, #548: exceptions not applied, too wide, counted for rules that passed", (
        f"{HERE}test_05_an_exception_is_for_one_thing", f"{HERE}test_05_an_exception_that_nothing_needs")),
    6: ("conftest#1049, gatekeeper#3577, opa#7262: v0 or v1 after an upgrade", (
        f"{HERE}test_06_the_version_of_rego_is_said", f"{CUSTOM}test_manifest.py::test_rego_of_before_v1_is_refused")),
    7: ("conforma/cli#1554: a package or collection that is not there selects nothing and succeeds", (
        f"{HERE}test_07_an_unknown_selector",
        f"{HERE}test_07_an_unknown_collection",
        f"{HERE}test_01_nothing_demanded")),
    8: ("cosign#1672: `deny == true` passed, undefined passed", (
        f"{FAILURES}test_an_allow_that_is_not_true_denies", f"{FAILURES}test_a_module_that_fails_denies",
        "tests/integration/adapters/test_attached.py::test_cosign_refuses_another_summary")),
    9: ("cosign#2871: a policy that never denies, comparing at the wrong level", (
        f"{HERE}test_09_a_place_that_no_input_has",
        f"{CUSTOM}test_lint.py::test_a_comparison_that_is_silent_when_absent_is_a_fault")),
    10: ("opa#981, #5007, #7388: a denial exits 0", (
        f"{FAILURES}test_a_server_that_fails_later_denies",
        "tests/cli/test_policy.py::test_own_rules_deny_with_every_engine_and_in_admit")),
    11: ("opa#3806: sprintf with a text instead of a list silences a deny", (
        f"{HERE}test_11_sprintf_misused", f"{CUSTOM}test_compiled.py::test_a_built_in_that_is_not_there_is_refused")),
    12: ("opa#2717, #4024, regorus#153: errors of built-ins are undefined", (
        "tests/unit/admission/test_opa.py::test_a_type_error_is_no_decision",
        "tests/unit/admission/test_opa_server.py::test_it_asks_for_the_decision_strictly_and_for_its_origin")),
    13: ("opa#245, #3125, apisix#12374: an empty answer, a body without `input`", (
        f"{HERE}test_13_the_decision_names_its_input",
        "tests/unit/admission/test_opa_server.py::test_a_fault_of_the_server_is_a_denial")),
    14: ("opa#154, #501, #2469, #3147, #8887, regorus#202, #500: large numbers lose digits", (
        f"{HERE}test_14_the_largest_numbers",)),
    15: ("opa#3028, #3127, opal#940: bundle signatures ignored, `._` files", (
        f"{CUSTOM}test_signature.py::test_any_other_file_is_refused",
        f"{CUSTOM}test_policies.py::test_a_signed_bundle_wants_a_key",
        f"{CUSTOM}test_archive.py::test_a_name_that_is_none_inside_is_refused")),
    16: ("opa#6527: `opa check` misses a misspelling below a map", (f"{HERE}test_16_the_schema_has_no_maps",)),
    17: ("opa#4683, #3341: no schema check over REST", (
        f"{HERE}test_17_every_engine_gets_what_the_types_wrote",)),
    18: ("gatekeeper#3538, #207, #513: the webhook is down, and pods are made",
         "this version has no webhook: `serve` is a later command; without a decision nothing is admitted"),
    19: ("gatekeeper#2691: errors of external data are the author's business", (
        "tests/integration/adapters/test_gatekeeper.py::test_a_provider_that_fails_denies",
        "tests/integration/adapters/test_gatekeeper.py::test_an_answer_that_is_none_denies")),
    20: ("conforma/cli#3424: a time in the past lets expired rules pass", (f"{HERE}test_20_backdating_shows",)),
    21: ("conforma/cli#2126: two exceptions for one rule and two subjects", (f"{HERE}test_21_by_subject",)),
    22: ("conforma/cli#3419: what was excluded does not show", (f"{HERE}test_05_an_exception_is_for_one_thing",)),
    23: ("rego-cpp#201, #89: sprintf quotes otherwise than OPA", "the engine is none of ours"),
    24: ("regorus#402: takes an `else` that OPA refuses", (f"{HERE}test_24_what_opa_refuses",)),
    25: ("witness#133, #86: one undefined deny hides the others", (
        "tests/property/test_admission_every_field.py::test_a_rule_that_is_missing_denies_what_demands_it",
        f"{HERE}test_25_one_silent_rule_hides_no_other",
        "tests/integration/adapters/test_witness.py::test_every_package_has_a_deny_so_that_none_hides_another")),
    26: ("vercel/ai#19978: an unknown decision is no opinion, and the gate stays open", (
        f"{FAILURES}test_a_module_that_fails_denies", f"{FAILURES}test_a_decision_that_is_none_denies_with_opa")),
    27: ("kubernetes#71508: a webhook's timeout surprises",
         "this version has no webhook; an engine has a deadline of its own: test_engine_failures.py"),
    28: ("regal#1574: a lint of sprintf is wrong about `%-*s`", (f"{HERE}test_28_no_sprintf",)),
    29: ("regorus: walk with one argument finds nothing; regopy: crashes, backtracking, escapes", (
        f"{HERE}test_29_no_walk_with_one_argument",
        f"{CUSTOM}test_lint.py::test_walk_has_two_arguments")),
}  # fmt: skip


def names_in(path: Path) -> set[str]:
    return {
        node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    }


def test_every_report_is_answered() -> None:
    assert sorted(REPORTS) == list(range(1, 30))
    shown = [name for _, answer in REPORTS.values() if not isinstance(answer, str) for name in answer]
    assert [name for name in shown if name.partition("::")[2] not in names_in(ROOT / name.partition("::")[0])] == []
    here = {name.partition("::")[2] for name in shown if name.startswith(HERE)}
    assert {name for name in names_in(Path(__file__)) if re.match(r"test_\d\d_", name)} == here


@pytest.fixture(scope="module")
def engine() -> Any:
    made = EmbeddedEngine(jit=True)
    yield made
    made.close()


def decided(engine: Any, result: dict[str, Any] | None = None, /, **profile: Any) -> Decision:
    document = ADMITTED["result"] | (result or {})
    return decide(
        convert(document, VerificationResult, what="result"),
        ADMITTED["profile"] | profile,
        engine=engine,
        evaluated_at=ADMITTED["evaluatedAt"],
        seconds=30.0,
    )


def codes(decision: Decision) -> list[str]:
    return sorted({violation.code for violation in decision.violations})


def test_01_nothing_demanded(engine: Any) -> None:
    protected = ("signature", "statement")
    everything = {code.partition(".")[0] for code in ADMITTED["demanded"]} - set(protected)
    decision = decided(engine, exclude=sorted(everything), agent=None, usage=None, evidence=[])
    assert (decision.allow, codes(decision)) == (False, ["engine.selection"])


TOO_MANY = {"run": ADMITTED["result"]["run"] | {"toolCalls": 51}}


def exception(code: str, **members: str) -> dict[str, str]:
    return {"code": code, "reason": "known", "approver": "a@example.com", "expires": "2027-01-01T00:00:00Z", **members}


def test_05_an_exception_is_for_one_thing(engine: Any) -> None:
    assert codes(decided(engine, TOO_MANY)) == ["usage.limits"]
    waived = decided(engine, TOO_MANY, exceptions=[exception("usage.limits")])
    assert (waived.allow, [one.code for one in waived.exceptions]) == (True, ["usage.limits"])
    other = decided(engine, TOO_MANY, exceptions=[exception("agent.model")])
    assert (other.allow, codes(other)) == (False, ["usage.limits"])
    late = decided(engine, TOO_MANY, exceptions=[exception("usage.limits", expires="2026-01-01T00:00:00Z")])
    assert (late.allow, codes(late)) == (False, ["usage.limits"])


def test_05_an_exception_that_nothing_needs(engine: Any) -> None:
    decision = decided(engine, exceptions=[exception("usage.limits")])
    assert (decision.allow, decision.exceptions) == (True, ())
    assert "profile.exceptions" in {warning.code for warning in decision.warnings}


@pytest.mark.integration
def test_06_the_version_of_rego_is_said(tmp_path: Path, tool: Callable[[str], Path]) -> None:
    (tmp_path / "old.rego").write_text("package done_receipt.custom.a.b\nviolations[x] { x := input.y }\n")
    with pytest.raises(ConfigurationError, match=r"old\.rego:2: rego_parse_error"):
        open_engine("opa", policies=read_policies([str(tmp_path)]), opa=tool("opa"))


@pytest.mark.parametrize("selector", ["verdict.splendid", "verdicts", "@ci-cd", "*"])
@pytest.mark.parametrize("list_", ["include", "exclude"])
def test_07_an_unknown_selector(engine: Any, selector: str, list_: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(selector)):
        decided(engine, **{list_: [selector]})


def test_07_an_unknown_collection(engine: Any) -> None:
    with pytest.raises(ConfigurationError, match="collection strict is not available"):
        decided(engine, collection="strict")


@pytest.mark.integration
def test_09_a_place_that_no_input_has(tmp_path: Path, tool: Callable[[str], Path]) -> None:
    (tmp_path / "b.rego").write_text(
        "# METADATA\n# title: T\n# description: D\npackage done_receipt.custom.a.b\n\n"
        'violations contains {"code": "custom.a.b", "message": "m", "facts": []} if not input.result.verdct.passed\n'
    )
    (fault,), _ = tools.check(tool("opa"), policy_folder(), read_policies([str(tmp_path)]))
    assert "b.rego:6: rego_type_error: undefined ref: input.result.verdct" in fault


@pytest.mark.integration
def test_11_sprintf_misused(tmp_path: Path, tool: Callable[[str], Path]) -> None:
    (tmp_path / "b.rego").write_text(
        "package done_receipt.custom.a.b\n\n"
        'violations contains {"code": "custom.a.b", "message": sprintf("%v", input.result.assurance), "facts": []}\n'
    )
    opa = open_engine("opa", policies=read_policies([str(tmp_path)]), opa=tool("opa"))
    assert codes(decided(opa)) == ["engine.error"]
    close_engine(opa)


def test_13_the_decision_names_its_input(engine: Any) -> None:
    first, second = decided(engine), decided(engine, TOO_MANY)
    assert len({first.digests.input, second.digests.input}) == 2
    assert decided(engine).digests.input == first.digests.input


@pytest.mark.parametrize(("used", "limit", "allow"), [
    (2**53 - 1, 2**53 - 1, True), (2**53 - 1, 2**53 - 2, False), (2**53 - 2, 2**53 - 1, True)])  # fmt: skip
def test_14_the_largest_numbers(engine: Any, used: int, limit: int, allow: bool) -> None:
    run = ADMITTED["result"]["run"] | {"inputTokens": used}
    usage = ADMITTED["profile"]["usage"] | {"maxInputTokens": limit}
    assert decided(engine, {"run": run}, usage=usage).allow is allow


def test_16_the_schema_has_no_maps() -> None:
    schema = json.loads((policy_folder() / "schemas" / "input.json").read_bytes())
    maps = []

    def look(node: Any, place: str) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("additionalProperties"), dict) or "patternProperties" in node:
                maps.append(place)
            for name, inner in node.items():
                look(inner, f"{place}/{name}")
        elif isinstance(node, list):
            for inner in node:
                look(inner, place)

    look(schema, "")
    assert maps == []


def test_17_every_engine_gets_what_the_types_wrote(engine: Any) -> None:
    seen: list[bytes] = []

    class Listening:
        name, version, policy_digest = "listening", "1", "0" * 64

        def decide(self, raw: bytes, seconds: float) -> Any:
            seen.append(raw)
            return engine.decide(raw, seconds)

    assert decided(Listening()).allow
    tree = json.loads(seen[0])
    assert tree["result"] == ADMITTED["result"] | {"untrusted": tree["result"]["untrusted"]}
    assert sorted(tree) == ["demanded", "evaluatedAt", "profile", "result"]


def test_20_backdating_shows(engine: Any) -> None:
    decision = decided(engine, backdated=True)
    assert "profile.backdated" in {warning.code for warning in decision.warnings}


def test_21_by_subject(engine: Any) -> None:
    one, two = ADMITTED["result"]["matchedSubjects"][:1], ["another"]
    both = {"matchedSubjects": [*one, *two]}
    waivers = [exception("usage.limits", subject=name) for name in (*one, *two)]
    allowed = decided(engine, TOO_MANY | both, exceptions=waivers)
    assert (allowed.allow, len(allowed.exceptions)) == (True, 2)
    assert not decided(engine, TOO_MANY | both, exceptions=waivers[:1]).allow


@pytest.mark.integration
def test_24_what_opa_refuses(tmp_path: Path, tool: Callable[[str], Path]) -> None:
    (tmp_path / "b.rego").write_text(
        "package done_receipt.custom.a.b\n\nviolations contains 1 if input.x\nelse contains 2 if input.y\n"
    )
    for name in ("opa", "embedded"):
        with pytest.raises(ConfigurationError, match=r"b\.rego:4: rego_parse_error"):
            open_engine(name, policies=read_policies([str(tmp_path)]), opa=tool("opa"))


def test_25_one_silent_rule_hides_no_other(tmp_path: Path, engine: Any) -> None:
    (tmp_path / "own.wasm").write_bytes(stub({"warnings": []}))
    own = open_engine("embedded", policies=read_policies([str(tmp_path / "own.wasm")]))
    assert codes(decided(own, TOO_MANY)) == codes(decided(engine, TOO_MANY)) == ["usage.limits"]
    close_engine(own)


def test_28_no_sprintf() -> None:
    assert [path.name for path in rego_files(RULES) if "sprintf(" in path.read_text(encoding="utf-8")] == []


def test_29_no_walk_with_one_argument() -> None:
    assert [path.name for path in rego_files(RULES) if re.search(r"\bwalk\(", path.read_text(encoding="utf-8"))] == []
