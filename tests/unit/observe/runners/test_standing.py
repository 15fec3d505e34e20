"""In which files tests stand, whatever these are called."""

import pytest

from in_toto_done_receipt.observe.runners.registry import runner_named
from in_toto_done_receipt.observe.runners.standing import files_of_tests, new_files_of_tests
from tests.runners.lab import Files

PYTEST = ("/usr/bin/python3", "-m", "pytest")
UNITTEST = ("/usr/bin/python3", "-m", "unittest", "discover", "-s", "checks", "-p", "verify_*.py")
NODE = ("/usr/bin/node", "--test", "checks/*.mjs")
CONFIG = "[pytest]\npython_files = check_*.py\ntestpaths = checks\n"
TEST = "def test_it(): assert 1\n"


def test_pytest_says_where_in_its_ids() -> None:
    base = Files({"pytest.ini": CONFIG, "checks/check_a.py": TEST, "checks/check_b.py": "test_made = make()\n"})
    ids = ["checks/check_a.py::test_it", "checks/check_b.py::test_made[1]"]

    assert files_of_tests(runner_named("pytest"), PYTEST, base, ids) == {"checks/check_a.py", "checks/check_b.py"}


def test_a_doctest_does_not_make_its_file_one_of_tests() -> None:
    base = Files({"shop.py": "def price():\n    '''>>> price()'''\n"})

    assert files_of_tests(runner_named("pytest"), PYTEST, base, ["shop.py::shop.price", "gone.py::test_it"]) == set()


def test_unittest_says_where_in_its_modules() -> None:
    text = "class C(TestCase):\n    def test_it(self): pass\n"
    base = Files({"checks/verify_a.py": text, "checks/helpers.py": "", "shop.py": ""})
    ids = ["verify_a.C.test_it", "shop.helpers.price"]

    assert files_of_tests(runner_named("unittest"), UNITTEST, base, ids) == {"checks/verify_a.py"}


@pytest.mark.parametrize(
    ("config", "new"),
    [
        (CONFIG, {"checks/check_new.py"}),
        ("[pytest]\npython_files = check_*.py\n", {"checks/check_new.py", "shop/check_new.py"}),
        ("[pytest]\npython_files = *.py\n", set()),
    ],
)
def test_new_files_of_pytest_are_those_that_base_would_take(config: str, new: set[str]) -> None:
    base = Files({"pytest.ini": config, "checks/check_a.py": TEST})
    added = {"checks/check_new.py": TEST, "shop/check_new.py": "", "shop/new.py": ""}
    head = Files({**base.files, **added, "pytest.ini": "[pytest]\npython_files = never.py\n"})

    assert new_files_of_tests(runner_named("pytest"), PYTEST, base, head) == new


@pytest.mark.parametrize(
    ("pattern", "new"), [("verify_*.py", {"checks/verify_new.py"}), ("test*.py", set()), ("*.py", set())]
)
def test_new_files_of_unittest_are_those_that_are_discovered(pattern: str, new: set[str]) -> None:
    base = Files({"checks/verify_a.py": "", "testing.py": ""})
    head = Files({**base.files, "checks/verify_new.py": "", "checks/testing_too.py": "", "verify_x.py": ""})

    assert new_files_of_tests(runner_named("unittest"), (*UNITTEST[:-1], pattern), base, head) == new


def test_node_names_files() -> None:
    base = Files({"checks/a.mjs": "test('x', () => {})\n", "shop.mjs": ""})
    head = Files({**base.files, "checks/new.mjs": "", "new.mjs": ""})
    runner = runner_named("node")

    assert files_of_tests(runner, NODE, base, ["checks/a.mjs > x", "gone.mjs > y"]) == {"checks/a.mjs"}
    assert new_files_of_tests(runner, NODE, base, head) == {"checks/new.mjs"}


def test_other_runners_know_tests_by_name() -> None:
    argv, base = ("/usr/local/go/bin/go", "test"), Files({})

    assert new_files_of_tests(runner_named("go"), argv, base, Files({"new_test.go": ""})) == set()
