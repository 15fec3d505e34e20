"""Strict JSON against the standard library: the same trees, no other errors, and faults where they are."""

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import MalformedInput, MalformedJson
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.json_fault import first_fault

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(1 - 2**53, 2**53 - 1)
SCALARS = st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | TEXT
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)
# What JSON texts and near misses of them are made of.
SNIPPETS = st.sampled_from(
    [
        '"', "\\", "\\\\", '\\"', "\\u", "\\ud83d", "\\ude00", "\\u0061", '"a"', '"a":', '"\\u0061":', "{", "}", "[",
        "]", ",", ":", " ", "\n", "\t", "0", "-", "1", "01", "1.5", "1e5", "1e999", ".", "e", "9007199254740991",
        "9007199254740992", "12345678901234567", "true", "false", "null", "NaN", "Infinity", "-Infinity", "x", "\x00",
        "é", "\U0001f600", "\u2028", "\ufeff", "{}", "[]", '{"a":1,', '"b":[', "1]",
    ]
)  # fmt: skip
NEAR_JSON = st.lists(SNIPPETS, max_size=30).map("".join)


def check_message(error: MalformedInput) -> None:
    assert error.message.isprintable()


def depth(tree: Any) -> int:
    if isinstance(tree, dict):
        return 1 + max(map(depth, tree.values()), default=0)
    return 1 + max(map(depth, tree), default=0) if isinstance(tree, list) else 0


@given(TREES, st.booleans(), st.sampled_from([None, 1]))
def test_loads_agrees_with_json_on_valid_documents(tree: Any, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(tree, ensure_ascii=ascii_only, indent=indent).encode()
    assert strict_json.loads(data) == json.loads(data) == tree


def strictly(text: str) -> Any:
    """The tree by the standard library with every rule written down plainly, or ValueError."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in items}) < len(items):
            raise ValueError(items)
        return dict(items)

    def number(digits: str) -> float:
        if abs(float(digits)) == float("inf"):
            raise ValueError(digits)
        return float(digits)

    def integer(digits: str) -> int:
        if abs(int(digits)) >= 2**53:
            raise ValueError(digits)
        return int(digits)

    def constant(name: str) -> Any:
        raise ValueError(name)

    tree = json.loads(text, object_pairs_hook=pairs, parse_int=integer, parse_float=number, parse_constant=constant)
    json.dumps(tree, ensure_ascii=False).encode()  # UnicodeEncodeError, a ValueError, for a lone surrogate
    return tree


@given(NEAR_JSON)
def test_loads_accepts_exactly_what_the_plain_rules_accept(text: str) -> None:
    try:
        expected = strictly(text)
    except ValueError:
        with pytest.raises(MalformedJson, match=r"line \d+, column \d+$"):
            strict_json.loads(text.encode())
    else:
        assert strict_json.loads(text.encode()) == expected


@given(NEAR_JSON)
def test_loads_names_the_same_fault_with_and_without_leaps(text: str) -> None:
    try:
        strict_json.loads(text.encode())
    except MalformedJson:
        assert first_fault(text, max_depth=64, shallow=False) == first_fault(text, max_depth=64, shallow=True)
        assert first_fault(text, max_depth=64, shallow=False).fact != "not strict JSON"


@given(NEAR_JSON)
def test_loads_points_into_the_document(text: str) -> None:
    try:
        strict_json.loads(text.encode())
    except MalformedJson as error:
        place = re.search(r"line (\d+), column (\d+)$", error.message)
        assert place is not None
        line = text.split("\n")[int(place[1]) - 1]
        assert 1 <= int(place[2]) <= len(line) + 1


@given(TREES, st.integers(0, 5))
def test_loads_measures_depth(tree: Any, allowed: int) -> None:
    data = json.dumps(tree).encode()
    if depth(tree) <= allowed:
        assert strict_json.loads(data, max_depth=allowed) == tree
    else:
        with pytest.raises(MalformedJson) as caught:
            strict_json.loads(data, max_depth=allowed)
        assert caught.value.kind == "depth"


@given(st.binary() | NEAR_JSON.map(str.encode))
def test_loads_raises_only_our_errors(data: bytes) -> None:
    try:
        strict_json.loads(data)
    except MalformedInput as error:
        check_message(error)


def has_float_beyond_integers(tree: Any) -> bool:
    if isinstance(tree, (dict, list)):
        return any(map(has_float_beyond_integers, tree.values() if isinstance(tree, dict) else tree))
    return isinstance(tree, float) and abs(tree) >= 2**53


@given(TREES)
def test_canonical_round_trip(tree: Any) -> None:
    assume(not has_float_beyond_integers(tree))  # RFC 8785 writes 1e20 as an integer, which strict JSON refuses
    written = canonical(tree)
    read = strict_json.loads(written)
    assert canonical(read) == written
