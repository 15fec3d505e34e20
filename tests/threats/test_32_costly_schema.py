"""Attack: thousands of objects that a schema compares with each other, or faults of which each is listed.
Answer: counts come first, no schema says uniqueItems, and at most 20 faults are told.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

PACKAGE = Path(__file__).parents[2] / "in_toto_done_receipt"
MANY = 4000


def keywords(tree: Any) -> set[str]:
    values = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    own = set(tree) if isinstance(tree, dict) else set()
    return own.union(*map(keywords, values))


def test_threat_32_no_schema_compares_items_with_each_other() -> None:
    schemas = list(PACKAGE.rglob("*.schema.json"))
    assert schemas
    assert [path.name for path in schemas if "uniqueItems" in keywords(json.loads(path.read_bytes()))] == []


LISTS: dict[str, generate.Change] = {
    "claims": lambda _s, p: p.update(claims=[{"id": f"c{n}", "statement": "x", "evidence": []} for n in range(MANY)]),
    "evidence": generate.claims(*[{"kind": "x", "ok": 1, "observed": {"a": n}} for n in range(MANY)]),
    "seals": lambda _s, p: p["contract"].update(sealed=[{"name": 1, "digest": {}}] * 20_000),
    "subjects": lambda s, _p: s.update(subject=[{"name": "a", "digest": {"sha256": "0" * 64}}] * 20_000),
    "absent": lambda _s, p: p["contract"].update(absent=[{}] * MANY),
}


@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
def test_threat_32_a_long_list_is_one_short_error(desk: Desk, change: generate.Change) -> None:
    seen = desk.run("verify", *desk.lay(generate.Case(why="", change=change)))
    assert seen.code == 3
    assert len(seen.err.splitlines()) <= 22
    assert len(seen.err) < 10_000
