"""The catalogue that is installed, and its pages."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from in_toto_done_receipt.admission.catalogue import COLLECTIONS, PROTECTED, load_catalogue
from in_toto_done_receipt.admission.rules_page import catalogue_markdown, rule_pages
from in_toto_done_receipt.admission.sources import policy_digest, policy_folder
from in_toto_done_receipt.errors import EngineUnavailable
from in_toto_done_receipt.profile.load import COLLECTIONS as OF_PROFILES

ROOT = Path(__file__).parents[3]


def test_the_installed_module_is_the_one_it_names() -> None:
    module = (policy_folder() / "admission.wasm").read_bytes()
    assert load_catalogue().module_sha256 == hashlib.sha256(module).hexdigest()


def test_the_module_was_made_from_these_sources() -> None:
    assert load_catalogue().policy_digest == policy_digest(policy_folder()), "run `make policy`"


def test_each_collection_adds_to_the_one_before() -> None:
    demanded = [set(load_catalogue().collections[name]) for name in COLLECTIONS]
    assert all(less < more for less, more in pairwise(demanded))
    assert COLLECTIONS == OF_PROFILES


ADDED = {
    "ci": {
        "change.base",
        "change.scope",
        "contract.verified",
        "contract.coverage",
        "tests.confirmed",
        "tests.inventory",
        "tests.canary",
        "freshness.source",
    },
    "protected-branch": {"freshness.tip"},
    "release": {"change.tree", "sandbox.bubblewrap", "signature.timestamp", "profile.exceptions"},
}


@pytest.mark.parametrize("name", ADDED)
def test_what_a_collection_adds(name: str) -> None:
    collections = load_catalogue().collections
    before = COLLECTIONS[COLLECTIONS.index(name) - 1]
    assert set(collections[name]) - set(collections[before]) == ADDED[name]


def test_every_rule_is_demanded_by_a_collection_or_by_the_profile() -> None:
    catalogue = load_catalogue()
    free = {rule.code for rule in catalogue.rules if not rule.collections}
    assert free == {
        "agent.model",
        "usage.limits",
        "freshness.repository",
        "profile.evidence",
        "profile.overrides",
        "profile.backdated",
        "signature.unsigned",
    }


def test_there_is_one_folder_with_one_rule_and_its_test_for_each() -> None:
    folder = policy_folder() / "done_receipt" / "rules"
    expected = set()
    for rule in load_catalogue().rules:
        category, name = rule.code.split(".")
        expected |= {f"{category}/{name}/{name}.rego", f"{category}/{name}/{name}_test.rego"}
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.rego")} == expected


def test_the_pages_are_current() -> None:
    folder = ROOT / "docs" / "reference" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == rule_pages(load_catalogue()), "run `make generate`, and delete what is left over"


def test_every_page_says_what_its_rule_says() -> None:
    catalogue = load_catalogue()
    pages, whole = rule_pages(catalogue), catalogue_markdown(catalogue)
    for rule in catalogue.rules:
        for text in (rule.description, rule.failure_msg, rule.solution):
            assert text in pages[f"{rule.code}.md"]
            assert text in whole
        leniency = "neither excluded nor waived" in pages[f"{rule.code}.md"]
        assert leniency is (rule.category in PROTECTED)


def test_a_rule_is_found_by_a_code_with_a_term() -> None:
    rule = load_catalogue().rule("profile.evidence:c/file")
    assert rule is not None
    assert rule.code == "profile.evidence"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"opa": 1}', '{"rules": []}'])
def test_what_is_no_catalogue_is_unavailable(tmp_path: Path, text: str) -> None:
    (tmp_path / "catalogue.json").write_text(text)
    with pytest.raises(EngineUnavailable, match="is not a catalogue"):
        load_catalogue(tmp_path)
