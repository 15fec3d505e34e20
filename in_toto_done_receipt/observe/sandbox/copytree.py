"""Copying an examined tree to where commands may run in it: threats 22, 31, 33, 38 and 40."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import LimitExceeded, ObservationError, OutputError, UsageError
from in_toto_done_receipt.observe.sandbox.model import CopyLimits
from in_toto_done_receipt.wire.escape import escape

DEFAULT_LIMITS: Final = CopyLimits()
DEFAULT_EXCLUDE: Final = frozenset({".git"})
CHUNK: Final = 2**20

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
SOURCE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
COPY: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def copy_tree(
    root: Path, dest: Path, *, exclude: frozenset[str] = DEFAULT_EXCLUDE, limits: CopyLimits = DEFAULT_LIMITS
) -> None:
    """Copies the folder `root` to the new folder `dest`, by descriptors, following no link.

    Kept: bytes, times of files, modes without set-user-id, set-group-id and sticky bit, relative links that stay inside
    whatever other links they pass. Hard links become files of their own; `exclude` names entries of the root itself.
    Raises ObservationError with the path: symlink (absolute, or it leaves the tree), special, denied, missing, changed;
    LimitExceeded; OutputError when the copy cannot be written; UsageError for a `dest` inside `root`. What was copied
    until then stays: `dest` belongs into a `scratch`. Not checked: that nobody writes to the tree meanwhile, except in
    the file being read.
    """
    if dest.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"the copy {dest} would lie inside {root}")
    try:
        source = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as fault:
        raise _observed(fault, str(root)) from fault
    with _closing(source), _writing(str(dest)):
        dest.mkdir(mode=0o700)
        target = os.open(dest, FOLDER)
        with _closing(target):
            _Copy(limits, exclude).folder(source, target, ())


@dataclass(slots=True)
class _Copy:
    """One copy under way, with what it has used of its limits."""

    limits: CopyLimits
    exclude: frozenset[str]
    entries: int = 0
    total: int = 0

    def folder(self, source: int, target: int, parts: tuple[str, ...]) -> None:
        """Copies what is in one folder, in the order of names, then gives it its mode."""
        if len(parts) > self.limits.depth:
            raise LimitExceeded("copy-depth", allowed=self.limits.depth, value=len(parts), where=_shown(parts))
        for name in self.names(source, parts):
            if parts or name not in self.exclude:
                self.entry(source, target, (*parts, name))
        os.fchmod(target, _mode(os.fstat(source)))

    def names(self, source: int, parts: tuple[str, ...]) -> list[str]:
        """The names in a folder, counted while they are read: there may be millions."""
        found = []
        try:
            with os.scandir(source) as entries:
                for entry in entries:
                    self.entries += 1
                    if self.entries > self.limits.entries:
                        raise LimitExceeded(
                            "copy-entries", allowed=self.limits.entries, value=f"{self.entries} or more"
                        )
                    found.append(entry.name)
        except OSError as fault:
            raise _observed(fault, _shown(parts)) from fault
        return sorted(found)

    def entry(self, source: int, target: int, parts: tuple[str, ...]) -> None:
        name, shown = parts[-1], _shown(parts)
        try:
            status = os.stat(name, dir_fd=source, follow_symlinks=False)
        except OSError as fault:
            raise _observed(fault, shown) from fault
        if stat.S_ISDIR(status.st_mode):
            with _opened(source, name, FOLDER, shown) as inner:
                os.mkdir(name, 0o700, dir_fd=target)
                copy = os.open(name, FOLDER, dir_fd=target)
                with _closing(copy):
                    self.folder(inner, copy, parts)
        elif stat.S_ISREG(status.st_mode):
            with _opened(source, name, SOURCE, shown) as inner:
                self.file(inner, target, name, shown)
        elif stat.S_ISLNK(status.st_mode):
            _copy_link(source, target, parts)
        else:
            raise ObservationError(f"{shown} is not a file, folder or link, and cannot be copied", kind="special")

    def file(self, source: int, target: int, name: str, shown: str) -> None:
        """Copies one file, as large as it was when it was opened."""
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode):
            raise ObservationError(f"{shown} was replaced while the tree was copied", kind="changed")
        self.total += status.st_size
        if self.total > self.limits.total_bytes:
            raise LimitExceeded("copy-bytes", allowed=self.limits.total_bytes, value=self.total, where=shown)
        copy = os.open(name, COPY, 0o600, dir_fd=target)
        with _closing(copy):
            if _copy_bytes(source, copy, status.st_size, shown) != status.st_size:
                raise ObservationError(f"{shown} changed while the tree was copied", kind="changed")
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
            os.fchmod(copy, _mode(status))


def _copy_bytes(source: int, copy: int, size: int, shown: str) -> int:
    """Copies until the end or one byte after `size`; how many bytes there were."""
    count = 0
    while count <= size:
        try:
            part = os.read(source, min(CHUNK, size + 1 - count))
        except OSError as fault:
            raise _observed(fault, shown) from fault
        if not part:
            break
        count += len(part)
        view = memoryview(part)
        while view:
            view = view[os.write(copy, view) :]
    return count


def _copy_link(source: int, target: int, parts: tuple[str, ...]) -> None:
    """A link is copied if it is relative, has `..` only at its beginning, and not more of them than folders above it.

    Such links cannot leave the tree together either: what `..` goes up from is always a real folder of the copy.
    """
    shown = _shown(parts)
    try:
        text = os.readlink(parts[-1], dir_fd=source)
    except OSError as fault:
        raise _observed(fault, shown) from fault
    steps = [step for step in text.split("/") if step not in ("", ".")]
    ups = next((index for index, step in enumerate(steps) if step != ".."), len(steps))
    if text.startswith("/"):
        fact = "is absolute"
    elif ".." in steps[ups:] or ups > len(parts) - 1:
        fact = "may leave the tree"
    else:
        os.symlink(text, parts[-1], dir_fd=target)
        return
    message = f"{shown} is a link to {escape(text[:200])}, which {fact}, and cannot be copied"
    raise ObservationError(message, kind="symlink", hint="take it out of the tree, or let no command run in it")


def _mode(status: os.stat_result) -> int:
    return stat.S_IMODE(status.st_mode) & 0o777


def _shown(parts: tuple[str, ...]) -> str:
    return escape("/".join(parts)) or "."


@contextmanager
def _opened(folder: int, name: str, flags: int, shown: str) -> Iterator[int]:
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError as fault:
        raise _observed(fault, shown) from fault
    with _closing(descriptor):
        yield descriptor


@contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _writing(dest: str) -> Iterator[None]:
    """What is still an OSError in this block came from writing the copy: reading raises ObservationError."""
    try:
        yield
    except OSError as fault:
        raise OutputError(f"{dest}: the copy cannot be written: {fault.strerror}") from fault


def _observed(fault: OSError, shown: str) -> ObservationError:
    kinds = {errno.ENOENT: "missing", errno.EACCES: "denied", errno.EPERM: "denied"}
    kinds |= dict.fromkeys((errno.ELOOP, errno.ENOTDIR, errno.ENXIO), "changed")
    kind = kinds.get(fault.errno or 0, "other")
    return ObservationError(f"{shown}: {fault.strerror}", kind=kind)
