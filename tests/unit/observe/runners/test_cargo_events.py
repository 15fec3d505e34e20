"""What Rust test binaries write, honest and not."""

import json
import time
from typing import Any, Final

import pytest

from in_toto_done_receipt.observe.runners.cargo_events import planned, read_events
from in_toto_done_receipt.observe.runners.judge import Event

STARTED: Final = b'{ "type": "suite", "event": "started", "test_count": 2 }\n'
GOOD: Final = b'{ "type": "test", "event": "started", "name": "a" }\n{ "type": "test", "name": "a", "event": "ok" }\n'
RED: Final = (
    b'{ "type": "test", "event": "started", "name": "b" }\n'
    b'{ "type": "test", "name": "b", "event": "failed", "stdout": "line\\n{ \\"type\\": \\"test\\", \\"x\\" }" }\n'
)


def ended(event: str, passed: int, failed: int, ignored: int = 0) -> bytes:
    counts = f'"passed": {passed}, "failed": {failed}, "ignored": {ignored}, "measured": 0, "filtered_out": 0'
    return f'{{ "type": "suite", "event": "{event}", {counts} }}\n'.encode()


def events(output: bytes) -> list[Event]:
    return list(read_events(output))


def test_events_are_starts_outcomes_and_the_end() -> None:
    assert events(STARTED + GOOD + RED + ended("failed", 1, 1)) == [
        ("start", "a"),
        ("passed", "a"),
        ("start", "b"),
        ("failed", "b"),
        ("end", "failed"),
    ]


def test_ignored_test_is_skipped() -> None:
    output = b'{ "type": "test", "name": "a", "event": "ignored", "message": "slow" }\n' + ended("ok", 0, 0, 1)
    assert events(output) == [("skipped", "a"), ("end", "ok")]


def test_slow_test_is_not_over() -> None:
    assert events(b'{ "type": "test", "event": "timeout", "name": "a" }\n') == []


@pytest.mark.parametrize("stray", [b"text\n", b"open end", b"{ json }\n", b'{"type": "test"}\n', b"\xff\xfe"])
def test_what_tests_write_themselves_is_passed_by(stray: bytes) -> None:
    assert events(stray + GOOD) == [("start", "a"), ("passed", "a")]


def test_text_behind_an_event_is_passed_by() -> None:
    assert events(b'{ "type": "test", "event": "started", "name": "a" } text\n') == [("start", "a")]


def test_counts_that_are_not_what_was_reported_are_a_fault() -> None:
    (_, _, bad, _) = events(GOOD + ended("ok", 2, 0))
    assert bad[0] == "bad"


@pytest.mark.parametrize(
    "line",
    [
        b'{ "type": "test", "event": ',
        b'{ "type": "test", "name": "a" }',
        b'{ "type": "test", "x": ' + b"[" * 100_000,
    ],
)
def test_broken_event_is_a_fault(line: bytes) -> None:
    assert [kind for kind, _ in events(line + b"\n")] == ["bad"]


@pytest.mark.parametrize("value", [None, 1, [], {}, ["ok"], "other"])
def test_event_of_another_shape_is_none(value: Any) -> None:
    line = '{ "type": "test", "name": "a", "event": ' + json.dumps(value) + " }\n"
    assert events(line.encode()) == []


@pytest.mark.parametrize("piece", [b'{ "type": "test", ', b'{ "type": "test", "a": "', b"a: ", b"{"])
def test_hostile_output_is_read_in_bounded_time(piece: bytes) -> None:
    began = time.monotonic()
    events(piece * 100_000)
    planned(piece * 100_000)
    assert time.monotonic() - began < 2


def test_plan_is_what_is_listed() -> None:
    assert planned(b"a::b: test\nc: benchmark\n\nstray\nd: other\n") == ("a::b", "c")
