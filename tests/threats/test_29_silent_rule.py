"""Attack: a deny that vanishes because a rule met a value of another type and said nothing.
Answer: an allow counts only with every demand among `satisfied`; Python looks again, whatever the engine says.
Every leaf, every engine: tests/property/test_hostile_receipts.py, test_hostile_results.py.
"""

from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.results.document import read_result
from testdata.receipts import generate
from tests.threats.conftest import Desk

DEMANDED = load_catalogue().collections["minimal"]


class Says:
    """An engine that gives one answer."""

    name, version, policy_digest = "stub", "1", "0" * 64

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def decide(self, _raw: bytes, _seconds: float) -> Any:
        return self.answer


def answer(**members: Any) -> dict[str, Any]:
    return {"allow": True, "violations": [], "warnings": [], "satisfied": sorted(DEMANDED), **members}


def allowed(desk: Desk, said: Any) -> bool:
    desk.run("recompute", *desk.lay(generate.Case(why="")), "--out", "result.json")
    data = (desk.folder / "result.json").read_bytes()
    result = read_result(data, what="result", max_bytes=len(data))
    at = result.evaluated_at
    return decide(result, Settings().policy_document(), engine=Says(said), evaluated_at=at, seconds=1.0).allow


def test_threat_29_the_whole_answer_is_allowed(desk: Desk) -> None:
    assert allowed(desk, answer())


@pytest.mark.parametrize("missing", sorted(DEMANDED))
def test_threat_29_a_demand_without_a_word_is_a_denial(desk: Desk, missing: str) -> None:
    assert not allowed(desk, answer(satisfied=sorted(set(DEMANDED) - {missing})))


@pytest.mark.parametrize(
    "said",
    [
        None,
        True,
        {},
        [],
        "allow",
        {"allow": True},
        answer(allow="true"),
        answer(allow=1),
        answer(satisfied=dict.fromkeys(DEMANDED, True)),
        answer(satisfied=None),
        answer(violations=None),
        answer(violations={}),
        answer(violations=[{"code": "evidence.unrefuted", "message": "no", "facts": []}]),
        answer(more=1),
        [answer()],
    ],
)
def test_threat_29_any_other_answer_is_a_denial(desk: Desk, said: Any) -> None:
    assert not allowed(desk, said)
