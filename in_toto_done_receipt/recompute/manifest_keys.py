"""Files that are product and harness at once, compared key by key: dependencies may change, how tests run may not.

Pure: two texts in, the keys that differ out. A text that cannot be read counts as one that differs. A file that was
not there, or is gone, is compared with an empty one where that means the same to the tools that read it.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final

from in_toto_done_receipt.recompute.pom_keys import pom_keys

_PYPROJECT: Final = (
    ("build-system",),
    ("project", "entry-points"),
    *(("tool", name) for name in ("pytest", "tox", "coverage", "nox", "poe", "taskipy")),
    ("tool", "hatch", "envs"),
    ("tool", "pdm", "scripts"),
    ("tool", "poetry", "plugins"),
)
_CARGO: Final = (
    *(("package", name) for name in ("autotests", "autobins", "autobenches", "autoexamples", "autolib")),
    *(("package", name) for name in ("build", "metadata", "workspace")),
    *(("lib", name) for name in ("test", "harness", "doctest", "path")),
    ("test",),
    ("bench",),
    ("bin",),
    ("features",),
    ("patch",),
    ("replace",),
    ("profile", "test"),
    ("profile", "dev"),
    *(("workspace", name) for name in ("members", "exclude", "default-members")),
)
_PACKAGE: Final = tuple(
    (name,)
    for name in (
        *("scripts", "imports", "type", "workspaces", "packageManager"),
        *("jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "babel"),
    )
)
_SETUP_CFG: Final = re.compile(
    r"tool:pytest|pytest|aliases|options\.entry_points|nosetests|unittest|test|(?:coverage|tox|testenv)(?::.*)?"
)
_GO_HARNESS: Final = ("replace", "toolchain", "godebug", "exclude", "ignore", "tool", "module")
_GO_BLOCK: Final = re.compile(r"(\w+)\s*\(")
_GO_COMMENT: Final = re.compile(r"(?:^|\s)//.*")


def harness_part(name: str) -> Callable[[str | None, str | None], tuple[str, ...] | None] | None:
    """The comparison for files of this base name: (old, new) -> the harness keys that differ.

    None for a name that is no such file. The comparison is None where one side is missing and that means something of
    its own: a new package.json or go.mod changes what its folder is, also when it says nothing.
    """
    return _COMPARED.get(name)


def _toml(keys: tuple[tuple[str, ...], ...], old: str, new: str) -> tuple[str, ...]:
    return _differing(keys, tomllib.loads(old), tomllib.loads(new))


def _differing(keys: tuple[tuple[str, ...], ...], old: Any, new: Any) -> tuple[str, ...]:
    return tuple(".".join(key) for key in keys if _at(old, key) != _at(new, key))


def _at(tree: Any, key: tuple[str, ...]) -> Any:
    for step in key:
        tree = tree.get(step) if isinstance(tree, Mapping) else None
    return tree


def _ini(old: str, new: str) -> tuple[str, ...]:
    before, after = _sections(old), _sections(new)
    return tuple(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)))


def _sections(text: str) -> dict[str, list[str]]:
    """The lines of each section that steers tests, as they stand: the tools disagree about what they mean."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("["):
            name = line[1:].partition("]")[0].strip()
        elif line.strip() and not line.startswith(("#", ";")) and _SETUP_CFG.fullmatch(name):
            found.setdefault(name, []).append(line.rstrip())
    return found


def _go_mod(old: str, new: str) -> tuple[str, ...]:
    before, after = _go_lines(old), _go_lines(new)
    return tuple(word for word in _GO_HARNESS if before[word] != after[word])


def _go_lines(text: str) -> dict[str, list[str]]:
    """The lines of each directive, alone or in a block."""
    found: dict[str, list[str]] = {word: [] for word in _GO_HARNESS}
    block = None
    for line in (_GO_COMMENT.sub("", raw).strip() for raw in text.splitlines()):
        word, *rest = line.split(None, 1) or [""]
        if block is not None:
            if line == ")":
                block = None
            elif block in found and line:
                found[block].append(line)
        elif opened := _GO_BLOCK.fullmatch(line):
            block = opened[1]
        elif word in found:
            found[word].append("".join(rest))
    return found


_Texts = Callable[[str | None, str | None], tuple[str, ...] | None]


def _guarded(compare: Callable[[str, str], tuple[str, ...]], *, missing: str | None) -> _Texts:
    """`missing` is the text that means the same as no file; None if there is none."""

    def compared(old: str | None, new: str | None) -> tuple[str, ...] | None:
        before, after = (missing if text is None else text for text in (old, new))
        if before is None or after is None:
            return None
        try:
            return compare(before, after)
        except (ValueError, RecursionError) as fault:
            return (f"cannot be read: {type(fault).__name__}",)

    return compared


_COMPARED: Final[Mapping[str, _Texts]] = {
    "pyproject.toml": _guarded(lambda old, new: _toml(_PYPROJECT, old, new), missing=""),
    "Cargo.toml": _guarded(lambda old, new: _toml(_CARGO, old, new), missing=""),
    "package.json": _guarded(lambda old, new: _differing(_PACKAGE, json.loads(old), json.loads(new)), missing=None),
    "setup.cfg": _guarded(_ini, missing=""),
    "go.mod": _guarded(_go_mod, missing=None),
    "pom.xml": _guarded(pom_keys, missing=None),
    # Locks say which dependencies are meant; they steer nothing else.
    "Cargo.lock": lambda _old, _new: (),
    "go.sum": lambda _old, _new: (),
    "go.work.sum": lambda _old, _new: (),
}
