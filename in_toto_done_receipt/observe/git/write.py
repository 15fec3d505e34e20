"""A tree written once into an empty folder: raw blob bytes, relative to open folders, no link followed."""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.names import is_dot_git
from in_toto_done_receipt.observe.git.objects import Objects, Sink
from in_toto_done_receipt.observe.git.trees import EXECUTABLE, LINK, SUBMODULE, Entry
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LINK_BYTES: Final = 4_095
_LFS: Final = b"version https://git-lfs.github.com/spec/"
_LFS_BYTES: Final = 1_024

Progress = Callable[[int, int], None]  # files and bytes so far
STEP: Final = 100  # files between two calls of it


class Written(Value, kw_only=True):
    """`links_out` lead out of the tree, `lfs` are pointers instead of content; paths."""

    files: int
    total_bytes: int
    links_out: tuple[bytes, ...]
    lfs: tuple[bytes, ...]


class _Open(NamedTuple):
    name: bytes
    fd: int


def write_tree(
    objects: Objects,
    files: Mapping[bytes, Entry],
    folder: Path,
    *,
    literal: Mapping[bytes, bytes] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Writes the files into `folder`, which is new or empty; submodules become empty folders.

    `literal` are contents of the caller's: of new files, or in place of the blob of a file, which keeps its mode.
    Sizes are added up before anything is written. Raises RepositoryRefused: too_large; output for a folder that is not
    empty, a spelling of `.git`, names that collide on this file system, a link in the way, what the disk refuses.
    """
    limits = objects.limits
    own = {} if literal is None else literal
    _refuse_names([*files, *own])
    modes = {path: files[path].mode for path in own if path in files}
    files = {path: entry for path, entry in files.items() if path not in own}
    blobs = [entry.id for entry in files.values() if entry.mode != SUBMODULE]
    sizes = objects.sizes(dict.fromkeys(blobs))
    total = sum(sizes[id] for id in blobs) + sum(map(len, own.values()))
    if total > limits.total_bytes:
        raise RepositoryRefused(f"the tree has {total} bytes, limit is {limits.total_bytes}", kind="too_large")
    if (largest := max(sizes.values(), default=0)) > limits.blob_bytes:
        raise RepositoryRefused(f"a file has {largest} bytes, limit is {limits.blob_bytes}", kind="too_large")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.scandir(folder) as there:
            if next(there, None) is not None:
                raise RepositoryRefused(f"{escape(str(folder))} is not empty", kind="output")
        with _Writer(folder, files, sizes, progress) as writer:
            objects.each_blob(writer.ids, sizes, writer.take)
            for path, data in sorted(own.items()):
                writer.put(path, data, modes.get(path))
            return writer.finish(total)
    except (OSError, ValueError) as fault:  # EEXIST, ENAMETOOLONG, ENOSPC; a NUL in the target of a link
        raise RepositoryRefused(f"the tree cannot be written: {escape(str(fault))}", kind="output") from None


def _refuse_names(files: Iterable[bytes]) -> None:
    seen: set[bytes] = set()
    for path in files:
        for name in path.split(b"/"):
            if name not in seen:
                seen.add(name)
                if is_dot_git(name):
                    raise RepositoryRefused(f"{escape(path)} is a spelling of .git", kind="output")


class _Writer:
    """Where the next file goes: the open folders from the top down to it."""

    def __init__(
        self, folder: Path, files: Mapping[bytes, Entry], sizes: dict[str, int], progress: Progress | None
    ) -> None:
        order = sorted((path.split(b"/"), entry) for path, entry in files.items())
        self._places = [(parts, entry) for parts, entry in order if entry.mode != SUBMODULE]
        self._submodules = [parts for parts, entry in order if entry.mode == SUBMODULE]
        self._stack = [_Open(b"", os.open(folder, _FOLDER))]
        self._large: int | None = None
        self._again = False  # whether folders may be there already
        self._progress = progress
        self._sizes = sizes
        self._bytes = 0
        self._own = 0
        self._links_out: list[bytes] = []
        self._lfs: list[bytes] = []

    @property
    def ids(self) -> list[str]:
        """The blobs in the order in which they are written."""
        return [entry.id for _, entry in self._places]

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self._close_large()
        while self._stack:
            os.close(self._stack.pop().fd)

    def take(self, index: int, data: bytes | None) -> Sink | None:
        """Writes one blob, or opens a file for a large one."""
        self._close_large()
        (*folders, name), entry = self._places[index]
        where = self._enter(folders)
        self._bytes += self._sizes[entry.id]
        if self._progress is not None and index % STEP == 0:
            self._progress(index, self._bytes)
        if entry.mode == LINK:
            self._link(folders, name, data, where)
            return None
        if data is not None and len(data) < _LFS_BYTES and data.startswith(_LFS):
            self._lfs.append(b"/".join([*folders, name]))
        file = os.open(name, _CREATE, 0o755 if entry.mode == EXECUTABLE else 0o644, dir_fd=where)
        self._large = file
        if data is None:
            return partial(write_all, file)
        write_all(file, data)
        self._close_large()
        return None

    def put(self, path: bytes, data: bytes, mode: str | None) -> None:
        """Writes one file of the caller's, once all blobs are written."""
        self._close_large()
        self._again = True
        *folders, name = path.split(b"/")
        self._large = os.open(name, _CREATE, 0o755 if mode == EXECUTABLE else 0o644, dir_fd=self._enter(folders))
        self._own += 1
        write_all(self._large, data)

    def finish(self, total: int) -> Written:
        """The empty folders of submodules, and what was written."""
        self._close_large()
        self._again = True
        for *folders, name in self._submodules:
            os.mkdir(name, 0o755, dir_fd=self._enter(folders))
        return Written(
            files=len(self._places) + self._own,
            total_bytes=total,
            links_out=tuple(self._links_out),
            lfs=tuple(self._lfs),
        )

    def _link(self, folders: list[bytes], name: bytes, data: bytes | None, where: int) -> None:
        if data is None or not 0 < len(data) <= _LINK_BYTES:
            path = escape(b"/".join([*folders, name]))
            raise RepositoryRefused(f"{path} is a link without a usable target", kind="output")
        up = os.path.normpath(b"/".join([*folders, data]))
        if data.startswith(b"/") or up.split(b"/")[0] == b"..":
            self._links_out.append(b"/".join([*folders, name]))
        os.symlink(data, name, dir_fd=where)

    def _enter(self, folders: list[bytes]) -> int:
        same = 0
        while same < len(folders) and same + 1 < len(self._stack) and self._stack[same + 1].name == folders[same]:
            same += 1
        while len(self._stack) > same + 1:
            os.close(self._stack.pop().fd)
        for name in folders[same:]:
            top = self._stack[-1].fd
            try:
                os.mkdir(name, 0o755, dir_fd=top)
            except FileExistsError:
                if not self._again:  # two names that are one on this file system
                    raise
            self._stack.append(_Open(name, os.open(name, _FOLDER, dir_fd=top)))
        return self._stack[-1].fd

    def _close_large(self) -> None:
        if self._large is not None:
            os.close(self._large)
            self._large = None


def write_all(fd: int, data: bytes) -> None:
    """All of the bytes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
