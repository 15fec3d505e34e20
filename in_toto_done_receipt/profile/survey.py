"""What a repository has to be tested with: ecosystems, test and harness files, the command. Looks, runs nothing."""

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.globs import compile_glob, expand
from in_toto_done_receipt.observe.look import read_bytes
from in_toto_done_receipt.observe.workspace import Workspace
from in_toto_done_receipt.profile.ecosystems import (
    CARGO,
    COMMON,
    FOLDERS,
    GO,
    NODE,
    OTHERS,
    PYTEST,
    UNITTEST,
    Ecosystem,
)
from in_toto_done_receipt.profile.harness import patterns_of
from in_toto_done_receipt.wire.paths import check_path
from in_toto_done_receipt.wire.value import Value

_READ: Final = 1 << 20  # bytes of a file that is read to tell two runners apart
_TEST_FILES_READ: Final = 20
_NOT_OURS: Final = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "target", "__pycache__", ".tox"})
_PYTHON_TEST: Final = tuple(compile_glob(pattern) for pattern in ("**/test_*.py", "**/*_test.py"))
_OTHER_NODE_RUNNERS: Final = (b'"jest"', b'"vitest"', b'"mocha"', b'"ava"')


class Found(Value, kw_only=True):
    """One ecosystem of a repository, by what it was recognised, and the command that runs its tests."""

    ecosystem: Ecosystem
    mark: str
    argv: tuple[str, ...]
    installed: bool


class Survey(Value, kw_only=True):
    """`sealed` are globs that match something, `absent` paths that are worth sealing as absent."""

    found: tuple[Found, ...]
    sealed: tuple[str, ...]
    absent: tuple[str, ...]


def survey(workspace: Workspace) -> Survey:
    """What this repository is tested with. Raises ObservationError for a folder that cannot be read."""
    files = [path for path in expand(workspace, "**") if _ours(path)]
    known = set(files)
    marks = list(_marks(workspace, files, known))
    found = tuple(_found(ecosystem, mark) for ecosystem, mark in marks)
    patterns = [*COMMON]
    for ecosystem, _ in marks:
        patterns += patterns_of(ecosystem.files)
    sealed = tuple(pattern for pattern in dict.fromkeys(patterns) if any(map(compile_glob(pattern).matches, files)))
    winners = [winner for ecosystem, _ in marks for winner in ecosystem.winners]
    return Survey(
        found=found, sealed=sealed, absent=tuple(name for name in dict.fromkeys(winners) if name not in known)
    )


def _ours(path: str) -> bool:
    """A path that a profile can name, and not what tools have put there."""
    return check_path(path) is None and not _NOT_OURS.intersection(path.split("/")[:-1])


def _marks(workspace: Workspace, files: list[str], known: set[str]) -> Iterator[tuple[Ecosystem, str]]:
    """Each ecosystem, and the file that speaks for it."""
    python_tests = [path for path in files if any(glob.matches(path) for glob in _PYTHON_TEST)]
    if (mark := _mark(workspace, PYTEST, known)) is not None:
        yield PYTEST, mark
    elif python_tests:
        uses_unittest = any(_holds(workspace, path, b"unittest") for path in python_tests[:_TEST_FILES_READ])
        uses_pytest = any(_holds(workspace, path, b"import pytest") for path in python_tests[:_TEST_FILES_READ])
        yield _unittest(python_tests, known) if uses_unittest and not uses_pytest else PYTEST, python_tests[0]
    for ecosystem in (GO, NODE, CARGO, *OTHERS):
        if (mark := _mark(workspace, ecosystem, known)) is None:
            continue
        if ecosystem is NODE and any(_holds(workspace, mark, word) for word in _OTHER_NODE_RUNNERS):
            yield _npm(), mark
        else:
            yield ecosystem, mark


def _unittest(tests: list[str], known: set[str]) -> Ecosystem:
    """Discovery that starts in the folder of the tests: it goes into packages only, and finds nothing elsewhere."""
    start = posixpath.commonpath([posixpath.dirname(path) for path in tests]) or "."
    top = start
    while top != "." and f"{top}/__init__.py" in known:
        top = posixpath.dirname(top) or "."
    where = ("-s", start) if top == start else ("-s", start, "-t", top)
    return replace(UNITTEST, arguments=(*UNITTEST.arguments, *where))


def _npm() -> Ecosystem:
    """A package whose tests another runner than Node's own runs."""
    members = {name: getattr(NODE, name) for name in ("marks", "files", "winners")}
    return Ecosystem(name="npm test", runner=None, executable="npm", arguments=("test",), **members)


def _mark(workspace: Workspace, ecosystem: Ecosystem, known: set[str]) -> str | None:
    for path in ecosystem.marks:
        if path in known:
            return path
    return next(
        (path for path, text in ecosystem.within if path in known and _holds(workspace, path, text.encode())), None
    )


def _holds(workspace: Workspace, path: str, text: bytes) -> bool:
    try:
        return text in read_bytes(workspace, path, _READ)
    except ObservationError:  # a link, a pipe, a huge file: it speaks for nothing
        return False


def _found(ecosystem: Ecosystem, mark: str) -> Found:
    places = [f"{folder}/{ecosystem.executable}" for folder in FOLDERS]
    there = _first_file(places)
    argv = (there or places[0], *ecosystem.arguments)
    return Found(ecosystem=ecosystem, mark=mark, argv=argv, installed=there is not None)


def _first_file(places: Iterable[str]) -> str | None:
    return next((place for place in places if Path(place).is_file()), None)
