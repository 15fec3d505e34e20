"""One walk through a directory, in the order of the manifest, by descriptors alone: no path is resolved twice."""

import errno
import os
import stat
from collections.abc import Callable
from typing import Final

from in_toto_done_receipt.errors import ProducerError, WorkMoved
from in_toto_done_receipt.observe.files import kind_of
from in_toto_done_receipt.observe.manifest.hashing import LARGE, Hasher
from in_toto_done_receipt.observe.manifest.model import ManifestLimits, name_text
from in_toto_done_receipt.observe.manifest.rows import First, Sink
from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT, escape
from in_toto_done_receipt.wire.paths import MAX_PATH_BYTES, twin_key
from in_toto_done_receipt.wire.value import Value

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: what was a file when it was listed may be a FIFO by now, and must not make us wait.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_VANISHED: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})
_REPORT_EVERY: Final = 256  # files
_MOST_BYTES_A_CHARACTER: Final = 4  # in UTF-8
_EXECUTABLE: Final = 0o111

_Entry = tuple[str, str, str]
"""What it is sorted by, its name as the system has it, its kind (`f`, `d`, or the name of what is refused)."""


class Rules(Value, kw_only=True):
    """What is left out, and how much is too much."""

    excluded: frozenset[str]
    limits: ManifestLimits


class Count(Value, kw_only=True):
    """How much a walk has read."""

    files: int = 0
    bytes: int = 0


class Walk:
    """Feeds one sink with one walk. Raises ProducerError and WorkMoved naming the path."""

    def __init__(
        self, rules: Rules, sink: Sink, progress: Callable[[int, int], None] | None, *, before: Count | None = None
    ) -> None:
        self._limits = rules.limits
        self._excluded = rules.excluded
        self._sink = sink
        self._twins = sink.twins if isinstance(sink, First) else None
        self._progress = progress
        self._before = before or Count()
        self._files = self._folders = self._bytes = 0
        self._hasher = Hasher(sink.hashed, self._report)

    def run(self, root: int) -> Count:
        """Walk everything below an open directory; how much was read, earlier walks included."""
        with self._hasher:
            self._folder(root, "", 0)
            self._hasher.finish()
        self._report()
        return self._done()

    def _done(self) -> Count:
        return Count(files=self._before.files + self._files, bytes=self._before.bytes + self._hasher.bytes_done)

    def _report(self) -> None:
        if self._progress is not None:
            done = self._done()
            self._progress(done.files, done.bytes)

    def _folder(self, folder: int, prefix: str, depth: int) -> None:
        entries = self._listing(folder, prefix)
        if not entries and prefix:
            self._sink.empty_directory(prefix[:-1])
        for key, name, kind in entries:
            if kind == "f":
                _check_name(name, key, prefix)
                self._file(folder, name, prefix + key)
            elif kind == "d":
                _check_name(name, key[:-1], prefix)
                self._below(folder, name, prefix + key, depth + 1)
            else:
                raise ProducerError(f"{escape(prefix + key)} is {kind}, which a manifest cannot hold")

    def _listing(self, folder: int, prefix: str) -> list[_Entry]:
        """The entries in the order in which their paths stand in a manifest: a folder sorts as its name and `/`."""
        entries: list[_Entry] = []
        most = 2 * self._limits.entries - self._files - self._folders
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    name = entry.name
                    text = name if name.isascii() else name_text(os.fsencode(name))
                    if entry.is_file(follow_symlinks=False):
                        entries.append((text, name, "f"))
                    elif entry.is_dir(follow_symlinks=False):
                        entries.append((text + "/", name, "d"))
                    else:
                        entries.append((text, name, kind_of(entry.stat(follow_symlinks=False).st_mode)))
                    if len(entries) > most:
                        raise self._over("manifest-entries", self._limits.entries, f"more than {most}", prefix)
        except OSError as fault:
            raise _refusal(fault, prefix or ".") from None
        entries.sort()
        if self._twins is not None:
            self._find_twins(entries, prefix, self._twins)
        return entries

    @staticmethod
    def _find_twins(entries: list[_Entry], prefix: str, twins: list[tuple[str, str]]) -> None:
        names = [key.removesuffix("/") for key, _, _ in entries]
        keys = [name.lower() if name.isascii() else twin_key(name) for name in names]
        if len(set(keys)) == len(keys):
            return
        seen: dict[str, str] = {}
        for key, name in zip(keys, names, strict=True):
            other = seen.setdefault(key, name)
            if other is not name:
                twins.append((prefix + other, prefix + name))

    def _below(self, folder: int, name: str, path: str, depth: int) -> None:
        self._folders += 1
        if depth > self._limits.depth:
            raise self._over("manifest-depth", self._limits.depth, depth, path)
        if self._folders > self._limits.entries:
            raise self._over("manifest-entries", self._limits.entries, self._folders, path)
        try:
            below = os.open(name, _FOLDER, dir_fd=folder)
        except OSError as fault:
            raise _refusal(fault, path) from None
        try:
            self._folder(below, path, depth)
        finally:
            os.close(below)

    def _file(self, folder: int, name: str, path: str) -> None:
        if path in self._excluded:
            self._sink.excluded(path)
            return
        if len(path) * _MOST_BYTES_A_CHARACTER > MAX_PATH_BYTES and len(path.encode()) > MAX_PATH_BYTES:
            raise ProducerError(f"{escape(path)} is longer than the {MAX_PATH_BYTES} bytes a manifest allows")
        try:
            fd = os.open(name, _FILE, dir_fd=folder)
        except OSError as fault:
            raise _refusal(fault, path) from None
        try:
            opened = os.fstat(fd)
            self._check(opened, path)
            key = self._sink.file(path, opened.st_size, executable=bool(opened.st_mode & _EXECUTABLE))
            if opened.st_size > LARGE:
                handed, fd = fd, -1
                self._hasher.later(key, handed, opened, path)
            else:
                self._sink.hashed(key, self._hasher.now(fd, opened, path))
        except OSError as fault:
            raise _refusal(fault, path) from None
        finally:
            if fd >= 0:
                os.close(fd)
        if self._files % _REPORT_EVERY == 0:
            self._report()

    def _check(self, opened: os.stat_result, path: str) -> None:
        """Whether the file may be in a manifest, and within the limits with all before it."""
        limits = self._limits
        self._files += 1
        self._bytes += opened.st_size
        if not stat.S_ISREG(opened.st_mode):
            raise WorkMoved(f"{escape(path)} became {kind_of(opened.st_mode)} while it was opened")
        if opened.st_nlink != 1:
            raise ProducerError(
                f"{escape(path)} has {opened.st_nlink} hard links: somebody can change it under another name",
                hint="make it a copy of its own",
            )
        if opened.st_size > limits.file_bytes:
            raise self._over("manifest-file-bytes", limits.file_bytes, opened.st_size, path)
        if self._bytes > limits.total_bytes:
            raise self._over("manifest-total-bytes", limits.total_bytes, self._bytes, path)
        if self._files > limits.entries:
            raise self._over("manifest-entries", limits.entries, self._files, path)

    @staticmethod
    def _over(limit: str, allowed: int, value: int | str, path: str) -> ProducerError:
        return ProducerError(f"{escape(path)}: limit {limit} is {allowed}, got {value}")


def _check_name(name: str, text: str, prefix: str) -> None:
    """Whether a manifest can hold the name; a backslash of its own would look like the spelling of a byte."""
    if "\\" in name:
        fault = "a backslash"
    elif CONTROL_OR_FORMAT.search(text):
        fault = "a control or format character"
    else:
        return
    raise ProducerError(
        f"{escape(prefix + text)} has {fault} in its name, which a manifest cannot hold", hint="rename it"
    )


def _refusal(fault: OSError, path: str) -> ProducerError:
    shown = escape(path)
    if fault.errno in _VANISHED:
        return WorkMoved(f"{shown} was exchanged or removed while it was scanned")
    if fault.errno in {errno.EACCES, errno.EPERM}:
        return ProducerError(f"{shown} cannot be read: permission denied")
    return ProducerError(f"{shown} cannot be read: {os.strerror(fault.errno or 0).lower()}")
