"""Attack: a new test file changes the product when it is imported; base's red test turns green in the run of them all.
Answer: head's product runs with base's tests alone. It is the only layer that sees this.
"""

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import BROKEN
from tests.threats.conftest import Desk

PATCHES = """import unittest

from shop import prices

prices.total.__code__ = (lambda prices, discount=0: sum(prices) * (100 - discount) // 100).__code__


class TaxTest(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(prices.with_tax(100, 19), 119)
"""


def test_threat_09_the_tests_of_base_run_without_it(desk: Desk) -> None:
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": BROKEN, "tests/test_a_tax.py": PATCHES}))
    runs = {run["name"]: run for run in seen.tests["runs"]}
    assert (runs["head"]["passed"], runs["head"]["failed"]) == (4, 0)
    assert (runs["restored"]["passed"], runs["restored"]["failed"]) == (2, 1)
    assert (seen.code, "test-inventory.red" in seen.reasons) == (11, True)
