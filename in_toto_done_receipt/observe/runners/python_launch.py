"""What runs inside the room, by the interpreter of the profile: `PY -I -B -c THIS KIND ROOT WORDS…`.

It says on standard output what happens, one JSON array a line, and nobody else does: whatever tests print goes to
standard error. It imports the framework before anything of the tree can be imported, and lets the tree come last.

Runs on Python 3.8 with pytest 6.2 and later, and imports nothing of ours. Its text is handed over as an argument.
"""

from __future__ import annotations

import importlib.machinery
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Say = Callable[[str, Any], None]

EXIT_RED = 1
_TESTS = ("test", "tests")
_PACKAGES = 2_000
_DEPTH = 4
_OF_OTHERS = frozenset(
    (
        *("_vendor", "build", "dist", "docs", "examples", "extern", "fixtures", "node_modules", "site-packages"),
        *("test", "testdata", "tests", "third_party", "vendor", "vendored", "venv"),
    )
)
_BESIDE = frozenset(("benchmarks", "build", "dist", "doc", "docs", "examples", "samples", "scripts", "tools"))
_NOT_IMPORTED = ("setup", "conftest", "noxfile", "src", *_TESTS, *_BESIDE)
EXIT_UNUSABLE = 70  # nothing was run: what was said before tells why


class Channel:
    """One line for each event. What it needs is taken before any test can replace it."""

    def __init__(self) -> None:
        fd, write, dumps = os.dup(1), os.write, json.dumps
        os.dup2(2, 1)

        def say(kind: str, what: Any) -> None:
            line = (dumps([kind, what]) + "\n").encode()
            while line:
                line = line[write(fd, line) :]

        self.say = say


class Pytest:
    """A plug-in of pytest that reports. A test counts by the worst of what its phases say."""

    def __init__(self, say: Say, root: str) -> None:
        self._say = say
        self._packages = _packages(root)
        self._state: str | None = None

    def pytest_collection_finish(self, session: Any) -> None:
        self._say("plan", [item.nodeid for item in session.items])

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            reason = _last_line(str(report.longrepr))
            self._say("fault", f"{report.nodeid or 'the tree'} cannot be collected: {reason}")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._state = None
        self._say("start", nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome == "failed":
            if self._state not in ("failed", "error"):
                self._state = "failed" if report.when == "call" else "error"
        elif type(report).__name__ in ("SubtestReport", "SubTestReport") or self._state is not None:
            return
        elif hasattr(report, "wasxfail"):
            self._state = "xfailed" if report.outcome == "skipped" else "xpassed"
        elif report.outcome == "skipped":
            self._state = "skipped"
        elif report.when == "call" and report.outcome == "passed":
            self._state = "passed"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._say(self._state or "error", nodeid)

    def pytest_sessionfinish(self, exitstatus: Any) -> None:
        for fault in _installed_instead(self._packages):
            self._say("fault", fault)
        self._say("end", int(exitstatus))


def run_pytest(say: Say, root: str, words: list[str]) -> int:
    """pytest with these words. The first ones are the plug-ins, up to `--`."""
    try:
        import pytest
    except ImportError as fault:
        return _unusable(say, f"pytest cannot be imported by {sys.executable}: {fault}")
    plugins = words[: words.index("--")]
    obstacle = _not_installed(plugins) or _twice(root) or let_in([root, *_source_folder(root)])
    if obstacle is not None:
        return _unusable(say, obstacle)
    for last in (Pytest.pytest_collection_finish, Pytest.pytest_sessionfinish):
        pytest.hookimpl(trylast=True)(last)  # it marks the function
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    named = [word for name in plugins for word in ("-p", name)]
    return int(pytest.main([*named, *words[len(plugins) + 1 :]], plugins=[Pytest(say, root)]))


def _not_installed(plugins: list[str]) -> str | None:
    """Why a plug-in must not be loaded: what is not installed could only come from the tree."""
    from importlib.metadata import distributions

    known = {entry.name for one in distributions() for entry in one.entry_points if entry.group == "pytest11"}
    for name in plugins:
        installed = name.startswith("no:") or name in known or "_pytest." + name in sys.modules
        if not installed and _found(name) is None:
            return f"plug-in {name} is not installed for {sys.executable}"
    return None


def run_unittest(say: Say, root: str, words: list[str]) -> int:
    """All tests that `unittest` discovers: START, PATTERN, TOP."""
    import unittest
    import unittest.case
    import unittest.loader
    import unittest.mock
    import unittest.suite

    start, pattern, top = words
    packages = _packages(root)
    places = [os.path.normpath(os.path.join(root, top)), root, *_source_folder(root)]
    obstacle = _twice(root) or let_in(places)
    if obstacle is not None:
        return _unusable(say, obstacle)
    suite = unittest.defaultTestLoader.discover(os.path.join(root, start), pattern, os.path.join(root, top))
    tests = []
    for test in _flat(suite, unittest.TestSuite):
        if type(test).__name__ == "_FailedTest":
            say("fault", "cannot be imported: " + _last_line(str(getattr(test, "_exception", test))))
        else:
            tests.append(test.id())
    say("plan", tests)
    said = Unittest(say, tests)
    suite.run(_result(said))
    for fault in _installed_instead(packages):
        say("fault", fault)
    say("end", 0)
    return EXIT_RED if said.red else 0


def _flat(suite: Any, kind: type) -> Iterator[Any]:
    for test in suite:
        if isinstance(test, kind):
            yield from _flat(test, kind)
        else:
            yield test


class Unittest:
    """What became of each test: the worst that is said of it. A fixture of a class counts for all of the class."""

    def __init__(self, say: Say, tests: list[str]) -> None:
        self._say, self._tests = say, tests
        self.red = False
        self._now: str | None = None
        self._state: str | None = None
        self._started: set[str] = set()

    def begin(self, name: str) -> None:
        self._now, self._state = name, None
        self._started.add(name)
        self._say("start", name)

    def settle(self) -> None:
        if self._now is not None:
            self._say(self._state or "passed", self._now)
            self._now = None

    def note(self, name: str, state: str) -> None:
        self.red = self.red or state in ("failed", "error")
        if name != self._now:
            self._of_fixture(name, state)
        elif self._state not in ("failed", "error"):
            self._state = state

    def _of_fixture(self, name: str, state: str) -> None:
        place, _, whose = name.partition(" (")
        prefix = whose.rstrip(")") + "."
        before = place in ("setUpClass", "setUpModule")
        waiting = [test for test in self._tests if test.startswith(prefix) and test not in self._started]
        if state != "skipped" and not (before and waiting):
            self._say("fault", name + " failed")
        for test in waiting if before else ():
            self.begin(test)
            self._state = state
            self.settle()


def _result(tests: Unittest) -> Any:
    from unittest import TestResult

    class Result(TestResult):
        def startTest(self, test: Any) -> None:
            super().startTest(test)
            tests.begin(test.id())

        def stopTest(self, test: Any) -> None:
            super().stopTest(test)
            tests.settle()

        def addError(self, test: Any, err: Any) -> None:
            super().addError(test, err)
            tests.note(test.id(), "error")

        def addFailure(self, test: Any, err: Any) -> None:
            super().addFailure(test, err)
            tests.note(test.id(), "failed")

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
            super().addSubTest(test, subtest, err)
            if err is not None:
                tests.note(test.id(), "failed" if issubclass(err[0], test.failureException) else "error")

        def addSkip(self, test: Any, reason: str) -> None:
            super().addSkip(test, reason)
            if not hasattr(test, "test_case"):  # a part of a test, which goes on
                tests.note(test.id(), "skipped")

        def addExpectedFailure(self, test: Any, err: Any) -> None:
            super().addExpectedFailure(test, err)
            tests.note(test.id(), "xfailed")

        def addUnexpectedSuccess(self, test: Any) -> None:
            super().addUnexpectedSuccess(test)
            tests.note(test.id(), "xpassed")

    return Result()


def let_in(places: list[str]) -> str | None:
    """Puts folders of the tree behind everything else. Says why not, if what they hold is installed as well."""
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.pycache_prefix = os.path.join(os.environ["TMPDIR"], "pyc")
    for name in sorted({name for place in places for name in _importable(place)}):
        where = _found(name)
        while where is not None and not _is_standard(where):
            entries = [path for path in sys.path if path and where.startswith(os.path.join(path, ""))]
            entry = max(entries, key=len, default="")
            if not entry or entry.startswith(_prefixes()):
                return f"{name} is installed at {where}: tests would test that instead of the tree"
            sys.path.remove(entry)  # an editable installation: the tree, as it lies elsewhere
            where = _found(name)
    places = [place for place in dict.fromkeys(places) if os.path.isdir(place)]
    sys.path.extend(place for place in places if place not in sys.path)
    names = [
        name for name in _TESTS if any(os.path.isfile(os.path.join(place, name, "__init__.py")) for place in places)
    ]
    if names:
        sys.meta_path.insert(0, _TestFolders(names, places))
    importlib.invalidate_caches()
    return None


class _TestFolders:
    """Packages of the tree that hold its tests: Python's own `test` or one that is installed would hide them."""

    def __init__(self, names: list[str], places: list[str]) -> None:
        self._names, self._places = names, places

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:  # noqa: ARG002
        return importlib.machinery.PathFinder.find_spec(name, self._places) if name in self._names else None


def _source_folder(root: str) -> list[str]:
    """`src`, where that is a folder of packages and not one itself."""
    folder = os.path.join(root, "src")
    plain = os.path.isdir(folder) and not os.path.exists(os.path.join(folder, "__init__.py"))
    return [folder] if plain else []


def _twice(root: str) -> str | None:
    """What cannot be tested: it lies in the root and in `src`, and an installation would take one or the other."""
    deeper = {name for folder in _source_folder(root) for name in _importable(folder)}
    both = deeper.intersection(_importable(root))
    return f"{min(both)} lies in the root of the tree and in src: which one tests mean is not known" if both else None


def _importable(place: str, above: str = "") -> Iterator[str]:
    """Names that can be imported from a folder: its modules and its packages, one level of namespaces deep."""
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name, _, kind = entry.name.partition(".")
        if not name.isidentifier() or (not above and name in _NOT_IMPORTED):
            continue
        if kind == "py" and name in ("pytest", "_pytest", "pluggy", "iniconfig"):
            continue  # in vain: they are imported already
        if kind == "py" or (not kind and os.path.isfile(os.path.join(entry.path, "__init__.py"))):
            yield above + name
        elif not kind and not above:
            yield from _importable(entry.path, name + ".")


def _packages(root: str) -> dict[str, str]:
    """Packages that lie deeper in the tree, where an installation takes them from: name and place."""
    found: dict[str, str] = {}
    waiting = [(root, 0)]
    while waiting and len(found) < _PACKAGES:
        folder, depth = waiting.pop()
        try:
            entries = [entry for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        for entry in entries:
            if os.path.isfile(os.path.join(entry.path, "__init__.py")):
                if entry.name not in sys.modules and entry.name not in _TESTS:  # the framework has what it needs
                    found.setdefault(entry.name, entry.path)
            elif depth < _DEPTH and entry.name not in _OF_OTHERS and not entry.name.startswith("."):
                waiting.append((entry.path, depth + 1))
    return found


def _installed_instead(packages: dict[str, str]) -> Iterator[str]:
    """What tests imported from an installation although the tree has it too."""
    for name, place in sorted(packages.items()):
        where = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(where, str) and where.startswith(_prefixes()) and not _is_standard(where):
            yield f"tests imported {name} from {where}, and not from {place}: see what is installed"


def _found(name: str) -> str | None:
    """The file that a name would be imported from now; None for what is built in, or nowhere."""
    if name in sys.builtin_module_names:
        return None
    path, spec = None, None
    for index, _ in enumerate(parts := name.split("."), 1):
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:index]), path)
        if spec is None:
            return None
        path = spec.submodule_search_locations or []
    return spec.origin if spec is not None and spec.origin and os.path.isabs(spec.origin) else None


def _prefixes() -> tuple[str, str]:
    """Where installed files lie."""
    return os.path.join(sys.prefix, ""), os.path.join(sys.base_prefix, "")


def _is_standard(where: str) -> bool:
    """Whether a file is of Python's own library."""
    folder = os.path.join(os.path.dirname(os.__file__), "")
    inside = where[len(folder) :] if where.startswith(folder) else "site-packages/"
    return not inside.startswith(("site-packages/", "dist-packages/"))


def _last_line(text: str) -> str:
    lines = [line[1:].strip() if line.startswith("E  ") else line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no reason given"


def _unusable(say: Say, reason: str) -> int:
    say("fault", reason)
    return EXIT_UNUSABLE


if __name__ == "__main__":
    sys.exit({"pytest": run_pytest, "unittest": run_unittest}[sys.argv[1]](Channel().say, sys.argv[2], sys.argv[3:]))
