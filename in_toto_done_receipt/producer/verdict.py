"""The verdict that a receipt may state, given what happened: coherent by construction.

A check that agreed is a pass only if the run completed, the contract did not move and no evidence contradicts it.
"Nobody looked" stays "unchecked"; an exhausted budget is a failure, never silence.
"""

from collections.abc import Sequence
from typing import Final, Literal

from in_toto_done_receipt.errors import ProducerError

Outcome = Literal["completed", "budgetExhausted", "failed"]
VerdictWord = Literal["passed", "failed", "unchecked"]

OUTCOME_REASONS: Final[dict[Outcome, str]] = {
    "budgetExhausted": "the run hit its budget before finishing",
    "failed": "the run did not complete",
}
CONTRACT_REASON: Final = "the acceptance contract was modified during this run"
MAX_NAMED_ITEMS: Final = 20  # a claim's id can have 4,096 characters and the reason 65,536 in all
MAX_ID_CHARS: Final = 200


def verdict(
    word: VerdictWord, reason: str, *, outcome: Outcome, breach: str | None, not_ok: Sequence[str]
) -> dict[str, object]:
    """The predicate's `verdict`; `not_ok` names the evidence items that contradict a pass.

    The caller's reason is kept when the verdict is a failure of its own. Raises ProducerError for a failure without a
    reason, and for a reason beside a verdict that is none.
    """
    if reason and word != "failed":
        raise ProducerError(f"a reason belongs to a failed verdict, this one is {word}")
    if outcome != "completed":
        return _failed(reason or OUTCOME_REASONS[outcome])
    if word == "unchecked":
        return {"checked": False, "passed": False, "reason": ""}
    because = reason or _because(breach, not_ok)
    if because:
        return _failed(because)
    if word == "failed":
        raise ProducerError("a failed verdict needs a reason", hint="say why the check refused the work")
    return {"checked": True, "passed": True, "reason": ""}


def default_word(evidence_items: int) -> VerdictWord:
    """Passed when there is evidence (`verdict` sees to it that all of it is ok), unchecked when there is none."""
    return "passed" if evidence_items else "unchecked"


def not_ok_line(items: Sequence[str]) -> str:
    """`evidence not ok: CLAIM[i] (KIND), …`."""
    more = f", and {len(items) - MAX_NAMED_ITEMS} more" if len(items) > MAX_NAMED_ITEMS else ""
    return f"evidence not ok: {', '.join(items[:MAX_NAMED_ITEMS])}{more}"


def item_name(claim: str, index: int, kind: str) -> str:
    """`CLAIM[i] (KIND)`, a long id cut."""
    short = claim if len(claim) <= MAX_ID_CHARS else f"{claim[:MAX_ID_CHARS]}…"
    return f"{short}[{index}] ({kind})"


def _because(breach: str | None, not_ok: Sequence[str]) -> str:
    reasons = [CONTRACT_REASON] if breach is not None else []
    if not_ok:
        reasons.append(not_ok_line(not_ok))
    return "; ".join(reasons)


def _failed(reason: str) -> dict[str, object]:
    return {"checked": True, "passed": False, "reason": reason}
