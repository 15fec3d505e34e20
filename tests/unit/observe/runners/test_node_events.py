"""What the reporter in Node's parent process wrote, honest and not."""

import hashlib
import hmac
import json
from typing import Any

import pytest

from in_toto_done_receipt.observe.runners.judge import Event, judge
from in_toto_done_receipt.observe.runners.node_events import read_events

KEY = b"k" * 32
ROOT = "/run/tree"
A = f"{ROOT}/tests/a.test.js"


def lines(*rows: tuple[Any, ...], key: bytes = KEY) -> bytes:
    found = []
    for number, row in enumerate(rows):
        body = json.dumps([number, *row]).encode()
        found.append(hmac.new(key, body, hashlib.sha256).hexdigest().encode() + b" " + body + b"\n")
    return b"".join(found)


def of(state: str, *names: str, file: str = A, kind: str = "test") -> list[tuple[Any, ...]]:
    nesting = len(names) - 1
    return [
        ("plan", nesting, file, names[-1]),
        ("start", nesting, file, names[-1]),
        (state, nesting, file, names[-1], kind),
    ]


END = ("end", 0, "", "")


def events(data: bytes, helpers: frozenset[str] = frozenset()) -> list[Event]:
    return read_events(data, KEY, ROOT, helpers)


def states(data: bytes) -> dict[str, str]:
    return dict(judge(events(data), None)[1])


def faults(data: bytes) -> tuple[str, ...]:
    return judge(events(data), None)[2]


def test_ids_are_file_suites_and_name() -> None:
    rows = [
        ("plan", 0, A, "s"),
        ("start", 0, A, "s"),
        *of("passed", "s", "in"),
        *of("failed", "s", "red"),
        ("failed", 0, A, "s", "suite"),
        *of("skipped", "off"),
        END,
    ]
    assert states(lines(*rows)) == {
        "tests/a.test.js > s > in": "passed",
        "tests/a.test.js > s > red": "failed",
        "tests/a.test.js > off": "skipped",
    }
    assert faults(lines(*rows)) == ()


def test_a_file_can_be_a_url() -> None:
    rows = [*of("passed", "a", file="file:///run/tree/tests/a%20b.test.mjs"), END]
    assert states(lines(*rows)) == {"tests/a b.test.mjs > a": "passed"}


def test_repeated_names_are_numbered() -> None:
    rows = [*of("passed", "a"), *of("failed", "a"), *of("passed", "a"), END]
    assert states(lines(*rows)) == {
        "tests/a.test.js > a": "passed",
        "tests/a.test.js > a #2": "failed",
        "tests/a.test.js > a #3": "passed",
    }


def test_a_suite_that_fails_by_itself_is_an_error() -> None:
    assert states(lines(*of("failed", "s", kind="suite"), END)) == {"tests/a.test.js > s": "error"}


def test_a_file_that_fails_as_a_whole_is_an_error() -> None:
    for name in (A, "tests/a.test.js"):  # versions differ
        rows = [*of("passed", "a"), *of("failed", name), END]
        assert states(lines(*rows)) == {"tests/a.test.js > a": "passed", "tests/a.test.js": "error"}


def test_a_file_that_ends_before_its_first_test_is_noise() -> None:
    data = lines(*of("passed", A), END)
    assert faults(data) == ("not an event: tests/a.test.js ended without a test",)
    assert judge(events(data, frozenset({"tests/a.test.js"})), 0) == ((), {}, ())


@pytest.mark.parametrize(
    ("data", "fault"),
    {
        "another key": (lines(END, key=b"other"), "not an event: "),
        "no key": (b'["passed", 0, "a"]\n' + lines(END), 'not an event: ["passed", 0, "a"]'),
        "printed beside": (b"hello\n" + lines(END), "not an event: hello"),
        "bytes": (b"\xff\n" + lines(END), "not an event: \\xff"),
        "said twice": (lines(*of("passed", "a")) + lines(*of("passed", "a"), END), "not an event: "),
        "left out": (lines(*of("passed", "a"), END).partition(b"\n")[2], "not an event: "),
        "cut off": (lines(*of("passed", "a")), "no end: the run broke off"),
        "nothing": (b"", "no end: the run broke off"),
        "announced and not reported": (
            lines(("plan", 0, A, "b"), *of("passed", "a"), END),
            "1 planned and never started: tests/a.test.js > (not reported 2)",
        ),
        "reported and not announced": (
            lines(*of("passed", "a")[1:], END),
            "not an event: tests/a.test.js announced 0 tests, and reported 1",
        ),
        "started and not ended": (
            lines(*of("passed", "a")[:2], END),
            "1 started and never ended: tests/a.test.js > a",
        ),
        "no start": (lines(*of("passed", "a")[::2], END), "not an event: outcome before start: a"),
        "in no suite": (lines(*of("passed", "s", "a"), END), "not an event: a test in no suite: a"),
        "after the end": (lines(END, *of("passed", "a")), "start after the end: tests/a.test.js > a"),
    }.values(),
)
def test_a_contradiction_is_a_fault(data: bytes, fault: str) -> None:
    assert any(found.startswith(fault) for found in faults(data)), faults(data)


@pytest.mark.parametrize("body", [b"{", b"1", b"[0]", b'[0,"start","x","",""]', b"[0,1,2,3,4,5,6]", b"[" * 5000])
def test_whoever_knew_the_key_could_write_anything(body: bytes) -> None:
    code = hmac.new(KEY, body, hashlib.sha256).hexdigest().encode()
    assert faults(code + b" " + body + b"\n" + lines(END))


def test_names_of_any_characters() -> None:
    (name,) = states(lines(*of("passed", "a\n\ud800\u2028 > b"), END))
    assert name == "tests/a.test.js > a\n\\ud800\u2028 > b"
    name.encode()
