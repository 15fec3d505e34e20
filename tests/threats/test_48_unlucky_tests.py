"""An honest change would be denied: the canary is not collected, tests are red at base, a test is flaky.
Answer: each has a name of its own, is shown, and refutes nothing; a rerun never hides a consistent failure.
"""

import pytest

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import BROKEN, PYTEST, UNITTESTS
from tests.threats.conftest import Desk

RED = UNITTESTS + "\n    def test_open_ticket(self):\n        self.assertEqual(total([1], 200), 0)\n"
CHOOSES = """def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "test_prices" in item.nodeid]
"""


def test_threat_48_red_at_base_is_a_warning(desk: Desk) -> None:
    seen = desk.verify_tests(RoomCase(why="", base={"tests/test_prices.py": RED}))
    assert (seen.code, seen.violations) == (0, set())
    assert seen.tests["preexisting"]["ids"] == ["test_prices.TotalTest.test_open_ticket"]
    assert "tests.inventory" in seen.warnings


@pytest.mark.integration
def test_threat_48_a_canary_that_nobody_collects_is_not_one_that_passed(desk: Desk) -> None:
    """Base's own harness leaves it out: nothing is refuted, and nobody knows what the harness reports."""
    seen = desk.verify_tests(RoomCase(why="", project=PYTEST, base={"conftest.py": CHOOSES}))
    assert (seen.code, seen.violations >= {"tests.canary"}) == (12, True)
    assert seen.reasons & {"harness-canary.not_collected", "harness-canary.misreported"} == {
        "harness-canary.not_collected"
    }


@pytest.mark.integration
def test_threat_48_a_rerun_hides_no_consistent_failure(desk: Desk) -> None:
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": BROKEN}, tests="reruns = 3\n"))
    said = "".join(seen.said_of("test-inventory.red").values())
    assert (seen.code, said.count("failed")) == (11, 4)
