"""Attack: empty lists, flags looser than the file, a second file that replaces the first one's lists.
Answer: empty where it matters is an error; flags only tighten; several files are all in force.
"""

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile

EMPTY = (
    "predicateTypes = []\n",
    "[agent]\nmodels = []\n",
    "[usage]\n",
    "[freshness]\n",
    "[[command]]\nargv = []\n",
    '[[command]]\nargv = [""]\n',
    "plugins = []\n",
    '[[evidence]]\nclaim = ""\nkind = "file"\n',
    "evidence = []\n",
    "command = []\n",
    "include = []\n",
    "exclude = []\n",
    "exception = []\n",
    "[tests]\n",
    "[contract]\nsealed = []\n",
    "[change]\nallowed = []\n",
    "[source]\n",
    "[sandbox]\n",
    "[limits]\n",
)


def several(desk: Desk, *texts: str, flags: tuple[str, ...] = (), change: generate.Change | None = None) -> list[str]:
    inputs = {f"{number}.toml": generate.PROFILE + text for number, text in enumerate(texts)}
    named = [part for name in inputs for part in ("--profile", name)]
    members = {} if change is None else {"change": change}
    return desk.lay(generate.Case(why="", inputs=inputs, flags=[*named, *flags], **members))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", EMPTY)
def test_threat_39_empty_where_it_matters_is_an_error(desk: Desk, text: str) -> None:
    assert desk.run("verify", *desk.lay(generate.Case(why="", **profile(text)))).code == 4


@pytest.mark.parametrize("text", ["", "version = 1\n", "version = 1\nkey = []\n", "version = 1\nidentity = []\n"])
def test_threat_39_a_trust_file_that_trusts_nobody_is_an_error(desk: Desk, text: str) -> None:
    case = generate.Case(why="", inputs={"trust.toml": text}, trust=["--trust", "trust.toml"])
    assert desk.run("verify", *desk.lay(case)).code == 4


UNMET = '[[evidence]]\nclaim = "none"\nkind = "file"\n'
LOOSER = {
    "assurance": ('minimumAssurance = "fully_rechecked"\n', ("--minimum-assurance", "reported"), "minimumAssurance"),
    "sandbox": ('[sandbox]\nrequired = "bubblewrap"\n', ("--sandbox", "rlimits"), "sandbox.required"),
    "limit": ("[limits]\nevidence = 5\n", ("--limit", "evidence=6"), "limits"),
    "age": ("[freshness]\nmaxAge = 7200\n", ("--max-age", "7201"), "freshness.maxAge"),
    "skew": ("[freshness]\nskew = 60\n", ("--skew", "61"), "freshness.skew"),
    "predicate types": (
        'predicateTypes = ["https://w3id.org/done-receipt/v0.1"]\n',
        ("--predicate-type", "https://w3id.org/done-receipt/v0.1", "--predicate-type", "https://example.com/other"),
        "predicateTypes",
    ),
    "timeout": ("[limits]\nseconds = 5\n", ("--timeout", "6"), "limits"),
    "command": (
        '[[command]]\nargv = ["/bin/true"]\n',
        ("--recheck-commands", "--allow-command", "/bin/false"),
        "command",
    ),
}


@pytest.mark.parametrize(("text", "flags", "key"), LOOSER.values(), ids=LOOSER)
def test_threat_39_a_flag_loosens_by_name_only_and_the_decision_shows_it(
    desk: Desk, text: str, flags: tuple[str, ...], key: str
) -> None:
    assert desk.run("verify", *several(desk, text, flags=flags)).code == 4
    seen = desk.run("verify", *several(desk, text, flags=(*flags, "--override", key)), "--json")
    assert (seen.code, key in seen.document["decision"]["overrides"]) == (0, True)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        (UNMET, "", "profile.evidence"),
        (UNMET, UNMET.replace("none", "greets"), "profile.evidence"),
        ('[agent]\nmodels = ["a", "b"]\n', '[agent]\nmodels = ["b", "model-1"]\n', "agent.model"),
        ("[usage]\nmaxIterations = 2\n", "[usage]\nmaxIterations = 9\n", "usage.limits"),
        ("[usage]\nmaxIterations = 2\n", "[usage]\nmaxToolCalls = 9\n", "usage.limits"),
        ("[freshness]\nmaxAge = 60\n", "[freshness]\nmaxAge = 86400\n", "freshness.time"),
        ('minimumAssurance = "fully_rechecked"\n', 'minimumAssurance = "reported"\n', "assurance.minimum"),
    ],
)
def test_threat_39_of_two_files_both_hold(desk: Desk, first: str, second: str, rule: str, order: int) -> None:
    weak = generate.claims(generate.file_item(), generate.command_item())
    change = weak if rule == "assurance.minimum" else None
    seen = desk.run("verify", *several(desk, *[first, second][::order], change=change), "--json")
    assert seen.code in {11, 12}
    assert rule in seen.violations


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('[agent]\nmodels = ["a"]\n', '[agent]\nmodels = ["b"]\n'),
        ('predicateTypes = ["https://a.example"]\n', 'predicateTypes = ["https://b.example"]\n'),
        ('[[command]]\nargv = ["/bin/true"]\n', '[[command]]\nargv = ["/bin/true"]\nexitCode = 1\n'),
        ('[sandbox]\nvariables = {A = "1"}\n', '[sandbox]\nvariables = {A = "2"}\n'),
    ],
)
def test_threat_39_two_files_that_contradict_are_an_error(desk: Desk, first: str, second: str) -> None:
    assert desk.run("verify", *several(desk, first, second)).code == 4
