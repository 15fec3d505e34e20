"""Evidence of kind tests against what a clean room came to."""

from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.observe.runners.model import TestState
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.profile.model import TestsDemand
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.checks import evidence_tests
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun, Obstacle
from in_toto_done_receipt.recompute.clean_room.once import CleanRoom
from in_toto_done_receipt.recompute.clean_room.outcome import Comparing, Outcome, Ran, RunName, Trial
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.engine import state_of
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.statement import read_statement
from testdata.receipts import generate
from testdata.receipts.generate import NOW, payload_of

ARGV = ("/usr/bin/python3", "-m", "pytest", "--junitxml={junit}")
A, B, C = "tests/test_m.py::test_a", "tests/test_m.py::test_b", "tests/test_m.py::test_c"


class Room(CleanRoom):
    """One that has run."""

    def __init__(self, outcome: Outcome | NotRun) -> None:
        super().__init__()
        self._outcome = outcome


def ran(**states: TestState) -> Ran:
    ids = {"a": A, "b": B, "c": C}
    return Ran(states={ids.get(name, name): state for name, state in states.items()}, exit_code=0, duration_ms=1)


def outcome(base: Ran | None = None, head: Ran | None = None, restored: Ran | None = None, **members: Any) -> Outcome:
    good = ran(a="passed", b="passed")
    runs: dict[RunName, Ran] = {"base": base or good, "head": head or good, "restored": restored or head or good}
    kept = {"runner": "pytest", "argv": ARGV, "executable": "0" * 64, "trial": Trial(), "comparing": Comparing()}
    return Outcome(runs=runs, layers=(), **{**kept, **members})


def item(*, ok: bool = True, passed: int = 2, cited: list[str] | None = None, **members: Any) -> dict[str, Any]:
    observed: dict[str, Any] = {"exitCode": 0, "passed": passed, "failed": 0, "errored": 0, "skipped": 0}
    observed["report"] = {"sha256": "0" * 64, "bytes": 1}
    found: dict[str, Any] = {"kind": "tests", "argv": list(ARGV), "observed": observed | members, "ok": ok}
    if cited is not None:
        found["cited"] = cited
    return found


def findings(items: list[dict[str, Any]], room: Outcome | NotRun, *, asked: bool = True) -> tuple[Finding, ...]:
    tree = generate.base()
    tree["predicate"]["claims"][0]["evidence"] = items
    statement = read_statement(payload_of(tree))
    context = RecomputeContext(
        evaluated_at=parse_time(NOW),
        settings=Settings(tests=TestsDemand(runner="pytest", argv=ARGV)),
        recheck_commands=asked,
        clean_room=Room(room),
    )
    return evidence_tests.run(Case(statement=statement, receipt=read_predicate(statement), context=context))


def found(evidence: dict[str, Any], room: Outcome | NotRun) -> Finding:
    (one,) = findings([evidence], room)
    return one


def test_confirmed() -> None:
    one = found(item(), outcome())
    assert (one.status, one.reason, one.evidence) == ("pass", "evidence-tests.confirmed", 0)
    assert one.message == "2 passed, 0 failed, 0 skipped on head as it is, by the verifier's pytest"


def test_each_item_has_a_finding() -> None:
    assert [one.evidence for one in findings([item(), item(passed=9)], outcome())] == [0, 1]


def test_nothing_of_that_kind_asks_for_no_run() -> None:
    assert findings([], NotRun(obstacle="not_run", message="x")) == ()


def test_not_asked_is_reported() -> None:
    (one,) = findings([item()], outcome(), asked=False)
    assert (one.reason, state_of(one)) == ("evidence-tests.not_asked", "reported")


@pytest.mark.parametrize(
    ("obstacle", "state"),
    [
        ("no_command", "blocked"),
        ("sandbox", "blocked"),
        ("untrusted_executable", "blocked"),
        ("no_base", "reported"),
        ("not_run", "error"),
    ],
)
def test_what_stands_in_the_way(obstacle: Obstacle, state: str) -> None:
    one = found(item(), NotRun(obstacle=obstacle, message="why", expected="bubblewrap", observed="rlimits"))
    assert (one.reason, state_of(one), one.message) == (f"evidence-tests.{obstacle}", state, "why")
    assert (one.expected, one.observed) == ("bubblewrap", "rlimits")


RED = {
    "red on head": outcome(head=ran(a="passed", b="failed")),
    "in error on head": outcome(head=ran(a="passed", b="error")),
    "red with base's tests": outcome(restored=ran(a="passed", b="failed")),
    "a new test is red": outcome(head=ran(a="passed", b="passed", c="failed")),
    "red every time": outcome(head=ran(a="passed", b="failed"), reruns={"head": {B: ("failed", None)}}),
    "nothing passed": outcome(head=ran(a="skipped", b="xfailed")),
    "no test": outcome(head=ran(), restored=ran(a="passed", b="passed")),
    "red with base's tests, in a file that head left alone": outcome(
        restored=ran(a="passed", b="failed"), path_of={B: "tests/test_m.py"}, moved=frozenset({"tests/test_n.py"})
    ),
}


@pytest.mark.parametrize("room", RED.values(), ids=RED)
def test_red_tests_refute(room: Outcome) -> None:
    one = found(item(), room)
    assert (one.status, one.reason) == ("fail", "evidence-tests.failed")


def test_what_is_red_is_named() -> None:
    head = ran(a="passed", t0="failed", t1="failed", t2="failed", t3="failed", t4="failed")
    one = found(item(), outcome(head=head, restored=ran(a="passed")))
    assert one.message == "t0, t1, t2 and 2 more red on head as it is; the receipt says that all passed"


GREEN = {
    "red at base, and still": outcome(base=ran(a="passed", b="failed"), head=ran(a="passed", b="failed", c="passed")),
    "good when it ran again": outcome(
        head=ran(a="passed", b="failed"),
        restored=ran(a="passed", b="error"),
        reruns={"head": {B: ("passed",)}, "restored": {B: ("failed", "passed")}},
    ),
    "not in every run of base": outcome(restored=ran(a="passed", b="failed"), unstable=frozenset({B})),
    "rewritten by head, red as base has it": outcome(
        restored=ran(a="passed", b="failed"), path_of={B: "tests/test_m.py"}, moved=frozenset({"tests/test_m.py"})
    ),
    "of the overlay": outcome(restored=ran(a="passed", b="passed", c="failed"), overlay=frozenset({C})),
    "expected to fail, and passes": outcome(head=ran(a="passed", b="xpassed")),
}


@pytest.mark.parametrize("room", GREEN.values(), ids=GREEN)
def test_what_refutes_nobody(room: Outcome) -> None:
    (one, remark) = findings([{**item(), "argv": ["/usr/bin/other", "{junit}"]}], room)
    assert (one.status, remark.reason) == ("pass", "evidence-tests.other_command")


@pytest.mark.parametrize("name", ["base", "head", "restored"])
def test_a_contradiction_is_an_error(name: RunName) -> None:
    room = outcome()
    faulty = replace(room.runs[name], faults=("planned 3, reported 2",))
    one = found(item(), replace(room, runs={**room.runs, name: faulty}))
    assert (one.status, one.reason) == ("error", "evidence-tests.contradiction")
    assert one.message.endswith(": planned 3, reported 2")


DISHONEST = {
    "deaf": outcome(trial=Trial(way="edit", deaf=frozenset({A}))),
    "never entered": outcome(trial=Trial(way="gate", unasked=frozenset({A}))),
    "halves contradict themselves": outcome(trial=Trial(way="gate", faults=("no end",))),
    "compares nothing": outcome(comparing=Comparing(active=True, blind=frozenset({A}))),
    "planted test passed": outcome(head=replace(ran(a="passed", b="passed"), wrong={"zq::x": "passed"})),
    "planted test missing": outcome(restored=replace(ran(a="passed", b="passed"), lost=("zq::x",))),
}


@pytest.mark.parametrize("room", DISHONEST.values(), ids=DISHONEST)
def test_a_harness_that_is_not_honest_confirms_nothing(room: Outcome) -> None:
    one = found(item(), room)
    assert (one.status, one.reason) == ("error", "evidence-tests.harness")


def test_canaries_that_base_does_not_report_either_say_nothing() -> None:
    silent = replace(ran(a="passed", b="passed"), lost=("zq::x",))
    assert found(item(), outcome(base=silent, head=silent)).status == "pass"


@pytest.mark.parametrize("room", [outcome(head=ran(a="failed", b="failed")), outcome(head=ran(a="skipped"))])
def test_an_item_that_is_not_ok_is_confirmed_by_red_tests(room: Outcome) -> None:
    assert found(item(ok=False, exitCode=1, failed=1), room).reason == "evidence-tests.confirmed"


def test_an_item_that_is_not_ok_is_refuted_by_green_tests() -> None:
    for observed in (item(ok=False, exitCode=1, failed=1), {**item(ok=False), "observed": {"error": "no report"}}):
        one = found(observed, outcome())
        assert (one.status, one.reason) == ("fail", "evidence-tests.differs")


@pytest.mark.parametrize("cited", [["tests.test_m::test_a"], [A, "tests.test_m::test_b"], []])
def test_cited_tests_that_ran(cited: list[str]) -> None:
    assert found(item(cited=cited), outcome()).status == "pass"


@pytest.mark.parametrize(
    ("cited", "words"),
    [
        ("tests.test_m::test_z", "tests.test_m::test_z did not run"),
        ("tests.test_m::test_c", "tests.test_m::test_c skipped"),
        (C, f"{C} skipped"),
    ],
)
def test_cited_tests_that_did_not_pass(cited: str, words: str) -> None:
    head = ran(a="passed", b="passed", c="skipped")
    one = found(item(cited=["tests.test_m::test_a", cited], skipped=1), outcome(head=head))
    assert (one.status, one.reason, one.message) == ("fail", "evidence-tests.cited", f"cited as passed: {words}")


def test_a_spelling_of_several_tests_needs_all_of_them() -> None:
    head = Ran(states={"a.js > x": "passed", "b.js > x": "skipped"}, exit_code=0, duration_ms=1)
    room = outcome(base=head, head=head, runner="node")
    assert found(item(cited=["test::x"], passed=1, skipped=1), room).reason == "evidence-tests.cited"
    assert found(item(cited=["a.js::x"], passed=1, skipped=1), room).reason == "evidence-tests.confirmed"


SKIPPED_HERE = outcome(base=ran(a="passed", b="skipped"), head=ran(a="passed", b="skipped"))
FLAKY = outcome(
    head=ran(a="passed", b="failed"), restored=ran(a="passed", b="passed"), reruns={"head": {B: ("passed",)}}
)


@pytest.mark.parametrize(
    ("evidence", "room", "reason"),
    [
        (item(passed=3), outcome(), "counts"),
        (item(passed=1), outcome(), "counts"),
        (item(passed=2, skipped=1), outcome(), "counts"),
        (item(passed=1, skipped=1), outcome(), "counts"),
        (item(passed=2), outcome(runner="go"), "confirmed"),
        (item(passed=7), outcome(runner="go"), "confirmed"),
        (item(passed=2), outcome(runner="junit"), "confirmed"),
        (item(passed=7), outcome(runner="junit"), "counts"),
        (item(passed=2), SKIPPED_HERE, "confirmed"),
        (item(passed=1, skipped=1), SKIPPED_HERE, "confirmed"),
        (item(passed=3), SKIPPED_HERE, "counts"),
        (item(passed=2), outcome(head=ran(a="passed", b="skipped")), "counts"),
        (item(passed=2), FLAKY, "confirmed"),
        (item(passed=5), FLAKY, "counts"),
        (item(passed=2), outcome(head=ran(a="passed", b="xpassed")), "confirmed"),
    ],
)
def test_counts_of_the_same_command(evidence: dict[str, Any], room: Outcome, reason: str) -> None:
    assert found(evidence, room).reason == f"evidence-tests.{reason}"


def test_counts_of_another_command_are_not_compared() -> None:
    (one, remark) = findings([{**item(passed=512), "argv": ["/usr/bin/other", "{junit}"]}], outcome())
    assert (one.reason, remark.reason) == ("evidence-tests.confirmed", "evidence-tests.other_command")
    assert (remark.status, remark.evidence, remark.claim) == ("pass", None, one.claim)


def test_a_test_with_tests_in_it_is_counted_as_node_does() -> None:
    head = Ran(
        states={"a.js > x": "passed", "a.js > x > y": "passed", "a.js > z": "xfailed"}, exit_code=0, duration_ms=1
    )
    room = outcome(base=head, head=head, runner="node")
    assert found(item(passed=1, skipped=1), room).reason == "evidence-tests.confirmed"
    assert found(item(passed=2, skipped=1), room).reason == "evidence-tests.counts"
