"""Honest changes of projects as they really look: layouts, styles and habits that must not be taken for anything else.

See generate_clean_room.py.
"""

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import (
    CARGO,
    CARGO_PRICES,
    CARGO_TAX,
    CARGO_TESTS,
    CARGO_UNIT_TESTS,
    GO,
    GO_PRICES,
    GO_TAX,
    GO_TESTS,
    NODE,
    NODE_PRICES,
    NODE_TAX,
    NODE_TESTS,
    PRICES,
    PYTEST,
    PYTESTS,
    UNITTESTS,
    WITH_TAX,
)
from testdata.receipts.room_reasons import HARNESS_CHANGED, OTHER_CASES, excepted
from tests.repositories.go_modules import go_sum

PACKAGED = UNITTESTS.replace("import unittest\n", "import unittest\n\nfrom tests.wanted import DISCOUNTED\n").replace(
    ", 90)", ", DISCOUNTED)"
)
SHARED = """import unittest

from shop.prices import total

seen = []


class TotalTest(unittest.TestCase):
    def test_a_first(self):
        seen.append(total([1, 2]))
        self.assertEqual(seen, [3])

    def test_b_second(self):
        self.assertEqual(seen, [3])
"""
SOURCE = "[tool.pytest.ini_options]\npythonpath = ['src']\ntestpaths = ['tests']\n"
CONFIG = (
    "[tool.pytest.ini_options]\naddopts = '-q --strict-markers -m \"not slow\"'\nmarkers = ['slow: takes long']\n"
    "filterwarnings = ['error']\n"
)
SLOW = "\n\n@pytest.mark.slow\ndef test_many():\n    assert total([1] * 1000) == 1000\n"
BASE_CONFTEST = """import pytest


@pytest.fixture(scope="session")
def prices():
    return [1, 2]


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.name)
"""
FIXTURES = '''from shop.prices import total


def test_sum(prices):
    assert total(prices) == 3


class TestTotal:
    """Of many."""

    def test_nothing(self, prices):
        """None of them."""
        assert total(prices[:0]) == 0

    class TestDiscount:
        def test_all(self, prices): assert total(prices, 100) == 0
'''
ONE_LINE = (
    "from shop.prices import total\n\ndef test_sum(): assert total([1, 2]) == 3\n"
    'def test_nothing(): "none"; assert total([]) == 0\n'
)
IMPORTING = "from .sums import total\n"
ODD = """import pytest

from shop.prices import total


IDS = ["a[b]", "\N{LATIN SMALL LETTER U WITH DIAERESIS}", "x/y::z", "", "a\\n"]


@pytest.mark.parametrize("price", range(1, 6), ids=IDS)
def test_one(price):
    assert total([price]) == price
"""
GO_OUTSIDE = """package prices_test

import (
	"os"
	"strings"
	"testing"

	"example.com/shop/prices"
)

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

func TestFromFile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/prices.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := prices.Total([]int{len(strings.Fields(string(data)))}, 0); got != 3 {
		t.Errorf("got %d", got)
	}
}
"""
CARGO_MORE = (
    CARGO_UNIT_TESTS.removesuffix("}\n")
    + """
    #[test]
    #[should_panic(expected = "zero")]
    fn panics() {
        panic!("zero");
    }

    mod inner {
        #[test]
        fn gives_a_result() -> Result<(), std::num::ParseIntError> {
            let price: i64 = "7".parse()?;
            assert_eq!(crate::total(&[price], 0), 7);
            Ok(())
        }
    }
}
"""
)
CARGO_MAIN = 'fn main() {\n    println!("{}", shop::total(&[], 0));\n}\n'
CRATE = str(CARGO.files["Cargo.toml"])
LOCK = str(CARGO.files["Cargo.lock"])
GO_MOD = "module example.com/shop\n\ngo 1.21\n\nrequire example.com/cents v1.0.0\n"
GO_CENTS_TEST = """package prices

import "testing"

func TestFromEuros(t *testing.T) {
	if got := FromEuros(2); got != 200 {
		t.Errorf("got %d", got)
	}
}
"""
MODULE = '{"name": "shop", "version": "1.0.0", "type": "module"}\n'


def as_module(text: str) -> str:
    """A script of Node as a module."""
    return (
        text.replace('"use strict";\n', "")
        .replace('const test = require("node:test");', 'import test from "node:test";')
        .replace('const assert = require("node:assert");', 'import assert from "node:assert";')
        .replace('const { total } = require("../prices.js");', 'import { total } from "../prices.js";')
        .replace("module.exports =", "export")
    )


USUAL: dict[str, RoomCase] = {
    "tests_as_package": RoomCase(
        why="Tests are a package, which imports from itself.",
        base={
            "tests/__init__.py": '"""Tests."""\n',
            "tests/wanted.py": "DISCOUNTED = 90\n",
            "tests/test_prices.py": PACKAGED,
        },
        argv=("{python}", "-m", "unittest", "discover", "-s", "tests", "-t", "."),
    ),
    "module_becomes_package": RoomCase(
        why="A module of the product becomes a package of the same name.",
        without_work=True,
        work={
            "shop/prices.py": None,
            "shop/prices/__init__.py": "from .sums import total\n",
            "shop/prices/sums.py": PRICES,
        },
    ),
    "tests_that_share_state": RoomCase(
        why="A test needs what the one before it did: alone, or beside a canary, it is red.",
        base={"tests/test_prices.py": SHARED},
        passed=2,
        remarks=("harness-canary.remark",),
    ),
    "line_ends_of_windows": RoomCase(
        why="Files end their lines as Windows does.",
        base={"tests/test_prices.py": UNITTESTS.replace("\n", "\r\n"), "shop/prices.py": PRICES.replace("\n", "\r\n")},
        work={"shop/prices.py": WITH_TAX.replace("\n", "\r\n")},
    ),
    "byte_order_mark": RoomCase(
        why="A test file begins with a byte order mark.", base={"tests/test_prices.py": "\ufeff" + UNITTESTS}
    ),
    "writes_into_the_tree": RoomCase(
        why="A test writes a file beside itself; the profile allows that.",
        base={
            "tests/test_prices.py": UNITTESTS
            + "\n    def test_written(self):\n        with open(__file__ + '.out', 'w') as out:\n"
            "            self.assertEqual(out.write('90'), 2)\n"
        },
        passed=4,
        tests="writable = true\n",
    ),
    "side_by_side": RoomCase(why="The profile has two runs at a time.", tests="jobs = 2\n"),
    "src_layout": RoomCase(
        why="The product lies in src/, which base's configuration of pytest says.",
        project=PYTEST,
        base={
            "shop/__init__.py": None,
            "shop/prices.py": None,
            "src/shop/__init__.py": '"""A shop."""\n',
            "src/shop/prices.py": PRICES,
            "pyproject.toml": SOURCE,
        },
        without_work=True,
        work={"src/shop/prices.py": WITH_TAX},
    ),
    "configured_pytest": RoomCase(
        why="Base's configuration has options, markers and warnings; the profile repeats what selects tests.",
        project=PYTEST,
        base={"pyproject.toml": CONFIG, "tests/test_prices.py": PYTESTS + SLOW},
        argv=("{python}", "-m", "pytest", "tests", "-m", "not slow", "--junitxml={junit}"),
        claimed=("{python}", "-m", "pytest", "tests", "-m", "not slow", "--junitxml={junit}"),
    ),
    "conftest_at_base": RoomCase(
        why="Base has a conftest.py with fixtures and a hook; tests are functions and methods of nested classes.",
        project=PYTEST,
        base={"tests/conftest.py": BASE_CONFTEST, "tests/test_prices.py": FIXTURES},
        passed=3,
    ),
    "one_line_tests": RoomCase(
        why="Tests of one line.", project=PYTEST, base={"tests/test_prices.py": ONE_LINE}, passed=2
    ),
    "odd_parameters": RoomCase(
        why="Parameters whose ids have brackets, letters beyond ASCII, slashes, colons and a line end.",
        project=PYTEST,
        base={"tests/test_prices.py": ODD},
    ),
    "parameters_exchanged": RoomCase(
        why="A parametrised test has other cases, and not fewer.",
        project=PYTEST,
        work={"tests/test_prices.py": PYTESTS.replace("(50, 50)", "(25, 75)")},
        remarks=(OTHER_CASES,),
        warnings=("tests.inventory",),
    ),
    "go_outside_tests": RoomCase(
        why="Go tests of another package beside the inner ones, with a TestMain, a data file, and in parallel.",
        project=GO,
        base={"prices/outside_test.go": GO_OUTSIDE, "prices/testdata/prices.txt": "1 2 3\n"},
        passed=4,
    ),
    "go_two_packages": RoomCase(
        why="A second package in Go, with tests of the same names.",
        project=GO,
        base={
            "other/prices.go": GO_PRICES,
            "other/prices_test.go": GO_TESTS,
            "cmd/shop/main.go": 'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/shop/prices"\n)\n\n'
            "func main() {\n\tfmt.Println(prices.Total(nil, 0))\n}\n",
        },
        work={"other/prices.go": GO_PRICES + GO_TAX},
        passed=6,
    ),
    "node_modules_of_its_own_kind": RoomCase(
        why="Node's own modules (import) instead of require.",
        project=NODE,
        base={
            "package.json": MODULE,
            "prices.js": as_module(NODE_PRICES),
            "test/prices.test.js": as_module(NODE_TESTS),
        },
        work={"prices.js": as_module(NODE_TAX)},
    ),
    "cargo_panics_and_errors": RoomCase(
        why="Rust tests that have to panic, that give a Result, and in a module of their own.",
        project=CARGO,
        base={"src/lib.rs": CARGO_PRICES + CARGO_MORE},
        work={"src/lib.rs": CARGO_PRICES + CARGO_TAX + CARGO_MORE},
        passed=5,
    ),
    "cargo_binary": RoomCase(
        why="A package with a library and a program, each with tests.",
        project=CARGO,
        base={"src/main.rs": CARGO_MAIN + CARGO_UNIT_TESTS.replace("super::*", "shop::total")},
        work={"tests/more.rs": CARGO_TESTS.replace("fn sum", "fn more_sum").replace("fn discount", "fn more_discount")},
        passed=6,
    ),
    "cargo_version_bump": RoomCase(
        why="The version of a package in Cargo.toml and in its lock.",
        project=CARGO,
        work={"Cargo.toml": CRATE.replace("1.0.0", "1.1.0"), "Cargo.lock": LOCK.replace("1.0.0", "1.1.0")},
    ),
    "cargo_settings_agreed": RoomCase(
        why="A new version with a setting of test builds, to which somebody agreed: base's are used.",
        project=CARGO,
        work={
            "Cargo.toml": CRATE.replace("1.0.0", "1.1.0") + "\n[profile.test]\nopt-level = 1\n",
            "Cargo.lock": LOCK.replace("1.0.0", "1.1.0"),
        },
        more=excepted("change.scope", "Cargo.toml"),
        reasons=(HARNESS_CHANGED,),
    ),
    "go_dependency_bump": RoomCase(
        why="A newer version of a module is demanded; the module cache is the verifier's, and mounted.",
        project=GO,
        base={
            "go.mod": GO_MOD,
            "go.sum": go_sum("v1.0.0"),
            "prices/prices.go": GO_PRICES.replace(
                "package prices\n", 'package prices\n\nimport "example.com/cents"\n', 1
            )
            + "\n// FromEuros is a price in cents.\nfunc FromEuros(euros int) int {\n\treturn cents.Cents(euros)\n}\n",
            "prices/cents_test.go": GO_CENTS_TEST,
        },
        without_work=True,
        work={"go.mod": GO_MOD.replace("v1.0.0", "v1.1.0"), "go.sum": go_sum("v1.1.0")},
        passed=4,
        more='\n[sandbox]\nreadOnly = ["{modules}"]\nvariables = { GOMODCACHE = "{modules}" }\n',
        provides=("modules",),
    ),
}
