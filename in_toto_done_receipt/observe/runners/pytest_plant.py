"""Canaries for pytest: every form of assertion that its tests are written with, and tests that must pass."""

from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.observe.runners.model import Planted, Sources
from in_toto_done_receipt.observe.runners.pytest_config import PytestConfig, matches_name, read_config
from in_toto_done_receipt.observe.runners.python_command import PytestCommand

_FUNCTIONS: Final = {
    "compares": "assert 1 == 2",
    "differs": "assert 1 != 1",
    "contains": "assert 1 in []",
    "fails": "pytest.fail('canary')",
    "is": "assert None is not None",
    "near": "assert 1.0 == pytest.approx(2.0)",
    "raises": "raise ValueError('canary')",
    "asserts": "raise AssertionError('canary')",
    "expects": "with pytest.raises(ValueError): pass",
    "warns": "with pytest.warns(UserWarning): pass",
    "sets_up": "broken",
}
_METHODS: Final = {
    "equal": "self.assertEqual(1, 2)",
    "true": "self.assertTrue(0)",
    "expects": "self.assertRaises(ValueError, int)",
    "contained": "self.assertIn(1, [])",
    "fail": "self.fail()",
    "statement": "assert 0",
}


def planted(command: PytestCommand, sources: Sources, token: str) -> Planted:
    """A file beside the last test file that the command selects; at the end of that one if it cannot be beside it.

    The last, so that what the product does when it is first used has been done. Where there is no test file, in the
    first folder that is searched. Raises ObservationError for a file that cannot be read.
    """
    config = read_config(sources)
    last = _last(command, config, sources)
    if last is None:
        roots = command.paths or config.testpaths or ("",)
        folder = "" if roots[0] == "." or roots[0].endswith(".py") else roots[0].rstrip("/")
        pattern: str | None = config.files[0] if config.files else "test_*.py"
        place = PurePosixPath(folder)
    else:
        pattern, place = config.pattern_of(last), PurePosixPath(last).parent
    named = last is not None and last in command.paths
    if last is not None and (named or pattern is None or pattern.count("*") != 1 or "/" in pattern):
        before = sources.read(last)
        text = _text(config, command, token)
        return _planted(last, before + (b"" if before.endswith(b"\n") or not before else b"\n") + text, config, token)
    name = (pattern or "test_*.py").replace("*", token)
    return _planted(str(place / name), _text(config, command, token), config, token)


def _last(command: PytestCommand, config: PytestConfig, sources: Sources) -> str | None:
    """The last test file below what the command names, else below what the configuration names, else anywhere."""
    paths = list(sources.paths())
    roots = command.paths or config.testpaths or (".",)
    below = [
        path
        for path in paths
        if any(root == "." or path == root or path.startswith(root.rstrip("/") + "/") for root in roots)
        and not any(part.startswith(".") or part in _NOT_SEARCHED for part in path.split("/")[:-1])
    ]
    files = [path for path in below if config.is_test_file(path) or path in command.paths]
    ignored = [word.removeprefix("--ignore=") for word in command.words if word.startswith("--ignore=")]
    files = [path for path in files if not any(path == one or path.startswith(one + "/") for one in ignored)]
    return max(files, key=lambda path: path.split("/"), default=None)


_NOT_SEARCHED: Final = frozenset({"build", "dist", "node_modules", "venv", "_darcs", "CVS", "testdata"})


def _names(config: PytestConfig, token: str) -> tuple[str, str, str]:
    """What a function, a class and a method are called, the first and the last up to their form."""
    prefix = _prefix(config.functions, "test", f"_{token}_")
    return prefix, _prefix(config.classes, "Test", f"_{token}"), _prefix(config.functions, "test", "_")


def _prefix(patterns: tuple[str, ...], usual: str, rest: str) -> str:
    """A beginning of a name that is collected however it goes on, or the usual one."""
    for pattern in (usual, *patterns):
        stem = pattern.rstrip("*")
        if stem and stem.isidentifier() and matches_name(f"{stem}{rest}x", patterns):
            return f"{stem}{rest}"
    return f"{usual}{rest}"


def _text(config: PytestConfig, command: PytestCommand, token: str) -> bytes:
    function, kind, method = _names(config, token)
    marks = [f"pytest.mark.{name}" for name in command.marked]
    marked = [f"@{mark}" for mark in marks]
    lines = ["import unittest as unittest_", "", "import pytest", "", ""]
    lines += ["@pytest.fixture", f"def broken_{token}():", "    raise RuntimeError('canary')", "", ""]
    for form, body in {**_FUNCTIONS, "passes": "assert 1 == 1"}.items():
        argument = f"broken_{token}" if body == "broken" else ""
        lines += [*marked, f"def {function}{form}({argument}):", f"    {'pass' if argument else body}", "", ""]
    lines += [*marked, f"class {kind}:", f"    def {method}compares(self):", "        assert 1 == 2", ""]
    lines += [f"    def {method}passes(self):", "        assert 1 == 1", "", ""]
    lines += [*marked, f"class Case_{token}(unittest_.TestCase):"]
    for form, body in {**_METHODS, "passes": "self.assertEqual(1, 1)"}.items():
        lines += [f"    def test_{form}(self):", f"        {body}", ""]
    return ("\n".join(lines)).encode()


def _planted(path: str, text: bytes, config: PytestConfig, token: str) -> Planted:
    function, kind, method = _names(config, token)
    return Planted(
        files={path: text},
        failing=frozenset(
            {f"{path}::{function}{form}" for form in _FUNCTIONS}
            | {f"{path}::{kind}::{method}compares"}
            | {f"{path}::Case_{token}::test_{form}" for form in _METHODS}
        ),
        passing=frozenset(
            {f"{path}::{function}passes", f"{path}::{kind}::{method}passes", f"{path}::Case_{token}::test_passes"}
        ),
    )
