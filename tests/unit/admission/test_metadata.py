"""What a METADATA block must say to get into the catalogue, and the two files that are made of them."""

import json
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import COLLECTIONS, Rule
from in_toto_done_receipt.admission.metadata import REGO_FILE, catalogue_json, catalogue_rego, rules_of
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import ConfigurationError


def block(rule: str, **changes: Any) -> dict[str, Any]:
    custom = {
        "short_name": rule,
        "order": 1,
        "severity": "error",
        "failure_msg": "it is not so",
        "solution": "Make it so.",
        "collections": list(COLLECTIONS),
        "depends_on": [],
        "effective_on": "always",
    }
    path = [{"value": name} for name in ("data", "done_receipt", "rules", "usage", rule)]
    annotations = {"scope": "package", "title": "T", "description": "D.\n", "custom": {**custom, **changes}}
    return {"annotations": annotations, "path": path}


def rules(*blocks: dict[str, Any], packages: tuple[str, ...] = ("one",), category: str = "usage") -> tuple[Rule, ...]:
    namespaces = {f"data.done_receipt.rules.{category}.{name}": ["x.rego"] for name in packages}
    return rules_of(json.dumps({"namespaces": namespaces, "annotations": list(blocks)}).encode())


def test_rules_stand_in_the_order_that_they_give() -> None:
    made = rules(block("two", order=2), block("one", order=1), packages=("one", "two"))
    assert [rule.code for rule in made] == ["usage.one", "usage.two"]


def test_line_breaks_of_a_block_are_not_kept() -> None:
    (rule,) = rules(block("one", solution="Make\n  it so.\n"))
    assert rule.solution == "Make it so."


def test_a_rule_is_in_force_always_or_from_a_time_on() -> None:
    (always,) = rules(block("one"))
    (later,) = rules(block("one", effective_on="2027-01-01T00:00:00Z"))
    assert (always.effective_on, later.effective_on) == (None, "2027-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"short_name": "two"}, "usage.one: METADATA short_name is two"),
        ({"solution": " "}, "usage.one: METADATA is empty: solution"),
        ({"failure_msg": ""}, "usage.one: METADATA is empty: failure_msg"),
        ({"failure_msg": "It is not so"}, "usage.one: METADATA failure_msg is a message"),
        ({"failure_msg": "it is not so."}, "usage.one: METADATA failure_msg is a message"),
        ({"solution": "make it so"}, "usage.one: METADATA solution and description are sentences"),
        ({"collections": ["maximal"]}, "usage.one: METADATA names unknown collections: maximal"),
        (
            {"collections": ["minimal"]},
            "METADATA collections are not one and all that are stricter: minimal",
        ),
        ({"collections": ["release", "ci"]}, "usage.one: METADATA collections are not one and all that are stricter"),
        ({"severity": "fatal"}, "usage.one: METADATA severity is fatal, valid: error, warning"),
        ({"severity": "warning"}, "usage.one: METADATA severity is warning, and a collection demands it"),
        ({"depends_on": ["a.zero"]}, "usage.one: depends_on names no earlier rule: a.zero"),
        ({"depends_on": ["usage.one"]}, "usage.one: depends_on names no earlier rule: usage.one"),
        ({"effective_on": "2027-01-01"}, "usage.one: METADATA effective_on is 2027-01-01, neither always nor a time"),
        ({"more": 1}, "usage.one: METADATA custom keys missing or unknown: more"),
    ],
    ids=json.dumps,
)
def test_a_block_that_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        rules(block("one", **changes))


@pytest.mark.parametrize("key", sorted(block("one")["annotations"]["custom"]))
def test_a_key_that_is_missing_is_named(key: str) -> None:
    made = block("one")
    del made["annotations"]["custom"][key]
    with pytest.raises(ConfigurationError, match=f"usage.one: METADATA custom keys missing or unknown: {key}"):
        rules(made)


@pytest.mark.parametrize("key", ["title", "description"])
def test_a_text_that_is_missing_is_named(key: str) -> None:
    made = block("one")
    del made["annotations"][key]
    with pytest.raises(ConfigurationError, match=f"usage.one: METADATA is empty: {key}"):
        rules(made)


def test_a_rule_without_a_block_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"no METADATA block: usage\.two"):
        rules(block("one"), packages=("one", "two"))


def test_two_rules_in_one_place_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="same METADATA order"):
        rules(block("one"), block("two"), packages=("one", "two"))


def test_a_category_that_there_is_not_is_refused() -> None:
    made = block("one")
    made["path"][3]["value"] = "splendour"
    with pytest.raises(ConfigurationError, match=r"splendour\.one: no such category, valid: signature, "):
        rules(made, category="splendour")


def test_a_package_that_is_no_rule_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="rules are packages"):
        rules(block("one"), packages=("one.more",))


def chain() -> tuple[Rule, ...]:
    return rules(
        block("one", effective_on="2027-01-01T00:00:00Z"),
        block("two", order=2, depends_on=["usage.one"], collections=["release"]),
        block("three", order=3, depends_on=["usage.two"], collections=["protected-branch", "release"]),
        packages=("one", "two", "three"),
    )


def test_the_policy_is_told_what_a_rule_waits_for_all_the_way_back() -> None:
    text = catalogue_rego(chain()).decode()
    assert '\t"usage.two": ["usage.one"],\n' in text
    assert '\t"usage.three": [\n\t\t"usage.one",\n\t\t"usage.two",\n\t],\n' in text
    assert 'effective_on := {\n\t"usage.one": "2027-01-01T00:00:00Z",\n}\n' in text


def test_a_list_without_members_can_be_looked_up_in_by_an_older_opa() -> None:
    assert "\neffective_on := object.union({}, {})\n" in catalogue_rego(rules(block("one"))).decode()


def test_the_catalogue_says_what_each_collection_demands() -> None:
    made = json.loads(catalogue_json(chain(), opa="1", policy_digest="2", module_sha256="3"))
    assert made["collections"] == {
        "minimal": ["usage.one"],
        "ci": ["usage.one"],
        "protected-branch": ["usage.one", "usage.three"],
        "release": ["usage.one", "usage.two", "usage.three"],
    }


def test_what_the_policy_is_told_is_what_the_catalogue_says() -> None:
    from in_toto_done_receipt.admission.catalogue import load_catalogue

    installed = (policy_folder() / "done_receipt" / REGO_FILE).read_bytes()
    assert installed == catalogue_rego(load_catalogue().rules), "run `make policy`"
