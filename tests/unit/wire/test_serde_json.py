"""Compact JSON as serde_json writes it; expected texts are the original's."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.wire.components import components
from in_toto_done_receipt.wire.serde_json import dump


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, "1e16"),
        (1e15, "1000000000000000.0"),
        (0.00001, "0.00001"),
        (1e-6, "1e-6"),
        (1.5e-7, "1.5e-7"),
        (1.5e-5, "0.000015"),
        (12.5, "12.5"),
        (100.0, "100.0"),
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (-2.5e-9, "-2.5e-9"),
        (123456789012345680.0, "1.2345678901234568e17"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e308"),
        (2**64 - 1, "18446744073709551615"),
        (-(2**63), "-9223372036854775808"),
        (
            '"\\\b\t\n\f\r\x01\x1f\x7f\u2028\ufeff/\u00e9',
            '"\\"\\\\\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\u2028\ufeff/\u00e9"',
        ),
        ({"b": [1, None, True], "a": {}}, '{"b":[1,null,true],"a":{}}'),
    ],
)
def test_texts_of_the_original(value: Any, text: str) -> None:
    assert dump(value) == text


def test_members_are_sorted_when_asked_for() -> None:
    assert dump({"b": 1, "a": {"\uff5e": 1, "\U0001f600": 2}}, sort=True) == '{"a":{"\uff5e":1,"\U0001f600":2},"b":1}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**64, -(2**63) - 1, "\ud800", {1: 2}, b"x"], ids=repr)
def test_what_it_cannot_say(value: Any) -> None:
    with pytest.raises(MalformedInput):
        dump([value])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_reads_back(value: float) -> None:
    assert float(dump(value)) == value
    assert json.loads(dump(value)) == value


ORDERED = ["", "/", "/a", "./a", ".", "..", "a", "a/b", "a/b-c", "a-b"]


def test_paths_are_in_the_order_of_their_parts() -> None:
    found = sorted(ORDERED, key=components)
    assert found == ["", "/", "/a", ".", "./a", "..", "a", "a/b", "a/b-c", "a-b"]


@pytest.mark.parametrize("other", ["a/./b", "a//b", "a/b/", "a/b/."])
def test_the_same_path_in_another_spelling(other: str) -> None:
    assert components(other) == components("a/b")


@pytest.mark.parametrize("other", ["./a/b", "/a/b", "a/../a/b", "a/b/.."])
def test_another_path(other: str) -> None:
    assert components(other) != components("a/b")
