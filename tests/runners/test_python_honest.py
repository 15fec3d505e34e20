"""What honest tests in Python do: each form is reported as what it is, and can be made to fail where it stands."""

import os
import sys
import venv
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.model import TestRun
from in_toto_done_receipt.observe.runners.registry import runner_named
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.results.model import SandboxLevel
from tests.runners.lab import LIMITS, Lab, Tree, need, need_bubblewrap
from tests.runners.python_attacks import IDS, PROJECTS

PYTEST: Tree = {
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["checks"]\npython_files = ["check_*.py"]\n',
    "src/shop/__init__.py": "def price(n):\n    return 2 * n\n",
    "checks/conftest.py": "import pytest\n\n@pytest.fixture\ndef two():\n    return 2\n",
    "checks/check_shop.py": '''"""Tests of the shop."""
import unittest
from unittest import mock

import pytest

import shop


def test_plain():
    """A docstring is no statement."""
    assert shop.price(1) == 2


def test_fixture(two): assert shop.price(1) == two


@pytest.mark.parametrize("n", [1, 2, "über", 3.5])
def test_cases(n):
    assert shop.price(n) == n * 2


@mock.patch("builtins.open")
def test_without_files(opened):
    assert shop.price(2) == 4


async def test_is_not_for_us():
    assert False


@pytest.mark.skip(reason="later")
def test_skipped():
    assert False


@pytest.mark.xfail(reason="known")
def test_known():
    assert False


@pytest.mark.xfail(strict=True)
def test_strict():
    assert True


@pytest.mark.xfail
def test_surprise():
    assert True


class TestGroup:
    @classmethod
    def setup_class(cls):
        cls.value = 4

    def test_first(self):
        @staticmethod
        def inner():
            return 4
        assert shop.price(2) == self.value

    class TestInner:
        def test_deep(self):
            if True:
                assert shop.price(2) == 4


class Base:
    def test_inherited(self):
        assert shop.price(self.n) == self.n * 2


class TestOne(Base):
    n = 1


class TestTwo(Base):
    n = 2


class Case(unittest.TestCase):
    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n):
                self.assertEqual(shop.price(n), 2 * n)
''',
}
NAME = "checks/check_shop.py::"
PASSED = {
    *(f"{NAME}{name}" for name in ("test_plain", "test_fixture", "test_without_files", "TestGroup::test_first")),
    *(f"{NAME}test_cases[{case}]" for case in ("1", "2", "\\xfcber", "3.5")),
    *(f"{NAME}{name}" for name in ("TestGroup::TestInner::test_deep", "TestOne::test_inherited")),
    *(f"{NAME}{name}" for name in ("TestTwo::test_inherited", "Case::test_parts")),
}

UNITTEST: Tree = {
    "shop.py": "def price(n):\n    return 2 * n\n",
    "test/__init__.py": "",
    "test/deep/__init__.py": "",
    "test/deep/test_deep.py": """import unittest
import shop

class Deep(unittest.TestCase):
    def test_deep(self): self.assertEqual(shop.price(1), 2)
""",
    "test/test_shop.py": '''import unittest
import shop


def setUpModule():
    global ready
    ready = True


class Base:
    def test_inherited(self):
        """A docstring only, and a statement."""
        self.assertEqual(shop.price(self.n), 2 * self.n)


class One(Base, unittest.TestCase):
    n = 1


class Two(Base, unittest.TestCase):
    n = 2


class Parts(unittest.TestCase):
    def test_parts(self):
        for n in range(3):
            with self.subTest(n):
                self.assertEqual(shop.price(n), 2 * n)

    def test_a_part_is_skipped(self):
        with self.subTest(1):
            self.skipTest("not this one")

    @unittest.skip("later")
    def test_skipped(self):
        self.fail()

    @unittest.expectedFailure
    def test_known(self):
        self.fail()

    @unittest.expectedFailure
    def test_surprise(self):
        pass


class Afterwards(unittest.IsolatedAsyncioTestCase):
    async def test_later(self):
        self.assertEqual(shop.price(1), 2)


class Elsewhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no such machine")

    def test_one(self):
        self.fail()

    def test_two(self):
        self.fail()
''',
}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    need_bubblewrap()
    return Lab(tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest"))


@pytest.fixture
def discovery(tmp_path: Path) -> Lab:
    need_bubblewrap()
    argv = (sys.executable, "-m", "unittest", "discover", "-s", "test", "-t", ".")
    return Lab(tmp_path, runner_named("unittest"), argv)


def of(run: TestRun, state: str) -> set[str]:
    return {id for id, found in run.states.items() if found == state}


def small(text: str, **files: str) -> Tree:
    return {"test_it.py": text, **files}


# pytest


def test_each_form_of_test_is_reported_as_what_it_is(lab: Lab) -> None:
    run = lab.run(PYTEST)

    assert run.faults == ()
    assert of(run, "passed") == PASSED
    assert of(run, "skipped") == {f"{NAME}test_skipped"}
    assert of(run, "xfailed") == {f"{NAME}test_known"}
    assert of(run, "xpassed") == {f"{NAME}test_surprise"}
    assert of(run, "failed") == {f"{NAME}test_strict", f"{NAME}test_is_not_for_us"}


@pytest.mark.integration
def test_each_of_them_can_be_made_to_fail_through_the_gate(lab: Lab) -> None:
    found = lab.halves(PYTEST, PASSED, gated=True)

    assert {id for site in lab.sites(PYTEST, PASSED) if site.gate is not None for id in site.ids} == PASSED
    assert (found.deaf, found.unasked) == (frozenset(), frozenset())
    assert {found.real[id] for id in PASSED} == {"passed"}


@pytest.mark.integration
def test_each_of_them_can_be_made_to_fail_by_an_edit(lab: Lab) -> None:
    found = lab.halves(PYTEST, PASSED, gated=False)

    assert (found.works, {found.real[id] for id in PASSED}) == (True, {"passed"})


@pytest.mark.integration
def test_canaries_are_collected_under_the_projects_own_patterns(lab: Lab) -> None:
    good, run = lab.planted(PYTEST)

    assert (good, run.faults) == (True, ())


@pytest.mark.integration
@pytest.mark.parametrize(
    ("config", "file"),
    [
        ("[pytest]\npython_files = *.py\npython_functions = check_* it_\npython_classes = *Suite\n", "whatever.py"),
        ("[pytest]\npython_files = tests.py\n", "app/tests.py"),
        ("[pytest]\npython_files = app/t_*.py\n", "app/t_one.py"),
        ("", "app/one_test.py"),
    ],
)
def test_canaries_are_collected_where_tests_have_other_names(lab: Lab, config: str, file: str) -> None:
    tree = {"pytest.ini": config, file: "def check_it(): assert 1\ndef test_it(): assert 1\n"}

    assert lab.planted(tree)[0]


def test_a_marker_selects_canaries_too(tmp_path: Path) -> None:
    need_bubblewrap()
    lab = Lab(tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest", "-m", "unit and not slow"))
    text = "import pytest\n@pytest.mark.unit\ndef test_unit(): pass\ndef test_other(): assert 0\n"
    good, run = lab.planted(small(text, **{"pytest.ini": "[pytest]\nmarkers =\n  unit\n  slow\n"}))

    assert good
    assert run.states["test_it.py::test_unit"] == "passed"
    assert "test_it.py::test_other" not in run.states


@pytest.mark.parametrize(
    ("tree", "fault"),
    [
        pytest.param({"m.py": ""}, "exit code 5: no test was collected", id="no test"),
        pytest.param(
            small("import nowhere\n"),
            "test_it.py cannot be collected: ModuleNotFoundError: No module named 'nowhere'",
            id="no module",
        ),
        pytest.param(
            small("def test_it(): pass\n", **{"pytest.ini": "[pytest]\nminversion = 999\n"}),
            "exit code 4: pytest does not accept its arguments or its configuration",
            id="configuration",
        ),
        pytest.param(
            small("def test_it(): pass\n", **{"pytest.ini": "no section\n"}),
            "exit code 4: pytest does not accept its arguments or its configuration",
            id="not a configuration",
        ),
        pytest.param(
            small(
                "def test_it(): pass\n", **{"conftest.py": "def pytest_runtestloop(session): raise ValueError('x')\n"}
            ),
            "exit code 3: an error inside pytest or one of its plug-ins",
            id="inside pytest",
        ),
        pytest.param(
            small("def test_it(): raise KeyboardInterrupt\n"),
            "exit code 2: pytest was interrupted, most often because a file could not be collected",
            id="interrupted",
        ),
        pytest.param(
            small("import os, signal\ndef test_it(): os.kill(os.getpid(), signal.SIGSEGV)\n"),
            "exit code -11: the process of the tests was ended",
            id="signal",
        ),
        pytest.param(
            small("def test_it(): pass\n", **{"yaml/__init__.py": "", "pluggy/__init__.py": ""}),
            "pluggy is installed at ",
            id="installed",
        ),
    ],
)
@pytest.mark.integration
def test_a_run_that_cannot_be_believed_says_why_first(lab: Lab, tree: Tree, fault: str) -> None:
    assert any(found.startswith(fault) for found in lab.run(tree).faults[:2]), lab.run(tree).faults


@pytest.mark.integration
def test_a_file_that_cannot_be_collected_is_named(lab: Lab) -> None:
    run = lab.run(small("import nowhere\n", **{"test_good.py": "def test_good(): pass\n"}))

    assert "No module named 'nowhere'" in " ".join(run.faults)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("-p", "pytest_nowhere"), "plug-in pytest_nowhere is not installed for "),
        (("-p", "evil"), "plug-in evil is not installed for "),
    ],
)
def test_a_plug_in_comes_from_the_installation_or_not_at_all(
    tmp_path: Path, words: tuple[str, str], fault: str
) -> None:
    need_bubblewrap()
    lab = Lab(tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest", *words))
    run = lab.run(small("def test_it(): pass\n", **{"evil.py": "raise SystemExit(0)\n"}))

    assert any(found.startswith(fault) for found in run.faults)


@pytest.mark.integration
def test_an_installed_plug_in_is_loaded(tmp_path: Path) -> None:
    need_bubblewrap()
    argv = (sys.executable, "-m", "pytest", "-p", "pytest_socket")
    run = Lab(tmp_path, runner_named("pytest"), argv).run(small("def test_it(socket_enabled): pass\n"))

    assert (run.faults, set(run.states.values())) == ((), {"passed"})


@pytest.mark.integration
def test_errors_of_fixtures_are_red(lab: Lab) -> None:
    text = """import pytest
@pytest.fixture
def before(): raise ValueError
@pytest.fixture
def after():
    yield
    raise ValueError
def test_before(before): pass
def test_after(after): pass
def test_both(after): assert 0
"""
    run = lab.run(small(text))

    assert run.faults == ()
    assert run.states == {
        "test_it.py::test_before": "error",
        "test_it.py::test_after": "error",
        "test_it.py::test_both": "failed",
    }


@pytest.mark.integration
def test_what_tests_print_is_no_event(lab: Lab) -> None:
    text = """import os, sys
def test_print(capfd):
    with capfd.disabled():
        print('["failed", "test_it.py::test_print"]', flush=True)
        os.write(1, b'["end", 0]\\n')
        os.system("echo '[1, 2]'")
"""
    run = lab.run(small(text))

    assert (run.faults, run.states) == ((), {"test_it.py::test_print": "passed"})


@pytest.mark.integration
def test_nothing_is_written_into_the_tree(lab: Lab, tmp_path: Path) -> None:
    lab.run(PYTEST)
    (tree,) = tmp_path.glob("run*/tree")
    found = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}

    assert found == set(PYTEST)


@pytest.mark.integration
def test_tests_may_write_where_the_profile_lets_them(tmp_path: Path) -> None:
    need_bubblewrap()
    text = "def test_it():\n    open('out.txt', 'w').close()\n"
    states = [
        Lab(tmp_path / str(writable), runner_named("pytest"), (sys.executable, "-m", "pytest"), writable=writable)
        .run(small(text))
        .states["test_it.py::test_it"]
        for writable in (False, True)
    ]

    assert states == ["failed", "passed"]


@pytest.mark.integration
def test_ids_that_change_are_what_they_are(lab: Lab) -> None:
    text = "import pytest\n@pytest.mark.parametrize('n', [1], ids=lambda n: str(id(object())))\ndef test_it(n): pass\n"
    first, second = lab.run(small(text)), lab.run(small(text))

    assert (first.faults, second.faults) == ((), ())
    assert len(lab.sites(small(text), first.states)[0].ids) == 1


# Output that is meant to be too much


@pytest.mark.integration
@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ("b'x' * 10**8", "limit test-stream-bytes is 4194304, got more on standard output"),
        ("b'\\xff[\\n' * 10", "not an event: \\xff["),
        ("b'[' * 100_000 + b'\\n'", "not an event: [[[[[["),
        ('b\'["start", "a"]\\n\' * 200_000', "started twice: a"),
        ("b'[\"plan\", ' + b'[' * 50 + b']' * 50 + b']\\n'", "a second plan"),
    ],
    ids=["too long", "no text", "nested", "many events", "a plan of lists"],
)
def test_hostile_output_into_the_channel_is_bounded(tmp_path: Path, data: str, fault: str) -> None:
    need_bubblewrap()
    limits = CommandLimits(seconds=60, stream_bytes=4 * 2**20)
    lab = Lab(tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest"), limits=limits)
    lines = ["import os", "def test_it():", "    for fd in range(3, 20):"]
    lines += [f"        try: os.write(fd, {data})", "        except OSError: pass"]
    run = lab.run(small("\n".join(lines) + "\n"))

    assert any(found.startswith(fault) for found in run.faults), run.faults
    assert len(run.faults) < 25


@pytest.mark.integration
def test_too_much_on_standard_error_ends_the_run(tmp_path: Path) -> None:
    need_bubblewrap()
    limits = CommandLimits(seconds=60, stream_bytes=4 * 2**20)
    lab = Lab(tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest"), limits=limits)
    text = "import os\ndef test_it(capfd):\n    with capfd.disabled(): os.write(1, b'x' * 10**8)\n"
    run = lab.run(small(text))

    assert run.faults[0] == "limit test-stream-bytes is 4194304, got more on standard error"


@pytest.mark.integration
def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    need_bubblewrap()
    limits = CommandLimits(seconds=3, stream_bytes=LIMITS.stream_bytes)
    lab = Lab(tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest"), limits=limits)
    run = lab.run(small("import time\ndef test_it(): time.sleep(60)\n"))

    assert run.exit_code is None
    assert run.faults[0] == "the run of tests took longer than 3 s"


# The interpreter


def environment(folder: Path) -> Path:
    """A virtual environment that sees the packages of our own."""
    venv.create(folder, symlinks=True, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    (own,) = {path for path in map(Path, sys.path) if path.name == "site-packages" and path.is_relative_to(sys.prefix)}
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py.py"):
        (site / name).symlink_to(own / name)
    return site


@pytest.mark.integration
def test_an_editable_installation_does_not_stand_in_for_the_tree(tmp_path: Path) -> None:
    need_bubblewrap()
    site = environment(tmp_path / "venv")
    checkout = tmp_path / "checkout"
    (checkout / "shop").mkdir(parents=True)
    (checkout / "shop" / "__init__.py").write_text("price = lambda n: 3 * n\n")
    (site / "shop.pth").write_text(f"{checkout}\n")
    own = (Path(sys.prefix), checkout)
    lab = Lab(tmp_path, runner_named("pytest"), (f"{tmp_path}/venv/bin/python", "-m", "pytest"), read_only=own)

    assert of(lab.run(PYTEST), "passed") == PASSED


@pytest.mark.integration
def test_an_installed_copy_of_the_product_is_refused(tmp_path: Path) -> None:
    need_bubblewrap()
    site = environment(tmp_path / "venv")
    (site / "shop.py").write_text("price = lambda n: 2 * n\n")
    argv = (f"{tmp_path}/venv/bin/python", "-m", "pytest")
    run = Lab(tmp_path, runner_named("pytest"), argv, read_only=(Path(sys.prefix),)).run(PYTEST)

    assert run.states == {}
    assert run.faults[0] == f"shop is installed at {site}/shop.py: tests would test that instead of the tree"


@pytest.mark.integration
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
@pytest.mark.parametrize("place", ["back/end/shop", "vendor/shop"])
def test_an_installed_copy_of_what_lies_deeper_is_a_fault(tmp_path: Path, runner: str, place: str) -> None:
    need_bubblewrap()
    site = environment(tmp_path / "venv")
    (site / "shop").mkdir()
    (site / "shop" / "__init__.py").write_text("price = 2\n")
    words = {"pytest": ("pytest",), "unittest": ("unittest", "discover", "-s", "tests")}[runner]
    tree = {**PROJECTS[runner], f"{place}/__init__.py": "price = 3\n"}
    tree["m.py"] = "import shop\n" + str(tree["m.py"])
    argv = (f"{tmp_path}/venv/bin/python", "-m", *words)
    run = Lab(tmp_path, runner_named(runner), argv, read_only=(Path(sys.prefix),)).run(tree)
    fault = f"tests imported shop from {site}/shop/__init__.py, and not from "

    assert [found.startswith(fault) for found in run.faults] == ([True] if place != "vendor/shop" else [])


@pytest.mark.integration
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_an_installed_package_of_tests_does_not_stand_in_for_the_trees(tmp_path: Path, runner: str) -> None:
    need_bubblewrap()
    site = environment(tmp_path / "venv")
    (site / "tests").mkdir()
    (site / "tests" / "__init__.py").write_text("raise ImportError('somebody else's')\n")
    words = {"pytest": ("pytest",), "unittest": ("unittest", "discover", "-s", "tests", "-t", ".")}[runner]
    tree = {**PROJECTS[runner], "tests/__init__.py": ""}
    argv = (f"{tmp_path}/venv/bin/python", "-m", *words)
    run = Lab(tmp_path, runner_named(runner), argv, read_only=(Path(sys.prefix),)).run(tree)

    assert (run.faults, set(run.states.values()), len(run.states)) == ((), {"passed"}, len(IDS[runner]))


@pytest.mark.integration
def test_a_python_without_pytest_says_so(tmp_path: Path) -> None:
    need_bubblewrap()
    venv.create(tmp_path / "venv", symlinks=True, with_pip=False)
    lab = Lab(tmp_path, runner_named("pytest"), (f"{tmp_path}/venv/bin/python", "-m", "pytest"))

    assert lab.run(PYTEST).faults[0].startswith(f"pytest cannot be imported by {tmp_path}/venv/bin/python")


def test_a_variable_that_gives_others_a_say_is_refused(tmp_path: Path) -> None:
    lab = Lab(
        tmp_path, runner_named("pytest"), (sys.executable, "-m", "pytest"), variables={"PYTEST_ADDOPTS": "-k nothing"}
    )

    with pytest.raises(ConfigurationError, match="variable PYTEST_ADDOPTS cannot be set for the runner pytest"):
        lab.run(PYTEST)


# unittest


def test_unittest_reports_each_form_as_what_it_is(discovery: Lab) -> None:
    run = discovery.run(UNITTEST)

    assert run.faults == ()
    assert of(run, "skipped") == {
        *(
            "test.test_shop.Parts.test_skipped",
            "test.test_shop.Elsewhere.test_one",
            "test.test_shop.Elsewhere.test_two",
        ),
    }
    assert of(run, "xfailed") == {"test.test_shop.Parts.test_known"}
    assert of(run, "xpassed") == {"test.test_shop.Parts.test_surprise"}
    assert of(run, "passed") == UNITTEST_PASSED
    assert len(run.states) == len(UNITTEST_PASSED) + 5


UNITTEST_PASSED = {
    *("test.deep.test_deep.Deep.test_deep", "test.test_shop.One.test_inherited", "test.test_shop.Two.test_inherited"),
    *("test.test_shop.Parts.test_parts", "test.test_shop.Parts.test_a_part_is_skipped"),
    "test.test_shop.Afterwards.test_later",
}


def test_unittest_can_be_made_to_fail_everywhere(discovery: Lab) -> None:
    found = discovery.halves(UNITTEST, UNITTEST_PASSED, gated=True)

    assert {id for site in discovery.sites(UNITTEST, UNITTEST_PASSED) for id in site.ids} == UNITTEST_PASSED
    assert (found.works, {found.real[id] for id in UNITTEST_PASSED}) == (True, {"passed"})


@pytest.mark.integration
def test_unittest_collects_canaries_in_packages(discovery: Lab) -> None:
    good, run = discovery.planted(UNITTEST)

    assert (good, run.faults) == (True, ())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import nowhere\n", "cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("", "no test was found: no file test*.py below test holds one"),
        (
            "import unittest\nclass C(unittest.TestCase):\n    tearDownClass = classmethod(lambda c: 1 / 0)\n"
            "    def test_it(self): pass\n",
            "tearDownClass (test.test_it.C) failed",
        ),
        (
            "import os, unittest\nclass C(unittest.TestCase):\n    def test_it(self): os._exit(0)\n",
            "1 started and never",
        ),
    ],
    ids=["import", "nothing", "after the class", "exit"],
)
def test_unittest_says_why_it_cannot_be_believed(discovery: Lab, text: str, fault: str) -> None:
    run = discovery.run({"test/__init__.py": "", "test/test_it.py": text})

    assert any(found.startswith(fault) for found in run.faults), run.faults


def test_a_fixture_of_a_class_that_fails_is_red_in_all_of_its_tests(discovery: Lab) -> None:
    text = """import unittest
class C(unittest.TestCase):
    setUpClass = classmethod(lambda c: 1 / 0)
    def test_one(self): pass
    def test_two(self): pass
"""
    run = discovery.run({"test/__init__.py": "", "test/test_it.py": text})

    assert (run.faults, run.exit_code) == ((), 1)
    assert run.states == {"test.test_it.C.test_one": "error", "test.test_it.C.test_two": "error"}


@pytest.mark.integration
def test_unittest_writes_nothing_into_the_tree(discovery: Lab, tmp_path: Path) -> None:
    discovery.run(UNITTEST)
    (tree,) = tmp_path.glob("run*/tree")

    assert {os.path.relpath(path, tree) for path in tree.rglob("*") if path.is_file()} == set(UNITTEST)


# Below the best level of the sandbox


@pytest.mark.integration
@pytest.mark.parametrize("level", ["landlock", "rlimits"])
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_lower_levels_run_the_same_tests(tmp_path: Path, level: SandboxLevel, runner: str) -> None:
    need(probe(highest=level).level == level, f"sandbox level {level}")
    words = {"pytest": ("pytest",), "unittest": ("unittest", "discover", "-s", "tests")}[runner]
    lab = Lab(tmp_path, runner_named(runner), (sys.executable, "-m", *words), level=level)
    found = lab.halves(PROJECTS[runner], IDS[runner], gated=True)

    assert (found.works, set(found.real.values())) == (True, {"passed"})
    assert [run.faults for run in found.runs] == [(), ()]


@pytest.mark.integration
def test_the_gate_holds_for_a_thousand_tests(tmp_path: Path) -> None:
    need_bubblewrap()
    rows = "".join(f"    def test_{n * 37 % 100:02}(self): self.assertEqual(1, 1)\n" for n in range(100))
    tree = {f"tests/test_{n}.py": f"import unittest\nclass C(unittest.TestCase):\n{rows}" for n in range(10)}
    ids = {f"test_{n}.C.test_{k:02}" for n in range(10) for k in range(100)}
    lab = Lab(tmp_path, runner_named("unittest"), (sys.executable, "-m", "unittest", "discover", "-s", "tests"))
    found = lab.halves(tree, ids, gated=True)

    assert (found.works, {found.real[id] for id in ids}) == (True, {"passed"})
    assert [run.faults for run in found.runs] == [(), ()]
