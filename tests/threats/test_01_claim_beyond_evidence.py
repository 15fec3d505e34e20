"""Attack: "all 512 tests pass", and the evidence is that README exists.
Answer: evidence has classes, a profile says which evidence a claim takes, and reports quote the agent's words.
"""

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile

CLAIM = "all 512 tests pass"
README = {"README": "read me\n"}
WEAK = {
    "file exists": generate.path_item("README"),
    "folder exists": generate.path_item("tests", "directory"),
    "nothing there": generate.path_item("failures.txt", "absent"),
    "subject": {
        "kind": "output",
        "artifact": generate.file("greeting.txt", generate.GREETING),
        "ok": True,
        "observed": {"matched": True},
    },
}


def claim(*evidence: generate.Json) -> generate.Change:
    return generate.both(generate.claims(*evidence), generate.update("claims", 0, statement=CLAIM))


@pytest.mark.parametrize("item", WEAK.values(), ids=WEAK)
@pytest.mark.parametrize("least", ["partially_rechecked", "fully_rechecked"])
def test_threat_01_weak_evidence_raises_nothing(desk: Desk, item: generate.Json, least: str) -> None:
    seen = desk.verify(generate.Case(why="", change=claim(item), work=README), "--minimum-assurance", least)
    assert (seen.code, seen.result["assurance"], seen.violations) == (12, "reported", {"assurance.minimum"})


@pytest.mark.parametrize(
    "demand",
    [
        'claim = "greets"\nkind = "command"\n',
        'claim = "greets"\nkind = "file"\npaths = ["results.xml"]\n',
        'claim = "another"\nkind = "file"\n',
        'claim = "greets"\nkind = "text"\n',
    ],
)
def test_threat_01_a_profile_says_what_shows_a_claim(desk: Desk, demand: str) -> None:
    change = claim(generate.file_item("README", README["README"]))
    seen = desk.verify(generate.Case(why="", change=change, work=README, **profile(f"[[evidence]]\n{demand}")))
    assert (seen.code, seen.violations) == (12, {"profile.evidence"})


def test_threat_01_the_report_quotes_the_claim_and_says_what_was_looked_at(desk: Desk) -> None:
    seen = desk.run("verify", *desk.lay(generate.Case(why="", change=claim(generate.path_item("README")), work=README)))
    assert f'"{CLAIM}"' in seen.out
    assert 'path "README": confirmed' in seen.out
    assert not [line for line in seen.out.splitlines() if CLAIM in line and f'"{CLAIM}"' not in line]
