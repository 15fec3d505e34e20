"""Two lists of tests held against each other: cases, lists in bounded numbers, names that do harm."""

from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.observe.runners.model import TestState
from in_toto_done_receipt.recompute.bounded import bounded
from in_toto_done_receipt.recompute.clean_room.compare import Comparison
from in_toto_done_receipt.recompute.clean_room.facts import facts_of
from in_toto_done_receipt.recompute.clean_room.outcome import Comparing, Outcome, Ran, Trial

PASSED: TestState = "passed"


def ran(*passed: str, **others: TestState) -> Ran:
    return Ran(states=dict.fromkeys(passed, PASSED) | others, exit_code=1, duration_ms=1)


def outcome(base: Ran, head: Ran, restored: Ran | None = None, **members: Any) -> Outcome:
    found = Outcome(
        runner="pytest",
        argv=("/usr/bin/python3", "-m", "pytest"),
        executable="0" * 64,
        runs={"base": base, "head": head, "restored": restored or base},
        trial=Trial(),
        comparing=Comparing(),
        layers=(),
    )
    return replace(found, **members)


def rows(found: Outcome) -> set[tuple[str, str, str | None]]:
    return {(one.status, one.reason.partition(".")[2], one.path) for one in Comparison(found).findings()}


def test_the_same_tests_come_to_nothing() -> None:
    assert rows(outcome(ran("a", "b"), ran("a", "b", "c"))) == set()


def test_fewer_cases_of_a_test_are_about_the_test() -> None:
    found = outcome(ran("t.py::f[1]", "t.py::f[2]", "t.py::f[3]"), ran("t.py::f[1]"))
    assert rows(found) == {("fail", "shrunk", "t.py::f")}
    assert "1 case(s)" in next(iter(Comparison(found).findings())).message


def test_other_cases_of_a_test_are_a_remark() -> None:
    found = outcome(ran("t.py::f[1]", "t.py::f[2]"), ran("t.py::f[1.0]", "t.py::f[2]"))
    assert rows(found) == {("pass", "other_cases", "t.py::f")}


def test_all_cases_gone_are_named_one_by_one() -> None:
    found = outcome(ran("t.py::f[1]", "t.py::f[2]", "t.py::g"), ran("t.py::g"))
    assert rows(found) == {("fail", "missing", "t.py::f[1]"), ("fail", "missing", "t.py::f[2]")}


def test_brackets_of_another_runner_are_part_of_a_name() -> None:
    found = outcome(ran("f[1]", "f[2]"), ran("f[1]"), runner="node")
    assert rows(found) == {("fail", "missing", "f[2]")}


@pytest.mark.parametrize("state", ["skipped", "xfailed", "xpassed"])
def test_what_did_not_pass_at_base_need_not_pass_now(state: TestState) -> None:
    assert rows(outcome(ran("a", b=state), ran("a", b="skipped"))) == set()


def test_a_test_that_was_skipped_and_is_gone_is_gone() -> None:
    assert rows(outcome(ran("a", b="skipped"), ran("a"))) == {("fail", "missing", "b")}


def test_a_test_that_was_red_and_is_gone_is_gone() -> None:
    assert ("fail", "missing", "b") in rows(outcome(ran("a", b="failed"), ran("a")))


def test_a_skipped_test_that_turns_red_is_red() -> None:
    assert rows(outcome(ran("a", b="skipped"), ran("a", b="failed"))) == {("fail", "red", "b")}


def test_a_strict_test_that_was_expected_to_fail_is_told_once() -> None:
    found = outcome(ran("a", "b"), ran("a", b="xpassed"), ran("a", b="xpassed"))
    assert rows(found) == {("fail", "expected_failure", "b")}


def test_the_changed_file_is_that_of_the_test() -> None:
    """Red as base has it, good as head has it: only if the file that changed is the one that it stands in."""
    red = ran("a", b="failed")
    found = outcome(ran("a", "b"), ran("a", "b"), red, path_of={"b": "t.py"}, moved=frozenset({"conftest.py"}))
    assert rows(found) == {("fail", "red", "b")}
    assert rows(replace(found, moved=frozenset({"t.py"}))) == {("fail", "changed_test", "b")}
    assert rows(replace(found, path_of={})) == {("fail", "red", "b")}


def test_red_on_head_too_is_red_whatever_changed() -> None:
    red = ran("a", b="failed")
    found = outcome(ran("a", "b"), red, red, path_of={"b": "t.py"}, moved=frozenset({"t.py"}))
    assert rows(found) == {("fail", "red", "b")}


def test_lists_are_bounded_and_say_how_many_there_are() -> None:
    names = [f"t{number:04}" for number in range(250)]
    found = outcome(ran("a", *names), ran("a"))
    findings = list(bounded(list(Comparison(found).findings()), of="test(s)"))
    assert (len(findings), findings[-1].message) == (101, "and 150 more test(s)")
    listed = facts_of(found).missing
    assert (listed.total, len(listed.ids)) == (250, 100)


def test_of_a_run_that_contradicts_itself_nothing_is_compared() -> None:
    found = outcome(ran("a", "b"), replace(ran("a"), faults=("no end",)))
    assert facts_of(found).missing.total == 0


def test_names_that_do_harm_are_escaped_in_words_and_whole_as_terms() -> None:
    name = "t.py::f\n::error::x\u202e"
    (one,) = Comparison(outcome(ran("a", name), ran("a"))).findings()
    assert "\n" not in one.message
    assert "\u202e" not in one.message
    assert one.path == name
