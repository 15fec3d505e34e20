"""The catalogue: what is installed, and what a METADATA block must say to get into it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import build_catalogue, load_catalogue
from in_toto_done_receipt.admission.rules_page import catalogue_markdown
from in_toto_done_receipt.admission.sources import policy_digest, policy_folder
from in_toto_done_receipt.errors import ConfigurationError, EngineUnavailable

ROOT = Path(__file__).parents[3]


def block(rule: str, **changes: Any) -> dict[str, Any]:
    custom = {
        "short_name": rule,
        "order": 1,
        "severity": "error",
        "failure_msg": "it is not so",
        "solution": "make it so",
        "collections": ["minimal"],
        "depends_on": [],
    }
    path = [{"value": name} for name in ("policy", "rules", "data", "done_receipt", "rules", "a", rule)]
    annotations = {"scope": "package", "title": "T", "description": "D\n", "custom": {**custom, **changes}}
    # opa's path of a package begins with data
    return {"annotations": annotations, "path": path[2:]}


def build(*blocks: dict[str, Any], packages: tuple[str, ...] = ("one",)) -> dict[str, Any]:
    namespaces = {f"data.done_receipt.rules.a.{name}": ["x.rego"] for name in packages}
    tree = {"namespaces": namespaces, "annotations": list(blocks)}
    made = build_catalogue(json.dumps(tree).encode(), opa="1", policy_digest="2", module_sha256="3")
    found: dict[str, Any] = json.loads(made)
    return found


def test_the_installed_module_is_the_one_it_names() -> None:
    module = (policy_folder() / "admission.wasm").read_bytes()
    assert load_catalogue().module_sha256 == hashlib.sha256(module).hexdigest()


def test_the_module_was_made_from_these_sources() -> None:
    assert load_catalogue().policy_digest == policy_digest(policy_folder()), "run `make policy`"


def test_minimal_demands_what_does_not_depend_on_the_profile() -> None:
    catalogue = load_catalogue()
    left_out = {"signature.unsigned", "agent.model", "usage.limits", "profile.evidence"}
    assert set(catalogue.collections["minimal"]) == {rule.code for rule in catalogue.rules} - left_out


def test_there_is_one_folder_with_one_rule_and_its_test_for_each() -> None:
    folder = policy_folder() / "done_receipt" / "rules"
    expected = set()
    for rule in load_catalogue().rules:
        category, name = rule.code.split(".")
        expected |= {f"{category}/{name}/{name}.rego", f"{category}/{name}/{name}_test.rego"}
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.rego")} == expected


def test_the_rules_page_is_current() -> None:
    page = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
    assert page == catalogue_markdown(load_catalogue())


def test_a_rule_is_found_by_a_code_with_a_term() -> None:
    rule = load_catalogue().rule("profile.evidence:c/file")
    assert rule is not None
    assert rule.code == "profile.evidence"


def test_rules_stand_in_the_order_that_they_give() -> None:
    made = build(block("two", order=2), block("one", order=1), packages=("one", "two"))
    assert [rule["code"] for rule in made["rules"]] == ["a.one", "a.two"]
    assert made["collections"] == {"minimal": ["a.one", "a.two"]}


def test_line_breaks_of_a_block_are_not_kept() -> None:
    (rule,) = build(block("one", solution="make\n  it so\n"))["rules"]
    assert rule["solution"] == "make it so"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"short_name": "two"}, "a.one: METADATA short_name is two"),
        ({"solution": " "}, "a.one: METADATA is empty: solution"),
        ({"collections": ["maximal"]}, "a.one: METADATA names unknown collections: maximal"),
        ({"depends_on": ["a.zero"]}, "a.one: depends_on names no earlier rule: a.zero"),
        ({"effective_on": "2027-01-01"}, "a.one: METADATA custom keys missing or unknown: effective_on"),
    ],
)
def test_a_block_that_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        build(block("one", **changes))


def test_a_rule_without_a_block_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"no METADATA block: a\.two"):
        build(block("one"), packages=("one", "two"))


def test_two_rules_in_one_place_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="same METADATA order"):
        build(block("one"), block("two"), packages=("one", "two"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"opa": 1}', '{"rules": []}'])
def test_what_is_no_catalogue_is_unavailable(tmp_path: Path, text: str) -> None:
    (tmp_path / "catalogue.json").write_text(text)
    with pytest.raises(EngineUnavailable, match="is not a catalogue"):
        load_catalogue(tmp_path)
