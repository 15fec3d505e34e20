"""An honest change would be denied: the canary is not collected, tests are red at base, a test is flaky.
Answer: each has a name of its own, is shown, and refutes nothing; a rerun never hides a consistent failure.
"""

import pytest

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import BROKEN, UNITTESTS
from tests.threats.conftest import Desk

RED = UNITTESTS + "\n    def test_open_ticket(self):\n        self.assertEqual(total([1], 200), 0)\n"
ONE_FILE = """import unittest


def load_tests(loader, tests, pattern):
    from tests import prices

    return loader.loadTestsFromModule(prices)
"""


def test_threat_48_red_at_base_is_a_warning(desk: Desk) -> None:
    seen = desk.verify_tests(RoomCase(why="", base={"tests/test_prices.py": RED}))
    assert (seen.code, seen.violations) == (0, set())
    assert seen.tests["preexisting"]["ids"] == ["test_prices.TotalTest.test_open_ticket"]
    assert "tests.inventory" in seen.warnings


@pytest.mark.integration
def test_threat_48_a_canary_that_nobody_collects_is_not_one_that_passed(desk: Desk) -> None:
    base: dict[str, str | None] = {"tests/__init__.py": ONE_FILE, "tests/prices.py": UNITTESTS}
    seen = desk.verify_tests(RoomCase(why="", base=base))
    assert seen.code in (0, 12)
    assert "harness-canary.misreported" not in seen.reasons


@pytest.mark.integration
def test_threat_48_a_rerun_hides_no_consistent_failure(desk: Desk) -> None:
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": BROKEN}, tests="reruns = 3\n"))
    said = "".join(seen.said_of("test-inventory.red").values())
    assert (seen.code, said.count("failed")) == (11, 4)
