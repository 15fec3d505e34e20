"""Files that are product and harness at once, compared key by key: dependencies may change, how tests run may not.

Pure: two texts in, the keys that differ out. A text that cannot be read counts as one that differs.
"""

import configparser
import json
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final

_PYPROJECT: Final = (("build-system",), ("tool", "pytest"), ("tool", "tox"), ("tool", "coverage"), ("tool", "nox"))
_CARGO: Final = (
    *(("package", name) for name in ("autotests", "autobins", "autobenches", "autoexamples", "build", "metadata")),
    *(("lib", name) for name in ("test", "harness", "doctest", "path")),
    ("test",),
    ("bench",),
    ("bin",),
    ("features",),
    ("patch",),
    ("replace",),
    ("profile", "test"),
    ("profile", "dev"),
    ("workspace", "members"),
)
_PACKAGE: Final = tuple(
    (name,) for name in ("scripts", "imports", "type", "jest", "vitest", "mocha", "ava", "c8", "nyc", "babel", "main")
)
_SETUP_CFG: Final = ("tool:pytest", "pytest", "aliases", "coverage:run", "coverage:report", "options.entry_points")
_GO_HARNESS: Final = ("replace", "toolchain", "godebug", "exclude", "tool", "module")


def harness_part(name: str) -> Callable[[str, str], tuple[str, ...]] | None:
    """The comparison for files of this base name: (old, new) -> the harness keys that differ. None if it is not one."""
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
    sections = []
    for text in (old, new):
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(text)
        sections.append({name: dict(parser.items(name)) for name in _SETUP_CFG if parser.has_section(name)})
    return tuple(name for name in _SETUP_CFG if sections[0].get(name) != sections[1].get(name))


def _go_mod(old: str, new: str) -> tuple[str, ...]:
    before, after = _go_lines(old), _go_lines(new)
    return tuple(word for word in _GO_HARNESS if before[word] != after[word])


def _go_lines(text: str) -> dict[str, list[str]]:
    """The lines of each directive, alone or in a block."""
    found: dict[str, list[str]] = {word: [] for word in _GO_HARNESS}
    block = None
    for line in (raw.partition("//")[0].strip() for raw in text.splitlines()):
        word, _, rest = line.partition(" ")
        if block is not None:
            if line == ")":
                block = None
            elif block in found and line:
                found[block].append(line)
        elif rest.strip() == "(":
            block = word
        elif word in found:
            found[word].append(rest.strip())
    return found


def _guarded(compare: Callable[[str, str], tuple[str, ...]]) -> Callable[[str, str], tuple[str, ...]]:
    def compared(old: str, new: str) -> tuple[str, ...]:
        try:
            return compare(old, new)
        except (ValueError, configparser.Error, RecursionError) as fault:
            return (f"cannot be read: {type(fault).__name__}",)

    return compared


_COMPARED: Final[Mapping[str, Callable[[str, str], tuple[str, ...]]]] = {
    "pyproject.toml": _guarded(lambda old, new: _toml(_PYPROJECT, old, new)),
    "Cargo.toml": _guarded(lambda old, new: _toml(_CARGO, old, new)),
    "package.json": _guarded(lambda old, new: _differing(_PACKAGE, json.loads(old), json.loads(new))),
    "setup.cfg": _guarded(_ini),
    "go.mod": _guarded(_go_mod),
    # Locks say which dependencies are meant; they steer nothing else.
    "Cargo.lock": lambda _old, _new: (),
    "go.sum": lambda _old, _new: (),
    "go.work.sum": lambda _old, _new: (),
}
