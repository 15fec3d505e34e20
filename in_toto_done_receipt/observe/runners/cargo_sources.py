"""Where the tests of Rust crates stand, canaries for each crate, and where existing tests can be made to fail."""

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import Final

from in_toto_done_receipt.observe.runners.cargo_crates import Crate
from in_toto_done_receipt.observe.runners.model import Planted, Site, Sources
from in_toto_done_receipt.observe.runners.rust_items import (
    Item,
    Truth,
    cfg,
    conditions,
    is_test,
    is_test_only,
    items,
    tokens,
)
from in_toto_done_receipt.wire.value import Value

_DEEPEST: Final = 32  # modules inside of modules
_HERE: Final[dict[str, Truth]] = {
    "test": "yes",
    "doc": "no",
    "doctest": "no",
    "loom": "no",
    "miri": "no",
    "unix": "yes",
    "windows": "no",
    'target_os="linux"': "yes",
    'target_os="windows"': "no",
    'target_os="macos"': "no",
    'target_family="unix"': "yes",
    'target_family="windows"': "no",
}

# Each of the ways a Rust test fails. They stand in the root of a crate: a macro that it defines anew is seen there.
_FAILING: Final = {
    "panic": 'fn {} () {{ panic!("canary") }}',
    "assert": "fn {} () {{ assert!(1 == 2) }}",
    "assert_eq": "fn {} () {{ assert_eq!(1, 2) }}",
    "assert_ne": "fn {} () {{ assert_ne!(1, 1) }}",
    "unwrap": "fn {} () {{ None::<u8>.unwrap(); }}",
    "expect": 'fn {} () {{ Err::<u8, u8>(1).expect("canary"); }}',
    "unreachable": "fn {} () {{ unreachable!() }}",
    "result": "fn {} () -> Result<(), u8> {{ Err(1) }}",
    "should_panic": "#[should_panic] fn {} () {{ }}",
}
_PASSING: Final = {
    "ok": "fn {} () {{ assert_eq!(1, 1) }}",
    "panics": '#[should_panic] fn {} () {{ panic!("canary") }}',
}

# Neither is a name that a crate could define anew. `process::id` is never 0: the code after it stays reachable for the
# compiler, which would complain otherwise.
_FAIL: Final = b' if ::std::process::id() != 0 { ::std::panic!("canary") }'
_GATE: Final = b' if ::std::fs::read_to_string("{}").map_or(true, |said| said != "o") { ::std::panic!("canary") }'


class Place(Value, kw_only=True):
    """A test function: its id, and the position after the brace that opens its body, if it can be made to fail."""

    id: str
    path: str
    position: int | None


class _Module(Value, kw_only=True):
    """A part of a file that is one module. `folder` holds the files of its submodules."""

    path: str
    folder: str
    ids: str
    start: int
    end: int
    is_test_only: bool
    depth: int


def places(crate: Crate, sources: Sources) -> Iterator[Place]:
    """Every test function of a crate, found along its modules. Raises ObservationError for a file it cannot read."""
    for module, found in _walk(crate, sources):
        content = sources.read(module.path)
        for item in found:
            if is_test(item) and _may_be_built(item.attributes):
                yield Place(id=module.ids + item.name, path=module.path, position=_position(content, item))


def files_of_tests_only(crates: Collection[Crate], sources: Sources) -> frozenset[str]:
    """The files that only test builds compile, other than crate roots: all of what they hold is test code.

    Raises ObservationError for a file that cannot be read.
    """
    hidden: set[str] = set()
    product: set[str] = set()
    for crate in crates:
        if crate.kind == "test":
            continue
        for module, _ in _walk(crate, sources):
            if module.start == 0:
                (hidden if module.is_test_only else product).add(module.path)
    return frozenset(hidden - product)


def _walk(crate: Crate, sources: Sources) -> Iterator[tuple[_Module, tuple[Item, ...]]]:
    """The modules of a crate and their items, each module once."""
    files = frozenset(sources.paths())
    folder = str(PurePosixPath(crate.root).parent)
    waiting = [_whole(crate.root, folder, crate.prefix, sources, is_test_only=False, depth=0)]
    seen = set()
    while waiting:
        module = waiting.pop()
        found, _ = items(sources.read(module.path), module.start, module.end)
        yield module, found
        for item in found:
            inner = _inner(module, item, files, sources)
            if inner is not None and (inner.path, inner.start) not in seen and inner.depth <= _DEEPEST:
                seen.add((inner.path, inner.start))
                waiting.append(inner)


def _whole(path: str, folder: str, ids: str, sources: Sources, *, is_test_only: bool, depth: int) -> _Module:
    return _Module(
        path=path,
        folder=folder,
        ids=ids,
        start=0,
        end=len(sources.read(path)),
        is_test_only=is_test_only,
        depth=depth,
    )


def _inner(module: _Module, item: Item, files: frozenset[str], sources: Sources) -> _Module | None:
    """The module that an item declares, unless its file lies where an attribute says, or is not there."""
    if item.keyword != "mod" or not _may_be_built(item.attributes):
        return None
    hidden = module.is_test_only or is_test_only(item)
    ids = f"{module.ids}{item.name}::"
    folder = str(PurePosixPath(module.folder, item.name))
    if item.opened is not None and item.closed is not None:
        return _Module(
            path=module.path,
            folder=folder,
            ids=ids,
            start=item.opened,
            end=item.closed,
            is_test_only=hidden,
            depth=module.depth + 1,
        )
    if any(text.startswith("path=") for text in item.attributes):
        return None
    for path in (f"{folder}.rs", f"{folder}/mod.rs"):
        if path in files:
            return _whole(path, folder, ids, sources, is_test_only=hidden, depth=module.depth + 1)
    return None


def _may_be_built(attributes: Collection[str]) -> bool:
    return all(cfg(text, _HERE) != "no" for text in conditions(tuple(attributes)))


def _position(content: bytes, item: Item) -> int | None:
    """None for a test that a panic turns green, or whose body begins with an attribute of its own."""
    if item.opened is None or any("should_panic" in text for text in item.attributes):
        return None
    ahead = tokens(content, item.opened, item.closed)
    first, second = next(ahead, None), next(ahead, None)
    if first is not None and second is not None and (first.text, second.text) == (b"#", b"!"):
        return None
    return item.opened


def planted(crates: Collection[Crate], sources: Sources, token: str) -> Planted:
    """A module at the end of each crate root, for each crate is a process and a scope for macros.

    A crate that is not built by default, or not for this machine, gets none.
    """
    body = "".join(f"    #[test] {text.format(f'{token}_{kind}')}\n" for kind, text in {**_FAILING, **_PASSING}.items())
    module = f"\n#[cfg(test)]\nmod {token} {{\n{body}}}\n".encode()
    files: dict[str, bytes] = {}
    failing: set[str] = set()
    passing: set[str] = set()
    for crate in crates:
        content = sources.read(crate.root)
        _, inner = items(content)
        if not crate.is_plain or any(cfg(text, _HERE) != "yes" for text in conditions(inner)):
            continue
        files[crate.root] = content + module
        failing |= {f"{crate.prefix}{token}::{token}_{kind}" for kind in _FAILING}
        passing |= {f"{crate.prefix}{token}::{token}_{kind}" for kind in _PASSING}
    return Planted(files=files, failing=frozenset(failing), passing=frozenset(passing))


def sites(crates: Collection[Crate], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
    """A site for each of the ids that is a function in one place, which no other crate compiles as well."""
    by_id: dict[str, set[tuple[str, int]]] = {}
    by_place: dict[tuple[str, int], set[str]] = {}
    for crate in crates:
        for place in places(crate, sources):
            if place.position is not None:
                by_id.setdefault(place.id, set()).add((place.path, place.position))
                by_place.setdefault((place.path, place.position), set()).add(place.id)
    found = []
    for id in sorted(frozenset(ids) & by_id.keys()):
        if len(by_id[id]) == 1:
            ((path, position),) = by_id[id]
            if len(by_place[path, position]) == 1:
                found.append(Site(path=path, position=position, fail=_FAIL, gate=_GATE, ids=frozenset({id})))
    return tuple(sorted(found, key=lambda site: (site.path, site.position)))
