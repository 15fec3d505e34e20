"""Which runs there are, and what they come to, for each thing that a change or a product can do."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.recompute.clean_room.conftest import BASE, Seen

See = Callable[..., Seen]

ONE, TWO, THREE = (f"tests/a.t:{name}" for name in ("one", "two", "three"))
TESTS = str(BASE["tests/a.t"])
WORK = {"product.txt": "sum more\n"}
MORE = {**WORK, "tests/b.t": "test more\nneeds more\n"}


def test_an_honest_change_takes_four_runs(see: See) -> None:
    seen = see(work={**WORK, "tests/b.t": "test more\nneeds more\n"})
    assert (seen.bad, seen.remarks, seen.runs) == ({}, {}, 4)
    assert seen.outcome.layers == ("planted", "halves", "gate")
    assert seen.outcome.trial.ids == {ONE, TWO, THREE}


def test_only_the_layers_that_are_named_are_tried(see: See) -> None:
    seen = see(work=MORE, canaries=("planted",))
    assert (seen.bad, seen.runs, seen.outcome.layers) == ({}, 3, ("planted",))


def test_a_change_that_leaves_the_tests_alone_has_one_run_less(see: See) -> None:
    """Head's product with base's tests is head as it is."""
    seen = see(work=WORK, canaries=("planted",))
    assert (seen.bad, seen.runs) == ({}, 2)


# --- the tests of base -----------------------------------------------------------------------------------------------


def test_a_broken_product_is_red_and_runs_once_more(see: See) -> None:
    seen = see(work={"product.txt": "more\n"})
    assert seen.bad == {"test-inventory.red": {ONE, TWO}}
    assert "passed at base and failed, failed on head's product with base's tests" in seen.said_of("test-inventory.red")


def test_without_reruns_red_is_red(see: See) -> None:
    assert see(work={"product.txt": "more\n"}, reruns=0).bad == {"test-inventory.red": {ONE, TWO}}


def test_a_test_that_is_edited_to_pass_is_red_as_base_has_it(see: See) -> None:
    seen = see(work={"product.txt": "more\n", "tests/a.t": "test one\ntest two\ntest three\n"})
    assert seen.bad == {"test-inventory.changed_test": {ONE, TWO}}


def test_another_file_that_turns_it_green_excuses_nothing(see: See) -> None:
    """The test's own file is as it was: what makes it pass on head is beside it."""
    base = {"tests/a.t": "test one\nafter zero\ntest zero\n", "tests/0.t": "test x\n"}
    seen = see(base=base, work={"product.txt": "forge-tests/a.t:none\n", "tests/a.t": None, "tests/0.t": None})
    assert seen.bad["test-inventory.missing"] == {"tests/a.t:one", "tests/a.t:zero", "tests/0.t:x"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("test one\nneeds sum\ntest three\n", "missing"),
        (TESTS.replace("test two\n", "test two\nskip\n"), "newly_skipped"),
        (TESTS.replace("test two\n", "test two\nxfail\n"), "expected_failure"),
    ],
)
def test_a_test_that_is_taken_out_is_named(see: See, text: str, reason: str) -> None:
    assert see(work={**WORK, "tests/a.t": text}).bad == {f"test-inventory.{reason}": {TWO}}


def test_a_new_test_that_is_red(see: See) -> None:
    seen = see(work={**WORK, "tests/b.t": "test more\nfail\n"})
    assert seen.bad == {"test-inventory.new_test_red": {"tests/b.t:more"}}


def test_all_tests_skipped_is_no_test(see: See) -> None:
    text = TESTS.replace("needs sum", "skip").replace("test three", "test three\nskip")
    assert "test-inventory.no_tests" in see(work={"tests/a.t": text}).bad


def test_a_command_that_finds_nothing_at_base(see: See) -> None:
    seen = see(base={"tests/a.t": ""}, work={"tests/a.t": "test one\n"})
    assert seen.bad == {"test-inventory.nothing_at_base": {None}}


def test_red_at_base_is_no_fault_of_the_change(see: See) -> None:
    seen = see(base={"tests/a.t": TESTS + "test four\nfail\n"}, work=WORK)
    assert (seen.bad, seen.remarks) == ({}, {"test-inventory.preexisting": {"tests/a.t:four"}})


def test_a_test_that_base_does_not_always_have(see: See) -> None:
    """Base runs twice before anything is called missing: it has the test in its first run and not in the second."""
    seen = see(base={"tests/a.t": TESTS + "test four\ngone\n"}, work=MORE, canaries=("planted",), reruns=0)
    assert (seen.bad, seen.remarks) == ({}, {"test-inventory.unstable": {"tests/a.t:four"}})


def test_a_flaky_test_is_shown_with_all_its_results(see: See) -> None:
    seen = see(base={"tests/a.t": TESTS + "test four\nodd\n"}, work=MORE, canaries=("planted",), reruns=3)
    assert (seen.bad, seen.remarks) == ({}, {"test-inventory.flaky": {"tests/a.t:four"}})
    assert "passed" in seen.said_of("test-inventory.flaky")
    assert seen.said_of("test-inventory.flaky").count(",") == 3


def test_a_rerun_hides_no_consistent_failure(see: See) -> None:
    seen = see(base={"tests/a.t": TESTS + "test four\nodd\n"}, work={"product.txt": "x\n"}, reruns=2)
    assert seen.bad["test-inventory.red"] >= {ONE, TWO}


def test_a_new_test_that_the_old_product_passes(see: See) -> None:
    work = {**WORK, "tests/b.t": "test more\nneeds more\ntest empty\n"}
    seen = see(work=work, negative_control=True)
    assert seen.bad == {"test-inventory.green_at_base": {"tests/b.t:empty"}}


def test_hidden_tests_have_to_pass(see: See) -> None:
    seen = see(work=WORK, hidden={"tests/h.t": b"test seen\nneeds more\ntest unseen\nneeds less\n"})
    assert seen.bad == {"test-inventory.hidden_test": {"tests/h.t:unseen"}}


def test_an_overlay_of_which_no_test_runs_is_an_error(see: See) -> None:
    assert see(work=WORK, hidden={"other/h.t": b"test seen\n"}).bad == {"test-inventory.no_hidden_test": {None}}


def test_an_overlay_may_take_the_place_of_a_file_of_base(see: See) -> None:
    seen = see(work=WORK, hidden={"tests/a.t": b"test one\nneeds sum\n"})
    assert seen.bad == {}


LATER, EARLIER = "2027-01-31T00:00:00Z", "2026-11-01T00:00:00Z"


def test_a_file_that_an_exception_names_is_left_to_head(see: See) -> None:
    """What it tests is gone: base's version of it would be red, and no id could say so."""
    base = {"tests/old.t": "test old\nneeds sum\ntest older\nneeds sum\n"}
    work = {"product.txt": "more\n", "tests/a.t": "test one\ntest two\ntest three\n", "tests/old.t": None}
    left = see(base=base, work=work, excepted={"tests/old.t": LATER, "tests/a.t": LATER})
    assert left.bad == {"test-inventory.left_to_head": {"tests/old.t"}}


def test_a_file_that_an_exception_named_until_yesterday_is_not(see: See) -> None:
    seen = see(base={"tests/old.t": "test old\n"}, work={"tests/old.t": None}, excepted={"tests/old.t": EARLIER})
    assert seen.bad == {"test-inventory.missing": {"tests/old.t:old"}}


def test_what_is_red_of_a_file_that_is_left_to_head_is_red(see: See) -> None:
    work = {**WORK, "tests/a.t": "test one\nfail\n"}
    seen = see(work=work, excepted={"tests/a.t": LATER})
    assert seen.bad == {"test-inventory.red": {ONE}, "test-inventory.left_to_head": {"tests/a.t"}}


# --- the harness -----------------------------------------------------------------------------------------------------


def test_a_product_that_forges_everything(see: See) -> None:
    seen = see(work={"product.txt": "forge\n"})
    assert set(seen.bad) == {"harness-canary.misreported", "harness-canary.deaf"}
    assert seen.bad["harness-canary.deaf"] == {ONE, TWO, THREE}


@pytest.mark.parametrize("test", [ONE, TWO, THREE])
def test_a_product_that_forges_one_test(see: See, test: str) -> None:
    """Two halves that complement each other: nothing is left to chance."""
    seen = see(work={"product.txt": f"sum forge-{test}\n"})
    assert seen.bad == {"harness-canary.deaf": {test}}


def test_a_product_that_knows_the_gate_does_not_know_the_edit(see: See) -> None:
    work = {"product.txt": f"reads-{ONE}\n"}
    alone = see(work=work)
    assert alone.bad == {"test-inventory.red": {TWO}}


def test_with_both_ways_it_is_found_out(see: See) -> None:
    seen = see(work={"product.txt": f"reads-{ONE}\n"}, canaries=("planted", "halves", "gate"))
    assert seen.bad == {"test-inventory.red": {TWO}, "harness-canary.deaf": {ONE}}


def test_a_test_that_is_not_entered(see: See) -> None:
    """At base the gate is asked; on head it is reported passed and never asks, in the half in which it may pass."""
    seen = see(work={"product.txt": f"sum forge-{ONE}\n"})
    assert ONE in seen.outcome.trial.unasked


def test_a_run_that_breaks_off_is_an_error_and_never_a_pass(see: See) -> None:
    seen = see(work={"product.txt": "sum break\n"})
    assert set(seen.bad) == {"test-inventory.contradiction", "harness-canary.contradiction"}
    assert "no end" in seen.said_of("test-inventory.contradiction")


def test_planted_tests_that_are_not_collected(see: See) -> None:
    seen = see(work={"product.txt": "sum drop\n"})
    assert set(seen.bad) == {"harness-canary.lost"}


def test_planted_tests_that_base_does_not_collect_either(see: See) -> None:
    seen = see(base={"product.txt": "sum drop\n"}, work={"product.txt": "sum drop more\n"})
    assert set(seen.bad) == {"harness-canary.not_collected"}
    assert [one.status for one in seen.canary if one.reason == "harness-canary.not_collected"] == ["not_checked"]


def test_a_gate_that_does_not_work_at_base_is_left_out(see: See) -> None:
    seen = see(base={"product.txt": "sum no-gate\n"}, work={"product.txt": "sum no-gate more\n"})
    assert (seen.bad, seen.outcome.trial.way) == ({}, "edit")
    assert "making tests fail by the gate does not work at base either" in seen.said_of("harness-canary.remark")


def test_a_gate_that_head_alone_breaks_is_not(see: See) -> None:
    """Or a change could choose the weaker way for itself."""
    seen = see(work={"product.txt": "sum no-gate\n"})
    assert set(seen.bad) == {"harness-canary.contradiction"}


def test_a_demanded_layer_that_was_not_there(see: See) -> None:
    base = {"product.txt": "sum no-gate\n"}
    seen = see(base=base, work={"product.txt": "sum no-gate more\n"}, canaries=("planted", "halves", "gate"))
    assert seen.bad == {"harness-canary.layer_missing": {"gate"}}


def test_a_test_without_a_gate_is_edited(see: See) -> None:
    seen = see(base={"tests/a.t": TESTS + "test ungated\n"}, work=WORK)
    assert (seen.bad, seen.outcome.trial.way) == ({}, "gate")
    assert "tests/a.t:ungated" in seen.outcome.trial.ids


def test_tests_that_depend_on_each_other_run_once_more_as_they_are(see: See) -> None:
    base = {"tests/a.t": "test one\ntest two\nafter one\ntest three\nafter two\n"}
    seen = see(base=base, work=WORK)
    assert (seen.bad, seen.outcome.layers) == ({}, ("planted", "halves", "gate"))
    assert "pass alone" in seen.said_of("harness-canary.remark") or seen.runs == 4


# --- two at a time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("work", [WORK, {"product.txt": "more\n"}, {"product.txt": "forge\n"}], ids=str)
def test_two_at_a_time_come_to_the_same(see: See, work: dict[str, Any]) -> None:
    seen = see(work=work, jobs=2)
    assert (
        set(seen.bad)
        == {
            "sum more\n": set(),
            "more\n": {"test-inventory.red"},
            "forge\n": {"harness-canary.misreported", "harness-canary.deaf"},
        }[work["product.txt"]]
    )
    assert [one.name for one in threading.enumerate() if one.name.startswith(("ThreadPool", "gate"))] == []


def test_a_hidden_test_that_is_flaky_is_shown_with_its_results(see: See) -> None:
    seen = see(work=MORE, hidden={"tests/h.t": b"test seen\neven\n"}, canaries=("planted",), reruns=2)
    assert (seen.bad, seen.remarks) == ({}, {"test-inventory.flaky": {"tests/h.t:seen"}})
    assert "failed, passed, failed" in seen.said_of("test-inventory.flaky")
