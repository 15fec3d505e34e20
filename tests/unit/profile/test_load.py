"""acceptance.toml: every wrong file is an error that names the place, and where there is one the nearest valid name."""

import pytest

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.load import load_profile

WRONG = {
    "empty": ("", "is empty"),
    "not TOML": ("version = ", "not TOML"),
    "no version": ('collection = "minimal"', "version"),
    "other version": ("version = 2", "version"),
    "version as text": ('version = "1"', "version"),
    "misspelt key": ("version = 1\nminimumAsurance = 'reported'", "unknown key minimumAsurance"),
    "misspelt key in a section": ("version = 1\n[sandbox]\nrequird = 'rlimits'", "unknown key sandbox.requird"),
    "misspelt key in a list": ("version=1\n[[evidence]]\nclaim='a'\nkinds='file'", r"unknown key evidence\[0\].kinds"),
    "unknown assurance": ("version = 1\nminimumAssurance = 'full'", "minimumAssurance"),
    "unknown collection": ("version = 1\ncollection = 'minmal'", "unknown collection minmal"),
    "later key": ("version = 1\n[tests]\nrunner = 'pytest'", "tests: .* is not available in this version"),
    "later key exception": ("version = 1\n[[exception]]\ncode = 'a.b'", "exception"),
    "later key include": ("version = 1\ninclude = ['@ci']", "include"),
    "unknown kind": ("version = 1\n[[evidence]]\nclaim = 'a'\nkind = 'test'", r"evidence\[0\].kind is 'test'"),
    "kind of a later version": ("version=1\n[[evidence]]\nclaim='a'\nkind='tests'", "tests is not available"),
    "argv for a file": ("version=1\n[[evidence]]\nclaim='a'\nkind='file'\nargv=['x']", r"evidence\[0\].argv"),
    "paths for a command": ("version=1\n[[evidence]]\nclaim='a'\nkind='command'\npaths=['x']", r"evidence\[0\].paths"),
    "a path that escapes": ("version=1\n[[evidence]]\nclaim='a'\nkind='file'\npaths=['../x']", "paths"),
    "the same demand twice": (
        "version=1\n[[evidence]]\nclaim='a'\nkind='file'\n[[evidence]]\nclaim='a'\nkind='file'",
        r"evidence\[1\]: stands there twice",
    ),
    "empty argv": ("version=1\n[[command]]\nargv=[]", r"command\[0\].argv: is empty"),
    "relative executable": ("version=1\n[[command]]\nargv=['make']", "make is not an absolute path"),
    "the same command twice": ("version=1\n[[command]]\nargv=['/a']\n[[command]]\nargv=['/a']", "twice"),
    "timeout of zero": ("version=1\n[[command]]\nargv=['/a']\ntimeout=0", "timeout"),
    "unknown level": ("version=1\n[sandbox]\nrequired='docker'", "sandbox.required"),
    "relative read-only path": ("version=1\n[sandbox]\nreadOnly=['opt']", "opt is not an absolute path"),
    "bad variable name": ("version=1\n[sandbox.variables]\n'A-B'='x'", "A-B is not a variable's name"),
    "empty freshness": ("version=1\n[freshness]", "freshness: is empty"),
    "negative age": ("version=1\n[freshness]\nmaxAge=-1", "freshness.maxAge"),
    "empty models": ("version=1\n[agent]\nmodels=[]", "agent.models: is empty"),
    "empty usage": ("version=1\n[usage]", "usage: is empty"),
    "usage as a float": ("version=1\n[usage]\nmaxIterations=1.0", "usage.maxIterations"),
    "no predicate types": ("version=1\npredicateTypes=[]", "predicateTypes: is empty"),
    "no plugins": ("version=1\nplugins=[]", "plugins: is empty"),
    "unknown limit": ("version=1\n[limits]\nclaim=1", "unknown limit claim"),
    "limit of zero": ("version=1\n[limits]\nclaims=0", "limit claims is 0"),
    "limit over its ceiling": ("version=1\n[limits]\nclaims=101", "limit claims is 101, it can be 1 to 100"),
    "a NUL in a command": (
        'version = 1\n[[command]]\nargv = ["/bin/sh", "a\\u0000"]',
        r"command\[0\].argv: .* holds a NUL",
    ),
    "a NUL in a path": ('version = 1\n[sandbox]\nreadOnly = ["/a\\u0000"]', "sandbox.readOnly: .* holds a NUL"),
    "a NUL in a variable": ('version = 1\n[sandbox]\nvariables = {A = "\\u0000"}', "variables.A: .* holds a NUL"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_profile_is_refused_by_place(text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        load_profile(text.encode(), what="acceptance.toml")
    assert caught.value.message.startswith("acceptance.toml: ")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("version = 1\nminimumAsurance = 'reported'", "did you mean minimumAssurance?"),
        ("version = 1\n[sandbox]\nrequird = 'rlimits'", "did you mean required?"),
        ("version = 1\ncollection = 'minmal'", "did you mean minimal?"),
        ("version = 1\nminimumAssurance = 'full'", "valid here: fully_rechecked, partially_rechecked, reported"),
        ("version = 1\n[sandbox]\nrequired = 'bublewrap'", "did you mean bubblewrap?"),
        ("version = 1\n[limits]\nclaim=1", "did you mean claims?"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest_one(text: str, hint: str) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profile(text.encode(), what="acceptance.toml")
    assert caught.value.hint == hint


def test_not_utf8_is_refused() -> None:
    with pytest.raises(ProfileError, match="not UTF-8 at byte 0"):
        load_profile(b"\xff", what="acceptance.toml")


def test_a_whole_profile_is_read() -> None:
    text = f"""
    version = 1
    collection = "minimal"
    minimumAssurance = "partially_rechecked"
    predicateTypes = ["https://w3id.org/done-receipt/v0.1"]
    plugins = ["other"]
    [[evidence]]
    claim = "report"
    kind = "file"
    paths = ["report.md"]
    [[command]]
    argv = ["/usr/bin/make", "test"]
    exitCode = 0
    stdoutContains = "OK"
    timeout = 60
    [sandbox]
    required = "landlock"
    readOnly = ["/opt/tool"]
    variables = {{ CI = "1" }}
    [freshness]
    maxAge = 3600
    skew = 60
    [agent]
    models = ["m"]
    [usage]
    maxInputTokens = 1
    [limits]
    claims = {LIMITS["claims"].default}
    """
    profile = load_profile(text.encode(), what="acceptance.toml")
    assert profile.evidence[0].paths == ("report.md",)
    assert profile.command[0].stdout_contains == "OK"
    assert profile.sandbox is not None
    assert profile.sandbox.variables == {"CI": "1"}
