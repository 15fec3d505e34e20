"""One small project for each runner: a shop that adds up prices. See generate_clean_room.py.

`{python}`, `{go}`, `{node}` and `{cargo}` are the tools of the machine that runs a case. What a project's `argv` is to
the verifier, `claimed` is to the receipt: the agent's own way to write a report.
"""

from dataclasses import dataclass

Files = dict[str, str | None]

SPEC = "# Shop\n\nPrices are whole cents. A discount is in percent.\n"
SUM, BROKEN_SUM = "    return sum(prices) * (100 - discount) // 100\n", "    return sum(prices)\n"
PRICES = f'"""Prices of a shop."""\n\n\ndef total(prices, discount=0):\n{SUM}'
WITH_TAX = PRICES + "\n\ndef with_tax(price, percent):\n    return price * (100 + percent) // 100\n"
BROKEN = WITH_TAX.replace(SUM, BROKEN_SUM)


@dataclass(frozen=True, kw_only=True)
class Project:
    """Files of the base revision, an honest change of its product, and how its tests are run."""

    runner: str
    files: Files
    work: Files
    argv: tuple[str, ...]
    claimed: tuple[str, ...]
    passed: int
    tests: str = ""  # of [tests] in the profile


UNITTESTS = """import unittest

from shop.prices import total


class TotalTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)

    def test_discount(self):
        self.assertEqual(total([100], 10), 90)

    def test_nothing(self):
        self.assertEqual(total([]), 0)
"""
PYTESTS = """import pytest

from shop.prices import total


def test_sum():
    assert total([1, 2]) == 3


@pytest.mark.parametrize(("percent", "left"), [(0, 100), (10, 90), (50, 50)])
def test_discount(percent, left):
    assert total([100], percent) == left


def test_nothing():
    assert total([]) == 0
"""
_PYTHON: Files = {"SPEC.md": SPEC, "shop/__init__.py": '"""A shop."""\n', "shop/prices.py": PRICES}
_PYTHON_WORK: Files = {"shop/prices.py": WITH_TAX}

UNITTEST = Project(
    runner="unittest",
    files={**_PYTHON, "tests/test_prices.py": UNITTESTS},
    work=_PYTHON_WORK,
    argv=("{python}", "-m", "unittest", "discover", "-s", "tests"),
    claimed=("{python}", "-m", "xmlrunner", "discover", "-s", "tests", "--output-file", "{junit}"),
    passed=3,
)
_PYTEST_ARGV = ("{python}", "-m", "pytest", "tests", "--junitxml={junit}")
PYTEST = Project(
    runner="pytest",
    files={**_PYTHON, "tests/test_prices.py": PYTESTS},
    work=_PYTHON_WORK,
    argv=_PYTEST_ARGV,
    claimed=_PYTEST_ARGV,
    passed=5,
)

GO_PRICES = """// Package prices adds up what is sold.
package prices

// Total is the sum of prices less a discount in percent.
func Total(prices []int, discount int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum * (100 - discount) / 100
}
"""
GO_TESTS = """package prices

import "testing"

func TestSum(t *testing.T) {
	if got := Total([]int{1, 2}, 0); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestDiscount(t *testing.T) {
	for _, row := range [][2]int{{0, 100}, {10, 90}} {
		if got := Total([]int{100}, row[0]); got != row[1] {
			t.Errorf("%d: got %d", row[0], got)
		}
	}
}

func TestNothing(t *testing.T) {
	if got := Total(nil, 0); got != 0 {
		t.Errorf("got %d", got)
	}
}
"""
GO_TAX = """
// WithTax is a price with a tax in percent.
func WithTax(price, percent int) int {
	return price * (100 + percent) / 100
}
"""
GO_BROKEN = GO_PRICES.replace(" * (100 - discount) / 100", "") + GO_TAX
GO = Project(
    runner="go",
    files={
        "SPEC.md": SPEC,
        "go.mod": "module example.com/shop\n\ngo 1.21\n",
        "prices/prices.go": GO_PRICES,
        "prices/prices_test.go": GO_TESTS,
    },
    work={"prices/prices.go": GO_PRICES + GO_TAX},
    argv=("{go}", "test", "./..."),
    claimed=("/usr/local/bin/gotestsum", "--junitfile", "{junit}", "--", "./..."),
    passed=3,
    tests='cache = "{cache}"\n',
)

NODE_PRICES = """"use strict";

function total(prices, discount = 0) {
  return (prices.reduce((sum, price) => sum + price, 0) * (100 - discount)) / 100;
}

module.exports = { total };
"""
NODE_TESTS = """"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { total } = require("../prices.js");

test("sum", () => {
  assert.strictEqual(total([1, 2]), 3);
});

test("discount", () => {
  assert.strictEqual(total([100], 10), 90);
});

test("nothing", () => {
  assert.strictEqual(total([]), 0);
});
"""
NODE_TAX = NODE_PRICES.replace(
    "module.exports = { total }",
    "function withTax(price, percent) {\n  return (price * (100 + percent)) / 100;\n}\n\n"
    "module.exports = { total, withTax }",
)
NODE_BROKEN = NODE_TAX.replace(" * (100 - discount)) / 100", ")")
NODE = Project(
    runner="node",
    files={
        "SPEC.md": SPEC,
        "package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}}\n',
        "prices.js": NODE_PRICES,
        "test/prices.test.js": NODE_TESTS,
    },
    work={"prices.js": NODE_TAX},
    argv=("{node}", "--test", "test/*.test.js"),
    claimed=("{node}", "--test", "--test-reporter=junit", "--test-reporter-destination={junit}", "test"),
    passed=3,
)

CARGO_PRICES = """//! Prices of a shop.

/// The sum of prices less a discount in percent.
pub fn total(prices: &[i64], discount: i64) -> i64 {
    prices.iter().sum::<i64>() * (100 - discount) / 100
}
"""
CARGO_UNIT_TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing() {
        assert_eq!(total(&[], 0), 0);
    }
}
"""
CARGO_TESTS = """use shop::total;

#[test]
fn sum() {
    assert_eq!(total(&[1, 2], 0), 3);
}

#[test]
fn discount() {
    assert_eq!(total(&[100], 10), 90);
}
"""
CARGO_TAX = """
/// A price with a tax in percent.
pub fn with_tax(price: i64, percent: i64) -> i64 {
    price * (100 + percent) / 100
}
"""
CARGO_BROKEN = CARGO_PRICES.replace(" * (100 - discount) / 100", " + discount - discount") + CARGO_TAX
CARGO = Project(
    runner="cargo",
    files={
        "SPEC.md": SPEC,
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "1.0.0"\n',
        "src/lib.rs": CARGO_PRICES + CARGO_UNIT_TESTS,
        "tests/prices.rs": CARGO_TESTS,
    },
    work={"src/lib.rs": CARGO_PRICES + CARGO_TAX + CARGO_UNIT_TESTS},
    argv=("{cargo}", "test"),
    claimed=("/bin/sh", "-c", "cargo test -- -Z unstable-options --format json | cargo2junit > {junit}"),
    passed=3,
)

# --- pieces of the unittest project that cases take apart

BAD: Files = {"shop/prices.py": BROKEN}
MORE = "from shop.prices import total\n\n\ndef test_half():\n    assert total([4], 50) == 2\n"
UNIT_MORE = UNITTESTS.replace("TotalTest", "MoreTest").replace("total([100], 10), 90", "total([4], 50), 2")
LINE = "    def test_discount(self):\n"
BODY = "        self.assertEqual(total([100], 10), 90)\n"
TEST_CASE = "class TotalTest(unittest.TestCase):\n"
SET_UP = "    def setUp(self):\n        "


def edited(text: str, old: str, new: str) -> Files:
    """The usual test file with one place edited."""
    if old not in text:
        raise ValueError(old)
    return {"tests/test_prices.py": text.replace(old, new)}


def later(name: str, branch: str, files: Files, start: str) -> dict[str, object]:
    """One more commit."""
    return {"name": name, "branch": branch, "from": start, "files": files}
