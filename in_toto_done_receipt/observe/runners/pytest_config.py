"""The configuration that pytest takes from a tree, by its own order of names, and what of it says what is a test."""

import configparser
import fnmatch
import re
import tomllib
from pathlib import PurePosixPath
from typing import Any, Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.runners.model import Sources
from in_toto_done_receipt.wire.value import Value

# The first that is there, or for the last three: that holds a table for pytest.
_ALWAYS: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_WITH_TABLE: Final = ("pyproject.toml", "tox.ini", "setup.cfg")
_SECTIONS: Final = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}


class PytestConfig(Value, kw_only=True):
    """`file` is None if there is none. Of one that cannot be read nothing is known; pytest will say so."""

    file: str | None = None
    testpaths: tuple[str, ...] = ()
    files: tuple[str, ...] = ("test_*.py", "*_test.py")
    functions: tuple[str, ...] = ("test",)
    classes: tuple[str, ...] = ("Test",)

    def is_test_file(self, path: str) -> bool:
        """Whether pytest would take a file in a folder for one of tests."""
        return self.pattern_of(path) is not None

    def pattern_of(self, path: str) -> str | None:
        """The first pattern that makes it one."""
        name = PurePosixPath(path).name
        if not name.endswith(".py"):
            return None
        for pattern in self.files:
            where = f"*/{pattern}" if "/" in pattern else pattern
            if fnmatch.fnmatchcase(f"/{path}" if "/" in pattern else name, where):
                return pattern
        return None


def read_config(sources: Sources) -> PytestConfig:
    """The configuration of a tree. Never raises."""
    paths = {path for path in sources.paths() if "/" not in path}
    for name in (*_ALWAYS, *_WITH_TABLE):
        if name not in paths:
            continue
        try:
            text = sources.read(name).decode("utf-8-sig")
            table = _table(name, text)
        except (ObservationError, ValueError, RecursionError, configparser.Error):
            return PytestConfig(file=name)
        if table is not None:
            return _config(name, table)
        if name in _ALWAYS:
            return PytestConfig(file=name)
    return PytestConfig()


def _table(name: str, text: str) -> dict[str, Any] | None:
    """Raises ValueError and configparser.Error for what is not written as it should be."""
    if name.endswith(".toml"):
        tree = tomllib.loads(text)
        found = tree.get("pytest") if name != "pyproject.toml" else _of(_of(tree, "tool"), "pytest")
        if name == "pyproject.toml" and isinstance(found, dict):
            older = found.get("ini_options")
            return older if isinstance(older, dict) else {k: v for k, v in found.items() if k != "ini_options"} or None
        return found if isinstance(found, dict) else None
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    section = _SECTIONS[name]
    return dict(parser[section]) if parser.has_section(section) else None


def _of(tree: Any, key: str) -> Any:
    return tree.get(key) if isinstance(tree, dict) else None


def _config(name: str, table: dict[str, Any]) -> PytestConfig:
    usual = PytestConfig()

    def words(key: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
        found = _words(table.get(key))
        return otherwise if found is None else found

    return PytestConfig(
        file=name,
        testpaths=words("testpaths", usual.testpaths),
        files=words("python_files", usual.files),
        functions=words("python_functions", usual.functions),
        classes=words("python_classes", usual.classes),
    )


def _words(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return tuple(re.sub(r"^\s*[#;].*$", "", value, flags=re.MULTILINE).split())
    if isinstance(value, list):
        return tuple(word for word in value if isinstance(word, str))
    return None


def matches_name(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a function or class has a name that pytest collects: by prefix, or by a pattern with wildcards."""
    return any(
        name.startswith(pattern) or (any(sign in pattern for sign in "*?[") and fnmatch.fnmatch(name, pattern))
        for pattern in patterns
    )
