"""The small value types of the wire: paths, times, digests, pointers, canonical JSON."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.wire import pointer
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import digests_match, sha256_hex
from in_toto_done_receipt.wire.paths import check_path, twin_key
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time


@pytest.mark.parametrize(
    "path", ["a", "a/b.txt", ".hidden", "a/..b/...", "é中/\U0001f600", "a b", "-x", "x" * 4096, "~"]
)
def test_check_path_accepts(path: str) -> None:
    assert check_path(path) is None


PATHS = {
    "empty": ("", "got 0"),
    "too long": ("é" * 2048 + "x", "got 4097"),
    "absolute": ("/a", "absolute"),
    "two slashes": ("a//b", "an empty part"),
    "slash at the end": ("a/", "an empty part"),
    "dot": (".", r"a '\.' part"),
    "dot within": ("a/./b", r"a '\.' part"),
    "dot dot": ("../a", r"a '\.\.' part"),
    "dot dot at the end": ("a/..", r"a '\.\.' part"),
    "backslash": ("a\\b", "backslash"),
    "NUL": ("a\x00b", "control character"),
    "line break": ("a\nb", "control character"),
    "DEL": ("a\x7f", "control character"),
    "C1": ("a\x85", "control character"),
    "NFD": ("e\u0301", "NFC"),
    "lone surrogate": ("a\ud800", "lone surrogate"),
}


@pytest.mark.parametrize(("path", "fault"), PATHS.values(), ids=PATHS)
def test_check_path_names_the_fault(path: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        raise ValueError(check_path(path))


@pytest.mark.parametrize(
    ("a", "b"), [("Readme", "README"), ("\u00e9", "e\u0301"), ("stra\u00dfe", "STRASSE"), ("É", "e\u0301")]
)
def test_twin_key_is_equal_for_twins(a: str, b: str) -> None:
    assert twin_key(a) == twin_key(b)


def test_twin_key_differs_for_different_names() -> None:
    assert twin_key("a") != twin_key("b")


TIMES = {
    "2026-11-30T17:21:36Z": datetime(2026, 11, 30, 17, 21, 36, tzinfo=UTC),
    "2026-11-30T17:21:36.3Z": datetime(2026, 11, 30, 17, 21, 36, 300_000, tzinfo=UTC),
    "2026-11-30T17:21:36.123456789Z": datetime(2026, 11, 30, 17, 21, 36, 123_456, tzinfo=UTC),
    "0001-01-01T00:00:00Z": datetime(1, 1, 1, tzinfo=UTC),
    "9999-12-31T23:59:59.999999999Z": datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    "2024-02-29T00:00:00Z": datetime(2024, 2, 29, tzinfo=UTC),
}


@pytest.mark.parametrize(("text", "moment"), TIMES.items())
def test_parse_time_reads(text: str, moment: datetime) -> None:
    assert parse_time(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "", "2026-11-30", "2026-11-30T17:21:36", "2026-11-30T17:21:36z", "2026-11-30t17:21:36Z", "2026-11-30 17:21:36Z",
        "2026-11-30T17:21:36+00:00", "2026-11-30T17:21:36.Z", "2026-11-30T17:21:36.1234567890Z", "2026-11-30T17:21:60Z",
        "2026-11-30T24:00:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z",
        "2026-11-30T17:21Z", "2026-11-30T17:21:36Z\n", " 2026-11-30T17:21:36Z", "\u0662026-11-30T17:21:36Z",
        "-2026-11-30T17:21:36Z", "2026-W48-1T00:00:00Z",
    ],
)  # fmt: skip
def test_parse_time_refuses(text: str) -> None:
    with pytest.raises(MalformedInput, match="expected a"):
        parse_time(text)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05Z"),
        (datetime(2026, 1, 2, 3, 4, 5, 999, tzinfo=UTC), "2026-01-02T03:04:05Z"),
        (datetime(2026, 1, 2, 3, 4, 5, 60_999, tzinfo=UTC), "2026-01-02T03:04:05.060Z"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))), "2026-01-02T01:04:05Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ],
    ids=["seconds", "below a millisecond", "milliseconds", "another zone", "first year"],
)
def test_format_time_writes_seconds_or_milliseconds(moment: datetime, text: str) -> None:
    assert format_time(moment) == text


def test_format_time_refuses_a_moment_without_zone() -> None:
    with pytest.raises(ValueError, match="needs a zone"):
        format_time(datetime(2026, 1, 2))  # noqa: DTZ001 - that is the point


A, B = "a" * 64, "b" * 64
MATCHES: dict[str, tuple[dict[str, str], dict[str, str], bool]] = {
    "equal": ({"sha256": A}, {"sha256": A}, True),
    "different": ({"sha256": A}, {"sha256": B}, False),
    "one more on one side": ({"sha256": A}, {"sha256": A, "sha512": "c" * 128}, True),
    "one of two differs": ({"sha256": A, "sha512": "c" * 128}, {"sha256": A, "sha512": "d" * 128}, False),
    "nothing in common": ({"sha256": A}, {"sha512": "c" * 128}, False),
    "only weak in common": ({"md5": "x", "sha256": A}, {"md5": "x", "sha512": "c" * 128}, False),
    "weak one differs": ({"md5": "x", "sha256": A}, {"md5": "y", "sha256": A}, True),
    "empty": ({}, {}, False),
}


@pytest.mark.parametrize(("a", "b", "expected"), MATCHES.values(), ids=MATCHES)
def test_digests_match(a: dict[str, str], b: dict[str, str], expected: bool) -> None:
    assert digests_match(a, b) is expected


def test_sha256_hex_of_nothing() -> None:
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_pointer_join_escapes() -> None:
    assert pointer.join("/a", "b/c", 0, "~", "") == "/a/b~1c/0/~0/"


def test_pointer_named_quotes_what_is_not_plain() -> None:
    assert pointer.named("/a\n\u202e") == r'"/a\n\u202e"'


# RFC 8785 appendix and section 3.2.3: numbers as ECMAScript writes them, names sorted by UTF-16 code units.
CANONICAL: dict[str, tuple[Any, bytes]] = {
    "numbers": ([333333333.33333329, 1e30, 4.50, 2e-3, 1e-27, 1.0], b"[333333333.3333333,1e+30,4.5,0.002,1e-27,1]"),
    "order of code units": (
        {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\xf6": 7},
        '{"\\r":2,"1":4,"\x80":6,"\xf6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'.encode(),
    ),
    "escapes": ('\x00\x1f"\\/\x7f', b'"\\u0000\\u001f\\"\\\\/\x7f"'),
}


@pytest.mark.parametrize(("value", "expected"), CANONICAL.values(), ids=CANONICAL)
def test_canonical_writes_rfc_8785(value: Any, expected: bytes) -> None:
    assert canonical(value) == expected


def _deep() -> list[Any]:
    tree: list[Any] = []
    for _ in range(100_000):
        tree = [tree]
    return tree


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}, {1: 2}, object(), {"a": b""}, _deep()],
    ids=["nan", "infinity", "integer", "surrogate", "surrogate name", "name", "object", "bytes", "depth"],
)
def test_canonical_refuses_with_our_error(value: Any) -> None:
    with pytest.raises(MalformedInput, match="no canonical JSON"):
        canonical(value)
