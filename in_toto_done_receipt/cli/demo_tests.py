"""The part of the demo in which the verifier runs the tests of a change again, in a clean room."""

import json
import shlex
import sys
from typing import Final

import click

from in_toto_done_receipt.cli.demo_change import DemoRepository
from in_toto_done_receipt.cli.demo_steps import Cheat, heading, run
from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.process import find_git

PRODUCT: Final = "def total(prices, discount=0):\n    return sum(prices) * (100 - discount) // 100\n"
TAX: Final = "\n\ndef with_tax(price, percent):\n    return price * (100 + percent) // 100\n"
TEST: Final = """import unittest

from prices import total


class TotalTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)

    def test_discount(self):
        self.assertEqual(total([100], 10), 90)
"""
TAX_TEST: Final = """import unittest

from prices import with_tax


class TaxTest(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(with_tax(100, 19), 119)
"""
# The agent's own way to have a report: unittest writes none.
REPORT: Final = """import sys, unittest

class Result(unittest.TextTestResult):
    def startTest(self, test):
        print(f'<testcase classname="{type(test).__module__}" name="{test._testMethodName}">', file=report)
    def addFailure(self, test, error):
        print("<failure/>", file=report)
    addError = addFailure
    def stopTest(self, test):
        print("</testcase>", file=report)

with open(sys.argv[1], "w") as report:
    print("<testsuite>", file=report)
    load = unittest.defaultTestLoader
    load.testNamePatterns = sys.argv[2:] or None
    unittest.TextTestRunner(resultclass=Result).run(load.discover("tests"))
    print("</testsuite>", file=report)
"""
_BROKEN: Final = PRODUCT.replace(" * (100 - discount) // 100", "")
_PATCH: Final = "import unittest\n\nunittest.TestCase.assertEqual = lambda *given: None\n\n\n"

CHEATS: Final = {
    "narrow": Cheat(title="the receipt ran one test of two, and the other one is red", code=11),
    "patch": Cheat(title="the product is wrong, and makes every assertion agree", code=11),
}
_WORK: Final[dict[str, dict[str, str]]] = {
    "feature": {"prices.py": PRODUCT + TAX, "tests/test_tax.py": TAX_TEST},
    "narrow": {"prices.py": _BROKEN},
    "patch": {"prices.py": _PATCH + _BROKEN},
}


def tests_story(level: str) -> tuple[list[str], bool]:
    """What did not go as told, and whether there was a git and a sandbox to tell it with."""
    heading("The tests of a change, run again by the verifier")
    try:
        git = find_git()
    except RepositoryRefused as fault:
        click.echo(f"(left out: {fault.message})")
        return [], False
    if level != "bubblewrap":
        click.echo(f"(left out: tests of a change run under bubblewrap, and this machine has {level})")
        return [], False
    repository = DemoRepository(git, "shop")
    files = {"prices.py": PRODUCT, "tests/test_prices.py": TEST, "report.py": REPORT, "acceptance.toml": profile()}
    base = repository.begin(files)
    wrong = run("seal --root shop --path 'tests/**' --out shop.contract.json", 0)
    for name, work in _WORK.items():
        heading(f"Refused: {CHEATS[name].title}" if name in CHEATS else "An honest feature, with a test of its own")
        repository.work(name, work, base)
        wrong += [*_attest(name, base), *_verify(name, base)]
    return wrong, True


def profile() -> str:
    """The verifier's demands. The test command is the interpreter that runs this."""
    argv = json.dumps([sys.executable, "-m", "unittest", "discover", "-s", "tests"])
    return (
        'version = 1\ncollection = "ci"\n\n[contract]\nsealed = ["tests/**"]\n\n'
        f'[tests]\nrunner = "unittest"\nargv = {argv}\n'
    )


def _attest(name: str, base: str) -> list[str]:
    paths = list(_WORK[name])
    chosen = ["*test_sum"] if name == "narrow" else []
    tests = shlex.join([sys.executable, "-B", "report.py", "{junit}", *chosen])
    subjects = "".join(f" --subject {path}" for path in paths)
    return run(
        f"attest --root shop --key worker.pem --out {name}.json --contract shop.contract.json --agent demo-agent"
        f' --task "Prices can have a tax." --claim "tested=all tests pass" --tests {shlex.quote("tested=" + tests)}'
        f"{subjects} --repo shop --base {base} --head {name}",
        0,
    )


def _verify(name: str, base: str) -> list[str]:
    code = CHEATS[name].code if name in CHEATS else 0
    return run(
        f"verify {name}.json --trusted-key worker=worker.pub --repo shop --base {base} --head {name}"
        " --profile base:acceptance.toml --recheck-commands",
        code,
    )
