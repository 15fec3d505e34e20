"""Where a repository keeps itself: its git directory, the shared one of linked work trees, its object stores."""

import os
from collections import deque
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.plain import read_plain
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

_POINTER_BYTES: Final = 4_096  # a `gitdir:` file, commondir, HEAD
_ALTERNATES_BYTES: Final = 65_536


class Places(Value, kw_only=True):
    """Real paths. `common` differs from `git_dir` in a linked work tree; `shallow` says that history is cut off."""

    root: Path
    git_dir: Path
    common: Path
    shallow: bool
    reftable: bool


def find_places(repository: Path) -> Places:
    """The places of a work tree, linked work tree, submodule or bare repository; its configuration is never opened.

    Links and `gitdir:` files are followed: what is read there is bound to its ids, and the stores are named in the
    result. Raises RepositoryRefused (repository).
    """
    try:
        root = repository.resolve()
        git_dir = _git_dir(root)
        pointer = read_plain(git_dir, b"commondir", _POINTER_BYTES)
        common = git_dir if pointer is None else _joined(git_dir, pointer)
        is_one = (common / "objects").is_dir() and read_plain(git_dir, b"HEAD", _POINTER_BYTES) is not None
    except (OSError, ValueError, RuntimeError):  # a NUL in a pointer, a loop of links, a name that is too long
        is_one = False
    if not is_one:
        raise RepositoryRefused(
            f"{escape(str(repository))} is no git repository",
            kind="repository",
            hint="expected a folder with .git, a bare repository or a linked work tree",
        )
    return Places(
        root=root,
        git_dir=git_dir,
        common=common,
        shallow=_is_there(common / "shallow"),
        reftable=_is_there(common / "reftable"),
    )


def _git_dir(root: Path) -> Path:
    own = root / ".git"
    if not _is_there(own):
        return root
    if own.is_dir():
        return own.resolve()
    text = read_plain(root, b".git", _POINTER_BYTES) or b""
    if not text.startswith(b"gitdir: "):
        fact = f"{escape(str(own))} is neither a folder nor a file that names one"
        raise RepositoryRefused(fact, kind="repository")
    return _joined(root, text.removeprefix(b"gitdir: "))


def _joined(folder: Path, pointer: bytes) -> Path:
    return (folder / os.fsdecode(pointer.rstrip(b"\r\n"))).resolve()


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def find_stores(places: Places, given: tuple[Path, ...], limits: GitLimits, *, inside_only: bool) -> tuple[Path, ...]:
    """Real paths of the object folders: the repository's own, `given` ones (a quarantine), alternates of alternates.

    A store that is named and is no folder is left out, as git does: an object that is missing then is an error. Raises
    RepositoryRefused (store) over the limits, (store_outside) with `inside_only` for one outside the repository.
    """
    named = [path.resolve() for path in given]
    for path in named:
        if not path.is_dir():
            raise RepositoryRefused(f"object folder {escape(str(path))} is no folder", kind="store")
    waiting = deque([(places.common / "objects", 0), *((path, 0) for path in named)])
    found: list[Path] = []
    while waiting:
        path, depth = waiting.popleft()
        real = _store(path)
        if real is None or real in found:
            continue
        if inside_only and real not in named and places.root not in real.parents:
            fact = f"objects are borrowed from {escape(str(real))}, outside the repository"
            raise RepositoryRefused(fact, kind="store_outside")
        found.append(real)
        if len(found) > limits.stores or depth > limits.store_depth:
            fact = f"limit is {limits.stores}, borrowed over {limits.store_depth} others at most"
            raise RepositoryRefused(f"too many object stores: {fact}", kind="store")
        waiting += ((real / os.fsdecode(line), depth + 1) for line in _alternates(real))
    return tuple(found)


def _store(path: Path) -> Path | None:
    try:
        real = path.resolve()
        return real if real.is_dir() else None
    except (OSError, RuntimeError):
        return None


def _alternates(store: Path) -> list[bytes]:
    lines = (read_plain(store, b"info/alternates", _ALTERNATES_BYTES) or b"").split(b"\n")
    if any(line.startswith(b'"') or b"\0" in line for line in lines):
        raise RepositoryRefused(f"{escape(str(store))}/info/alternates holds a quoted path", kind="store")
    return [line for line in lines if line and not line.startswith(b"#")]
