"""Honest changes: each is admitted, with exactly these warnings. See generate_clean_room.py."""

from testdata.receipts.generate_clean_room import FLAGS, RoomCase
from testdata.receipts.room_projects import (
    CARGO,
    CARGO_PRICES,
    CARGO_TAX,
    CARGO_UNIT_TESTS,
    GO,
    GO_TESTS,
    NODE,
    NODE_TESTS,
    PRICES,
    PYTEST,
    PYTESTS,
    UNITTESTS,
    WITH_TAX,
)
from testdata.receipts.room_reasons import (
    FLAKY,
    HARNESS_ADDED,
    MISSING,
    PREEXISTING,
    UNSTABLE,
    excepted,
)

UNITTEST_TAX = """import unittest

from shop.prices import with_tax


class TaxTest(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(with_tax(100, 19), 119)

    def test_no_tax(self):
        self.assertEqual(with_tax(100, 0), 100)
"""
PYTEST_TAX = "from shop.prices import with_tax\n\n\ndef test_tax():\n    assert with_tax(100, 19) == 119\n"
GO_TAX_TEST = """package prices

import "testing"

func TestWithTax(t *testing.T) {
	if got := WithTax(100, 19); got != 119 {
		t.Errorf("got %d", got)
	}
}
"""
NODE_TAX_TEST = """"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { withTax } = require("../prices.js");

test("tax", () => {
  assert.strictEqual(withTax(100, 19), 119);
});
"""
OLD = UNITTESTS.replace("TotalTest", "OldTest").partition("    def test_nothing")[0].rstrip() + "\n"
CONTROL = "negativeControl = true\n"
SLOW = UNITTESTS.replace("import unittest\n", "import time\nimport unittest\n").replace(
    "        self.assertEqual(total([1, 2]), 3)\n",
    "        time.sleep(0.4)\n        self.assertEqual(total([1, 2]), 3)\n",
)
RED = UNITTESTS + '\n    def test_rounding(self):\n        self.assertEqual(total([1], 50), 1, "ticket 4711")\n'
ROUNDED = WITH_TAX.replace("sum(prices) * (100 - discount) // 100", "-(-sum(prices) * (100 - discount) // 100)")
PLAIN = UNITTESTS.replace("test_sum", "test_addition")
LOOPBACK = """import socket
import threading
import unittest

from shop.prices import total


class ServedTest(unittest.TestCase):
    def test_a_price_that_is_served(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                connection, _ = server.accept()
                with connection:
                    connection.sendall(str(total([100], 10)).encode())

            thread = threading.Thread(target=answer)
            thread.start()
            with socket.create_connection(server.getsockname()) as client:
                self.assertEqual(client.recv(10), b"90")
            thread.join()
"""
SCRATCH = """import os
import tempfile
import unittest
from pathlib import Path

from shop.prices import total


class WrittenTest(unittest.TestCase):
    def test_a_price_that_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "price"
            path.write_text(str(total([100], 10)))
            self.assertEqual(path.read_text(), "90")

    def test_home_can_be_written(self):
        path = Path(os.environ["HOME"]) / "price"
        path.write_text(str(total([1])))
        self.assertEqual(path.read_text(), "1")
"""
ASYNC = """import asyncio
import unittest

from shop.prices import total


class LaterTest(unittest.IsolatedAsyncioTestCase):
    async def test_later(self):
        await asyncio.sleep(0)
        self.assertEqual(total([2, 3]), 5)

    def test_each(self):
        for prices, wanted in (([1], 1), ([1, 1], 2)):
            with self.subTest(prices=prices):
                self.assertEqual(total(prices), wanted)
"""
FLAKY_TEST = UNITTESTS.replace("import unittest\n", "import os\nimport unittest\n") + (
    "\n    def test_of_the_weather(self):\n"
    '        with open(os.environ["WEATHER"], "rb") as weather:\n'
    '            self.assertEqual(weather.read(1), b"1")\n'
)
WEATHER = """
[sandbox]
readOnly = ["{weather_bad_first}"]
variables = { WEATHER = "{weather_bad_first}/today" }
"""
PARAMETERS = PYTESTS.replace("(50, 50)]", "(50, 50), (100, 0), (33, 67)]")
IN_FIXTURE = PYTESTS.replace(
    "\n\ndef test_sum():\n    assert total([1, 2]) == 3\n",
    "\n\n@pytest.fixture\ndef prices():\n    return [1, 2]\n\n\ndef test_sum(prices):\n    assert total(prices) == 3\n",
)
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [1, 2]\n"
CONFTEST_USED = "from shop.prices import total\n\n\ndef test_both(prices):\n    assert total(prices) == 3\n"
XFAILED = (
    PYTESTS + "\n\n@pytest.mark.xfail(reason='ticket 4711')\ndef test_rounding():\n    assert total([1], 50) == 1\n"
)
REPAIRED = XFAILED.replace("@pytest.mark.xfail(reason='ticket 4711')\n", "")
CHANGING = PYTESTS.replace("import pytest\n", "import time\n\nimport pytest\n") + (
    "\n\n@pytest.mark.parametrize('moment', [time.time_ns()])\n"
    "def test_now(moment):\n    assert total([moment]) == moment\n"
)
MSGSPEC = "import msgspec\n\n\ndef price(text):\n    return msgspec.json.decode(text, type=int)\n"
MSGSPEC_TEST = "from shop.parsed import price\n\n\ndef test_price():\n    assert price('12') == 12\n"
PYPROJECT = '[project]\nname = "shop"\nversion = "1"\ndependencies = ["msgspec>=0.18"]\n'
PACKAGE = (
    '{"name": "shop", "version": "1.0.0", "dependencies": {"cents": "1.0.0"}, "scripts": {"test": "node --test"}}\n'
)
NODE_CENTS = 'test("cents", () => {\n  assert.strictEqual(require("cents").cents(1), 100);\n});\n'
NODE_SUITE = NODE_TESTS + (
    '\nconst { describe, it } = test;\n\ndescribe("many", () => {\n  it("two", () => {\n'
    "    assert.strictEqual(total([1, 1]), 2);\n  });\n\n"
    '  it("three", () => {\n    assert.strictEqual(total([1, 1, 1]), 3);\n  });\n});\n'
)
GO_SUBTESTS = GO_TESTS + (
    "\nfunc TestMany(t *testing.T) {\n\tfor name, prices := range map[string][]int{"
    '"one": {1}, "two": {1, 1}} {\n\t\tt.Run(name, func(t *testing.T) {\n'
    '\t\t\tif Total(prices, 0) != len(prices) {\n\t\t\t\tt.Error("wrong")\n\t\t\t}\n\t\t})\n\t}\n}\n'
)

HONEST: dict[str, RoomCase] = {
    "feature": RoomCase(
        why="A feature with tests of its own, which are red on the old product.",
        work={"tests/test_tax.py": UNITTEST_TAX},
        passed=5,
        cited=("test_tax.TaxTest::test_tax",),
        tests=CONTROL,
    ),
    "pytest_feature": RoomCase(
        why="A feature with a test, by pytest; the receipt ran the verifier's command, so counts are compared.",
        project=PYTEST,
        work={"tests/test_tax.py": PYTEST_TAX},
        passed=6,
        cited=("tests.test_tax::test_tax", "tests.test_prices::test_discount[10-90]"),
        tests=CONTROL,
    ),
    "go_feature": RoomCase(
        why="A feature with a test in Go.",
        project=GO,
        work={"prices/tax_test.go": GO_TAX_TEST},
        passed=4,
    ),
    "go_subtests": RoomCase(
        why="Subtests in Go, whose order changes from run to run.",
        project=GO,
        work={"prices/prices_test.go": GO_SUBTESTS},
        passed=6,
    ),
    "node_feature": RoomCase(
        why="A feature with a test of Node.",
        project=NODE,
        work={"test/tax.test.js": NODE_TAX_TEST},
        passed=4,
    ),
    "node_suites": RoomCase(
        why="Suites in Node: a test's name alone says little.",
        project=NODE,
        work={"test/prices.test.js": NODE_SUITE},
        passed=5,
    ),
    "cargo_feature": RoomCase(
        why="A feature in Rust with a unit test beside the code, and one in tests/.",
        project=CARGO,
        work={
            "src/lib.rs": CARGO_PRICES
            + CARGO_TAX
            + CARGO_UNIT_TESTS.replace(
                "    }\n}\n",
                "    }\n\n    #[test]\n    fn no_tax() {\n        assert_eq!(with_tax(7, 0), 7);\n    }\n}\n",
            ),
            "tests/tax.rs": "#[test]\nfn tax() {\n    assert_eq!(shop::with_tax(100, 19), 119);\n}\n",
        },
        passed=5,
    ),
    "cargo_refactoring": RoomCase(
        why="Rust code moved into a module.",
        project=CARGO,
        work={
            "src/lib.rs": "//! Prices of a shop.\n\nmod prices;\npub use prices::total;\n" + CARGO_UNIT_TESTS,
            "src/prices.rs": CARGO_PRICES.partition("\n\n")[2] + CARGO_TAX.replace("pub fn", "pub(crate) fn", 0),
        },
        tests="",
    ),
    "refactoring": RoomCase(
        why="Code moved into a new module, and behaves as before.",
        work={"shop/prices.py": "from shop.sums import total\n\n__all__ = ['total']\n", "shop/sums.py": PRICES},
    ),
    "formatting": RoomCase(
        why="Product and tests are formatted: other bytes, the same tests.",
        work={
            "shop/prices.py": PRICES.replace("discount=0", "discount = 0").replace("\n\n\n", "\n\n"),
            "tests/test_prices.py": UNITTESTS.replace("[1, 2]", "[ 1, 2 ]").replace("\n\n\n", "\n\n"),
        },
    ),
    "test_renamed": RoomCase(
        why="A test has another name; somebody agreed to that, by its id and until a date.",
        work={"tests/test_prices.py": PLAIN},
        agreed=True,
        more=excepted("tests.inventory", "test_prices.TotalTest.test_sum"),
        reasons=(MISSING,),
    ),
    "test_deleted": RoomCase(
        why="A test of what is no more was deleted; somebody agreed to that.",
        base={"tests/test_old.py": OLD},
        work={"tests/test_old.py": None},
        agreed=True,
        more=excepted("tests.inventory", "test_old.OldTest.test_sum")
        + excepted("tests.inventory", "test_old.OldTest.test_discount"),
        reasons=(MISSING,),
    ),
    "test_strengthened": RoomCase(
        why="A test asks more than before, under its old name.",
        work={
            "tests/test_prices.py": UNITTESTS.replace("total([1, 2]), 3)", "total([1, 2]), 3)\n" + " " * 8).replace(
                "\n        \n", "\n        self.assertEqual(total([1, 2, 3]), 6)\n"
            )
        },
    ),
    "expected_failure_repaired": RoomCase(
        why="A test that was expected to fail passes now, and the mark is gone.",
        project=PYTEST,
        base={"tests/test_prices.py": XFAILED},
        work={"shop/prices.py": ROUNDED, "tests/test_prices.py": REPAIRED},
        passed=6,
    ),
    "fixture_added": RoomCase(
        why="A fixture within a test file.", project=PYTEST, work={"tests/test_prices.py": IN_FIXTURE}
    ),
    "conftest_added": RoomCase(
        why="A conftest.py with a fixture for new tests: it steers how tests run, and somebody agreed to it.",
        project=PYTEST,
        work={"tests/conftest.py": CONFTEST, "tests/test_both.py": CONFTEST_USED},
        passed=6,
        more=excepted("change.scope", "tests/conftest.py"),
        reasons=(HARNESS_ADDED,),
    ),
    "test_data_added": RoomCase(
        why="Data for a new test.",
        project=PYTEST,
        work={
            "tests/data/prices.txt": "1 2 3\n",
            "tests/test_data.py": "from pathlib import Path\n\nfrom shop.prices import total\n\n\ndef test_data():\n"
            "    text = Path(__file__).with_name('data').joinpath('prices.txt').read_text()\n"
            "    assert total(map(int, text.split())) == 6\n",
        },
        passed=6,
    ),
    "parameters_added": RoomCase(
        why="More parameters of a parametrised test.",
        project=PYTEST,
        work={"tests/test_prices.py": PARAMETERS},
        passed=7,
    ),
    "parameters_that_change": RoomCase(
        why="A parameter is the time of day: base itself has other ids in each run.",
        project=PYTEST,
        base={"tests/test_prices.py": CHANGING},
        passed=6,
        remarks=(UNSTABLE,),
        warnings=("tests.inventory",),
    ),
    "dependency_bump": RoomCase(
        why="A newer version of a package is demanded; the packages are those of the verifier's interpreter.",
        project=PYTEST,
        base={"shop/parsed.py": MSGSPEC, "tests/test_parsed.py": MSGSPEC_TEST, "pyproject.toml": PYPROJECT},
        work={"pyproject.toml": PYPROJECT.replace("0.18", "0.20")},
        passed=6,
    ),
    "node_dependency_bump": RoomCase(
        why="A newer version of a package is demanded; node_modules is the verifier's, and mounted.",
        project=NODE,
        base={"package.json": PACKAGE, "test/prices.test.js": NODE_TESTS + "\n" + NODE_CENTS},
        work={"package.json": PACKAGE.replace('"cents": "1.0.0"', '"cents": "1.1.0"')},
        passed=4,
        tests='nodeModules = "{node_modules}"\n',
        provides=("node_modules",),
    ),
    "slow_test": RoomCase(
        why="A test that takes its time, and is sound.",
        base={"tests/test_prices.py": SLOW},
    ),
    "flaky_at_base": RoomCase(
        why="A test that is red now and then: it was when base ran, and is not on the change.",
        scenarios=(30,),
        base={"tests/test_prices.py": FLAKY_TEST},
        passed=4,
        more=WEATHER,
        provides=("weather_bad_first",),
        remarks=(PREEXISTING,),
        warnings=("tests.inventory",),
    ),
    "flaky_on_head": RoomCase(
        why="A test that is red now and then, on head and not at base: it passes when it is run again.",
        scenarios=(30,),
        base={"tests/test_prices.py": FLAKY_TEST},
        passed=4,
        tests="reruns = 2\njobs = 1\n",
        more=WEATHER.replace("first", "second"),
        provides=("weather_bad_second",),
        remarks=(FLAKY,),
        warnings=("tests.inventory",),
    ),
    "red_at_base": RoomCase(
        why="A test was red before the work began, and still is: that is no fault of the work.",
        scenarios=(30,),
        base={"tests/test_prices.py": RED},
        remarks=(PREEXISTING,),
        warnings=("tests.inventory",),
    ),
    "red_repaired": RoomCase(
        why="A test was red at base, and the work repairs what it shows.",
        base={"tests/test_prices.py": RED},
        work={"shop/prices.py": ROUNDED},
        passed=4,
        remarks=(PREEXISTING,),
        warnings=("tests.inventory",),
    ),
    "loopback": RoomCase(
        why="A test starts a server on 127.0.0.1 and asks it: the namespace has its own loopback.",
        work={"tests/test_served.py": LOOPBACK},
        passed=4,
    ),
    "writes_into_scratch": RoomCase(
        why="Tests write into temporary folders and HOME.",
        work={"tests/test_written.py": SCRATCH},
        passed=5,
    ),
    "async_and_subtests": RoomCase(
        why="Asynchronous tests and subtests.",
        work={"tests/test_later.py": ASYNC},
        passed=5,
    ),
    "multi_line_task": RoomCase(
        why="A task of several lines, with an emoji that is joined from several.",
        predicate={"task": {"description": "Prices can have a tax.\n\n- 19 %\n- none \U0001f469\u200d\U0001f4bb\n"}},
    ),
    "nfd_name": RoomCase(
        why="A file whose name is in decomposed form, as macOS writes them; the manifest covers it.",
        work={"tests/data/cafe\u0301.txt": "1\n"},
        subjects=("shop/prices.py",),
        manifest=True,
    ),
    "clock_skew": RoomCase(
        why="The agent's clock is two minutes ahead.",
        predicate={"run": {"finishedOn": "2026-11-30T13:02:00Z"}},
    ),
    "target_moved_on": RoomCase(
        why="The target moved on, and what the merge gives is what is tested.",
        commits=({"name": "moved", "branch": "main", "from": "base", "files": {"README.md": "# A shop\n"}},),
        flags=[*FLAGS, "--merge-onto", "main"],
    ),
    "documentation_beside_code": RoomCase(
        why="Code, and what explains it.", work={"docs/tax.md": "# Tax\n", "README.md": "# A shop\n"}
    ),
    "hidden_tests": RoomCase(
        why="The verifier has tests that the agent never saw; the work passes them.",
        work={"tests/test_tax.py": UNITTEST_TAX},
        passed=5,
        overlay={
            "tests/test_hidden.py": "import unittest\n\nfrom shop.prices import total, with_tax\n\n\n"
            "class HiddenTest(unittest.TestCase):\n    def test_seldom(self):\n"
            "        self.assertEqual((total([7, 9], 25), with_tax(200, 7)), (12, 214))\n"
        },
        flags=[*FLAGS, "--overlay", "{overlay}"],
    ),
}
