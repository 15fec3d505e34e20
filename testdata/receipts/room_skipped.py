"""Tests that are skipped, or expected to fail (scenario 7). See generate_clean_room.py."""

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import (
    BAD,
    CARGO,
    CARGO_TESTS,
    GO,
    GO_TESTS,
    LINE,
    NODE,
    NODE_TESTS,
    PYTEST,
    PYTESTS,
    SET_UP,
    TEST_CASE,
    UNITTESTS,
    edited,
)
from testdata.receipts.room_reasons import (
    CHANGED_TEST,
    EXPECTED_FAILURE,
    HARNESS_ADDED,
    NEWLY_SKIPPED,
    NO_TESTS,
)

SKIPPED: dict[str, RoomCase] = {
    "skip_decorator": RoomCase(
        why="A test is skipped by a decorator.",
        scenarios=(7,),
        code=12,
        work=edited(UNITTESTS, LINE, "    @unittest.skip('later')\n" + LINE),
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "skip_class": RoomCase(
        why="A whole class is skipped.",
        scenarios=(7,),
        code=12,
        work=edited(UNITTESTS, TEST_CASE, "@unittest.skipIf(True, 'later')\n" + TEST_CASE),
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "skip_in_set_up": RoomCase(
        why="What is run before each test skips it.",
        scenarios=(7, 8),
        code=12,
        work=edited(UNITTESTS, TEST_CASE, TEST_CASE + SET_UP + "self.skipTest('later')\n\n"),
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "expected_failure": RoomCase(
        why="A red test is marked as expected to fail.",
        scenarios=(7,),
        code=12,
        work={**BAD, **edited(UNITTESTS, LINE, "    @unittest.expectedFailure\n" + LINE)},
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST, EXPECTED_FAILURE),
    ),
    "skip_marker": RoomCase(
        why="A test is skipped by a marker.",
        scenarios=(7,),
        code=12,
        project=PYTEST,
        work=edited(PYTESTS, "def test_sum", "@pytest.mark.skip(reason='later')\ndef test_sum"),
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "skip_module": RoomCase(
        why="All tests of a file are skipped by its pytestmark.",
        scenarios=(7,),
        code=12,
        project=PYTEST,
        work=edited(PYTESTS, "\n\ndef test_sum", "pytestmark = pytest.mark.skip\n\n\ndef test_sum"),
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "skip_in_fixture": RoomCase(
        why="A fixture that every test uses skips it.",
        scenarios=(7, 8),
        code=12,
        project=PYTEST,
        work=edited(
            PYTESTS,
            "\n\ndef test_sum",
            "\n\n@pytest.fixture(autouse=True)\ndef ready():\n    pytest.skip('later')\n\n\ndef test_sum",
        ),
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "xfail_marker": RoomCase(
        why="Red tests are marked as expected to fail.",
        scenarios=(7,),
        code=12,
        project=PYTEST,
        work={**BAD, **edited(PYTESTS, "@pytest.mark.param", "@pytest.mark.xfail\n@pytest.mark.param")},
        violations=("tests.inventory",),
        reasons=(CHANGED_TEST, EXPECTED_FAILURE),
    ),
    "skip_by_hook": RoomCase(
        why="A hook in a new conftest.py marks tests as skipped; the test files are as before.",
        scenarios=(7, 22),
        code=12,
        project=PYTEST,
        work={
            "conftest.py": "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
            "    for item in items:\n        item.add_marker(pytest.mark.skip)\n"
        },
        violations=("change.scope", "tests.inventory"),
        reasons=(HARNESS_ADDED, NEWLY_SKIPPED, NO_TESTS),
    ),
    "go_skip": RoomCase(
        why="A test in Go skips itself.",
        scenarios=(7,),
        code=12,
        project=GO,
        work={
            "prices/prices_test.go": GO_TESTS.replace(
                "TestSum(t *testing.T) {", 'TestSum(t *testing.T) {\n\tt.Skip("later")'
            )
        },
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "node_todo": RoomCase(
        why="A test with Node is a todo now: it may fail.",
        scenarios=(7,),
        code=12,
        project=NODE,
        work={"test/prices.test.js": NODE_TESTS.replace('test("sum", ', 'test("sum", { todo: true }, ')},
        violations=("tests.inventory",),
        reasons=(EXPECTED_FAILURE,),
    ),
    "node_skip": RoomCase(
        why="A test with Node is skipped.",
        scenarios=(7,),
        code=12,
        project=NODE,
        work={"test/prices.test.js": NODE_TESTS.replace('test("sum", ', 'test.skip("sum", ')},
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
    "cargo_ignore": RoomCase(
        why="A test in Rust is ignored.",
        scenarios=(7,),
        code=12,
        project=CARGO,
        work={"tests/prices.rs": CARGO_TESTS.replace("#[test]\nfn sum", "#[test]\n#[ignore]\nfn sum")},
        violations=("tests.inventory",),
        reasons=(NEWLY_SKIPPED,),
    ),
}
