"""A run that contradicts itself is told so; one that does not is believed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.observe.runners.judge import Event, judge

HONEST: list[Event] = [
    ("plan", ["a", "b"]),
    ("start", "a"),
    ("passed", "a"),
    ("start", "b"),
    ("failed", "b"),
    ("end", 0),
]


def faults(events: list[Event], exit_code: int | None = 1, **more: Any) -> tuple[str, ...]:
    return judge(events, exit_code, **more)[2]


def test_an_honest_run_has_no_fault() -> None:
    assert judge(HONEST, 1) == (("a", "b"), {"a": "passed", "b": "failed"}, ())


def test_a_run_without_tests_has_no_fault_of_its_own() -> None:
    assert judge([("plan", []), ("end", 0)], 0) == ((), {}, ())


def test_other_exit_codes_can_mean_red() -> None:
    assert faults(HONEST, 101, red=(101,)) == ()


def test_a_run_that_was_ended_has_no_exit_code_to_compare() -> None:
    assert faults(HONEST, None) == ()


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        pytest.param(HONEST[1:], "no plan: nothing was collected", id="no plan"),
        pytest.param([*HONEST[:1], *HONEST], "a second plan", id="two plans"),
        pytest.param([*HONEST[1:5], HONEST[0], HONEST[5]], "the plan came after the first test", id="late plan"),
        pytest.param([("plan", "a"), *HONEST[1:]], "a plan that is no list of ids", id="plan of one word"),
        pytest.param([("plan", ["a", 2]), *HONEST[1:]], "a plan that is no list of ids", id="plan with a number"),
        pytest.param([("plan", ["a", "b", "a"]), *HONEST[1:]], "planned twice: a", id="planned twice"),
        pytest.param([*HONEST[:2], *HONEST[1:]], "started twice: a", id="started twice"),
        pytest.param([*HONEST[:1], *HONEST[2:]], "an outcome before its start: a", id="no start"),
        pytest.param([*HONEST[:3], ("skipped", "a"), *HONEST[3:]], "a second outcome: a", id="two outcomes"),
        pytest.param([*HONEST[:5], ("start", "c"), ("passed", "c"), HONEST[5]], "not planned: c", id="not planned"),
        pytest.param([*HONEST[:2], *HONEST[3:]], "1 started and never ended: a", id="never ended"),
        pytest.param([HONEST[0], *HONEST[3:]], "1 planned and never started: a", id="never started"),
        pytest.param(HONEST[:5], "no end: the run broke off", id="no end"),
        pytest.param([*HONEST, ("start", "c")], "start after the end: c", id="after the end"),
        pytest.param([*HONEST, ("end", 0)], "end after the end: 0", id="two ends"),
        pytest.param([("bad", "hello"), *HONEST], "not an event: hello", id="noise"),
        pytest.param([("fault", "no pytest"), *HONEST], "no pytest", id="complaint"),
        pytest.param([("applause", "a"), *HONEST], "not an event: applause", id="unknown kind"),
        pytest.param([("start", 7), *HONEST], "start of something that is no id: 7", id="no id"),
        pytest.param([("passed", ["a"]), *HONEST], "passed of something that is no id: ['a']", id="list as id"),
    ],
)
def test_a_contradiction_is_a_fault(events: list[Event], fault: str) -> None:
    assert fault in faults(events)


@pytest.mark.parametrize(
    ("events", "exit_code", "fault"),
    [
        pytest.param(HONEST, 0, "exit code 0, and 1 test(s) failed", id="green code of a red run"),
        pytest.param([("plan", []), ("end", 0)], 1, "exit code 1, and no test failed", id="red code of a green run"),
        pytest.param(
            HONEST, 3, "exit code 3, which the runner does not use for tests that failed", id="another exit code"
        ),
        pytest.param(HONEST, -9, "exit code -9, which the runner does not use for tests that failed", id="a signal"),
    ],
)
def test_an_exit_code_that_disagrees_is_the_only_fault(events: list[Event], exit_code: int, fault: str) -> None:
    assert faults(events, exit_code) == (fault,)


def test_the_first_outcome_stands() -> None:
    assert judge([*HONEST[:5], ("passed", "b"), HONEST[5]], 1)[1]["b"] == "failed"


def test_an_expected_failure_is_not_red() -> None:
    events: list[Event] = [("plan", ["a"]), ("start", "a"), ("xfailed", "a"), ("end", 0)]

    assert faults(events, 0) == ()


def test_many_faults_are_counted() -> None:
    found = faults([*HONEST, *[("start", f"t{number}") for number in range(100)]])

    assert (len(found), found[-1]) == (21, "and 80 more")


def test_a_fault_is_short_and_shows_no_control_character() -> None:
    (found,) = faults([("bad", "\x1b[2J" + "x" * 10_000), *HONEST])

    assert len(found) < 200
    assert "\x1b" not in found


STATES = st.sampled_from(["passed", "failed", "error", "skipped", "xfailed", "xpassed"])


@st.composite
def honest_runs(draw: st.DrawFn) -> tuple[list[Event], int]:
    """Tests that start and end one after the other, or several at a time."""
    states = draw(st.dictionaries(st.text(min_size=1, max_size=4), STATES, min_size=1, max_size=5))
    events: list[Event] = []
    waiting = list(states)
    running: list[str] = []
    while waiting or running:
        if waiting and (not running or draw(st.booleans())):
            running.append(waiting.pop())
            events.append(("start", running[-1]))
        else:
            done = running.pop(draw(st.integers(0, len(running) - 1)))
            events.append((states[done], done))
    return [("plan", list(states)), *events, ("end", 0)], int(bool({"failed", "error"} & set(states.values())))


@given(honest_runs())
def test_every_honest_run_is_believed(run: tuple[list[Event], int]) -> None:
    assert judge(*run)[2] == ()


@given(honest_runs(), st.data())
def test_a_run_with_one_event_gone_repeated_or_moved_has_a_fault_or_says_the_same(
    run: tuple[list[Event], int], data: st.DataObject
) -> None:
    events, exit_code = run
    at = data.draw(st.integers(0, len(events) - 1))
    to = data.draw(st.integers(0, len(events) - 1))
    without = events[:at] + events[at + 1 :]
    changed = data.draw(
        st.sampled_from(
            [without, [*events[: to + 1], events[at], *events[to + 1 :]], [*without[:to], events[at], *without[to:]]]
        )
    )
    honest, (_, states, found) = judge(events, exit_code), judge(changed, exit_code)

    assert found or states == honest[1]
    assert found or sorted(changed, key=repr) == sorted(events, key=repr)


@given(honest_runs(), st.data())
def test_a_run_in_which_one_outcome_turns_green_has_a_fault_if_it_was_the_only_red_one(
    run: tuple[list[Event], int], data: st.DataObject
) -> None:
    events, exit_code = run
    red = [event for event in events if event[0] in ("failed", "error")]
    changed: list[Event] = [("passed", what) if (kind, what) in red else (kind, what) for kind, what in events]

    assert bool(judge(changed, exit_code)[2]) is bool(red)
