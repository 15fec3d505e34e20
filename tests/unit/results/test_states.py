"""States, coverage and assurance: the table of the design, and what no item can do."""

from dataclasses import dataclass

import pytest

from in_toto_done_receipt.results.states import ITEM_STATES, ItemState, assurance, claim_state, coverage


@dataclass(frozen=True)
class Item:
    kind: str = "file"
    state: ItemState = "confirmed"
    ok: bool = True


def items(*states: ItemState, kind: str = "file") -> tuple[Item, ...]:
    return tuple(Item(kind=kind, state=state) for state in states)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (items(), "reported"),
        (items("confirmed"), "confirmed"),
        (items("confirmed", "reported"), "reported"),
        (items("reported", "blocked"), "blocked"),
        (items("blocked", "error"), "error"),
        (items("error", "stale"), "stale"),
        (items("stale", "refuted"), "refuted"),
        ((Item(ok=False),), "failed"),
        ((Item(ok=False), Item(state="reported")), "reported"),
        ((Item(state="refuted", ok=False),), "refuted"),
    ],
)
def test_claim_state_takes_the_first_that_applies(found: tuple[Item, ...], state: str) -> None:
    assert claim_state(found) == state


@pytest.mark.parametrize(
    ("claims", "level"),
    [
        ([], "reported"),
        ([()], "reported"),
        ([items("confirmed")], "fully_rechecked"),
        ([items("confirmed"), ()], "partially_rechecked"),
        ([items("confirmed", "reported")], "partially_rechecked"),
        ([items("confirmed", "refuted")], "reported"),
        ([items("confirmed", "stale")], "partially_rechecked"),
        ([items("confirmed", kind="path")], "reported"),
        ([items("confirmed", kind="output")], "reported"),
        ([items("confirmed", kind="https://example.com/kind")], "reported"),
        ([items("confirmed", kind="path"), items("confirmed", kind="command")], "fully_rechecked"),
        ([items("reported", kind="text"), items("confirmed", kind="path")], "reported"),
    ],
)
def test_assurance(claims: list[tuple[Item, ...]], level: str) -> None:
    assert assurance(claims) == level


@pytest.mark.parametrize("state", ITEM_STATES)
def test_no_state_but_confirmed_raises_assurance(state: ItemState) -> None:
    raised = assurance([items(state)]) != "reported"
    assert raised == (state == "confirmed")


def test_coverage_counts_items_and_claims_without_any() -> None:
    found = coverage([items("confirmed", "blocked"), (), items("confirmed", kind="text")])
    assert (found.total, found.confirmed, found.blocked, found.reported) == (4, 2, 1, 1)
    assert found.by_kind == {"file": {"blocked": 1, "confirmed": 1}, "text": {"confirmed": 1}}
