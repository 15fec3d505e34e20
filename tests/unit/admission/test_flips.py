"""Two decisions on one result: flipped, other reasons, or the same."""

from typing import Any

import pytest

from in_toto_done_receipt.admission.flips import Change, compare
from tests.unit.admission.test_explain import decision


def said(*codes: str) -> list[dict[str, Any]]:
    return [{"code": code.partition(":")[0], "message": "m", "facts": []} | term(code) for code in codes]


def term(code: str) -> dict[str, str]:
    return {"term": code.partition(":")[2]} if ":" in code else {}


@pytest.mark.parametrize(
    ("before", "after", "change", "gained", "lost"),
    [
        ((True, ()), (True, ()), "same", (), ()),
        ((False, ("a.b",)), (False, ("a.b", "a.b")), "same", (), ()),
        ((True, ()), (False, ("a.b", "c.d:t")), "denied", ("a.b", "c.d:t"), ()),
        ((False, ("a.b",)), (True, ()), "admitted", (), ("a.b",)),
        ((False, ("a.b", "a.c")), (False, ("a.c", "a.d")), "reasons", ("a.d",), ("a.b",)),
        ((False, ("a.b:t",)), (False, ("a.b:u",)), "reasons", ("a.b:u",), ("a.b:t",)),
    ],
)
def test_a_flip_is_named_with_what_made_it(
    before: tuple[bool, tuple[str, ...]],
    after: tuple[bool, tuple[str, ...]],
    change: Change,
    gained: tuple[str, ...],
    lost: tuple[str, ...],
) -> None:
    found = compare(
        "r",
        decision(allow=before[0], violations=said(*before[1])),
        decision(allow=after[0], violations=said(*after[1])),
    )
    assert (found.change, found.gained, found.lost) == (change, gained, lost)


def test_warnings_that_are_new_and_exceptions_that_stand_are_named() -> None:
    waived = [{"code": "u.v", "reason": "r", "approver": "a", "expires": "2027-01-31T00:00:00Z"}]
    found = compare(
        "r",
        decision(allow=True, warnings=said("w.old")),
        decision(allow=True, warnings=said("w.old", "w.new", "w.new"), exceptions=waived),
    )
    assert (found.change, found.warned, found.waived) == ("same", ("w.new",), ("u.v",))
