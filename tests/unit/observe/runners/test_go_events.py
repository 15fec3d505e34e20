"""What Go test binaries write, honest and not."""

import time
from typing import Final

import pytest

from in_toto_done_receipt.observe.runners.go_events import planned, read_events, until_panic
from in_toto_done_receipt.observe.runners.judge import judge

RED_THEN_BROKEN_OFF: Final = [("start", "A"), ("passed", "A"), ("start", "B"), ("failed", "B")]


def test_events_are_those_of_marked_lines() -> None:
    output = (
        b"setting up\n\x16=== RUN   TestA\nopen end\x16--- PASS: TestA (0.01s)\n\x16=== NAME  \n"
        b"\x16=== RUN   TestB\n\x16=== PAUSE TestB\n\x16=== CONT  TestB\n\x16--- SKIP: TestB (0.00s)\n"
        b"\x16=== RUN   TestC\n\x16--- FAIL: TestC (1.00s)\n\x16FAIL\ntorn down\n"
    )
    assert list(read_events(output)) == [
        *(("start", "TestA"), ("passed", "TestA"), ("start", "TestB"), ("skipped", "TestB")),
        *(("start", "TestC"), ("failed", "TestC"), ("end", "")),
    ]


def test_subtests_are_no_events() -> None:
    output = b"\x16=== RUN   TestA/b\n    \x16--- FAIL: TestA/b (0.00s)\n"
    assert list(read_events(output)) == []


@pytest.mark.parametrize(
    "output",
    [
        b"=== RUN   TestA\n",
        b"--- PASS: TestA (0.00s)\n",
        b"PASS\n",
        b"\x16PASS of something\n",
        b"\x16=== RUN   \n",
        b"",
    ],
)
def test_lines_without_the_mark_are_the_tests_own(output: bytes) -> None:
    assert list(read_events(output)) == []


def test_forged_outcome_before_the_real_one_is_a_fault() -> None:
    output = b"\x16=== RUN   TestA\n\x16--- PASS: TestA (0.00s)\n\x16--- FAIL: TestA (0.00s)\n\x16FAIL\n"
    faults = judge([("plan", ["TestA"]), *read_events(output)], 1)[2]
    assert any("a second outcome: TestA" in fault for fault in faults)


def test_bytes_that_are_no_text_do_not_stop_anybody() -> None:
    assert list(read_events(b"\xff\x16=== RUN   Test\xff\n")) == [("start", "Test\ufffd")]


def test_plan_is_what_is_listed() -> None:
    assert planned(b"TestA\nFuzzB\nExampleC\nBenchmarkD\nsetting up TestE\nTestA\n\n", ()) == (
        "TestA",
        "FuzzB",
        "ExampleC",
    )


def test_plan_has_a_name_behind_an_open_line_if_it_began() -> None:
    assert planned(b"set upTestA\nTestB\nset upTestC\n", {"TestA"}) == ("TestA", "TestB")


@pytest.mark.parametrize("line", [b"Test" * 100_000 + b"!", b"\x16=== RUN   " * 50_000, b"\x16--- PASS: " * 50_000])
def test_hostile_output_is_read_in_bounded_time(line: bytes) -> None:
    began = time.monotonic()
    planned(line, ())
    list(read_events(line))
    assert time.monotonic() - began < 2


def test_panic_leaves_what_was_reported() -> None:
    assert until_panic(RED_THEN_BROKEN_OFF, 2, ("A", "B", "C")) == {"A": "passed", "B": "failed"}


def test_paused_test_is_not_reported() -> None:
    events = [*RED_THEN_BROKEN_OFF, ("start", "C")]
    assert until_panic(events, 2, ("A", "B", "C")) == {"A": "passed", "B": "failed"}


@pytest.mark.parametrize(
    ("events", "exit_code"),
    [
        (RED_THEN_BROKEN_OFF, 1),
        (RED_THEN_BROKEN_OFF, 0),
        (RED_THEN_BROKEN_OFF, None),
        ([*RED_THEN_BROKEN_OFF, ("end", "")], 2),
        (RED_THEN_BROKEN_OFF[:2], 2),
        ([*RED_THEN_BROKEN_OFF, ("passed", "B")], 2),
        ([*RED_THEN_BROKEN_OFF, ("passed", "C")], 2),
        ([*RED_THEN_BROKEN_OFF, ("start", "Unknown")], 2),
        ([], 2),
    ],
)
def test_what_is_no_panic_of_a_test_leaves_nothing(events: list[tuple[str, str]], exit_code: int | None) -> None:
    assert until_panic(events, exit_code, ("A", "B", "C")) == {}
