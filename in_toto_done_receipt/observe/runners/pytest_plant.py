"""Canaries for pytest: every form of assertion that its tests are written with, and tests that must pass."""

from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.observe.runners.model import Planted, Sources
from in_toto_done_receipt.observe.runners.pytest_config import PytestConfig, matches_name, read_config
from in_toto_done_receipt.observe.runners.python_command import PytestCommand

_FIXTURE: Final = "a fixture that fails"
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
    "sets_up": _FIXTURE,
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
    names = _Names(config, token)
    last = _last(command, config, sources)
    if last is None:
        roots = command.paths or config.testpaths or ("",)
        folder = PurePosixPath("" if roots[0].endswith(".py") else roots[0])
        return _planted(str(folder / _file(config.files[:1], token)), b"", command, names)
    pattern = config.pattern_of(last)
    if last in command.paths or pattern is None or pattern.count("*") != 1 or "/" in pattern:
        before = sources.read(last)
        return _planted(last, before + (b"\n" if before else b""), command, names)
    return _planted(str(PurePosixPath(last).parent / _file((pattern,), token)), b"", command, names)


def _file(patterns: tuple[str, ...], token: str) -> str:
    name = patterns[0].replace("*", token) if patterns else f"test_{token}.py"
    return name if name.endswith(".py") and "/" not in name else f"test_{token}.py"


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


def _name(patterns: tuple[str, ...], usual: str, own: str) -> str:
    """A name with `own` in it that is collected, by the usual prefix or else by one of these patterns."""
    for pattern in (usual, *patterns):
        plain = not any(sign in pattern for sign in "*?[")
        name = pattern + own if plain else pattern.replace("*", own)
        if name.isidentifier() and matches_name(name, patterns):
            return name
    return usual + own


class _Names:
    """What canaries are called."""

    def __init__(self, config: PytestConfig, token: str) -> None:
        self._config, self._token = config, token
        self.kind = _name(config.classes, "Test", f"_{token}")
        self.case = f"Case_{token}"
        self.fixture = f"broken_{token}"

    def function(self, form: str) -> str:
        return _name(self._config.functions, "test", f"_{self._token}_{form}")

    def method(self, form: str) -> str:
        return _name(self._config.functions, "test", f"_{form}")


def _text(names: _Names, marked: tuple[str, ...]) -> bytes:
    marks = [f"@pytest.mark.{name}" for name in marked]
    lines = ["import unittest as unittest_", "", "import pytest", "", ""]
    lines += ["@pytest.fixture", f"def {names.fixture}():", "    raise RuntimeError('canary')", "", ""]
    for form, body in {**_FUNCTIONS, "passes": "assert 1 == 1"}.items():
        argument, body = (names.fixture, "pass") if body == _FIXTURE else ("", body)
        lines += [*marks, f"def {names.function(form)}({argument}):", f"    {body}", "", ""]
    lines += [*marks, f"class {names.kind}:"]
    lines += [f"    def {names.method('compares')}(self):", "        assert 1 == 2", ""]
    lines += [f"    def {names.method('passes')}(self):", "        assert 1 == 1", "", ""]
    lines += [*marks, f"class {names.case}(unittest_.TestCase):"]
    for form, body in {**_METHODS, "passes": "self.assertEqual(1, 1)"}.items():
        lines += [f"    def test_{form}(self):", f"        {body}", ""]
    return ("\n".join(lines)).encode()


def _planted(path: str, before: bytes, command: PytestCommand, names: _Names) -> Planted:
    return Planted(
        files={path: before + _text(names, command.marked)},
        failing=frozenset(
            {f"{path}::{names.function(form)}" for form in _FUNCTIONS}
            | {f"{path}::{names.kind}::{names.method('compares')}"}
            | {f"{path}::{names.case}::test_{form}" for form in _METHODS}
        ),
        passing=frozenset(
            {
                f"{path}::{names.function('passes')}",
                f"{path}::{names.kind}::{names.method('passes')}",
                f"{path}::{names.case}::test_passes",
            }
        ),
    )
