"""The packages of a Go module that hold tests, canaries for each, and where existing tests can be made to fail."""

import re
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.observe.runners.go_command import GoCommand
from in_toto_done_receipt.observe.runners.go_files import GoFile, is_compiled, read_go
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources
from in_toto_done_receipt.wire.value import Value

_MODULE: Final = re.compile(r"^\s*module\s+(?:\(\s*)?([\"`]?)([^\s\"`()]+)\1", re.MULTILINE)
_IGNORE: Final = re.compile(r"^\s*ignore\s+(?:\(([^)]*)\)|(\S+))", re.MULTILINE)
_COMMENT: Final = re.compile(r"//[^\n]*")

# Each of the ways a Go test fails; a panic would end the tests after it. In an external test package, so that nothing
# the package declares can have another meaning here.
_FAILING: Final = {
    "Fatal": 't.Fatal("canary")',
    "Fatalf": 't.Fatalf("canary %d", 1)',
    "Error": 't.Error("canary")',
    "Errorf": 't.Errorf("canary %d", 1)',
    "Fail": "t.Fail()",
    "FailNow": "t.FailNow()",
    "Subtest": 't.Run("canary", func(t *testing.T) { t.FailNow() })',
    "Cleanup": "t.Cleanup(func() { t.Fail() })",
    "Goroutine": "done := make(chan bool); go func() { t.Fail(); close(done) }(); <-done",
}
_PASSING: Final = {"Ok": 't.Log("canary")'}

_IMPORTS: Final = b'; import donereceiptos "os"; import donereceiptfmt "fmt"'
# What the file says is compared without any name that the package could declare anew, such as `string` or `nil`.
_GATE: Final = (
    b' if b, _ := donereceiptos.ReadFile("{}"); donereceiptfmt.Sprintf("%%s", b) != "o" { %s.Fatal("canary") };'
)
_FAIL: Final = b' %s.Fatal("canary");'


class GoPackage(Value, kw_only=True):
    """A package of the module with tests that are compiled. `folder` is "" for the root of the tree."""

    folder: str
    path: str
    name: str
    tests: dict[str, GoFile]


def packages(command: GoCommand, sources: Sources, minor: int) -> tuple[GoPackage, ...]:
    """Every package with tests that the command names, sorted by folder; Go 1.`minor` compiles them.

    Empty without a go.mod. Raises ObservationError for a file that cannot be read.
    """
    paths = list(sources.paths())
    modules = {str(PurePosixPath(path).parent) for path in paths if PurePosixPath(path).name == "go.mod"}
    here = PurePosixPath(command.folder or ".")
    root = next((str(folder) for folder in (here, *here.parents) if str(folder) in modules), None)
    if root is None:
        return ()
    text = sources.read("go.mod" if root == "." else f"{root}/go.mod").decode("utf-8", "replace")
    text = _COMMENT.sub("", text)
    module = _MODULE.search(text)
    if module is None:
        return ()
    folders: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith(".go"):
            folders.setdefault(str(PurePosixPath(path).parent), []).append(path)
    ignored = tuple(_ignored(text))
    found = []
    for folder, files in sorted(folders.items()):
        inside = _inside(folder, root)
        if inside is None or not _is_named(folder, here, command.packages):
            continue
        if _is_left_out(inside, root, modules, ignored):
            continue
        package = _package(folder, f"{module[2]}/{inside}".rstrip("/"), files, sources, command, minor)
        found += [] if package is None else [package]
    return tuple(found)


def _inside(folder: str, root: str) -> str | None:
    """The folder as seen from another, "" for that itself; None if it is not below."""
    path = PurePosixPath(folder)
    if not path.is_relative_to(root):
        return None
    inside = str(path.relative_to(root))
    return "" if inside == "." else inside


def _is_named(folder: str, here: PurePosixPath, patterns: tuple[str, ...]) -> bool:
    for pattern in patterns:
        below = pattern.endswith("...")
        start = here / pattern.removesuffix("...").rstrip("/")
        if PurePosixPath(folder) == start or (below and PurePosixPath(folder).is_relative_to(start)):
            return True
    return False


def _is_left_out(inside: str, root: str, modules: set[str], ignored: tuple[str, ...]) -> bool:
    """Does `...` pass by this folder? Another module begins on the way, or Go never looks there."""
    parts = PurePosixPath(inside).parts
    if any(part.startswith(("_", ".")) or part in ("testdata", "vendor") for part in parts):
        return True
    above = [str(PurePosixPath(root, *parts[: at + 1])) for at in range(len(parts))]
    if any(folder in modules for folder in above):
        return True
    ways = ["/".join(parts[: at + 1]) for at in range(len(parts))]
    return any(
        way == place.removeprefix("./") if place.startswith("./") else f"/{way}".endswith(f"/{place}")
        for way in ways
        for place in ignored
    )


def _ignored(text: str) -> Iterator[str]:
    """What the `ignore` lines of a go.mod say."""
    for match in _IGNORE.finditer(text):
        yield from (word.strip('"`') for word in (match[1] or match[2]).split())


def _package(
    folder: str, path: str, files: list[str], sources: Sources, command: GoCommand, minor: int
) -> GoPackage | None:
    compiled: dict[str, GoFile] = {}
    for name in files:
        base = PurePosixPath(name).name
        file = None if base.startswith(("_", ".")) else read_go(sources.read(name))
        if file is not None and is_compiled(base, file.constraint, frozenset(command.tags), minor):
            compiled[name] = file
    tests = {name: file for name, file in compiled.items() if name.endswith("_test.go")}
    if not tests:
        return None
    product = next((file.package for name, file in compiled.items() if name not in tests), None)
    own = product or next(iter(tests.values())).package.removesuffix("_test")
    return GoPackage(folder="" if folder == "." else folder, path=path, name=own, tests=tests)


def planted(found: tuple[GoPackage, ...], token: str) -> Planted:
    """One file for each package: a test binary is a package."""
    files, failing, passing = {}, set(), set()
    for package in found:
        body = "".join(
            f"\nfunc Test_{token}_{kind}(t *testing.T) {{ {statement} }}\n"
            for kind, statement in {**_FAILING, **_PASSING}.items()
        )
        text = f'package {package.name}_test\n\nimport "testing"\n{body}'
        files[f"{package.folder}/{token}_test.go".lstrip("/")] = text.encode()
        failing |= {f"{package.path}.Test_{token}_{kind}" for kind in _FAILING}
        passing |= {f"{package.path}.Test_{token}_{kind}" for kind in _PASSING}
    return Planted(files=files, failing=frozenset(failing), passing=frozenset(passing))


def sites(found: tuple[GoPackage, ...], ids: Collection[str]) -> tuple[Site, ...]:
    """A site for each of the ids that is a plain function in exactly one compiled file."""
    places: dict[str, list[Site]] = {}
    wanted = frozenset(ids)
    for package in found:
        for path, file in package.tests.items():
            for test in file.tests:
                id = f"{package.path}.{test.name}"
                if id in wanted:
                    site = Site(
                        path=path,
                        position=test.position,
                        fail=_FAIL % test.parameter,
                        gate=_GATE % test.parameter,
                        ids=frozenset({id}),
                        gate_needs=((file.clause_end, _IMPORTS),),
                    )
                    places.setdefault(id, []).append(site)
    return tuple(sorted((only[0] for only in places.values() if len(only) == 1), key=lambda s: (s.path, s.position)))
