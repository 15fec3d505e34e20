"""What is demanded, from the collection and the profile."""

from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.demands import SECTIONS, demanded
from in_toto_done_receipt.errors import ConfigurationError, ProfileError

CATALOGUE = load_catalogue()


def test_the_collection_is_demanded_in_order(settings: dict[str, Any]) -> None:
    bare = {**settings, "evidence": [], "agent": None, "usage": None}
    assert demanded(CATALOGUE, bare) == CATALOGUE.collections["minimal"]


def test_the_profile_adds_demands(admitted: dict[str, Any]) -> None:
    assert list(demanded(CATALOGUE, admitted["profile"])) == admitted["demanded"]


def test_unsigned_drops_the_signer_and_nothing_else(settings: dict[str, Any]) -> None:
    signed = demanded(CATALOGUE, settings)
    unsigned = demanded(CATALOGUE, {**settings, "unsigned": True})
    assert set(signed) - set(unsigned) == {"signature.trusted"}


def test_each_piece_of_evidence_is_demanded_once(settings: dict[str, Any]) -> None:
    twice = {**settings, "evidence": settings["evidence"] * 2}
    assert demanded(CATALOGUE, twice) == demanded(CATALOGUE, settings)


def test_an_unknown_collection_is_unavailable(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="collection splendid is not available in this version") as caught:
        demanded(CATALOGUE, {**settings, "collection": "splendid"})
    assert caught.value.hint == "available: ci, minimal, protected-branch, release"


@pytest.mark.parametrize("name", CATALOGUE.collections)
def test_each_collection_is_demanded(settings: dict[str, Any], name: str) -> None:
    bare = {**settings, "evidence": [], "agent": None, "usage": None, "collection": name}
    assert demanded(CATALOGUE, bare) == CATALOGUE.collections[name]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_of_the_profile_demands_its_rules(settings: dict[str, Any], section: str) -> None:
    bare = {**settings, "evidence": [], "agent": None, "usage": None}
    more = demanded(CATALOGUE, {**bare, section: {"x": 1}})
    assert set(more) - set(demanded(CATALOGUE, bare)) == set(SECTIONS[section])


def chosen(settings: dict[str, Any], **changes: Any) -> set[str]:
    return set(demanded(CATALOGUE, {**settings, **changes}))


@pytest.mark.parametrize(
    ("selector", "added"),
    [
        ("tests.canary", {"tests.canary"}),
        ("tests", {"tests.canary", "tests.confirmed", "tests.inventory"}),
        ("@protected-branch", set(CATALOGUE.collections["protected-branch"]) - set(CATALOGUE.collections["minimal"])),
        ("profile.overrides", {"profile.overrides"}),
        ("change.scope:src/a b:c", {"change.scope:src/a b:c"}),
        ("verdict.passed", set()),
        ("verdict.passed:x", set()),
        ("profile.evidence", set()),
        ("profile.evidence:app/file", set()),
    ],
)
def test_what_is_included_is_demanded_too(settings: dict[str, Any], selector: str, added: set[str]) -> None:
    assert chosen(settings, include=[selector]) - chosen(settings) == added


@pytest.mark.parametrize(
    ("selector", "dropped"),
    [
        ("verdict.passed", {"verdict.passed"}),
        ("evidence", {"evidence.unrefuted", "evidence.current", "evidence.evaluated", "evidence.succeeded"}),
        ("profile.evidence:app/file", {"profile.evidence:app/file"}),
        ("profile.evidence", {"profile.evidence:app/file", "profile.evidence:tests/command"}),
        ("subjects.matched:a:b", set()),
        ("tests.canary", set()),
    ],
)
def test_what_is_excluded_is_not_demanded(settings: dict[str, Any], selector: str, dropped: set[str]) -> None:
    assert chosen(settings) - chosen(settings, exclude=[selector]) == dropped


def test_exclude_counts_more_than_include(settings: dict[str, Any]) -> None:
    both = chosen(settings, include=["tests"], exclude=["tests.canary"])
    assert both - chosen(settings) == {"tests.confirmed", "tests.inventory"}


def test_a_collection_that_is_excluded_leaves_who_signed_and_what_was_signed(settings: dict[str, Any]) -> None:
    left = chosen(settings, exclude=["@minimal"])
    assert left == {
        *(code for code in CATALOGUE.collections["minimal"] if code.startswith(("signature.", "statement."))),
        *("agent.model", "usage.limits", "profile.evidence:app/file", "profile.evidence:tests/command"),
    }


def test_a_selection_that_judges_nothing_is_empty(settings: dict[str, Any]) -> None:
    bare = {**settings, "evidence": [], "agent": None, "usage": None}
    assert demanded(CATALOGUE, {**bare, "exclude": ["@minimal"]}) == ()


@pytest.mark.parametrize("kind", ["include", "exclude"])
@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("contract.helt", "did you mean contract.held?"),
        ("subject", "did you mean subjects?"),
        ("@minimum", "did you mean @minimal?"),
        ("contract.helt:x", "did you mean contract.held?"),
        ("contract.held:", "did you mean contract.held?"),
        ("profile.evidence:app/fiel", "did you mean profile.evidence:app/file?"),
        ("@", "valid here: @ci, "),
        ("", "valid here: @ci, "),
        ("data.done_receipt", "valid here: @ci, "),
        ("Contract.held", "did you mean contract.held?"),
    ],
)
def test_an_unknown_selector_is_an_error(settings: dict[str, Any], kind: str, selector: str, hint: str) -> None:
    with pytest.raises(ProfileError, match=rf"^{kind}\[1\]: ") as caught:
        demanded(CATALOGUE, {**settings, kind: ["verdict", selector]})
    assert (caught.value.hint or "").startswith(hint)


@pytest.mark.parametrize("selector", ["signature", "signature.trusted", "statement.coherent:x", "statement", "engine"])
def test_who_signed_and_what_was_signed_cannot_be_excluded(settings: dict[str, Any], selector: str) -> None:
    with pytest.raises(ProfileError, match=rf"exclude\[0\]: {selector} cannot be left out"):
        demanded(CATALOGUE, {**settings, "exclude": [selector]})


def test_a_rule_of_tomorrow_is_not_demanded_today(settings: dict[str, Any]) -> None:
    rules = tuple(
        replace(rule, effective_on="2027-01-01T00:00:00Z") if rule.code == "verdict.passed" else rule
        for rule in CATALOGUE.rules
    )
    later = replace(CATALOGUE, rules=rules)
    for moment, is_demanded in (("2026-12-31T23:59:59Z", False), ("2027-01-01T00:00:00Z", True), (None, True)):
        assert ("verdict.passed" in demanded(later, settings, evaluated_at=moment)) is is_demanded
