"""Attack: no claims, no evidence, evidence about itself, absence of a made-up name, a made-up kind.
Answer: zero items are `reported`, and weak kinds raise nothing, however many there are.
"""

from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

OUTPUT = {
    "kind": "output",
    "artifact": generate.file("greeting.txt", generate.GREETING),
    "ok": True,
    "observed": {"matched": True},
}
KINDS: dict[str, generate.Change] = {
    "no claims": lambda _statement, predicate: predicate.update(claims=[]),
    "no evidence": generate.claims(),
    "itself": generate.claims(OUTPUT),
    "a made-up name": generate.claims(generate.path_item("no-such-name", "absent")),
    "a made-up kind": generate.claims({"kind": "https://example.com/proof", "ok": True, "observed": {"sure": True}}),
    "all of them, often": generate.claims(
        *[OUTPUT] * 10, *[generate.path_item(f"none-{number}", "absent") for number in range(10)]
    ),
}


@pytest.mark.parametrize("change", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("least", ["partially_rechecked", "fully_rechecked"])
def test_threat_02_nothing_shown_is_reported(desk: Desk, change: Any, least: str) -> None:
    seen = desk.verify(generate.Case(why="", change=change), "--minimum-assurance", least)
    assert (seen.code, seen.result["assurance"]) == (12, "reported")
    assert "assurance.minimum" in seen.violations


def test_threat_02_a_claim_without_evidence_spoils_the_others(desk: Desk) -> None:
    bare = {"id": "fast", "statement": "twice as fast", "evidence": []}
    change: generate.Change = lambda _statement, predicate: predicate["claims"].append(bare)  # noqa: E731
    seen = desk.verify(generate.Case(why="", change=change))
    assert (seen.code, seen.states) == (12, {"greets": "confirmed", "fast": "reported"})
