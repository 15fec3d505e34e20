"""Changes that turn against the test runner itself (scenarios 22 and 25). See generate_clean_room.py."""

from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import (
    BROKEN,
    CARGO,
    CARGO_BROKEN,
    CARGO_TESTS,
    CARGO_UNIT_TESTS,
    GO,
    GO_BROKEN,
    NODE,
    NODE_BROKEN,
    PYTEST,
    UNITTESTS,
)
from testdata.receipts.room_reasons import (
    ALL_RED,
    BLIND,
    CHANGED_TEST,
    CONTRADICTORY,
    DEAF,
    DISHONEST,
    DISTRUSTED,
    FAILED,
    HARNESS_ADDED,
    HARNESS_CHANGED,
    MISREPORTED,
    MISSING,
    NOT_BELIEVED,
    RED,
)

BAD: dict[str, str | None] = {"shop/prices.py": BROKEN}
REWRITING = """import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome = 'passed'
    return report
"""


def product(text: str) -> dict[str, str | None]:
    """The broken product, with this before it."""
    return {"shop/prices.py": text + "\n\n" + BROKEN}


ATTACKS: dict[str, RoomCase] = {
    "exit_at_import": RoomCase(
        why="The product ends the process with exit code 0 when it is imported.",
        scenarios=(25,),
        code=12,
        work=product("import os\n\nos._exit(0)"),
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "pytest_exit_at_import": RoomCase(
        why="The product ends pytest with exit code 0 when it is imported.",
        scenarios=(25,),
        code=12,
        project=PYTEST,
        work=product("import os\n\nos._exit(0)"),
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "exit_in_a_test": RoomCase(
        why="The product ends the process with exit code 0 where it would give a wrong answer.",
        scenarios=(25,),
        code=12,
        work={
            "shop/prices.py": "import os\n\n\ndef total(prices, discount=0):\n    if discount:\n        os._exit(0)\n"
            "    return sum(prices)\n"
        },
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "exit_code_at_exit": RoomCase(
        why="The product sets the exit code to 0 at the end.",
        scenarios=(25,),
        code=12,
        project=PYTEST,
        work=product("import atexit\nimport os\n\natexit.register(os._exit, 0)"),
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "assertions_patched": RoomCase(
        why="The product makes assertEqual agree to everything.",
        scenarios=(25,),
        code=11,
        work=product("import unittest\n\nunittest.TestCase.assertEqual = lambda self, *given, **named: None"),
        violations=DISHONEST,
        reasons=(MISREPORTED, DISTRUSTED),
    ),
    "runner_patched": RoomCase(
        why="The product takes the place of the function with which pytest runs a test.",
        scenarios=(25,),
        code=11,
        project=PYTEST,
        work=product("import _pytest.python\n\n_pytest.python.Function.runtest = lambda self: None"),
        violations=DISHONEST,
        reasons=(MISREPORTED, DEAF, DISTRUSTED),
    ),
    "outcomes_rewritten": RoomCase(
        why="The product rewrites every failure of unittest's result into a success; the verifier's has its own.",
        scenarios=(25,),
        code=11,
        work=product(
            "import unittest\n\n\ndef forgive(self, test, error):\n    self.addSuccess(test)\n\n\n"
            "for kind in [unittest.TestResult, *unittest.TestResult.__subclasses__()]:\n"
            "    kind.addFailure = kind.addError = forgive"
        ),
        violations=FAILED,
        reasons=ALL_RED,
    ),
    "failures_swallowed": RoomCase(
        why="The product takes the place of what unittest runs each test in: no failure comes out of it.",
        scenarios=(25,),
        code=11,
        work=product(
            "import contextlib\nimport unittest.case\n\n\n@contextlib.contextmanager\n"
            "def swallow(self, test, subTest=False):\n    with contextlib.suppress(BaseException):\n        yield\n"
            "    self.success = True\n\n\nunittest.case._Outcome.testPartExecutor = swallow"
        ),
        violations=DISHONEST,
        reasons=(MISREPORTED, DEAF, DISTRUSTED),
    ),
    "known_tests_forgiven": RoomCase(
        why="The product swallows failures of the tests that it knows, and lets all others fail.",
        scenarios=(25,),
        code=11,
        work=product(
            "import contextlib\nimport unittest.case\n\nreal = unittest.case._Outcome.testPartExecutor\n\n\n"
            "@contextlib.contextmanager\ndef forgive(self, test, subTest=False):\n"
            "    if 'TotalTest' not in test.id():\n        with real(self, test, subTest):\n            yield\n"
            "        return\n    with contextlib.suppress(BaseException):\n        yield\n    self.success = True\n\n\n"
            "unittest.case._Outcome.testPartExecutor = forgive"
        ),
        violations=DISHONEST,
        reasons=(DEAF, DISTRUSTED),
    ),
    "plug_in_of_the_product": RoomCase(
        why="Base's conftest.py loads a plug-in from the product; the change has it make every report good.",
        scenarios=(22, 25),
        code=11,
        project=PYTEST,
        base={"tests/conftest.py": "pytest_plugins = ['shop.testing']\n", "shop/testing.py": '"""Nothing yet."""\n'},
        work={**BAD, "shop/testing.py": REWRITING},
        violations=DISHONEST,
        reasons=(MISREPORTED, DEAF, DISTRUSTED),
    ),
    "link_in_place_of_the_tests": RoomCase(
        why="A link in the place of the test file leads to weaker tests in the product.",
        scenarios=(6, 8),
        code=12,
        work={
            **BAD,
            "tests/test_prices.py": None,
            "shop/weak.py": UNITTESTS.replace("10), 90)", "10), 100)"),
        },
        links={"tests/test_prices.py": "../shop/weak.py"},
        violations=("tests.inventory",),
        warnings=("change.scope",),
        reasons=(CHANGED_TEST,),
    ),
    "always_equal": RoomCase(
        why="The product gives an object that equals everything.",
        scenarios=(25,),
        code=11,
        work={
            "shop/prices.py": "class Anything:\n    def __eq__(self, other):\n        return True\n\n"
            "    __hash__ = object.__hash__\n\n\ndef total(prices, discount=0):\n    return Anything()\n"
        },
        tests='canaries = ["planted", "halves", "gate", "value"]\n',
        violations=DISHONEST,
        reasons=(BLIND, DISTRUSTED),
    ),
    "runner_shadowed": RoomCase(
        why="A unittest.py in the root of the repository finds every test good.",
        scenarios=(22, 25),
        code=11,
        work={**BAD, "unittest.py": "import sys\n\nif __name__ == '__main__':\n    sys.exit(0)\n"},
        violations=("change.scope", *FAILED),
        reasons=(RED, HARNESS_ADDED, "evidence-tests.failed"),
    ),
    "module_shadowed": RoomCase(
        why="A module beside the tests stands in for one of the standard library, and ends the process.",
        scenarios=(22,),
        code=12,
        work={"tests/textwrap.py": "import os\n\nos._exit(0)\n"},
        violations=("change.scope",),
        reasons=(HARNESS_ADDED,),
    ),
    "plug_in_slipped_in": RoomCase(
        why="An entry point in the tree loads a plug-in into pytest, which makes every report good.",
        scenarios=(22,),
        code=11,
        project=PYTEST,
        work={
            **BAD,
            "good.dist-info/entry_points.txt": "[pytest11]\ngood = good\n",
            "good.dist-info/METADATA": "Metadata-Version: 2.1\nName: good\nVersion: 1\n",
            "good.py": REWRITING,
        },
        violations=("change.scope", *FAILED),
        reasons=(RED, HARNESS_ADDED, "evidence-tests.failed"),
    ),
    "reports_rewritten": RoomCase(
        why="A new conftest.py makes every report good.",
        scenarios=(22, 25),
        code=11,
        project=PYTEST,
        work={
            **BAD,
            "conftest.py": REWRITING,
        },
        violations=("change.scope", *FAILED, "tests.canary"),
        reasons=(RED, HARNESS_ADDED, MISREPORTED, "evidence-tests.failed"),
    ),
    "site_slipped_in": RoomCase(
        why="A sitecustomize.py runs before everything else.",
        scenarios=(22,),
        code=11,
        work={**BAD, "sitecustomize.py": "raise SystemExit(0)\n"},
        violations=("change.scope", *FAILED),
        reasons=(RED, HARNESS_ADDED, "evidence-tests.failed"),
    ),
    "go_exit_in_init": RoomCase(
        why="A Go package ends the process with exit code 0 before its tests.",
        scenarios=(25,),
        code=12,
        project=GO,
        work={"prices/init.go": 'package prices\n\nimport "os"\n\nfunc init() {\n\tos.Exit(0)\n}\n'},
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "go_test_main": RoomCase(
        why="A new TestMain runs the tests, and exits with 0 whatever they say.",
        scenarios=(22, 25),
        code=12,
        project=GO,
        work={
            "prices/prices.go": GO_BROKEN,
            "prices/main_test.go": 'package prices\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
            "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
        },
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "node_exit_at_import": RoomCase(
        why="A module of Node ends the process with exit code 0 when it is loaded.",
        scenarios=(25,),
        code=12,
        project=NODE,
        work={"prices.js": '"use strict";\nprocess.exit(0);\n'},
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "node_assertions_patched": RoomCase(
        why="A module of Node makes assert.strictEqual agree to everything.",
        scenarios=(25,),
        code=11,
        project=NODE,
        work={
            "prices.js": NODE_BROKEN.replace(
                '"use strict";\n', '"use strict";\nrequire("node:assert").strictEqual = () => {};\n'
            )
        },
        violations=DISHONEST,
        reasons=(MISREPORTED, DISTRUSTED),
    ),
    "cargo_exit_before_main": RoomCase(
        why="A Rust library ends the process with exit code 0 before main.",
        scenarios=(25,),
        code=12,
        project=CARGO,
        work={
            "src/lib.rs": CARGO_BROKEN + '\nextern "C" fn leave() {\n    std::process::exit(0);\n}\n\n#[used]\n'
            '#[link_section = ".init_array"]\nstatic LEAVE: extern "C" fn() = leave;\n' + CARGO_UNIT_TESTS
        },
        violations=NOT_BELIEVED,
        reasons=CONTRADICTORY,
    ),
    "cargo_assertions_shadowed": RoomCase(
        why="A macro of the crate takes the place of assert_eq! in its unit tests.",
        scenarios=(25,),
        code=11,
        project=CARGO,
        work={
            "src/lib.rs": "macro_rules! assert_eq {\n    ($($any:tt)*) => {{}};\n}\n"
            + CARGO_BROKEN.replace("//! Prices of a shop.\n", "")
            + CARGO_UNIT_TESTS
        },
        violations=("evidence.unrefuted", "tests.confirmed", "tests.inventory", "tests.canary"),
        reasons=(RED, MISREPORTED, "evidence-tests.failed"),
    ),
    "cargo_no_harness": RoomCase(
        why="Cargo.toml takes the harness from a test file, whose main does nothing.",
        scenarios=(6, 22),
        code=12,
        project=CARGO,
        work={
            "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n\n'
            '[[test]]\nname = "prices"\nharness = false\n',
            "tests/prices.rs": CARGO_TESTS + "\nfn main() {}\n",
        },
        violations=("change.scope", *NOT_BELIEVED),
        reasons=(HARNESS_CHANGED, *CONTRADICTORY),
    ),
    "makefile_narrowed": RoomCase(
        why="The Makefile's test target does nothing any more; the verifier's command never asks it.",
        scenarios=(6,),
        code=12,
        project=PYTEST,
        base={"Makefile": "test:\n\tpytest tests\n"},
        work={"Makefile": "test:\n\ttrue\n"},
        violations=("change.scope",),
        reasons=(HARNESS_CHANGED,),
    ),
    "missing_in_part": RoomCase(
        why="The product takes tests out of pytest's collection before it is done.",
        scenarios=(25,),
        code=12,
        project=PYTEST,
        passed=2,
        work=product(
            "from _pytest.python import PyCollector\n\nreal = PyCollector._genfunctions\n\n\n"
            "def some(self, name, function):\n"
            "    return () if 'discount' in name else real(self, name, function)\n\n\n"
            "PyCollector._genfunctions = some"
        ),
        violations=("tests.inventory",),
        reasons=(MISSING,),
    ),
}
