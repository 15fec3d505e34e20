"""The finished work, wherever it is: a directory, or a tree of git objects (`observe.git`).

A directory is held by its descriptor; every path is opened from there, part by part, and no symbolic link is followed
on the way. A mount point inside is a directory like any other.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Protocol

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.files import kind_of, stamp
from in_toto_done_receipt.wire.escape import escape

PathType = Literal["file", "directory", "symlink", "other", "absent"]

_PART: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})


class FileView(Protocol):
    """An open regular file whose size was fixed when it was opened."""

    @property
    def size(self) -> int:
        """Bytes when it was opened."""

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer from where the last call ended; 0 at the end. Raises ObservationError (changed)."""


class Workspace(Protocol):
    """Work that can be looked at. All paths are relative, with `/`; a bad one raises ObservationError (other)."""

    @property
    def kind(self) -> str:
        """`live` for a directory, `git-tree` for git objects."""

    def type_of(self, path: str) -> PathType:
        """What the path is, itself: links are not followed. Raises ObservationError (symlink on the way, denied)."""

    def open_file(self, path: str) -> AbstractContextManager[FileView]:
        """The regular file at this path. When the block ends well, the file is the one that was opened, unchanged."""

    def entries(self, path: str) -> list[tuple[str, PathType]]:
        """What a directory holds, `""` being the root; names sorted, those that are not UTF-8 with surrogates."""


class DirectoryWorkspace:
    """A directory, held open. A symbolic link given as the root itself is resolved once, here."""

    kind: Literal["live"] = "live"

    def __init__(self, root: Path) -> None:
        try:
            self._fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except NotADirectoryError:
            raise ObservationError(f"{escape(str(root))} is not a directory", kind="other") from None
        except (OSError, ValueError) as fault:
            raise _observation(fault, str(root)) from None
        self.root = root

    def __enter__(self) -> "DirectoryWorkspace":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._fd)

    def open_root(self) -> int:
        """A descriptor of the root, the caller's own to close; whatever its path names by now."""
        return os.open(".", _FOLDER, dir_fd=self._fd)

    def type_of(self, path: str) -> PathType:
        """See Workspace."""
        try:
            with self._folder(path) as (folder, name):
                mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError as fault:
            if fault.errno in _ABSENT:
                return "absent"
            raise _observation(fault, path) from None
        return _type(mode)

    def is_executable(self, path: str) -> bool:
        """Whether the path is a regular file with an execute bit, links followed as the system does."""
        try:
            status = os.stat(os.fsencode(path), dir_fd=self._fd)
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o111)

    @contextlib.contextmanager
    def open_file(self, path: str) -> Iterator[FileView]:
        """See Workspace."""
        try:
            with self._folder(path) as (folder, name):
                # Looked at first, so that a device or a FIFO is not even opened.
                seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
                _require_regular(seen.st_mode, path)
                fd = os.open(name, _FILE, dir_fd=folder)
        except OSError as fault:
            raise _observation(fault, path) from None
        try:
            view = _DirectoryFile(fd, path, seen)
            yield view
            view.finish()
        finally:
            os.close(fd)

    def entries(self, path: str) -> list[tuple[str, PathType]]:
        """See Workspace."""
        try:
            with self._folder(path) as (folder, name):
                fd = os.open(name, _FOLDER, dir_fd=folder)
            try:
                with os.scandir(fd) as found:
                    return sorted((_name(entry), _entry_type(entry)) for entry in found)
            finally:
                os.close(fd)
        except OSError as fault:
            raise _observation(fault, path) from None

    @contextlib.contextmanager
    def _folder(self, path: str) -> Iterator[tuple[int, bytes]]:
        """The directory that holds the path, opened part by part, and the last part."""
        *parts, last = _parts(path)
        fd = os.dup(self._fd)
        try:
            for number, part in enumerate(parts, start=1):
                try:
                    below = os.open(part, _PART, dir_fd=fd)
                except NotADirectoryError:
                    self._refuse_link(fd, part, "/".join(path.split("/")[:number]))
                    raise
                os.close(fd)
                fd = below
            yield fd, last
        finally:
            os.close(fd)

    def _refuse_link(self, folder: int, part: bytes, path: str) -> None:
        """O_NOFOLLOW and O_DIRECTORY together say "not a directory" for a link too: tell which it was."""
        if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
            raise ObservationError(f"{escape(path)} is a symbolic link, which is not followed", kind="symlink")


class _DirectoryFile:
    """A FileView that remembers what it opened."""

    def __init__(self, fd: int, path: str, seen: os.stat_result) -> None:
        self._fd = fd
        self._path = path
        self._opened = os.fstat(fd)
        _require_regular(self._opened.st_mode, path)
        if (seen.st_dev, seen.st_ino) != (self._opened.st_dev, self._opened.st_ino):
            raise self._changed("was exchanged while it was opened")
        self.size = self._opened.st_size
        self._done = 0

    def readinto(self, buffer: memoryview) -> int:
        """See FileView."""
        room = min(len(buffer), self.size + 1 - self._done)
        try:
            count = os.readv(self._fd, [buffer[:room]])
        except OSError as fault:
            raise _observation(fault, self._path) from None
        self._done += count
        if self._done > self.size or (count == 0 and self._done < self.size):
            raise self._changed(f"changed while it was read: {self.size} bytes when it was opened")
        return count

    def finish(self) -> None:
        """Raises ObservationError (changed) when the file is not what it was when it was opened."""
        if stamp(os.fstat(self._fd)) != stamp(self._opened):
            raise self._changed("changed while it was read")

    def _changed(self, what: str) -> ObservationError:
        return ObservationError(f"{escape(self._path)} {what}", kind="changed")


def _parts(path: str) -> list[bytes]:
    """The parts as bytes: UTF-8, and surrogates back to what they stand for, whatever the locale says."""
    if path == "":
        return [b"."]
    try:
        parts = path.encode("utf-8", "surrogateescape").split(b"/")
    except UnicodeEncodeError:
        raise ObservationError(f"{escape(path)} is not a path: no UTF-8", kind="other") from None
    if any(part in {b"", b".", b".."} or b"\0" in part for part in parts):
        raise ObservationError(f"{escape(path)} is not a relative path without empty, . or .. parts", kind="other")
    return parts


def _type(mode: int) -> PathType:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


def _name(entry: "os.DirEntry[str]") -> str:
    return os.fsencode(entry.name).decode("utf-8", "surrogateescape")


def _entry_type(entry: "os.DirEntry[str]") -> PathType:
    if entry.is_symlink():
        return "symlink"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "directory" if entry.is_dir(follow_symlinks=False) else "other"


def _require_regular(mode: int, path: str) -> None:
    if not stat.S_ISREG(mode):
        kind = {"directory": "directory", "symlink": "symlink"}.get(_type(mode), "special")
        raise ObservationError(f"{escape(path)} is {kind_of(mode)}, not a regular file", kind=kind)


def _observation(fault: OSError | ValueError, path: str) -> ObservationError:
    """The error for a fault of the system, with the stable word for it."""
    number = fault.errno if isinstance(fault, OSError) else None
    shown = escape(path)
    if number in _ABSENT:
        return ObservationError(f"{shown} does not exist", kind="missing")
    if number == errno.ELOOP:
        return ObservationError(f"{shown} is a symbolic link, which is not followed", kind="symlink")
    if number in {errno.EACCES, errno.EPERM}:
        return ObservationError(f"{shown} cannot be read: permission denied", kind="denied")
    words = os.strerror(number).lower() if number else str(fault)
    return ObservationError(f"{shown} cannot be looked at: {words}", kind="other")
