"""The crates of a tree that `cargo test` makes test binaries of, read from its manifests as cargo reads them."""

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.runners.cargo_command import CargoCommand
from in_toto_done_receipt.observe.runners.model import Sources
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

_FIRST_EDITION: Final = "2015"


class Crate(Value, kw_only=True):
    """A test binary to be. `prefix` begins its ids. `is_plain` says that nothing in the manifest hinders its tests: it
    is tested by default, by Rust's own harness, and needs no feature.
    """

    prefix: str
    kind: str
    root: str
    is_plain: bool


class Package(Value, kw_only=True):
    """A manifest with `[package]`. `folder` is "" for the root of the tree."""

    folder: str
    name: str
    manifest: Mapping[str, Any]


def crates(command: CargoCommand, sources: Sources) -> tuple[Crate, ...]:
    """All crates of the packages and kinds that the command names.

    Raises ObservationError for a manifest that is missing, cannot be read, or is none.
    """
    files = frozenset(sources.paths())
    first = _manifest(sources, command.manifest)
    top = _folder(command.manifest)
    found: list[Crate] = []
    for package in _packages(command, sources, files, first, top):
        before = "" if package.folder == top else f"{package.name}/"
        edition = _edition(package.manifest, first)
        for crate in _targets(package, files, edition):
            if crate.kind in command.kinds:
                found.append(
                    Crate(prefix=before + crate.prefix, kind=crate.kind, root=crate.root, is_plain=crate.is_plain)
                )
    return tuple(sorted(found, key=lambda crate: crate.prefix))


def prefix_of(package: str, folder: str, command: CargoCommand, kind: str, name: str) -> str:
    """What the ids of a test binary begin with. A package in another folder than the command's is named, so that an id
    stays when the workspace grows.
    """
    before = "" if folder == _folder(command.manifest) else f"{package}/"
    return f"{before}lib::" if kind == "lib" else f"{before}{kind}:{name}::"


def _folder(manifest: str) -> str:
    folder = str(PurePosixPath(manifest).parent)
    return "" if folder == "." else folder


def _manifest(sources: Sources, path: str) -> Mapping[str, Any]:
    import tomllib  # only where there are crates

    try:
        return tomllib.loads(sources.read(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ObservationError(f"{escape(path)} is not TOML: {escape(str(fault))}", kind="other") from None


def _packages(
    command: CargoCommand, sources: Sources, files: frozenset[str], first: Mapping[str, Any], top: str
) -> Iterator[Package]:
    """The packages that are tested. A member that is one only as a path dependency of another is not found."""
    workspace = _table(first, "workspace")
    folders = [_folder(path) for path in sorted(files) if PurePosixPath(path).name == "Cargo.toml"]
    members = [
        folder
        for folder in folders
        if (folder == top and "package" in first)
        or (_matches(folder, top, workspace.get("members")) and not _matches(folder, top, workspace.get("exclude")))
    ]
    default = [folder for folder in members if _matches(folder, top, workspace.get("default-members"))]
    if command.workspace or command.packages:
        chosen = members
    elif default:
        chosen = default
    else:
        chosen = [top] if "package" in first else members
    for folder in chosen:
        manifest = first if folder == top else _manifest(sources, f"{folder}/Cargo.toml".lstrip("/"))
        name = _table(manifest, "package").get("name")
        if not isinstance(name, str) or name in command.excluded:
            continue
        if not command.packages or name in command.packages:
            yield Package(folder=folder, name=name, manifest=manifest)


def _matches(folder: str, top: str, patterns: object) -> bool:
    """Does one of the patterns, which are relative to `top`, name this folder?"""
    if not isinstance(patterns, list):
        return False
    path = PurePosixPath(folder)
    if not path.is_relative_to(top or "."):
        return False
    parts = path.relative_to(top or ".").parts
    for pattern in patterns:
        wanted = PurePosixPath(str(pattern)).parts
        if len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted)):
            return True
    return False


def _edition(manifest: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    edition = _table(manifest, "package").get("edition", _FIRST_EDITION)
    if isinstance(edition, dict):
        edition = _table(_table(first, "workspace"), "package").get("edition", _FIRST_EDITION)
    return str(edition)


def _table(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = manifest.get(name)
    return table if isinstance(table, dict) else {}


def _tables(manifest: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    tables = manifest.get(name)
    return [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []


def _targets(package: Package, files: frozenset[str], edition: str) -> Iterator[Crate]:
    """Library, programs and integration tests of a package, with ids as if it were the only one."""
    folder = f"{package.folder}/".lstrip("/")
    manifest = package.manifest
    library = _table(manifest, "lib")
    root = folder + str(library.get("path", "src/lib.rs"))
    if root in files:
        yield Crate(prefix="lib::", kind="lib", root=root, is_plain=_is_plain(library))
    own = {"main.rs": package.name}
    yield from _several(package, files, edition, "bin", ("src", "src/bin"), own)
    yield from _several(package, files, edition, "test", ("tests",), {})


def _several(
    package: Package, files: frozenset[str], edition: str, kind: str, places: Sequence[str], own: Mapping[str, str]
) -> Iterator[Crate]:
    folder = f"{package.folder}/".lstrip("/")
    found = _conventional(files, folder, places, own)
    declared = _tables(package.manifest, kind)
    automatic = _table(package.manifest, "package").get(f"auto{kind}s")
    if automatic is None:
        automatic = not declared or edition != _FIRST_EDITION
    named: dict[str, tuple[str, bool]] = {name: (root, True) for name, root in found.items()} if automatic else {}
    for table in declared:
        name = str(table.get("name"))
        path = folder + str(table["path"]) if "path" in table else found.get(name)
        if path is not None:
            named = {known: at for known, at in named.items() if at[0] != path}
            named[name] = (path, _is_plain(table))
    for name, (root, is_plain) in named.items():
        if root in files:
            yield Crate(prefix=f"{kind}:{name}::", kind=kind, root=root, is_plain=is_plain)


def _conventional(files: frozenset[str], folder: str, places: Sequence[str], own: Mapping[str, str]) -> dict[str, str]:
    """Name to root of the targets that lie where cargo looks by itself: the last place holds one in each file."""
    found: dict[str, str] = {}
    for path in files:
        if not path.startswith(folder):
            continue
        inside = PurePosixPath(path.removeprefix(folder))
        place = str(inside.parent)
        if place == places[0] and inside.name in own:
            found[own[inside.name]] = path
        elif place == places[-1] and inside.suffix == ".rs":
            found.setdefault(inside.stem, path)
        elif str(inside.parent.parent) == places[-1] and inside.name == "main.rs":
            found.setdefault(inside.parent.name, path)
    return found


def _is_plain(table: Mapping[str, Any]) -> bool:
    return table.get("test", True) is True and table.get("harness", True) is True and not table.get("required-features")
