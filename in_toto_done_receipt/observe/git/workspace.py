"""A tree of git objects as a workspace: the finished work, without a checkout."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from in_toto_done_receipt.errors import ObservationError, RepositoryRefused
from in_toto_done_receipt.observe.git.objects import SMALL
from in_toto_done_receipt.observe.git.repository import Repository
from in_toto_done_receipt.observe.git.trees import EXECUTABLE, LINK, SUBMODULE, Entry, Listing
from in_toto_done_receipt.observe.git.write import write_all
from in_toto_done_receipt.observe.workspace import FileView, PathType
from in_toto_done_receipt.wire.escape import escape


class GitWorkspace:
    """See `observe.workspace.Workspace`. Links are not followed, submodules are `other`; blob bytes as they are."""

    kind: Literal["git-tree"] = "git-tree"

    def __init__(self, repository: Repository, tree: str) -> None:
        self.repository = repository
        self.tree = tree
        self.listing: Listing = repository.listing(tree)
        self._folders = _folders(self.listing)

    def type_of(self, path: str) -> PathType:
        """See Workspace."""
        raw = _raw(path)
        self._refuse_link_on_the_way(raw)
        if raw == b"" or raw in self._folders:
            return "directory"
        entry = self.listing.files.get(raw)
        return "absent" if entry is None else _type(entry)

    @property
    def root(self) -> Path:
        """The repository."""
        return self.repository.path

    def is_executable(self, path: str) -> bool:
        """Whether the path is a file of mode 100755, or a link: what that leads to is not looked at."""
        entry = self.listing.files.get(_raw(path))
        return entry is not None and entry.mode in (EXECUTABLE, LINK)

    @contextmanager
    def open_file(self, path: str) -> Iterator[FileView]:
        """See Workspace. A large blob is spooled to scratch and checked before it is handed out."""
        raw, entry = _raw(path), None
        kind = self.type_of(path)
        if kind == "file":
            entry = self.listing.files[raw]
        if entry is None:
            raise _no_file(path, kind)
        objects = self.repository.objects
        try:
            sizes = objects.sizes([entry.id])
            if sizes[entry.id] <= SMALL:
                ((_, data),) = objects.blobs([entry.id], sizes)
                yield _Bytes(data)
                return
            limit = self.repository.limits.blob_bytes
            if sizes[entry.id] > limit:
                raise ObservationError(
                    f"{escape(path)} has {sizes[entry.id]} bytes, limit is {limit}", kind="too_large"
                )
            with self.repository.spool() as fd:
                objects.each_blob([entry.id], sizes, lambda _index, _data: partial(write_all, fd))
                os.lseek(fd, 0, os.SEEK_SET)
                yield _Spooled(fd, sizes[entry.id])
        except RepositoryRefused as fault:
            raise ObservationError(f"{escape(path)}: {fault.message}", kind="other", hint=fault.hint) from None

    def entries(self, path: str) -> list[tuple[str, PathType]]:
        """See Workspace."""
        raw = _raw(path)
        kind = self.type_of(path)
        if kind != "directory":
            word = "does not exist" if kind == "absent" else "is not a directory"
            raise ObservationError(f"{escape(path)} {word}", kind="missing" if kind == "absent" else "other")
        return self._folders.get(raw, [])

    def _refuse_link_on_the_way(self, raw: bytes) -> None:
        for at, byte in enumerate(raw):
            if byte == 0x2F and (entry := self.listing.files.get(raw[:at])) is not None and entry.mode == LINK:
                raise ObservationError(f"{escape(raw[:at])} is a symbolic link, which is not followed", kind="symlink")


class _Bytes:
    """A small blob."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.size = len(data)

    def readinto(self, buffer: memoryview) -> int:
        """See FileView."""
        part = self._data[: len(buffer)]
        buffer[: len(part)] = part
        self._data = self._data[len(part) :]
        return len(part)


class _Spooled:
    """A large blob in a file of ours."""

    def __init__(self, fd: int, size: int) -> None:
        self._fd = fd
        self.size = size

    def readinto(self, buffer: memoryview) -> int:
        """See FileView."""
        return os.readv(self._fd, [buffer])


def _folders(listing: Listing) -> dict[bytes, list[tuple[str, PathType]]]:
    """What each folder holds, sorted by name."""
    found: dict[bytes, dict[str, PathType]] = {b"": {}}
    for path, entry in listing.files.items():
        folder, _, name = path.rpartition(b"/")
        inside: PathType = _type(entry)
        while True:
            known = found.get(folder)
            holds = found.setdefault(folder, {})
            holds[name.decode("utf-8", "surrogateescape")] = inside
            if known is not None or folder == b"":
                break
            folder, _, name = folder.rpartition(b"/")
            inside = "directory"
    return {folder: sorted(holds.items()) for folder, holds in found.items()}


def _type(entry: Entry) -> PathType:
    if entry.mode == LINK:
        return "symlink"
    return "other" if entry.mode == SUBMODULE else "file"


def _raw(path: str) -> bytes:
    if path == "":
        return b""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ObservationError(f"{escape(path)} is not a path: no UTF-8", kind="other") from None
    if any(part in {b"", b".", b".."} or b"\0" in part for part in raw.split(b"/")):
        raise ObservationError(f"{escape(path)} is not a relative path without empty, . or .. parts", kind="other")
    return raw


def _no_file(path: str, kind: PathType) -> ObservationError:
    shown = escape(path)
    if kind == "absent":
        return ObservationError(f"{shown} does not exist", kind="missing")
    if kind == "symlink":
        return ObservationError(f"{shown} is a symbolic link, not a regular file", kind="symlink")
    word = "a directory" if kind == "directory" else "a submodule"
    stable = "directory" if kind == "directory" else "special"
    return ObservationError(f"{shown} is {word}, not a regular file", kind=stable)
