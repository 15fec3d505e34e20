"""What becomes of earlier decisions under another policy or profile."""

from typing import Literal

from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.wire.value import Value

Change = Literal["admitted", "denied", "reasons", "same"]


class Flip(Value, kw_only=True):
    """Two decisions on one result: what the new one objects to that the old one did not, and the other way round.

    `change`: `admitted` and `denied` are what a flip leads to; `reasons`: only the codes differ.
    """

    name: str
    before: Decision
    after: Decision
    change: Change
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    warned: tuple[str, ...]
    waived: tuple[str, ...]


def compare(name: str, before: Decision, after: Decision) -> Flip:
    """The difference between two decisions on one result."""
    old, new = _objections(before), _objections(after)
    gained = tuple(code for code in new if code not in old)
    lost = tuple(code for code in old if code not in new)
    change: Change = "reasons" if gained or lost else "same"
    if before.allow is not after.allow:
        change = "admitted" if after.allow else "denied"
    known = {warning.code for warning in before.warnings}
    return Flip(
        name=name,
        before=before,
        after=after,
        change=change,
        gained=gained,
        lost=lost,
        warned=tuple(dict.fromkeys(w.code for w in after.warnings if w.code not in known)),
        waived=tuple(dict.fromkeys(one.code for one in after.exceptions)),
    )


def _objections(decision: Decision) -> tuple[str, ...]:
    """The codes of the violations, with their terms, in the decision's order; what waits for them is not one."""
    said = (f"{one.code}:{one.term}" if one.term else one.code for one in decision.violations)
    return tuple(dict.fromkeys(said))
