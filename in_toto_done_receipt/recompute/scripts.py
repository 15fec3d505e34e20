"""Which files of the examined tree decide how a command ends: threat 27, the half that a directory can show.

The verifier allows an exact argv, and `/bin/sh tests/check.sh` then runs whatever the change made of tests/check.sh.
What such programs load in turn (imports, plug-ins, configuration) is not seen here: that takes the clean room.
"""

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.workspace import PathType
from in_toto_done_receipt.wire.paths import check_path

_SHELL: Final = re.compile(r"(?:ba|da|z|k|mk|fi)?sh")
_PYTHON: Final = re.compile(r"(?:python|pypy)[0-9.]*")
_OTHERS: Final = re.compile(r"(?:node|nodejs|deno|bun|pytest|py\.test|(?:perl|ruby|php|lua)[0-9.]*)")
_MAKE: Final = re.compile(r"g?make")
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")  # in the order in which GNU make looks for them
_INLINE: Final = re.compile(r"-[A-Za-z]*[ce]")  # the next word is the program itself, which the verifier allowed


class Examined(Protocol):
    """A workspace of which one can also say where it lies and what may be executed in it."""

    @property
    def root(self) -> Path:
        """The directory or the repository."""

    def type_of(self, path: str) -> PathType:
        """See Workspace."""

    def is_executable(self, path: str) -> bool:
        """Whether the path is a regular file with an execute bit, links inside followed."""


def deciding_files(workspace: Examined, argv: Sequence[str]) -> tuple[str, ...]:
    """Paths in the tree that this command runs as a program or hands to an interpreter; each once.

    By names of interpreters and by execute bits, so not complete. Opens nothing.
    """
    return tuple(dict.fromkeys(_of_words(workspace, argv)))


def _of_words(workspace: Examined, words: Sequence[str]) -> Iterator[str]:
    for position, word in enumerate(words):
        path = _in_tree(workspace, word)
        if path is not None and workspace.is_executable(path):
            yield path
        name, rest = posixpath.basename(word), words[position + 1 :]
        if _MAKE.fullmatch(name):
            yield from _of_make(workspace, rest)
            return
        if any(pattern.fullmatch(name) for pattern in (_SHELL, _PYTHON, _OTHERS)):
            yield from _of_interpreter(workspace, name, rest)
            return


def _of_interpreter(workspace: Examined, name: str, words: Sequence[str]) -> Iterator[str]:
    """The interpreter's program: the first word that is a file of the tree, a module, or the words of `sh -c`."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if _PYTHON.fullmatch(name) and word == "-m":
            yield from _module(workspace, following)
            continue  # `-m pytest tests/test_a.py` runs that file too
        if _INLINE.fullmatch(word):
            yield from _of_words(workspace, _split(following)) if _SHELL.fullmatch(name) else ()
            return
        if (path := _in_tree(workspace, word)) is not None:
            yield path
            return


def _of_make(workspace: Examined, words: Sequence[str]) -> Iterator[str]:
    named = [path for word in words if (path := _in_tree(workspace, word)) is not None] if "-f" in words else []
    found = named or [name for name in _MAKEFILES if _in_tree(workspace, name) is not None]
    yield from found[:1]


def _module(workspace: Examined, name: str) -> Iterator[str]:
    """`-m a.b` looks into the current directory first: also for the name of an installed module."""
    parts = name.split(".")
    whole = "/".join(parts)
    for candidate in (f"{whole}.py", f"{whole}/__main__.py", f"{parts[0]}/__init__.py", f"{parts[0]}.py"):
        if (path := _in_tree(workspace, candidate)) is not None:
            yield path


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _in_tree(workspace: Examined, word: str) -> str | None:
    """The word as a path in the tree, if a file or a link is there."""
    root = str(workspace.root)
    path = posixpath.normpath(posixpath.relpath(word, root) if word.startswith("/") and word != root else word or ".")
    if path == "." or path.split("/", 1)[0] == ".." or check_path(path) is not None:
        return None
    try:
        return path if workspace.type_of(path) in ("file", "symlink") else None
    except ObservationError:
        return path  # a link on the way: the command may follow it, a seal cannot
