"""The clean room in reports: counts, what is worse, which layers; ids are no files."""

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.engines import open_engine
from in_toto_done_receipt.report.github import annotations, summary
from in_toto_done_receipt.report.tests import line_of_canaries, line_of_tests
from in_toto_done_receipt.report.text import render_text
from in_toto_done_receipt.results.model import Tests
from in_toto_done_receipt.results.past import Past, read_past
from tests.policy_inputs import ADMITTED


def of(name: str) -> Past:
    (past,) = read_past(ADMITTED.with_name(f"{name}.json").read_bytes(), what="input")
    return past


def room_of(past: Past) -> Tests:
    assert past.result.tests is not None
    return past.result.tests


def test_a_line_says_how_many_there_are() -> None:
    assert line_of_tests(room_of(of("tests"))) == "unittest: 3 at base, 3 on head, 0 new"


def test_it_says_what_is_worse_and_what_is_only_noted() -> None:
    tests = room_of(of("tests_fail"))
    worse = replace(tests, flaky=replace(tests.flaky, total=2), shrunk=replace(tests.shrunk, total=1))
    line = line_of_tests(worse)
    assert tests.red.total > 0
    assert line.endswith(f"{tests.red.total} red, 1 with fewer cases, 2 not the same every time")


def test_layers_are_named_and_none_is_none() -> None:
    tests = room_of(of("tests"))
    assert line_of_canaries(tests) == "planted, halves, gate; 3 test(s) made to fail"
    assert line_of_canaries(replace(tests, layers=())) == "none"


@pytest.mark.parametrize("name", ["tests", "tests_fail"])
def test_each_report_has_the_lines(name: str) -> None:
    past = of(name)
    decision = decide(
        past.result, past.settings or {}, engine=open_engine("embedded"), evaluated_at=past.evaluated_at, seconds=30
    )
    assert decision.allow is (name == "tests")
    assert "\n  canaries    planted, halves, gate" in render_text(past.result, decision)
    assert "| canaries | <code>planted&#44; halves&#44; gate" in summary(past.result, decision)
    bare = annotations(past.result, replace(decision, violations=()))
    assert [line for line in bare.splitlines() if "test-inventory" in line and "file=" in line] == []
    assert ("title=test-inventory.red" in bare) is (name == "tests_fail")
