"""What stands in Go files: package clause, build constraint, tests. No more is read than their words."""

import platform
import re
from collections.abc import Callable
from typing import Final

from in_toto_done_receipt.wire.value import Value

# Comments and strings are consumed first, so that nothing inside of them looks like a clause or a test. Each of them
# ends at the end of the file at the latest: an open one is read once and not again from each of its characters.
_LEXER: Final = re.compile(
    rb"""//[^\n]*+ | /\*(?:.*?)(?:\*/|\Z) | `[^`]*+(?:`|\Z)
    | "(?:\\(?:.|\Z)|[^"\\\n])*+(?:"|\n|\Z) | '(?:\\(?:.|\Z)|[^'\\\n])*+(?:'|\n|\Z)
    | \bpackage[ \t]++(?P<package>[\w\x80-\xff]++)
    | ^func[ \t]++(?P<test>(?:Test|Fuzz)[\w\x80-\xff]*+)\(\s*(?P<parameter>[A-Za-z]\w*+)\s++\*testing\.[TF]\s*\)\s*\{
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_CONSTRAINT: Final = re.compile(rb"^//go:build[ \t]+([^\n]*)$", re.MULTILINE)
_OLD_CONSTRAINT: Final = re.compile(rb"^//[ \t]*\+build[ \t]", re.MULTILINE)
_TERMS: Final = re.compile(r"\s*(\(|\)|&&|\|\||!|[\w.]+)")
_NESTED: Final = 50  # parentheses and negations in a constraint

_SYSTEMS: Final = (
    " aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows "
    "zos "
)
_PROCESSORS: Final = (
    " 386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 "
    "ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm "
)
_PROCESSOR: Final = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "i686": "386",
    "armv7l": "arm",
    "loongarch64": "loong64",
}


class GoTest(Value, kw_only=True):
    """A test function: where its body begins, and what it calls its `*testing.T` or `*testing.F`."""

    name: str
    parameter: bytes
    position: int


class GoFile(Value, kw_only=True):
    """`package` is the name in the package clause, which ends at `clause_end`; `constraint` is that of `//go:build`."""

    package: str
    clause_end: int
    constraint: str | None
    tests: tuple[GoTest, ...]


def read_go(content: bytes) -> GoFile | None:
    """The file, or None if it has no package clause."""
    package, tests = None, []
    for match in _LEXER.finditer(content):
        if package is None and match["package"] is not None:
            package = match
        elif match["test"] is not None:
            test = GoTest(
                name=match["test"].decode("utf-8", "replace"), parameter=match["parameter"], position=match.end()
            )
            tests.append(test)
    if package is None:
        return None
    constraint = _CONSTRAINT.search(content, 0, package.start())
    if constraint is None and _OLD_CONSTRAINT.search(content, 0, package.start()):
        text: str | None = "ignore"  # the old form: Go from 1.18 on writes the new one beside it
    else:
        text = None if constraint is None else constraint[1].decode("utf-8", "replace")
    return GoFile(
        package=package["package"].decode("utf-8", "replace"),
        clause_end=package.end("package"),
        constraint=text,
        tests=tuple(tests),
    )


def is_compiled(name: str, constraint: str | None, tags: frozenset[str], minor: int) -> bool:
    """Is a file of this name with this constraint compiled on this machine, by Go 1.`minor` with these tags, no cgo?

    False for a constraint that is none.
    """
    parts = name.removesuffix(".go").removesuffix("_test").split("_")[1:]
    here = _PROCESSOR.get(platform.machine(), platform.machine())
    if parts and f" {parts[-1]} " in _PROCESSORS and parts.pop() != here:
        return False
    if parts and f" {parts[-1]} " in _SYSTEMS and parts[-1] != "linux":
        return False
    if constraint is None:
        return True
    known = tags | {"linux", "unix", "gc", here} | {f"go1.{number}" for number in range(1, minor + 1)}
    return holds(constraint, known.__contains__)


def holds(constraint: str, is_set: Callable[[str], bool]) -> bool:
    """Is a build constraint true? False too for one that is malformed or nested too deeply."""
    terms: list[str] = []
    at = 0
    text = constraint.strip()
    while at < len(text):
        match = _TERMS.match(text, at)
        if match is None:
            return False
        terms.append(match[1])
        at = match.end()
    try:
        value, rest = _either(terms, 0, is_set, 0)
    except (IndexError, RecursionError):
        return False
    return value and rest == len(terms)


def _either(terms: list[str], at: int, is_set: Callable[[str], bool], depth: int) -> tuple[bool, int]:
    value, at = _both(terms, at, is_set, depth)
    while at < len(terms) and terms[at] == "||":
        other, at = _both(terms, at + 1, is_set, depth)
        value = value or other
    return value, at


def _both(terms: list[str], at: int, is_set: Callable[[str], bool], depth: int) -> tuple[bool, int]:
    value, at = _one(terms, at, is_set, depth)
    while at < len(terms) and terms[at] == "&&":
        other, at = _one(terms, at + 1, is_set, depth)
        value = value and other
    return value, at


def _one(terms: list[str], at: int, is_set: Callable[[str], bool], depth: int) -> tuple[bool, int]:
    if depth > _NESTED:
        raise RecursionError
    if terms[at] == "!":
        value, at = _one(terms, at + 1, is_set, depth + 1)
        return not value, at
    if terms[at] == "(":
        value, at = _either(terms, at + 1, is_set, depth + 1)
        if terms[at] != ")":
            raise IndexError
        return value, at + 1
    if terms[at] in (")", "&&", "||"):
        raise IndexError
    return is_set(terms[at]), at + 1
