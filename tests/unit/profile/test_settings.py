"""What is in force: all profiles hold at once, flags tighten, loosening takes a name."""

import pytest

from in_toto_done_receipt.errors import ProfileError, UsageError
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import Settings, with_flag, with_overrides
from in_toto_done_receipt.profile.union import from_profiles


def settings(*texts: str) -> Settings:
    profiles = {f"p{n}": load_profile(f"version = 1\n{text}".encode(), what=f"p{n}") for n, text in enumerate(texts)}
    return from_profiles(profiles)


def test_defaults_demand_the_most() -> None:
    found = settings()
    assert found.minimum_assurance == "fully_rechecked"
    assert found.sandbox_required == "bubblewrap"
    assert found.digest is None


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_profiles_the_stricter_value_holds(order: tuple[int, int]) -> None:
    texts = (
        "minimumAssurance='reported'\nagent={models=['a','b']}\nfreshness={maxAge=10}\nlimits={claims=5}\n"
        "usage={maxIterations=9}\nsandbox={required='rlimits'}",
        "minimumAssurance='fully_rechecked'\nagent={models=['b','c']}\nfreshness={maxAge=20}\nlimits={claims=7}\n"
        "usage={maxIterations=3, maxToolCalls=4}\nsandbox={required='landlock'}",
    )
    found = settings(texts[order[0]], texts[order[1]])
    assert found.minimum_assurance == "fully_rechecked"
    assert found.models == ("b",)
    assert found.max_age == 10
    assert found.limits["claims"] == 5
    assert dict(found.usage) == {"maxIterations": 3, "maxToolCalls": 4}
    assert found.sandbox_required == "landlock"


def test_demands_and_commands_of_two_profiles_are_united() -> None:
    demand = "[[evidence]]\nclaim='{}'\nkind='file'\n[[command]]\nargv=['/{}']"
    found = settings(demand.format("a", "x"), demand.format("b", "y"))
    assert [one.claim for one in found.evidence] == ["a", "b"]
    assert [one.argv for one in found.commands] == [("/x",), ("/y",)]


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ("agent={models=['a']}", "agent={models=['b']}", "nothing in common"),
        ("predicateTypes=['a:a']", "predicateTypes=['b:b']", "nothing in common"),
        ("[[command]]\nargv=['/a']", "[[command]]\nargv=['/a']\nexitCode=1", "something else about this argv"),
        ("sandbox={variables={A='1'}}", "sandbox={variables={A='2'}}", "another value"),
    ],
)
def test_profiles_that_contradict_each_other_are_refused(one: str, two: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        settings(one, two)


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


def test_the_digest_is_of_all_profiles() -> None:
    assert settings("limits={claims=5}").digest != settings("limits={claims=6}").digest
