"""Several profiles: all hold at once, the stricter value counts, and what cannot hold together is an error."""

import pytest

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.profile.union import from_profiles


def settings(*texts: str) -> Settings:
    profiles = {f"p{n}": load_profile(f"version = 1\n{text}".encode(), what=f"p{n}") for n, text in enumerate(texts)}
    return from_profiles(profiles)


GO = "tests={runner='go', argv=['/usr/bin/go', 'test']}"
RUN = "[[evidence]]\nclaim='a'\nkind='command'\n{}"
TESTED = "[[evidence]]\nclaim='t'\nkind='tests'\n"
EXCEPTION = "[[exception]]\ncode='usage.limits'\nreason='r'\napprover='a'\nexpires=2027-01-31T00:00:00Z"


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
        ("change={allowed=['a/**']}", "change={allowed=['b/**']}", "p1: change.allowed: has nothing in common"),
        ("change={allowed=['a']}", "change={protected=['a']}", "p1: change: a is allowed and protected"),
        (
            "source={repository='a:a'}",
            "source={repository='a:b'}",
            "source.repository: is a:b, another profile says a:a",
        ),
        (GO, GO.replace("'test'", "'vet'"), "p1: tests: another profile has another runner or argv"),
        (GO, GO.replace("runner='go'", "runner='cargo'"), "p1: tests: another profile has another runner or argv"),
        (
            GO.replace("}", ", cache='/a'}"),
            GO.replace("}", ", cache='/b'}"),
            "p1: tests: another profile has another cache",
        ),
        (EXCEPTION, EXCEPTION.replace("2027", "2028"), "exception usage.limits: another profile says something else"),
        (EXCEPTION, "collection='release'", r"p0: exception: collection release \(p1\) admits none"),
        (
            "sandbox={required='rlimits'}",
            "collection='release'",
            r"is rlimits, collection release \(p1\) wants bubblewrap",
        ),
        ("exclude=['usage']", "collection='ci'", "p0: exclude: usage is left out here and not by p1"),
        ("collection='ci'", "exclude=['usage']", "p1: exclude: usage is left out here and not by p0"),
        ("exclude=['usage']", "include=['usage']", "p0: exclude: usage is left out here and not by p1"),
        (RUN.format("argv=['/a']"), RUN.format("argv=['/b']"), "evidence a/command: another profile has another argv"),
        (TESTED + "runner='go'", GO.replace("runner='go'", "runner='cargo'"), "runner is go, .tests. says cargo"),
        (TESTED + "argv=['/usr/bin/go', 'vet']", GO, "evidence t/tests: argv is another one than that of"),
        (TESTED, "", "p0: evidence t/tests: nothing runs tests again"),
    ],
)
def test_profiles_that_contradict_each_other_are_refused(one: str, two: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        settings(one, two)


@pytest.mark.parametrize(
    "text", ["collection='release'\n" + EXCEPTION, "collection='release'\nsandbox={required='landlock'}"]
)
def test_what_release_forbids_is_an_error_in_one_profile_too(text: str) -> None:
    with pytest.raises(ProfileError, match="collection release"):
        settings(text)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_test_commands_that_are_one_the_stricter_keys_hold(order: tuple[int, int]) -> None:
    texts = (
        GO.replace("}", ", canaries=['planted'], reruns=3, jobs=2, writable=true, timeout=60, cache='/a'}"),
        GO.replace("}", ", canaries=['gate'], reruns=0, timeout=90, negativeControl=true}"),
    )
    tests = settings(*(texts[index] for index in order)).tests
    assert tests is not None
    assert set(tests.canaries or ()) == {"planted", "gate"}
    assert (tests.reruns, tests.jobs, tests.writable, tests.timeout) == (0, 1, False, 60)
    assert (tests.negative_control, tests.cache) == (True, "/a")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_strictest_collection_holds(order: tuple[int, ...]) -> None:
    texts = ("collection='minimal'", "collection='protected-branch'", "collection='ci'")
    assert settings(*(texts[index] for index in order)).collection == "protected-branch"


def test_a_profile_without_a_collection_leaves_the_other_s() -> None:
    assert settings("collection='ci'", "limits={claims=5}").collection == "ci"


def test_a_weaker_value_is_not_where_the_stricter_one_comes_from() -> None:
    found = settings(
        "collection='ci'\nminimumAssurance='fully_rechecked'", "collection='minimal'\nminimumAssurance='reported'"
    )
    assert (found.origins["collection"], found.origins["minimumAssurance"]) == ("p0", "p0")


def test_lists_name_every_profile_that_they_come_from() -> None:
    found = settings("include=['usage']", "include=['agent']", "limits={claims=5}")
    assert found.include == ("usage", "agent")
    assert found.origins["include"] == "p0, p1"


def test_what_every_profile_leaves_out_is_left_out() -> None:
    assert settings("exclude=['usage']", "exclude=['usage']").exclude == ("usage",)


def test_exceptions_are_united_and_their_ends_are_in_utc() -> None:
    other = EXCEPTION.replace("usage.limits", "agent.model").replace("00:00:00Z", "02:00:00+02:00")
    found = settings(EXCEPTION, other, EXCEPTION)
    assert [(one.code, one.expires) for one in found.exceptions] == [
        ("usage.limits", "2027-01-31T00:00:00Z"),
        ("agent.model", "2027-01-31T00:00:00Z"),
    ]


def test_of_one_demand_all_that_any_profile_asks_is_asked() -> None:
    file = "[[evidence]]\nclaim='a'\nkind='file'\n"
    (found,) = settings(file + "paths=['x']", file + "paths=['y']").evidence
    assert found.paths == ("x", "y")
    (run,) = settings(RUN.format(""), RUN.format("argv=['/a']"), RUN.format("")).evidence
    assert run.argv == ("/a",)


def test_of_one_test_command_all_that_any_profile_asks_is_asked() -> None:
    tests = "tests={{runner='go', argv=['/usr/bin/go', 'test'], {}}}"
    found = settings(
        tests.format("negativeControl=true, canaries=['gate']"), tests.format("canaries=['planted']")
    ).tests
    assert found is not None
    assert found.negative_control
    assert found.canaries == ("gate", "planted")


def test_globs_of_what_is_sealed_and_protected_are_united_and_allowed_ones_intersected() -> None:
    found = settings(
        "contract={sealed=['a']}\nchange={allowed=['x', 'y'], protected=['p']}",
        "contract={sealed=['b'], protected=['c']}\nchange={allowed=['y', 'z'], protected=['q']}",
    )
    assert (found.contract_sealed, found.contract_protected) == (("a", "b"), ("c",))
    assert (found.change_allowed, found.change_protected) == (("y",), ("p", "q"))


def test_the_digest_is_of_all_profiles() -> None:
    assert settings("limits={claims=5}").digest != settings("limits={claims=6}").digest
