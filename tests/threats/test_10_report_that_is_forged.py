"""Attack: the product rewrites the report of known tests; planted canaries stay honest.
Answer: existing tests in two complementary halves, each red once as a canary; plan, channel and exit code agree.
"""

import pytest

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import BROKEN
from tests.threats.conftest import Desk

FORGES = """

import unittest

_fail = unittest.case.TestCase.assertEqual


def _equal(self, first, second, msg=None):
    if "TotalTest" not in self.id():
        _fail(self, first, second, msg)


unittest.case.TestCase.assertEqual = _equal
_run = unittest.case.TestCase.run


def _quiet(self, result=None):
    if {condition}:
        result.startTest(self)
        result.addSuccess(self)
        result.stopTest(self)
        return result
    return _run(self, result)


unittest.case.TestCase.run = _quiet
"""


@pytest.mark.parametrize(
    "condition",
    [
        '"TotalTest" in self.id()',
        pytest.param('self.id().endswith("TotalTest.test_discount")', marks=pytest.mark.integration),
    ],
    ids=["all known tests", "the one that it broke"],
)
def test_threat_10_known_tests_that_were_made_to_fail_are_reported_good(desk: Desk, condition: str) -> None:
    product = BROKEN + FORGES.replace("{condition}", condition)
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": product}))
    deaf = seen.said_of("harness-canary.deaf")
    assert seen.code == 11
    assert "test_prices.TotalTest.test_discount" in deaf
    assert "harness-canary.misreported" not in seen.reasons


@pytest.mark.integration
def test_threat_10_an_exit_code_of_zero_beside_failures(desk: Desk) -> None:
    exits = "\n\nimport atexit\nimport os\n\natexit.register(os._exit, 0)\n"
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": BROKEN + exits}))
    assert "exit code 0" in "".join(seen.said_of("test-inventory.contradiction").values())
    assert seen.violations >= {"tests.inventory", "tests.canary"}
