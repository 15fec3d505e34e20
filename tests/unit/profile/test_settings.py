"""What is in force, how it is shown, and what the policy gets of it: flags tighten, loosening takes a name."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from in_toto_done_receipt import admission
from in_toto_done_receipt.errors import ProfileError, UsageError
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import KEYS, OVERRIDES, Settings, with_flag, with_overrides
from in_toto_done_receipt.profile.show import as_toml, described
from in_toto_done_receipt.profile.union import from_profiles
from tests.unit.profile.test_load import WHOLE


def settings(*texts: str) -> Settings:
    profiles = {f"p{n}": load_profile(f"version = 1\n{text}".encode(), what=f"p{n}") for n, text in enumerate(texts)}
    return from_profiles(profiles)


def test_defaults_demand_the_most() -> None:
    found = settings()
    assert found.minimum_assurance == "fully_rechecked"
    assert found.sandbox_required == "bubblewrap"
    assert found.digest is None


def test_a_flag_may_not_loosen_what_a_profile_says() -> None:
    found = settings("minimumAssurance='fully_rechecked'")
    with pytest.raises(ProfileError, match="loosens minimumAssurance, which p0 sets") as caught:
        with_flag(found, "minimum_assurance", "reported", flag="--minimum-assurance", looser=True)
    assert caught.value.hint is not None
    assert "--override minimumAssurance" in caught.value.hint


def test_an_override_by_name_permits_it_and_is_kept() -> None:
    found = with_overrides(settings("minimumAssurance='fully_rechecked'"), ("minimumAssurance",))
    found = with_flag(found, "minimum_assurance", "reported", flag="--minimum-assurance", looser=True)
    assert found.minimum_assurance == "reported"
    assert found.policy_document()["overrides"] == ["minimumAssurance"]


def test_an_unknown_override_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="--override everything: no such override"):
        with_overrides(settings(), ("everything",))


def test_the_policy_document_has_only_the_sections_that_are_asked_for() -> None:
    sections = {"tests", "contract", "change", "source", "agent", "usage"}
    assert sections & set(settings().policy_document()) == set()
    asked = settings(WHOLE.replace("version = 1", "")).policy_document()
    assert sections <= set(asked)
    assert asked["tests"] == {
        "runner": "pytest",
        "argv": ["/usr/bin/python3", "-m", "pytest", "--junitxml={junit}", "tests"],
        "negativeControl": True,
        "canaries": ["planted", "halves", "gate", "value"],
    }
    assert asked["exceptions"][0]["expires"] == "2027-01-31T00:00:00Z"


def test_what_a_section_does_not_say_is_said_to_be_nothing() -> None:
    document = settings("tests={runner='go', argv=['/a']}\ncontract={sealed=['a']}\nchange={protected=['b']}")
    found = document.policy_document()
    assert found["tests"] == {"runner": "go", "argv": ["/a"], "negativeControl": False, "canaries": []}
    assert found["contract"] == {"sealed": ["a"], "protected": []}
    assert found["change"] == {"protected": ["b"]}  # without `allowed` anything is


@pytest.mark.parametrize("texts", [(), (WHOLE.replace("version = 1", ""),)], ids=["defaults", "whole"])
def test_the_policy_document_fits_its_schema(texts: tuple[str, ...]) -> None:
    schema = json.loads((Path(admission.__file__).parent / "policy-input.v0.1.schema.json").read_bytes())
    part = schema["properties"]["profile"] | {"$schema": schema["$schema"]}
    text = json.dumps(part).replace("#/properties/evaluatedAt", "#/$defs/time")
    profile = json.loads(text) | {"$defs": {"time": schema["properties"]["evaluatedAt"]}}
    document = settings(*texts).policy_document()
    document["evidence"] = [{"argv": [], "paths": []} | demand for demand in document["evidence"]]
    assert [error.message for error in Draft202012Validator(profile).iter_errors(document)] == []


def test_a_profile_that_is_shown_says_the_same_when_it_is_read() -> None:
    for whole in (settings(), settings(WHOLE.replace("version = 1", "")), settings("exclude=['usage', 'a.b:\"c\"']")):
        text = "\n".join(as_toml(whole))
        again = from_profiles({"shown": load_profile(text.encode(), what="shown")})
        assert replace(again, origins={}, digest=None) == replace(whole, origins={}, digest=None)


def test_every_setting_is_shown_with_its_origin() -> None:
    rows = {row.key: row for row in described(settings("usage={maxIterations=3}"))}
    assert rows["usage.maxIterations"] == ("usage.maxIterations", 3, "p0")
    assert rows["collection"].origin == "default"
    assert {key for key in KEYS.values() if key not in rows} == {"usage", "limits"}  # a row for each member


@pytest.mark.parametrize("name", [key for key in OVERRIDES if key != "identity-near-evidence"])
def test_an_override_is_the_key_of_a_setting(name: str) -> None:
    assert name in KEYS.values()
