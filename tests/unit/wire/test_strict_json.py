import sys
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedJson
from in_toto_done_receipt.wire import strict_json

VALID = {
    "empty object": (b"{}", {}),
    "empty array with space": (b" [ \n\t\r] ", []),
    "scalar": (b"true", True),
    "escapes": (rb'"\"\\\/\b\f\n\r\t\u00e9"', '"\\/\b\f\n\r\t\u00e9'),
    "surrogate pair": (rb'"\ud83d\ude00"', "\U0001f600"),
    "surrogate pairs in a row": (rb'"\uD83D\uDE00\ud83d\ude00"', "\U0001f600\U0001f600"),
    "escaped backslash before u": (rb'"\\ud83d"', "\\ud83d"),
    "brackets in strings": (b'["[[[[", "}}}}", "\\"[", "\\\\"]', ["[[[[", "}}}}", '"[', "\\"]),
    "largest integers": (b"[9007199254740991, -9007199254740991]", [2**53 - 1, 1 - 2**53]),
    "digits in a string": (b'"99999999999999999999"', "9" * 20),
    "many digits after the point": (b"[0.12345678901234567890]", [0.12345678901234568]),
    "minus zero": (b"-0", 0),
    "same name in different objects": (
        b'{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}',
        {"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]},
    ),
    "names that differ by an escape of another character": (rb'{"a": 1, "\u0062": 2}', {"a": 1, "b": 2}),
    "not ASCII": ('{"é中": "\U0001f600"}'.encode(), {"é中": "\U0001f600"}),
}

# name: document, kind, fact, line, column
MALFORMED: dict[str, tuple[bytes, str, str, int, int]] = {
    "byte order mark": (b"\xef\xbb\xbf{}", "bom", "byte order mark", 1, 1),
    "not UTF-8": (b'{"a":\n "\xff"}', "utf8", "not UTF-8", 2, 3),
    "truncated UTF-8": ('["é'.encode()[:-1], "utf8", "not UTF-8", 1, 3),
    "overlong UTF-8": (b'["\xc0\xaf"]', "utf8", "not UTF-8", 1, 3),
    "surrogate as UTF-8": (b'["\xed\xa0\x80"]', "utf8", "not UTF-8", 1, 3),
    "UTF-16": ('{"a": 1}'.encode("utf-16-le"), "syntax", "expected a member name", 1, 2),
    "duplicate name": (b'{"a": 1,\n "a": 2}', "duplicate_key", 'duplicate member "a"', 2, 2),
    "duplicate name below": (b'[1, {"b": [{"a": 1, "a": 1}]}]', "duplicate_key", 'duplicate member "a"', 1, 21),
    "duplicate name by an escape": (rb'{"a": 1, "\u0061": 2}', "duplicate_key", 'duplicate member "a"', 1, 10),
    "duplicate empty name": (b'{"": 1, "": 2}', "duplicate_key", 'duplicate member ""', 1, 9),
    "duplicate after nested": (b'{"a": {"x": [1, 2]}, "b": 1, "a": 2}', "duplicate_key", 'member "a"', 1, 30),
    "NaN": (b'{"a": [1, NaN]}', "nan", "NaN is not a JSON number", 1, 11),
    "Infinity": (b'{"a":\n\n  Infinity}', "nan", "Infinity is not", 3, 3),
    "minus Infinity": (b"[-Infinity]", "nan", "-Infinity is not", 1, 2),
    "too large for a double": (b"[1, 1e400]", "nan", "too large for a double", 1, 5),
    "NaN in words before": (b'["NaN", "x", NaN]', "nan", "NaN is not", 1, 14),
    "lone high surrogate": (rb'["ok", "\ud83d"]', "surrogate", r"lone surrogate \\ud83d", 1, 9),
    "lone low surrogate": (rb'["\uDE00"]', "surrogate", r"lone surrogate \\uDE00", 1, 3),
    "low before high": (rb'["\ude00\ud83d"]', "surrogate", r"lone surrogate \\ude00", 1, 3),
    "two highs": (rb'["\ud83d\ud83d\ude00"]', "surrogate", r"lone surrogate", 1, 3),
    "low after a pair": (rb'["\ud83d\ude00\ude00"]', "surrogate", r"lone surrogate", 1, 15),
    "lone surrogate in a name": (rb'{"a": 1, "\ud83d": 1}', "surrogate", "lone surrogate", 1, 11),
    "integer above": (b'{"a": 9007199254740992}', "integer", "beyond 2\\^53-1", 1, 7),
    "integer below": (b"[0, -9007199254740992]", "integer", "beyond 2\\^53-1", 1, 5),
    "integer of 5000 digits": (b"[" + b"1" * 5000 + b"]", "integer", "beyond 2\\^53-1", 1, 2),
    "depth of arrays": (b"[" * 65 + b"]" * 65, "depth", "nested deeper than 64", 1, 65),
    "depth of objects": (b'{"a":' * 65 + b"1" + b"}" * 65, "depth", "nested deeper than 64", 1, 321),
    "depth mixed": (b'[{"a":' * 33 + b"1" + b"}]" * 33, "depth", "nested deeper than 64", 1, 193),
    "depth that would recurse": (b"[" * 200_000, "depth", "nested deeper than 64", 1, 65),
    "trailing text": (b'{"a": 1} x', "trailing", '"x" after the end', 1, 10),
    "trailing document": (b"{}\n{}", "trailing", '"{" after the end', 2, 1),
    "trailing NUL": (b"{}\x00", "trailing", r"after the end", 1, 3),
    "trailing bracket": (b"[]]", "trailing", r'"\]" after the end', 1, 3),
    "empty": (b"", "syntax", "expected a value, got the end", 1, 1),
    "only space": (b" \n ", "syntax", "expected a value, got the end", 2, 2),
    "truncated": (b'{"a": [1, 2', "syntax", 'expected "," or "]", got the end', 1, 12),
    "truncated string": (b'["abc', "syntax", "a string without end", 1, 2),
    "wrong bracket": (b"[1}", "syntax", 'expected "," or "]", got "}"', 1, 3),
    "trailing comma": (b"[1,]", "syntax", 'expected a value, got "\\]"', 1, 4),
    "trailing comma in an object": (b'{"a": 1,}', "syntax", "expected a member name", 1, 9),
    "single quotes": (b"{'a': 1}", "syntax", "expected a member name", 1, 2),
    "no colon": (b'{"a" 1}', "syntax", 'expected ":"', 1, 6),
    "comment": (b"[1, /* */ 2]", "syntax", 'expected a value, got "/"', 1, 5),
    "word": (b"[True]", "syntax", 'expected a value, got "True"', 1, 2),
    "leading zero": (b"[01]", "syntax", 'expected "," or "]", got "1"', 1, 3),
    "plus sign": (b"[+1]", "syntax", "expected a value", 1, 2),
    "bare point": (b"[.5]", "syntax", "expected a value", 1, 2),
    "point without digits": (b"[1.]", "syntax", 'expected "," or "]", got "."', 1, 3),
    "digits that are not ASCII": ("[\u0661]".encode(), "syntax", "expected a value", 1, 2),
    "space that is not JSON's": ("[\u00a01]".encode(), "syntax", "expected a value", 1, 2),
    "control character": (b'["a\tb"]', "syntax", "a control character", 1, 4),
    "NUL in a string": (b'["a\x00b"]', "syntax", "a control character", 1, 4),
    "unknown escape": (rb'["\x41"]', "syntax", "an escape that JSON does not have", 1, 3),
    "short escape": (rb'["\u00e"]', "syntax", "an escape that JSON does not have", 1, 3),
}


@pytest.mark.parametrize(("data", "expected"), VALID.values(), ids=VALID)
def test_loads_reads_strict_documents(data: bytes, expected: Any) -> None:
    assert strict_json.loads(data) == expected


@pytest.mark.parametrize(("data", "kind", "fact", "line", "column"), MALFORMED.values(), ids=MALFORMED)
def test_loads_refuses_with_kind_and_place(data: bytes, kind: str, fact: str, line: int, column: int) -> None:
    with pytest.raises(MalformedJson, match=rf"^thing: .*{fact}.*, line {line}, column {column}$") as caught:
        strict_json.loads(data, what="thing")
    assert caught.value.kind == kind


INSIDE = {name: case for name, case in MALFORMED.items() if case[1] not in ("bom", "trailing") and case[0].strip()}


@pytest.mark.parametrize(("data", "kind", "fact", "line", "column"), INSIDE.values(), ids=INSIDE)
def test_loads_finds_the_fault_after_much_that_is_right(
    data: bytes, kind: str, fact: str, line: int, column: int
) -> None:
    before = b'[{"a": [1.5, {"b": "[\\"\\ud83d\\ude00"}], "c": "\\\\"},\n' * 3
    with pytest.raises(MalformedJson, match=rf"line {line + 3}, column {column}$") as caught:
        strict_json.loads(before + data, max_depth=67)
    assert caught.value.kind == kind


def test_loads_counts_lines_from_the_first_line() -> None:
    with pytest.raises(MalformedJson, match=r"line 42, column 2$"):
        strict_json.loads(b"[x]", first_line=42)


@pytest.mark.parametrize("literal", [b"1.0", b"1e2", b"1E0", b"-0.0"])
def test_loads_keeps_fraction_and_exponent_apart_from_integers(literal: bytes) -> None:
    assert type(strict_json.loads(literal)) is float


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 64 + b"]" * 64,
        b'{"a":' * 64 + b"1" + b"}" * 64,
        b"[" * 63 + b"[],[],{}" + b"]" * 63,
        b"[" * 64 + b'"[[["' + b"]" * 64,
    ],
    ids=["arrays", "objects", "neighbours", "brackets in a string"],
)
def test_loads_accepts_the_whole_depth(data: bytes) -> None:
    assert strict_json.loads(data)


def test_loads_refuses_more_bytes_than_allowed() -> None:
    with pytest.raises(LimitExceeded, match="thing: limit file-bytes is 10, got 11"):
        strict_json.loads(b" " * 11, what="thing", max_bytes=10)


def test_loads_cuts_and_escapes_hostile_names_in_messages() -> None:
    name = "\x7f\u202e" + "n" * 10_000
    with pytest.raises(MalformedJson) as caught:
        strict_json.loads(f'{{"{name}": 1, "{name}": 2}}'.encode())
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 200


LARGE = {
    "nested open": (b"[" * 2**20, "depth"),
    "neighbours then deep": (b"[" + b"[]," * 2**16 + b"[" * 2**16, "depth"),
    "many names, duplicate at the end": (
        b"{" + b"".join(b'"k%d":1,' % n for n in range(2**16)) + b'"k0":1}',
        "duplicate_key",
    ),
    "fault at the bottom of 64 levels": (b'{"a":[' * 32 + b'"x",' * 2**18 + b"NaN", "nan"),
    "one open string": (b'"' + b"[" * 2**21, "syntax"),
    "backslashes": (b'["' + b"\\\\" * 2**18 + b"\\", "syntax"),
    "digits": (b"1" * 2**21, "integer"),
    "line ends": (b"\n" * 2**21, "syntax"),
}


@pytest.mark.parametrize(("data", "kind"), LARGE.values(), ids=LARGE)
def test_loads_refuses_large_documents_of_each_shape(data: bytes, kind: str) -> None:
    with pytest.raises(MalformedJson) as caught:
        strict_json.loads(data)
    assert caught.value.kind == kind


def test_loads_refuses_near_the_recursion_limit_with_its_own_error() -> None:
    def down(frames: int) -> object:
        return strict_json.loads(b"[" * 64 + b"]" * 64) if frames == 0 else down(frames - 1)

    outcomes = set()
    for frames in range(sys.getrecursionlimit() - 200, sys.getrecursionlimit()):
        try:
            down(frames)
            outcomes.add("read")
        except MalformedJson:
            outcomes.add("refused")
        except RecursionError:  # there was no room for a call at all
            outcomes.add("no room")
    assert outcomes <= {"read", "refused", "no room"}
