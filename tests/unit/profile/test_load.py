"""acceptance.toml: every wrong file is an error that names the place, and where there is one the nearest valid name."""

from typing import Any

import msgspec
import pytest

from in_toto_done_receipt.errors import ProfileError
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.model import Profile
from in_toto_done_receipt.wire.record import Record

V = "version = 1\n"
EVIDENCE = V + "[[evidence]]\nclaim = 'a'\n"
COMMAND = V + "[[command]]\n"
TESTS = V + "[tests]\n"
JUNIT = TESTS + "runner='junit'\nargv=['/a','{junit}']\n"
PLANT = "[[tests.plant]]\npath='t{token}.py'\ntext='x'\nfailing=['f{token}']\npassing=['p{token}']\n"
EXCEPTION = V + "[[exception]]\ncode = 'usage.limits'\nreason = 'r'\napprover = 'a'\nexpires = 2027-01-31T00:00:00Z\n"


def exception(**changed: str) -> str:
    members = {"code": "'usage.limits'", "reason": "'r'", "approver": "'a'", "expires": "2027-01-31T00:00:00Z"}
    return V + "[[exception]]\n" + "\n".join(f"{key} = {value}" for key, value in (members | changed).items() if value)


WRONG = {
    "empty file": ("", "is empty"),
    "not TOML": ("version = ", "not TOML"),
    "no version": ('collection = "minimal"', "version"),
    "other version": ("version = 2", "version"),
    "version as text": ('version = "1"', "version"),
    "misspelt key": (V + "minimumAsurance = 'reported'", "unknown key minimumAsurance"),
    "misspelt section": (V + "[sandbx]\nrequired = 'rlimits'", "unknown key sandbx"),
    "misspelt key in a section": (V + "[sandbox]\nrequird = 'rlimits'", "unknown key sandbox.requird"),
    "misspelt key in a list": (EVIDENCE + "kinds='file'", r"unknown key evidence\[0\].kinds"),
    "key twice": (V + "collection = 'ci'\ncollection = 'ci'", "not TOML"),
    "unknown assurance": (V + "minimumAssurance = 'full'", "minimumAssurance is 'full'"),
    "unknown collection": (V + "collection = 'minmal'", "collection is 'minmal'"),
    "several collections": (V + "collection = ['ci']", "collection"),
    # include, exclude
    "empty include": (V + "include = []", "include: is empty"),
    "include of another type": (V + "include = 'usage.limits'", "include: expected `array`"),
    "include twice": (V + "include = ['a.b', 'a.b']", r"include\[1\]: 'a.b' stands there twice"),
    "no selector": (V + "include = ['Usage Limits']", r"include\[0\]: expected a selector, got 'Usage Limits'"),
    "empty selector": (V + "include = ['']", r"include\[0\]: .* >= 1, got ''"),
    "code without a term": (V + "include = ['a.b:']", r"include\[0\]: expected a selector"),
    "unknown collection in a selector": (V + "include = ['@ic']", r"include\[0\]: unknown collection @ic"),
    "empty exclude": (V + "exclude = []", "exclude: is empty"),
    "exclude of a signature rule": (V + "exclude = ['signature.trusted']", "rules of signature cannot be left out"),
    "exclude of statement rules": (V + "exclude = ['statement']", "rules of statement cannot be left out"),
    "exclude of an engine code": (V + "exclude = ['engine.error']", "rules of engine cannot be left out"),
    "included and excluded": (V + "include=['a.b']\nexclude=['a.b']", "a.b is included and excluded"),
    # evidence
    "empty evidence": (V + "evidence = []", "evidence: is empty"),
    "evidence as a table": (V + "[evidence]\nclaim='a'\nkind='file'", "evidence: expected `array`, got `object`"),
    "evidence without a claim": (V + "[[evidence]]\nkind='file'", r"evidence\[0\]: .*claim"),
    "evidence without a kind": (EVIDENCE, r"evidence\[0\]: .*kind"),
    "empty claim": (V + "[[evidence]]\nclaim=''\nkind='file'", r"evidence\[0\].claim: .* >= 1, got ''"),
    "unknown kind": (EVIDENCE + "kind = 'test'", r"evidence\[0\].kind is 'test'"),
    "argv for a file": (EVIDENCE + "kind='file'\nargv=['x']", r"evidence\[0\].argv: goes with kind command or tests"),
    "empty argv of evidence": (EVIDENCE + "kind='command'\nargv=[]", r"evidence\[0\].argv: is empty"),
    "a NUL in evidence": (EVIDENCE + 'kind="command"\nargv=["/a", "\\u0000"]', r"evidence\[0\].argv: .* holds a NUL"),
    "runner for a command": (
        EVIDENCE + "kind='command'\nrunner='pytest'",
        r"evidence\[0\].runner: goes with",
    ),
    "unknown runner": (EVIDENCE + "kind='tests'\nrunner='pytests'", r"evidence\[0\].runner is 'pytests'"),
    "argv and runner": (EVIDENCE + "kind='tests'\nrunner='go'\nargv=['/a']", "argv and runner exclude each other"),
    "paths for a command": (
        EVIDENCE + "kind='command'\npaths=['x']",
        r"evidence\[0\].paths: goes with",
    ),
    "empty paths": (EVIDENCE + "kind='file'\npaths=[]", r"evidence\[0\].paths: is empty"),
    "a path that escapes": (EVIDENCE + "kind='file'\npaths=['../x']", r"evidence\[0\].paths: ../x"),
    "a path twice": (EVIDENCE + "kind='file'\npaths=['x', 'x']", r"evidence\[0\].paths\[1\]: 'x' stands there twice"),
    "the same demand twice": (EVIDENCE + "kind='file'\n[[evidence]]\nclaim='a'\nkind='file'", r"evidence\[1\]: stands"),
    # command
    "empty command": (V + "command = []", "command: is empty"),
    "empty argv": (COMMAND + "argv=[]", r"command\[0\].argv: is empty"),
    "argv as text": (COMMAND + "argv='/usr/bin/make test'", r"command\[0\].argv: expected `array`, got `str`"),
    "empty executable": (COMMAND + "argv=['']", r"command\[0\].argv: is empty"),
    "relative executable": (COMMAND + "argv=['make']", "make is not an absolute path"),
    "the same command twice": (COMMAND + "argv=['/a']\n[[command]]\nargv=['/a']", r"command\[1\]: stands there twice"),
    "exit code out of range": (COMMAND + "argv=['/a']\nexitCode=4294967296", r"exitCode: .* <= \d+, got 4294967296"),
    "exit code as text": (COMMAND + "argv=['/a']\nexitCode='0'", r"command\[0\].exitCode: expected `int`, got `str`"),
    "empty stdoutContains": (COMMAND + "argv=['/a']\nstdoutContains=''", r"command\[0\].stdoutContains: .*, got ''"),
    "timeout of zero": (COMMAND + "argv=['/a']\ntimeout=0", r"command\[0\].timeout: .* >= 1, got 0"),
    "timeout of two days": (COMMAND + "argv=['/a']\ntimeout=172800", r"command\[0\].timeout: .* <= 86400, got 172800"),
    "timeout as text": (COMMAND + "argv=['/a']\ntimeout='20s'", r"command\[0\].timeout: expected `int`, got `str`"),
    "a NUL in a command": (COMMAND + 'argv = ["/bin/sh", "a\\u0000"]', r"command\[0\].argv: .* holds a NUL"),
    # tests
    "empty tests": (V + "[tests]", "tests: is empty"),
    "tests twice": (V + "[[tests]]\nrunner='go'\nargv=['/a']", "tests: expected `object`, got `array`"),
    "tests without a runner": (TESTS + "argv=['/a']", "tests: .*runner"),
    "tests without argv": (TESTS + "runner='go'", "tests: .*argv"),
    "unknown test runner": (TESTS + "runner='py.test'\nargv=['/a']", "tests.runner is 'py.test'"),
    "empty argv of tests": (TESTS + "runner='go'\nargv=[]", "tests.argv: is empty"),
    "relative test runner": (
        TESTS + "runner='go'\nargv=['go', 'test']",
        "executable go is not an absolute",
    ),
    "junit without a place": (
        TESTS + "runner='junit'\nargv=['/a']",
        "{junit} 0 times, .* wants it once",
    ),
    "junit twice": (TESTS + "runner='junit'\nargv=['/a', '{junit}', '{junit}']", "names {junit} 2 times"),
    "junit twice for pytest": (TESTS + "runner='pytest'\nargv=['/a', '{junit}{junit}']", "2 times, at most once"),
    "empty canaries": (TESTS + "runner='go'\nargv=['/a']\ncanaries=[]", "tests.canaries: is empty"),
    "unknown canary": (TESTS + "runner='go'\nargv=['/a']\ncanaries=['plantd']", "tests.canaries is 'plantd'"),
    "a canary twice": (
        TESTS + "runner='go'\nargv=['/a']\ncanaries=['gate','gate']",
        r"canaries\[1\]: .gate. stands",
    ),
    "halves of junit": (
        TESTS + "runner='junit'\nargv=['/a','{junit}']\ncanaries=['halves']",
        ".* not halves",
    ),
    "value of go": (TESTS + "runner='go'\nargv=['/a']\ncanaries=['value']", "value goes with pytest and unittest"),
    "negativeControl as text": (
        TESTS + "runner='go'\nargv=['/a']\nnegativeControl='yes'",
        "negativeControl: expected",
    ),
    "a hundred reruns": (TESTS + "runner='go'\nargv=['/a']\nreruns=100", "tests.reruns: .* <= 10, got 100"),
    "three jobs": (TESTS + "runner='go'\nargv=['/a']\njobs=3", "tests.jobs: .* <= 2, got 3"),
    "writable as text": (TESTS + "runner='go'\nargv=['/a']\nwritable='no'", "tests.writable: expected `bool`"),
    "no time": (TESTS + "runner='go'\nargv=['/a']\ntimeout=0", "tests.timeout: .* >= 1"),
    "packages of go": (TESTS + "runner='go'\nargv=['/a']\nnodeModules='/b'", "nodeModules: goes with runner node"),
    "relative packages": (TESTS + "runner='node'\nargv=['/a']\nnodeModules='b'", "b is not an absolute path"),
    "cache of pytest": (TESTS + "runner='pytest'\nargv=['/a']\ncache='/b'", "tests.cache: goes with runner go"),
    "relative cache": (TESTS + "runner='go'\nargv=['/a']\ncache='b'", "tests.cache: b is not an absolute path"),
    "canaries for pytest": (
        TESTS + "runner='pytest'\nargv=['/a']\n" + PLANT,
        "tests.plant: goes with runner junit, pytest plants canaries of its own",
    ),
    "nothing to plant": (JUNIT + "canaries=['planted']", "planted is demanded, and .* says nothing to plant"),
    "planted outside": (JUNIT + PLANT.replace("t{token}.py", "../t"), r"tests.plant\[0\].path: ../t: "),
    "a failing test that can be guessed": (JUNIT + PLANT.replace("f{token}", "f"), r"failing\[0\]: f does not hold"),
    "failing and passing": (JUNIT + PLANT.replace("p{token}", "f{token}"), r"f{token} is failing and passing"),
    "planted twice": (JUNIT + PLANT + PLANT, r"tests.plant\[1\]: stands there twice"),
    # contract, change, source
    "empty contract": (V + "[contract]", "contract: is empty"),
    "nothing sealed": (V + "[contract]\nsealed=[]", "contract.sealed: is empty"),
    "sealed folder": (V + "[contract]\nsealed=['tests/']", r"contract.sealed\[0\]: glob tests/: it names a directory"),
    "sealed outside": (V + "[contract]\nsealed=['../tests/**']", r"contract.sealed\[0\]: .* an empty, \. or \.\. part"),
    "protected by half a glob": (V + "[contract]\nprotected=['[a']", r"contract.protected\[0\]: .* \[ is not closed"),
    "empty change": (V + "[change]", "change: is empty"),
    "nothing allowed": (V + "[change]\nallowed=[]", "change.allowed: is empty"),
    "absolute glob": (V + "[change]\nallowed=['/src/**']", r"change.allowed\[0\]: .* it is absolute"),
    "two stars beside a name": (
        V + "[change]\nprotected=['**.py']",
        r"protected\[0\]: .* stands for whole",
    ),
    "allowed and protected": (V + "[change]\nallowed=['a','b']\nprotected=['b']", "change: b is allowed and protected"),
    "empty source": (V + "[source]", "source: is empty"),
    "no repository": (V + "[source]\nrepository=''", "source.repository: .* got ''"),
    "repository without a scheme": (V + "[source]\nrepository='github.com/a/b'", "source.repository: expected a URI"),
    # sandbox
    "empty sandbox": (V + "[sandbox]", "sandbox: is empty"),
    "unknown level": (V + "[sandbox]\nrequired='docker'", "sandbox.required is 'docker'"),
    "no read-only path": (V + "[sandbox]\nreadOnly=[]", "sandbox.readOnly: is empty"),
    "relative read-only path": (
        V + "[sandbox]\nreadOnly=['opt']",
        r"readOnly\[0\]: opt is not an absolute",
    ),
    "a NUL in a path": (V + '[sandbox]\nreadOnly = ["/a\\u0000"]', r"sandbox.readOnly\[0\]: .* holds a NUL"),
    "no variables": (V + "[sandbox]\nvariables={}", "sandbox.variables: is empty"),
    "bad variable name": (V + "[sandbox.variables]\n'A-B'='x'", "A-B is not a variable's name"),
    "variable of a number": (V + "[sandbox.variables]\nA = 1", "sandbox.variables.A: expected `str`, got `int`"),
    "a NUL in a variable": (V + '[sandbox]\nvariables = {A = "\\u0000"}', "variables.A: .* holds a NUL"),
    # freshness
    "empty freshness": (V + "[freshness]", "freshness: is empty"),
    "negative age": (V + "[freshness]\nmaxAge=-1", "freshness.maxAge: .* >= 1, got -1"),
    "age of zero": (V + "[freshness]\nmaxAge=0", "freshness.maxAge: .* >= 1, got 0"),
    "age as text": (V + "[freshness]\nmaxAge='1 day'", "freshness.maxAge: expected `int`, got `str`"),
    "negative skew": (V + "[freshness]\nskew=-1", "freshness.skew: .* >= 0, got -1"),
    "skew of two days": (V + "[freshness]\nskew=172800", "freshness.skew: .* <= 86400, got 172800"),
    # agent, usage
    "empty agent": (V + "[agent]", "agent: is empty"),
    "empty models": (V + "[agent]\nmodels=[]", "agent.models: is empty"),
    "an empty model": (V + "[agent]\nmodels=['']", r"agent.models\[0\]: .* >= 1, got ''"),
    "a model twice": (V + "[agent]\nmodels=['a', 'a']", r"agent.models\[1\]: 'a' stands there twice"),
    "empty usage": (V + "[usage]", "usage: is empty"),
    "usage as a float": (V + "[usage]\nmaxIterations=1.0", "usage.maxIterations: expected `int`, got `float`"),
    "negative usage": (V + "[usage]\nmaxToolCalls=-1", "usage.maxToolCalls: .* >= 0, got -1"),
    # predicateTypes, plugins
    "no predicate types": (V + "predicateTypes=[]", "predicateTypes: is empty"),
    "predicate type without a scheme": (V + "predicateTypes=['done-receipt']", r"predicateTypes\[0\]: expected a URI"),
    "predicate type twice": (V + "predicateTypes=['a:b', 'a:b']", r"predicateTypes\[1\]: 'a:b' stands there twice"),
    "no plugins": (V + "plugins=[]", "plugins: is empty"),
    "an empty plugin": (V + "plugins=['']", r"plugins\[0\]: .* >= 1, got ''"),
    # exception
    "no exception": (V + "exception = []", "exception: is empty"),
    "exception as a table": (V + "[exception]\ncode='a.b'", "exception: expected `array`, got `object`"),
    "exception without a code": (exception(code=""), r"exception\[0\]: .*code"),
    "exception without a reason": (exception(reason=""), r"exception\[0\]: .*reason"),
    "exception without an approver": (exception(approver=""), r"exception\[0\]: .*approver"),
    "exception without an end": (exception(expires=""), r"exception\[0\]: .*expires"),
    "exception with an empty reason": (exception(reason="''"), r"exception\[0\].reason: .* got ''"),
    "exception with a blank approver": (exception(approver="'  '"), r"exception\[0\].approver: is empty"),
    "exception with an empty term": (exception(term="''"), r"exception\[0\].term: .* got ''"),
    "exception with an empty subject": (exception(subject="''"), r"exception\[0\].subject: .* got ''"),
    "exception for a category": (exception(code="'usage'"), r"exception\[0\].code: usage names more than one rule"),
    "exception for a collection": (exception(code="'@ci'"), r"exception\[0\].code: @ci names more than one rule"),
    "exception with the term in the code": (exception(code="'a.b:c'"), r"exception\[0\].code: a.b:c holds a term"),
    "exception for a signature": (exception(code="'signature.trusted'"), "rules of signature cannot be excepted"),
    "exception for a statement": (exception(code="'statement.coherent'"), "rules of statement cannot be excepted"),
    "exception for an engine": (exception(code="'engine.error'"), "rules of engine cannot be excepted"),
    "exception for exceptions": (exception(code="'profile.exceptions'"), "profile.exceptions cannot be excepted"),
    "exception for no code": (exception(code="'Usage limits'"), r"exception\[0\].code: expected a code"),
    "exception until a day": (exception(expires="2027-01-31"), r"exception\[0\].expires: expected `datetime`"),
    "exception until next year": (exception(expires="'next year'"), r"exception\[0\].expires: .* got 'next year'"),
    "exception until a local time": (exception(expires="2027-01-31T00:00:00"), "expires: a time without a zone"),
    "exception before the calendar": (exception(expires="'0001-01-01T00:00:00+10:00'"), "expires: expected a time of"),
    "exception twice": (EXCEPTION + EXCEPTION.removeprefix(V), r"exception\[1\]: stands there twice"),
    "excepted and excluded": (
        "exclude = ['usage']\n" + EXCEPTION,
        "is excluded: nothing is left to",
    ),
    "misspelt key of an exception": (exception(expire="1"), r"unknown key exception\[0\].expire"),
    # limits
    "no limits": (V + "[limits]", "limits: is empty"),
    "unknown limit": (V + "[limits]\nclaim=1", "limits: unknown limit claim"),
    "limit of zero": (V + "[limits]\nclaims=0", "limit claims is 0"),
    "limit over its ceiling": (V + "[limits]\nclaims=101", "limit claims is 101, it can be 1 to 100"),
    "limit as text": (V + "[limits]\nclaims='all'", "limits.claims: expected `int`, got `str`"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_profile_is_refused_by_place(text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        load_profile(text.encode(), what="acceptance.toml")
    assert caught.value.message.startswith("acceptance.toml: ")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (V + "minimumAsurance = 'reported'", "did you mean minimumAssurance?"),
        (V + "exceptions = []", "did you mean exception?"),
        (V + "[sandbox]\nrequird = 'rlimits'", "did you mean required?"),
        (V + "collection = 'minmal'", "did you mean minimal?"),
        (V + "minimumAssurance = 'full'", "valid here: fully_rechecked, partially_rechecked, reported"),
        (V + "[sandbox]\nrequired = 'bublewrap'", "did you mean bubblewrap?"),
        (V + "[limits]\nclaim=1", "did you mean claims?"),
        (V + "include = ['@ic']", "did you mean @ci?"),
        (TESTS + "runner='py.test'\nargv=['/a']", "did you mean pytest?"),
        (TESTS + "runner='go'\nargv=['/a']\ncanaries=['plantd']", "did you mean planted?"),
        (V + "[change]\nalowed=['a']", "did you mean allowed?"),
        (V + "[contract]\nseals=['a']", "did you mean sealed?"),
        (V + "[source]\nrepo='https://a'", "valid here: repository"),
        (exception(expire="1"), "did you mean expires?"),
        (exception(code="'profile.evidence:a/file'"), 'write code = "profile.evidence" and term = "a/file"'),
        (V + "[evidence]\nclaim='a'", "write [[evidence]] for each, not [evidence]"),
        (V + "[[tests]]\nrunner='go'", "write [tests], not [[tests]]"),
        (V + "[contract]\nsealed=['tests/']", "write tests/** for everything below it"),
        (V + "[agent]\nmodels=[]", "leave models out to ask for nothing"),
    ],
)
def test_what_is_wrong_is_answered_with_what_is_right(text: str, hint: str) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profile(text.encode(), what="acceptance.toml")
    assert caught.value.hint == hint


def test_not_utf8_is_refused() -> None:
    with pytest.raises(ProfileError, match="not UTF-8 at byte 0"):
        load_profile(b"\xff", what="acceptance.toml")


WHOLE = """
version = 1
collection = "ci"
include = ["@protected-branch", "usage", "profile.evidence:report/file"]
exclude = ["subjects.manifest"]
minimumAssurance = "partially_rechecked"
predicateTypes = ["https://w3id.org/done-receipt/v0.1"]
plugins = ["other"]
[[evidence]]
claim = "report"
kind = "file"
paths = ["report.md"]
[[evidence]]
claim = "tests"
kind = "tests"
runner = "pytest"
[[evidence]]
claim = "build"
kind = "command"
argv = ["/usr/bin/make", "test"]
[[command]]
argv = ["/usr/bin/make", "test"]
exitCode = 0
stdoutContains = "OK"
timeout = 60
[tests]
runner = "pytest"
argv = ["/usr/bin/python3", "-m", "pytest", "--junitxml={junit}", "tests"]
negativeControl = true
canaries = ["planted", "halves", "gate", "value"]
[contract]
sealed = ["tests/**", "Makefile"]
protected = ["ci/*.sh"]
[change]
allowed = ["src/**"]
protected = ["src/vendored/**"]
[source]
repository = "https://github.com/example/work"
[sandbox]
required = "landlock"
readOnly = ["/opt/tool"]
variables = { CI = "" }
[freshness]
maxAge = 3600
skew = 60
[agent]
models = ["m"]
[usage]
maxInputTokens = 1
maxOutputTokens = 2
maxIterations = 3
maxToolCalls = 4
[[exception]]
code = "profile.evidence"
term = "build/command"
subject = "src/app.py"
reason = "make is broken on this machine, ticket 7"
approver = "ada@example.com"
expires = 2027-01-31T00:00:00Z
[limits]
claims = 100
"""


def test_a_whole_profile_is_read() -> None:
    profile = load_profile(WHOLE.encode(), what="acceptance.toml")
    assert [name for name in profile.__struct_fields__ if getattr(profile, name) in (None, ())] == []
    assert profile.sandbox is not None
    assert profile.sandbox.variables == {"CI": ""}
    assert profile.exception[0].expires.isoformat() == "2027-01-31T00:00:00+00:00"


@pytest.mark.parametrize("text", ['"2027-01-31T00:00:00Z"', "2027-01-31 00:00:00Z", "2027-01-31T01:00:00+01:00"])
def test_a_time_may_be_written_in_each_way_that_names_a_zone(text: str) -> None:
    profile = load_profile(exception(expires=text).encode(), what="acceptance.toml")
    assert profile.exception[0].expires.timestamp() == 1801353600


def test_every_limit_can_be_set_to_its_default() -> None:
    text = V + "[limits]\n" + "\n".join(f"{name} = {limit.default}" for name, limit in LIMITS.items())
    assert load_profile(text.encode(), what="p").limits == {name: limit.default for name, limit in LIMITS.items()}


def leaves(record: type[Record], place: str = "") -> list[str]:
    """Every key of the profile, dotted, sections and their members."""
    found: list[str] = []
    for field in msgspec.structs.fields(record):
        name = f"{place}{field.encode_name}"
        found.append(name)
        inner = record_in(field.type)
        if inner is not None:
            found += leaves(inner, f"{name}.")
    return found


def record_in(annotation: Any) -> type[Record] | None:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation
    parts = getattr(annotation, "__args__", ())
    return next((found for part in parts if (found := record_in(part)) is not None), None)


LISTED = ("evidence", "command", "exception", "tests.plant")
NEEDED = {
    "evidence": {"claim": "'a'", "kind": "'file'"},
    "command": {"argv": "['/a']"},
    "tests": {"runner": "'go'", "argv": "['/a']"},
    "tests.plant": {"path": "'a'", "text": "'t'", "failing": "['f']", "passing": "['p']"},
    "exception": {"code": "'a.b'", "reason": "'r'", "approver": "'a'", "expires": "2027-01-31T00:00:00Z"},
}


def holding(section: str, members: dict[str, str]) -> str:
    """A profile with this section; one inside another comes after what the outer one needs."""
    outer = section.rpartition(".")[0]
    text = V if not outer else holding(outer, NEEDED[outer])
    text += f"[[{section}]]\n" if section in LISTED else f"[{section}]\n"
    return text + "".join(f"{name} = {value}\n" for name, value in members.items())


@pytest.mark.parametrize("key", leaves(Profile))
def test_no_key_takes_a_value_of_another_type(key: str) -> None:
    section, _, member = key.rpartition(".")
    if section:
        text = holding(section, NEEDED.get(section, {}) | {member: "3.5"})
    else:
        text = "".join(f"{name} = {value}\n" for name, value in {"version": "1", member: "3.5"}.items())
    place = f"{section}[0].{member}" if section in LISTED else key
    with pytest.raises(ProfileError) as caught:
        load_profile(text.encode(), what="acceptance.toml")
    assert caught.value.message.startswith(f"acceptance.toml: {place}: ")


@pytest.mark.parametrize("key", leaves(Profile))
def test_a_key_with_one_letter_missing_is_answered_with_its_name(key: str) -> None:
    section, _, name = key.rpartition(".")
    misspelt = name[:2] + name[3:]
    text = holding(section, {misspelt: "1"}) if section else f"{V}{misspelt} = 1\n"
    with pytest.raises(ProfileError, match="unknown key") as caught:
        load_profile(text.encode(), what="acceptance.toml")
    assert caught.value.hint == f"did you mean {name}?"
