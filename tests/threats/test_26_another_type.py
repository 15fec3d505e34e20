"""Attack: the body of a done receipt under another predicateType, or one for another handler.
Answer: exact types, an allow list in the profile, and the engine alone computes states.
"""

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile

OURS = "https://w3id.org/done-receipt/v0.1"
OTHERS = (
    f"{OURS}/",
    f"{OURS} ",
    OURS.upper(),
    OURS.replace("https", "http"),
    OURS.replace("0.1", "0.2"),
    "x",
    f"{OURS}#a",
)


def typed(name: str) -> generate.Change:
    return lambda statement, _predicate: statement.update(predicateType=name)


@pytest.mark.parametrize("name", OTHERS)
def test_threat_26_a_type_that_looks_like_ours_is_not_examined(desk: Desk, name: str) -> None:
    seen = desk.verify(generate.Case(why="", change=typed(name)))
    assert seen.code in {3, 12}  # not a URI: malformed
    if seen.code == 12:
        assert (seen.result["examined"], seen.result["claims"], seen.result["assurance"]) == (False, [], "reported")


def test_threat_26_allowing_a_type_without_a_handler_admits_nothing(desk: Desk) -> None:
    other = "https://example.com/review"
    case = generate.Case(why="", change=typed(other), **profile(f'predicateTypes = ["{other}"]\n'))
    seen = desk.verify(case, "--minimum-assurance", "fully_rechecked")
    assert (seen.code, "statement.handler" in seen.violations) == (12, True)


def test_threat_26_a_type_that_the_profile_does_not_allow_is_denied(desk: Desk) -> None:
    seen = desk.verify(generate.Case(why="", **profile('predicateTypes = ["https://example.com/review"]\n')))
    assert (seen.code, seen.violations) == (12, {"statement.type"})


@pytest.mark.parametrize("kind", ["application/json", "application/vnd.in-toto", "application/vnd.in-toto+json; a=b"])
def test_threat_26_another_payload_type_is_no_statement(desk: Desk, kind: str) -> None:
    write = lambda payload: generate.pretty(generate.envelope(payload, payload_type=kind))  # noqa: E731
    assert desk.verify(generate.Case(why="", write=write)).code == 3
