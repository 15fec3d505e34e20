"""What a profile leaves open: threats 1 to 10, each closed by the keys that are named, and lines that are weak."""

import re

import pytest

from in_toto_done_receipt.profile.lint import THREATS, open_threats, weak_lines
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.profile.union import from_profiles
from in_toto_done_receipt.wire.rfc3339 import parse_time

NOW = parse_time("2026-11-30T12:00:00Z")

# Everything that closes the ten, one part each.
PARTS = {
    "evidence": "[[evidence]]\nclaim='t'\nkind='tests'\n",
    "agent": "[agent]\nmodels=['m']\n",
    "usage": "[usage]\nmaxIterations=9\n",
    "source": "[source]\nrepository='https://example.com/r'\n",
    "contract": "[contract]\nsealed=['tests/**']\n",
    "tests": "[tests]\nrunner='go'\nargv=['/usr/bin/go','test']\ncanaries=['planted','halves']\n",
    "freshness": "[freshness]\nmaxAge=3600\n",
}


def settings(collection: str = "ci", head: str = "", **changed: str) -> Settings:
    text = f"version = 1\ncollection = '{collection}'\n{head}\n" + "".join((PARTS | changed).values())
    return from_profiles({"p": load_profile(text.encode(), what="p")})


def numbers(found: Settings) -> list[int]:
    return [threat.number for threat in open_threats(found)]


def exception(code: str, *, term: str = "", subject: str = "", expires: str = "2027-01-31T00:00:00Z") -> str:
    text = f"[[exception]]\ncode='{code}'\nreason='r'\napprover='a'\nexpires={expires}\n"
    return text + (f"term='{term}'\n" if term else "") + (f"subject='{subject}'\n" if subject else "")


def test_the_list_is_one_to_ten() -> None:
    assert [threat.number for threat in THREATS] == list(range(1, 11))


def test_a_profile_that_closes_all_leaves_nothing_open() -> None:
    assert open_threats(settings()) == ()
    assert weak_lines(settings(), at=NOW) == ()


def test_the_defaults_leave_all_but_one_open() -> None:
    assert numbers(Settings()) == [1, 3, 4, 5, 6, 7, 8, 9, 10]


OPENS = {
    "no evidence": (settings(evidence=""), [1]),
    "evidence of a name": (settings(evidence="[[evidence]]\nclaim='a'\nkind='path'\n"), [1]),
    "reported": (settings(head="minimumAssurance='reported'"), [2, 4]),
    "no model": (settings(agent=""), [3]),
    "no usage": (settings(usage=""), [3]),
    "no source": (settings(source=""), [3]),
    "minimal": (settings("minimal"), [4, 6, 7, 8, 9, 10]),
    "no tests": (settings(evidence="[[evidence]]\nclaim='a'\nkind='file'\npaths=['x']\n", tests=""), [5, 8, 9, 10]),
    "any command": (settings(evidence="[[evidence]]\nclaim='a'\nkind='command'\n", tests=""), [5, 8, 9, 10]),
    "one command": (settings(evidence="[[evidence]]\nclaim='a'\nkind='command'\nargv=['/a']\n", tests=""), [8, 9, 10]),
    "no contract": (settings(contract=""), [7]),
    "only protected": (settings(contract="[contract]\nprotected=['ci/**']\n"), [7]),
    "no canaries": (settings(tests="[tests]\nrunner='go'\nargv=['/a']\n"), [10]),
    "the gate": (settings(tests="[tests]\nrunner='go'\nargv=['/a']\ncanaries=['planted', 'gate']\n"), []),
    "half of the canaries": (settings(tests="[tests]\nrunner='go'\nargv=['/a']\ncanaries=['planted']\n"), [10]),
    "a report file": (settings(tests="[tests]\nrunner='junit'\nargv=['/a','{junit}']\n"), [10]),
    "a rule left out": (settings(head="exclude=['agent.model']"), [3]),
    "a category left out": (settings(head="exclude=['assurance']"), [2]),
    "a collection left out": (settings(head="exclude=['@minimal']"), list(range(1, 11))),
    "an exception": (settings(freshness=exception("profile.evidence", term="t/tests")), [1, 5]),
}


@pytest.mark.parametrize(("found", "opened"), OPENS.values(), ids=OPENS)
def test_what_is_missing_opens_what_it_closed(found: Settings, opened: list[int]) -> None:
    assert numbers(found) == opened


def test_an_open_threat_names_all_that_would_close_it() -> None:
    (first, *_) = [threat for threat in open_threats(Settings()) if threat.number == 7]
    assert first.closed_by == '[contract] sealed, collection = "ci"'
    (third,) = [threat for threat in open_threats(Settings()) if threat.number == 3]
    assert third.closed_by == "[agent] models, [usage], [source] repository"
    (waived,) = open_threats(settings(head="exclude=['agent.model']"))
    assert waived.closed_by == "no exclude of agent.model"


WEAK = {
    "no age": (settings(freshness=""), "freshness.maxAge", "a receipt of any age"),
    "age below the skew": (
        settings(freshness="[freshness]\nmaxAge=10\n"),
        "freshness.skew",
        "300 is more than maxAge, 10",
    ),
    "long skew": (settings(freshness="[freshness]\nmaxAge=3600\nskew=301\n"), "freshness.skew", "the default, 300"),
    "left out": (settings(head="exclude=['agent.model']"), "exclude", "agent.model is not demanded"),
    "reported": (settings(head="minimumAssurance='reported'"), "minimumAssurance", "hearsay"),
    "plugin": (settings(head="plugins=['acme']"), "plugins", "acme: code of others"),
    "evidence of a name": (settings(evidence="[[evidence]]\nclaim='a'\nkind='path'\n"), "evidence a/path", "is there"),
    "any file": (settings(evidence="[[evidence]]\nclaim='a'\nkind='file'\n"), "evidence a/file", "any file will do"),
    "any command": (
        settings(evidence="[[evidence]]\nclaim='a'\nkind='command'\n"),
        "evidence a/command",
        "any allowed",
    ),
    "a command that may not run": (
        settings(evidence="[[evidence]]\nclaim='a'\nkind='command'\nargv=['/a']\n"),
        "evidence a/command",
        r"no \[\[command\]\] allows its argv",
    ),
    "failure as success": (
        settings(usage="[[command]]\nargv=['/a']\nexitCode=1\n"),
        r"command\[0\].exitCode",
        "/a counts",
    ),
    "raised limit": (
        settings(freshness="[limits]\nseconds=7200\n"),
        "limits.seconds",
        "7200 is more than the default, 1800",
    ),
    "lower sandbox": (
        settings(freshness="[sandbox]\nrequired='rlimits'\n"),
        "sandbox.required",
        "rlimits: commands can",
    ),
    "broad mount": (
        settings(freshness="[sandbox]\nreadOnly=['/home/']\n"),
        "sandbox.readOnly",
        "/home/: a command can",
    ),
    "secret": (settings(freshness="[sandbox.variables]\nGH_TOKEN='x'\n"), "sandbox.variables.GH_TOKEN", "can read it"),
    "expired": (
        settings(freshness=exception("a.b", term="x", expires="2026-11-30T12:00:00Z")),
        "exception a.b:x",
        "expired",
    ),
    "long": (
        settings(freshness=exception("a.b", term="x", expires="2028-01-01T00:00:00Z")),
        "exception a.b:x",
        "a year",
    ),
    "wide": (settings(freshness=exception("a.b")), "exception a.b", "too wide"),
    "of no demand": (
        settings(freshness=exception("profile.evidence", term="x/file")),
        "exception profile.evidence:x/file",
        "waives nothing",
    ),
}


@pytest.mark.parametrize(("found", "key", "message"), WEAK.values(), ids=WEAK)
def test_a_weak_line_is_named(found: Settings, key: str, message: str) -> None:
    lines = weak_lines(found, at=NOW)
    assert [line for line in lines if re.fullmatch(key, line.key) and re.search(message, line.message)], lines


@pytest.mark.parametrize("named", [{"term": "x"}, {"subject": "src/app.py"}])
def test_an_exception_that_names_its_place_is_not_too_wide(named: dict[str, str]) -> None:
    found = settings(freshness=PARTS["freshness"] + exception("a.b", **named))
    assert weak_lines(found, at=NOW) == ()
