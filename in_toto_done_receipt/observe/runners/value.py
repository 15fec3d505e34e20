"""The value canary: what a test expects is replaced by something that equals nothing but itself.

A test that stays green then compares nothing: the product gave it a result that says it equals everything. Python only.
"""

import ast
from collections.abc import Collection, Iterator
from typing import Final

from in_toto_done_receipt.observe.runners.model import Sources
from in_toto_done_receipt.observe.runners.python_command import checked_unittest
from in_toto_done_receipt.observe.runners.python_sites import Placed, placed, pytest_places, unittest_places
from in_toto_done_receipt.observe.runners.python_syntax import parsed
from in_toto_done_receipt.wire.value import Value

NOTHING_EQUALS: Final = b"object()"

_EQUAL: Final = frozenset({"assertEqual", "assertEquals"})


class ValueEdits(Value, kw_only=True):
    """Whole files in place of those of the tree, and the tests in which something was replaced."""

    files: dict[str, bytes]
    ids: frozenset[str]


def value_edits(runner: str, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> ValueEdits:
    """The tests of these ids that compare with `==` or `assertEqual`; nothing for runners of other languages.

    An operand that spans lines is left alone, and so is a comparison in a helper that tests call.
    Raises ConfigurationError for a command that is not honoured.
    """
    if runner == "pytest":
        places = pytest_places(sources, ids)
    elif runner == "unittest":
        places = unittest_places(sources, checked_unittest(argv).top, ids)
    else:
        return ValueEdits(files={}, ids=frozenset())
    spans: dict[str, set[tuple[int, int]]] = {}
    changed: dict[str, set[str]] = {}
    for test in placed(sources, places):
        own = {test.file.span(node) for node in _expected(test) if node.lineno == node.end_lineno}
        if own:
            spans.setdefault(test.file.path, set()).update(own)
            changed.setdefault(test.file.path, set()).update(test.ids)
    files = {path: _replaced(sources.read(path), rows) for path, rows in spans.items()}
    usable = {path: data for path, data in files.items() if parsed(data) is not None}
    return ValueEdits(files=usable, ids=frozenset(id for path in usable for id in changed[path]))


def _expected(test: Placed) -> Iterator[ast.expr]:
    """Of each comparison the side that the test expects."""
    for node in ast.walk(test.found.node):
        if isinstance(node, ast.Assert):
            for part in _conjunction(node.test):
                if isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], ast.Eq):
                    yield _side(part.left, part.comparators[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _EQUAL:
            match node.args:
                case [left, right, *_] if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
                    yield _side(left, right)


def _conjunction(node: ast.expr) -> list[ast.expr]:
    return node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]


def _side(left: ast.expr, right: ast.expr) -> ast.expr:
    """The one that calls nothing; the right one if both do or neither does."""
    return left if _calls(right) and not _calls(left) else right


def _calls(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call | ast.Await | ast.Attribute | ast.Name) for each in ast.walk(node))


def _replaced(data: bytes, spans: Collection[tuple[int, int]]) -> bytes:
    """Last one first; what lies in another one goes with it."""
    end = len(data) + 1
    for start, stop in _outermost(spans):
        if stop <= end:
            data = data[:start] + NOTHING_EQUALS + data[stop:]
            end = start
    return data


def _outermost(spans: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, stop))
    return kept[::-1]
