"""Commands of pytest and unittest as a profile has them: what is honoured, and what is refused by name."""

import sys
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.python_command import (
    PytestCommand,
    UnittestCommand,
    checked_pytest,
    checked_unittest,
    python_home,
)
from in_toto_done_receipt.observe.runners.registry import BUILTIN, check_command, runner_named

PY = "/opt/python/bin/python3"


def of_pytest(*words: str) -> PytestCommand:
    return checked_pytest((PY, "-m", "pytest", *words))


def of_unittest(*words: str) -> UnittestCommand:
    return checked_unittest((PY, "-m", "unittest", *words))


def test_pytest_without_arguments() -> None:
    assert of_pytest() == PytestCommand(python=PY)


def test_pytest_with_everything_that_is_honoured() -> None:
    command = of_pytest(
        *("tests/", "./more/test_a.py", "-p", "pytest_asyncio", "-pno:randomly", "-m", "not slow"),
        *("--import-mode=importlib", "--strict-markers", "--ignore=tests/old", "--ignore", "tests/older"),
        *("-W", "error", "--deselect=tests/test_b.py::test_x[a::b]", "--asyncio-mode", "auto"),
    )

    assert command == PytestCommand(
        python=PY,
        plugins=("pytest_asyncio", "no:randomly"),
        mode="importlib",
        markers="not slow",
        words=(
            *("--strict-markers", "--ignore=tests/old", "--ignore=tests/older", "-W", "error"),
            *("--deselect=tests/test_b.py::test_x[a::b]", "--asyncio-mode=auto"),
        ),
        paths=("tests", "more/test_a.py"),
    )


def test_what_only_says_what_is_shown_is_dropped() -> None:
    words = (
        "-q",
        "-vv",
        "-s",
        "-ra",
        "--tb=short",
        "--color",
        "no",
        "--durations=5",
        "--no-header",
        "--junitxml=x.xml",
    )

    assert of_pytest(*words) == PytestCommand(python=PY)


@pytest.mark.parametrize("words", [("--junitxml={junit}",), ("--junit-xml", "{junit}"), ("{junit}",)])
def test_a_report_is_for_other_runners(words: tuple[str, ...]) -> None:
    assert of_pytest(*words, "tests") == PytestCommand(python=PY, paths=("tests",))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-k", "add"), "argument -k is not honoured: all tests have to run"),
        (("-x",), "argument -x is not honoured: all tests have to run"),
        (("--maxfail=1",), "argument --maxfail=1 is not honoured: all tests have to run"),
        (("--lf",), "argument --lf is not honoured: all tests have to run, and nothing is remembered"),
        (("-n", "4"), "argument -n is not honoured: tests run in one process"),
        (("-nauto",), "argument -nauto is not honoured: tests run in one process"),
        (("-p", "xdist"), "argument -p xdist is not honoured: tests run in one process"),
        (("-p", "a b"), "argument -p a b is not honoured: it is no name of a plug-in"),
        (("-p", "/etc/evil"), "argument -p /etc/evil is not honoured"),
        (("-o", "addopts=-x"), "argument -o is not honoured: the tree's own configuration is used"),
        (("-c", "other.ini"), "argument -c is not honoured: the tree's own configuration is used"),
        (("--rootdir=/",), "argument --rootdir=/ is not honoured: it is the root of the tree"),
        (("--cov=pkg",), "argument --cov=pkg is not honoured: coverage is no test"),
        (("--cov-report", "xml"), "argument --cov-report is not honoured: coverage is no test"),
        (
            ("--import-mode=prepend",),
            "argument --import-mode=prepend is not honoured: it would put folders of the tree",
        ),
        (("--pyargs", "pkg"), "argument --pyargs is not honoured"),
        (("--collect-only",), "argument --collect-only is not honoured: tests have to run"),
        (("--our-own",), "argument --our-own is not honoured"),
        (("-m",), "argument -m is not honoured: its value is missing"),
        (("--strict=yes",), "argument --strict=yes is not honoured"),
        (("/etc",), "argument /etc is not honoured: it does not lie below the root of the tree"),
        (("../x",), "argument ../x is not honoured: it does not lie below the root of the tree"),
        (("--ignore=../x",), "argument ../x is not honoured"),
        (("tests/test_a.py::test_b",), "name files or folders, not single tests"),
        (("-m", "a and"), "argument -m a and is not honoured: up to 8 markers with and, or, not are understood"),
        (("-m", "a(b=1)"), "argument -m a(b=1) is not honoured"),
        (("-m", "a and not a"), "argument -m a and not a is not honoured: no test can be selected by it"),
        (("-m", " or ".join("abcdefghi")), "up to 8 markers"),
        (("-m", "(" * 500), "up to 8 markers"),
        (("\x1b[2Jx/../y",), "argument \\x1b[2Jx/../y is not honoured"),
    ],
)
def test_what_pytest_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        of_pytest(*words)

    assert message in caught.value.message
    assert caught.value.message.startswith("runner pytest: ")


@pytest.mark.parametrize(
    ("expression", "marked"),
    [
        ("slow", ("slow",)),
        ("not slow", ()),
        ("unit and not slow", ("unit",)),
        ("(a or b) and (c or not a)", ("b",)),
        ("a and b", ("a", "b")),
    ],
)
def test_canaries_get_the_fewest_markers_that_select_them(expression: str, marked: tuple[str, ...]) -> None:
    assert of_pytest("-m", expression).marked == marked


@pytest.mark.parametrize("argv", [("pytest", "tests"), (PY, "-m", "unittest"), (PY,), ()])
def test_pytest_has_to_be_a_module_of_a_python(argv: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="has to begin with the path of Python and `-m pytest`"):
        checked_pytest(argv)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ((), UnittestCommand(python=PY)),
        (("discover",), UnittestCommand(python=PY)),
        (("discover", "-v", "-b"), UnittestCommand(python=PY)),
        (("discover", "-s", "tests"), UnittestCommand(python=PY, start="tests", top="tests")),
        (("discover", "-s", "tests", "-t", "."), UnittestCommand(python=PY, start="tests")),
        (
            ("discover", "tests/", "check*.py", "."),
            UnittestCommand(python=PY, start="tests", pattern="check*.py"),
        ),
        (
            ("discover", "--start-directory=tests", "--pattern=t.py", "--top-level-directory", "tests"),
            UnittestCommand(python=PY, start="tests", pattern="t.py", top="tests"),
        ),
    ],
)
def test_unittest_discovers(words: tuple[str, ...], command: UnittestCommand) -> None:
    assert of_unittest(*words) == command


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tests.test_m",), "argument tests.test_m is not honoured: tests are found by discover -s FOLDER"),
        (("discover", "-k", "add"), "argument -k is not honoured: all tests have to run"),
        (("discover", "-f"), "argument -f is not honoured: all tests have to run"),
        (("discover", "-s", "/etc"), "argument /etc is not honoured: it does not lie below the root of the tree"),
        (("discover", "-s"), "it does not lie below the root of the tree"),
        (("discover", "-p", "*/x.py"), "argument -p */x.py is not honoured: it is no pattern of file names"),
        (("discover", "a", "b.py", "c", "d"), "argument d is not honoured: discover takes no more than three"),
        (("discover", "-s", "a", "-t", "b"), "argument -t b is not honoured: -s a does not lie below it"),
    ],
)
def test_what_unittest_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        of_unittest(*words)

    assert message in caught.value.message


def test_our_own_python_has_a_home() -> None:
    home = python_home(sys.executable)

    assert (home.prefix, home.base) == (Path(sys.prefix), Path(sys.base_prefix).resolve())


def test_a_virtual_environment_has_its_own_home_and_that_of_its_base(tmp_path: Path) -> None:
    (tmp_path / "base/bin").mkdir(parents=True)
    (tmp_path / "base/lib/python3.14").mkdir(parents=True)
    (tmp_path / "base/lib/python3.14/os.py").touch()
    (tmp_path / "base/bin/python").touch()
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/python").symlink_to(tmp_path / "base/bin/python")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"include = no\nhome = {tmp_path}/base/bin\n")
    home = python_home(f"{tmp_path}/venv/bin/python")

    assert (home.prefix, home.base) == (tmp_path / "venv", tmp_path / "base")


@pytest.mark.parametrize("python", ["/usr/bin/env", "/nowhere/bin/python", "/python"])
def test_what_lies_in_no_python_is_refused(python: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not lie in bin/ of a Python with its library"):
        python_home(python if python != "/usr/bin/env" else str(tmp_path / "bin" / "python"))


@pytest.mark.parametrize("name", [row[0] for row in BUILTIN])
def test_every_runner_can_be_named(name: str) -> None:
    assert runner_named(name).name == name


def test_another_name_is_told_which_there_are() -> None:
    with pytest.raises(ConfigurationError, match="there is no runner mocha") as caught:
        runner_named("mocha")

    assert caught.value.hint == "runners: pytest, unittest, go, node, cargo, junit"


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("pytest", (PY, "-m", "pytest", "-k", "x")),
        ("unittest", (PY, "-m", "unittest", "-f")),
        ("go", ("/usr/local/go/bin/go", "test", "-run", "X")),
        ("node", ("/usr/bin/node", "--test", "--test-only")),
        ("cargo", ("/usr/bin/cargo", "test", "--", "x")),
        ("junit", ("/bin/true",)),
    ],
)
def test_every_runner_checks_its_command(name: str, argv: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError):
        check_command(name, argv)
