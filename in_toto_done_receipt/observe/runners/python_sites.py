"""Where tests written in Python can be made to fail, found in their syntax; nothing of the tree is imported."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.runners.model import Site, Sources
from in_toto_done_receipt.observe.runners.python_syntax import parsed
from in_toto_done_receipt.wire.value import Value

Function = ast.FunctionDef | ast.AsyncFunctionDef

_LINE: Final = re.compile(rb"\r\n|\r|\n")
_BOM: Final = b"\xef\xbb\xbf"
_ENCODING: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)

_FAIL: Final = b'raise AssertionError("canary")'

# Not through `open`, which a test may have replaced. One expression, as it may have to stand behind `def f():`.
_GATE: Final = (
    b'__import__("_frozen_importlib_external").FileLoader("", "{}").get_data("{}") == b"o"'
    b' or (_ for _ in ()).throw(AssertionError("canary"))'
)

# Decorators under which a test runs once each time it is called, by their last name; under others it may run often.
_ONCE: Final = frozenset(
    {
        *("asyncio", "classmethod", "dict", "django_db", "expectedFailure", "filterwarnings", "multiple", "object"),
        *(
            "override_settings",
            "parametrize",
            "patch",
            "skip",
            "skipif",
            "skipIf",
            "skipUnless",
            "slow",
            "staticmethod",
        ),
        *("tag", "timeout", "trio", "usefixtures", "xfail"),
    }
)


class Found(Value, kw_only=True):
    """A test function in a file: where its first statement begins, and what it is."""

    node: Function
    position: int
    before: bytes
    after: bytes
    once: bool


class TestFile:
    """The functions and classes of one file. Raises ObservationError for one that cannot be understood."""

    __test__ = False

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        text = data.removeprefix(_BOM)
        self._shift = len(data) - len(text)
        head = b"\n".join(text.split(b"\n", 2)[:2])
        if (match := _ENCODING.search(head)) and match[1].lower().replace(b"_", b"-") not in (b"utf-8", b"utf8"):
            raise ObservationError(f"{path} is not in UTF-8", kind="encoding")
        tree = parsed(text)
        if tree is None:
            raise ObservationError(f"{path} is not Python", kind="syntax")
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE.finditer(text))]
        self._named = _scope(tree.body)

    def function(self, names: tuple[str, ...]) -> Function | None:
        """The function of this name, in a class or in what that inherits; None if there is none, or more than one."""
        scope = self._named
        for name in names[:-1]:
            owner = scope.get(name)
            if not isinstance(owner, ast.ClassDef):
                return None
            if name == names[-2]:
                return self._method(owner, names[-1], frozenset())
            scope = _scope(owner.body)
        found = scope.get(names[-1])
        return found if isinstance(found, Function) else None

    def _method(self, owner: ast.ClassDef, name: str, seen: frozenset[str]) -> Function | None:
        scope = _scope(owner.body)
        if name in scope:
            found = scope[name]
            return found if isinstance(found, Function) else None
        for base in owner.bases:
            above = self._named.get(base.id) if isinstance(base, ast.Name) else None
            if not isinstance(above, ast.ClassDef) or above.name in seen:
                continue
            if inherited := self._method(above, name, seen | {owner.name}):
                return inherited
        return None

    def found(self, node: Function) -> Found | None:
        """Where this function can be entered; None if there is no statement of it that could be preceded."""
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body:
            return None  # nothing but a docstring: it tests nothing
        first = body[0]
        line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
        own = self.offset(line, 0)
        indent = self._text[own : self.offset(first.lineno, first.col_offset)]
        if line == first.lineno and indent.strip(b" \t\f"):
            return self._made(node, self.offset(first.lineno, first.col_offset), b"", b"; ")
        blank = re.match(rb"[ \t\f]*", self._text[own:])
        assert blank is not None  # noqa: S101 - it matches nothing at least
        return self._made(node, own, blank[0], b"\n")

    def _made(self, node: Function, position: int, before: bytes, after: bytes) -> Found:
        once = all(_last_name(each) in _ONCE for each in node.decorator_list)
        return Found(node=node, position=position + self._shift, before=before, after=after, once=once)

    def offset(self, line: int, column: int) -> int:
        """Bytes before a place as `ast` names it, in the text without a mark of its order of bytes."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr) -> tuple[int, int]:
        """From where to where an expression stands in the file."""
        assert node.end_lineno is not None  # noqa: S101 - what was parsed has an end
        assert node.end_col_offset is not None  # noqa: S101
        start, end = self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)
        return start + self._shift, end + self._shift


def _scope(body: list[ast.stmt]) -> Mapping[str, Function | ast.ClassDef | None]:
    """What is defined by name, also below `if`, `try` and `with`; None for a name that more than one statement has."""
    found: dict[str, Function | ast.ClassDef | None] = {}
    for node in _definitions(body):
        found[node.name] = None if node.name in found else node
    return found


def _definitions(body: list[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _definitions(node.body)
            yield from _definitions(getattr(node, "orelse", []))
            yield from _definitions(getattr(node, "finalbody", []))
            for handler in getattr(node, "handlers", ()):
                yield from _definitions(handler.body)


def _last_name(decorator: ast.expr) -> str:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class Placed(Value, kw_only=True):
    """A test function of a file, and the tests that it is."""

    file: TestFile
    found: Found
    ids: frozenset[str]


def placed(sources: Sources, places: Mapping[str, tuple[str, tuple[str, ...]]]) -> Iterator[Placed]:
    """The functions of tests that are named as id → (path, names), file by file, each with all of its ids.

    A test whose file cannot be read or understood has no function.
    """
    by_path: dict[str, dict[tuple[str, ...], set[str]]] = {}
    for id, (path, names) in places.items():
        by_path.setdefault(path, {}).setdefault(names, set()).add(id)
    for path, wanted in sorted(by_path.items()):
        try:
            file = TestFile(path, sources.read(path))
        except ObservationError:
            continue
        owners: dict[int, tuple[Function, set[str]]] = {}
        for names, ids in wanted.items():
            if node := file.function(names):
                owners.setdefault(id_of(node), (node, set()))[1].update(ids)
        rows = []
        for _, (node, ids) in sorted(owners.items()):
            if found := file.found(node):
                rows.append(Placed(file=file, found=found, ids=frozenset(ids)))
        yield from rows if _fits(file, rows) else [row for row in rows if _fits(file, [row])]


def id_of(node: Function) -> int:
    """Its line: two functions of different names cannot begin on one."""
    return node.lineno


def _fits(file: TestFile, rows: list[Placed]) -> bool:
    """Whether the file is still Python with all of the insertions."""
    text = file.data
    for row in sorted(rows, key=lambda row: -row.found.position):
        at = row.found.position
        text = text[:at] + row.found.before + _GATE + row.found.after + text[at:]
    return parsed(text) is not None


def sites_of(sources: Sources, places: Mapping[str, tuple[str, tuple[str, ...]]]) -> tuple[Site, ...]:
    """A site for each of these functions; those that may run more often than they are called have no gate."""
    return tuple(
        Site(
            path=each.file.path,
            position=each.found.position,
            fail=each.found.before + _FAIL + each.found.after,
            gate=each.found.before + _GATE + each.found.after if each.found.once else None,
            ids=each.ids,
        )
        for each in placed(sources, places)
    )


def pytest_places(sources: Sources, ids: Collection[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Where a node id says that its test stands."""
    paths = frozenset(sources.paths())
    found = {}
    for id in ids:
        path, sign, rest = id.partition("::")
        if sign and path in paths and path.endswith(".py"):
            found[id] = (path, tuple(rest.partition("[")[0].split("::")))
    return found


def pytest_sites(sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
    """Sites of tests with these node ids."""
    return sites_of(sources, pytest_places(sources, ids))


def unittest_places(sources: Sources, top: str, ids: Collection[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Where an id `module.Class.method` says that its test stands; `top` is the folder of the modules."""
    folder = PurePosixPath(top)
    paths = frozenset(sources.paths())
    found = {}
    for id in ids:
        parts = id.split(".")
        if len(parts) > 2 and all(part.isidentifier() for part in parts):
            path = str(folder.joinpath(*parts[:-2])) + ".py"
            package = str(folder.joinpath(*parts[:-2], "__init__.py"))
            if (place := path if path in paths else package) in paths:
                found[id] = (place, tuple(parts[-2:]))
    return found


def unittest_sites(sources: Sources, top: str, ids: Collection[str]) -> tuple[Site, ...]:
    """Sites of tests with these ids."""
    return sites_of(sources, unittest_places(sources, top, ids))
