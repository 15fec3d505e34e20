"""States of evidence and claims, coverage and assurance: computed here and nowhere else, from plain items.

Both the recompute engine and `admit` call these, so that a result document cannot claim what its items do not give.
Source: design, "States, assurance".
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

from in_toto_done_receipt.wire.record import Record

State = Literal["confirmed", "refuted", "stale", "blocked", "reported", "error", "failed"]
ItemState = Literal["confirmed", "refuted", "stale", "blocked", "reported", "error"]
Assurance = Literal["reported", "partially_rechecked", "fully_rechecked"]
EvidenceClass = Literal["content", "behaviour", "weak"]

ITEM_STATES: Final[tuple[ItemState, ...]] = ("confirmed", "refuted", "stale", "blocked", "reported", "error")
ASSURANCE_ORDER: Final[tuple[Assurance, ...]] = ("reported", "partially_rechecked", "fully_rechecked")

# A kind that is not listed (a plug-in's) is weak: a plug-in cannot grant itself assurance.
EVIDENCE_CLASSES: Final[dict[str, EvidenceClass]] = {
    "file": "content",
    "text": "content",
    "command": "behaviour",
    "tests": "behaviour",
    "path": "weak",
    "output": "weak",
}

# A claim takes the first of these that one of its items is in; `failed` is a confirmed item that is not ok.
_CLAIM_ORDER: Final[tuple[State, ...]] = ("refuted", "stale", "error", "blocked", "reported", "failed", "confirmed")


class Item(Protocol):
    """One evidence item as the engine left it."""

    @property
    def kind(self) -> str: ...
    @property
    def state(self) -> ItemState: ...
    @property
    def ok(self) -> bool: ...


class Coverage(Record):
    """How many items are in which state; `total` = evidence items + one per claim without evidence."""

    total: int
    confirmed: int
    refuted: int
    stale: int
    blocked: int
    reported: int
    error: int
    by_kind: dict[str, dict[str, int]]


def claim_state(items: Sequence[Item]) -> State:
    """The state of a claim with these items; without items it is reported for ever."""
    present: set[State] = {"failed" if item.state == "confirmed" and not item.ok else item.state for item in items}
    return next((state for state in _CLAIM_ORDER if state in present), "reported")


def coverage(claims: Iterable[Sequence[Item]]) -> Coverage:
    """Counts over all claims, each given as its items."""
    states: Counter[str] = Counter()
    by_kind: dict[str, Counter[str]] = {}
    for items in claims:
        if not items:
            states["reported"] += 1
        for item in items:
            states[item.state] += 1
            by_kind.setdefault(item.kind, Counter())[item.state] += 1
    return Coverage(
        total=states.total(),
        **{state: states[state] for state in ITEM_STATES},
        by_kind={kind: dict(sorted(by_kind[kind].items())) for kind in sorted(by_kind)},
    )


def assurance(claims: Iterable[Sequence[Item]]) -> Assurance:
    """What the recheck is worth.

    Fully: at least one item, all confirmed, at least one of class content or behaviour. Partially: at least one such
    item confirmed and nothing refuted. A claim without evidence counts as an item that nobody rechecked.
    """
    found = list(claims)
    items = [item for group in found for item in group]
    strong = any(item.state == "confirmed" and EVIDENCE_CLASSES.get(item.kind, "weak") != "weak" for item in items)
    if not strong or any(item.state == "refuted" for item in items):
        return "reported"
    if all(found) and all(item.state == "confirmed" for item in items):
        return "fully_rechecked"
    return "partially_rechecked"
