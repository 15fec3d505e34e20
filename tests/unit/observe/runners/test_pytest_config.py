"""Which configuration pytest takes from a tree."""

import pytest

from in_toto_done_receipt.observe.runners.pytest_config import PytestConfig, matches_name, read_config
from tests.runners.lab import Files

EVERYTHING = {
    "pytest.toml": "[pytest]\ntestpaths = ['a']\n",
    ".pytest.toml": "[pytest]\ntestpaths = ['b']\n",
    "pytest.ini": "[pytest]\ntestpaths = c\n",
    ".pytest.ini": "[pytest]\ntestpaths = d\n",
    "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['e']\n",
    "tox.ini": "[pytest]\ntestpaths = f\n",
    "setup.cfg": "[tool:pytest]\ntestpaths = g\n",
}


@pytest.mark.parametrize("gone", range(len(EVERYTHING) + 1))
def test_the_first_of_its_names_wins(gone: int) -> None:
    left = dict(list(EVERYTHING.items())[gone:])
    config = read_config(Files(left))

    assert config.file == next(iter(left), None)
    assert config.testpaths == (("abcdefg"[gone],) if left else ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project]\nname = 'x'\n"),
        ("pyproject.toml", "tool = 3\n"),
        ("tox.ini", "[tox]\n"),
        ("setup.cfg", "[pytest]\ntestpaths = x\n"),
    ],
)
def test_a_file_without_a_table_for_pytest_is_none(name: str, text: str) -> None:
    assert read_config(Files({name: text})) == PytestConfig()


@pytest.mark.parametrize("name", ["pytest.toml", "pytest.ini"])
def test_an_empty_file_of_its_own_is_one(name: str) -> None:
    assert read_config(Files({name: ""})) == PytestConfig(file=name)


def test_the_newer_table_of_a_project() -> None:
    config = read_config(Files({"pyproject.toml": "[tool.pytest]\ntestpaths = ['x']\n"}))

    assert (config.file, config.testpaths) == ("pyproject.toml", ("x",))


def test_lists_of_an_ini_file_have_comments_and_lines() -> None:
    text = "[pytest]\npython_files =\n    # no\n    a_*.py\n    b.py c.py\n"

    assert read_config(Files({"pytest.ini": text})).files == ("a_*.py", "b.py", "c.py")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "no section"),
        ("pytest.ini", b"[pytest]\n\xff"),
        ("pyproject.toml", "= x"),
        ("pyproject.toml", "x = " + "[" * 5000),
        ("setup.cfg", "[tool:pytest]\n[["),
    ],
)
def test_one_that_cannot_be_read_is_named_and_says_nothing(name: str, text: str | bytes) -> None:
    assert read_config(Files({name: text})) == PytestConfig(file=name)


@pytest.mark.parametrize(
    ("patterns", "path", "is_one"),
    [
        (("test_*.py", "*_test.py"), "a/test_b.py", True),
        (("test_*.py",), "a/b_test.py", False),
        (("test_*.py",), "a/test_b.txt", False),
        (("a/check_*.py",), "x/a/check_1.py", True),
        (("a/check_*.py",), "b/check_1.py", False),
        (("*",), "m.py", True),
    ],
)
def test_test_files_have_names(patterns: tuple[str, ...], path: str, is_one: bool) -> None:
    assert PytestConfig(files=patterns).is_test_file(path) is is_one


def test_names_of_functions_begin_or_fit() -> None:
    assert [matches_name(name, ("test", "*_it")) for name in ("tests", "do_it", "it")] == [True, True, False]
