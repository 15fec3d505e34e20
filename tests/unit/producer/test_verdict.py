"""The verdict that follows from what happened."""

import pytest

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.producer.verdict import Outcome, VerdictWord, default_word, item_name, not_ok_line, verdict

PASSED = (True, True, "")
UNCHECKED = (False, False, "")


def settled(
    word: VerdictWord, reason: str = "", outcome: Outcome = "completed", breach: str | None = None, bad: bool = False
) -> tuple[object, ...]:
    not_ok = ["c[0] (file)"] if bad else []
    found = verdict(word, reason, outcome=outcome, breach=breach, not_ok=not_ok)
    return found["checked"], found["passed"], found["reason"]


def test_a_pass() -> None:
    assert settled("passed") == PASSED


def test_nobody_looked() -> None:
    assert settled("unchecked") == UNCHECKED


def test_nobody_looked_stays_so_when_something_is_not_ok() -> None:
    assert settled("unchecked", bad=True, breach="a was modified") == UNCHECKED


def test_a_failure_keeps_its_own_words() -> None:
    assert settled("failed", "no 42", bad=True, breach="x") == (True, False, "no 42")


def test_a_failure_without_a_reason_is_refused() -> None:
    with pytest.raises(ProducerError, match="needs a reason"):
        settled("failed")


def test_a_failure_takes_its_reason_from_the_evidence() -> None:
    assert settled("failed", bad=True) == (True, False, "evidence not ok: c[0] (file)")


def test_a_pass_does_not_survive_evidence_that_is_not_ok() -> None:
    assert settled("passed", bad=True) == (True, False, "evidence not ok: c[0] (file)")


def test_a_pass_does_not_survive_a_breach() -> None:
    assert settled("passed", breach="a was modified") == (
        True,
        False,
        "the acceptance contract was modified during this run",
    )


def test_breach_and_evidence_are_both_named() -> None:
    assert settled("passed", breach="x", bad=True)[2] == (
        "the acceptance contract was modified during this run; evidence not ok: c[0] (file)"
    )


@pytest.mark.parametrize("word", ["passed", "unchecked", "failed"])
@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("budgetExhausted", "the run hit its budget before finishing"),
        ("failed", "the run did not complete"),
    ],
)
def test_a_run_that_did_not_complete_failed(word: VerdictWord, outcome: Outcome, reason: str) -> None:
    assert settled(word, outcome=outcome) == (True, False, reason)


@pytest.mark.parametrize("word", ["passed", "unchecked"])
def test_a_reason_beside_no_failure_is_refused(word: VerdictWord) -> None:
    with pytest.raises(ProducerError, match=f"this one is {word}"):
        settled(word, "because")


def test_default_word() -> None:
    assert (default_word(0), default_word(1)) == ("unchecked", "passed")


def test_many_items_are_counted() -> None:
    line = not_ok_line([item_name("i" * 4096, index, "file") for index in range(200)])
    assert line.endswith(", and 180 more")
    assert len(line) < 65_536
