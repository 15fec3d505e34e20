"""An honest change would be denied: old tests were rightly changed or removed, and the demand for them cannot be met.
Answer: an exception for exactly that requirement, with reason, approver and expiry; the decision shows it. Of the tests
of base that is one test, by its id.
"""

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import UNITTESTS
from tests.threats.conftest import Desk, profile

DEMAND = '[[evidence]]\nclaim = "greets"\nkind = "command"\n[[evidence]]\nclaim = "greets"\nkind = "file"\n'
LATER, EARLIER = "2027-01-31T00:00:00Z", "2026-11-01T00:00:00Z"


def exception(code: str = "profile.evidence", expires: str = LATER, **members: str) -> str:
    made = {"code": code, "reason": "the tests moved to ticket 4711", "approver": "ada@example.com", **members}
    lines = [f'{key} = "{value}"' for key, value in made.items()]
    return "\n".join(["[[exception]]", *lines, f"expires = {expires}", ""])


def case(*exceptions: str, change: generate.Change | None = None) -> generate.Case:
    members = {} if change is None else {"change": change}
    return generate.Case(why="", **profile(DEMAND + "".join(exceptions)), **members)  # type: ignore[arg-type]


TERM = "greets/command"


def test_threat_49_without_an_exception_the_demand_denies(desk: Desk) -> None:
    seen = desk.verify(case())
    assert (seen.code, seen.violations) == (12, {"profile.evidence"})


def test_threat_49_an_exception_admits_and_shows_who_says_so(desk: Desk) -> None:
    seen = desk.verify(case(exception(term=TERM)))
    decision = seen.document["decision"]
    assert (seen.code, seen.violations) == (0, set())
    (used,) = decision["exceptions"]
    assert (used["code"], used["term"], used["approver"]) == ("profile.evidence", TERM, "ada@example.com")
    assert (used["reason"], used["expires"]) == ("the tests moved to ticket 4711", LATER)
    assert decision["validUntil"] == LATER


@pytest.mark.parametrize(
    "text",
    [
        exception(term="greets/tests"),
        exception(term="other/command"),
        exception("verdict.passed"),
        exception(term=TERM, expires=EARLIER),
        exception(term=TERM, subject="another.txt"),
    ],
    ids=["another kind", "another claim", "another rule", "expired", "another subject"],
)
def test_threat_49_an_exception_for_anything_else_does_not_admit(desk: Desk, text: str) -> None:
    seen = desk.verify(case(text))
    assert (seen.code, seen.violations >= {"profile.evidence"}) == (12, True)
    assert "exceptions" not in seen.document["decision"] or seen.document["decision"]["exceptions"] == []


@pytest.mark.parametrize(
    "code", ["signature.trusted", "statement.coherent", "engine.error", "profile", "@minimal", "*"]
)
def test_threat_49_some_things_are_never_excepted(desk: Desk, code: str) -> None:
    assert desk.run("verify", *desk.lay(case(exception(code)))).code == 4


def test_threat_49_an_exception_waives_nothing_while_something_is_refuted(desk: Desk) -> None:
    wrong = generate.claims(generate.file_item("greeting.txt", "another greeting\n"))
    seen = desk.verify(case(exception(term=TERM), exception("evidence.unrefuted"), change=wrong))
    assert seen.code == 11


def test_threat_49_no_flag_makes_an_exception(desk: Desk) -> None:
    seen = desk.run("verify", *desk.lay(case()), "--override", "profile.evidence")
    assert seen.code in (2, 4)


GONE = "test_prices.TotalTest.test_nothing"
SHORTER = UNITTESTS.partition("    def test_nothing")[0]


def test_threat_49_one_test_goes_by_its_id(desk: Desk) -> None:
    text = "\n" + exception("tests.inventory", term=GONE)
    seen = desk.verify_tests(RoomCase(why="", work={"tests/test_prices.py": SHORTER}, passed=2, more=text, agreed=True))
    used = {one["code"]: one["term"] for one in seen.document["decision"]["exceptions"]}
    assert (seen.code, used["tests.inventory"]) == (0, GONE)


@pytest.mark.integration
@pytest.mark.parametrize("term", ["test_prices.TotalTest.test_sum", "tests/test_other.py", "test_prices.TotalTest"])
def test_threat_49_an_exception_for_another_test_does_not_admit(desk: Desk, term: str) -> None:
    text = "\n" + exception("tests.inventory", term=term)
    seen = desk.verify_tests(RoomCase(why="", work={"tests/test_prices.py": SHORTER}, passed=2, more=text, agreed=True))
    assert (seen.code, seen.violations) == (12, {"tests.inventory"})


TAX = "def with_tax(price, percent):\n    return price * (100 + percent) // 100\n"
OF_TAX = """import unittest

from shop.tax import with_tax


class TaxTest(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(with_tax(100, 19), 119)
"""


@pytest.mark.integration
@pytest.mark.parametrize(("term", "code"), [("tests/test_tax.py", 0), ("test_tax.TaxTest.test_tax", 12)])
def test_threat_49_what_goes_with_its_tests_goes_by_their_file(desk: Desk, term: str, code: int) -> None:
    """Base's version of it cannot be imported any more, so no id of it can be compared; the message says what can."""
    base: dict[str, str | None] = {"shop/tax.py": TAX, "tests/test_tax.py": OF_TAX}
    gone: dict[str, str | None] = dict.fromkeys(base)
    text = "\n" + exception("tests.inventory", term=term)
    seen = desk.verify_tests(RoomCase(why="", base=base, work=gone, more=text, agreed=True))
    assert seen.code == code
    said = "".join(seen.said_of("test-inventory.contradiction").values())
    assert ("an exception can name their file" in said) is (code == 12)


@pytest.mark.integration
def test_threat_49_an_exception_waives_no_test_that_is_red(desk: Desk) -> None:
    broken = "import shop\n\n\ndef total(prices, discount=0):\n    return sum(prices) or None\n"
    text = "\n" + exception("tests.inventory", term=GONE)
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": broken}, more=text))
    assert seen.code == 11
