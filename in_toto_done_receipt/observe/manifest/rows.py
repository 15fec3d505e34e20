"""Where the two walks put what they see: the first keeps it, the second compares it and keeps nothing of its size."""

from array import array
from collections.abc import Sequence
from typing import Final, Protocol

from in_toto_done_receipt.errors import WorkMoved
from in_toto_done_receipt.observe.manifest.model import HASH_BYTES, ManifestFiles, ScanNotes
from in_toto_done_receipt.wire.escape import escape

_NO_HASH: Final = bytes(HASH_BYTES)


class Sink(Protocol):
    """Takes files in order of their paths; hashes may come later, in any order."""

    def file(self, path: str, size: int, *, executable: bool) -> int:
        """The key under which the file's hash is to be handed in."""

    def hashed(self, key: int, digest: bytes) -> None:
        """The SHA-256 of a file."""

    def empty_directory(self, path: str) -> None:
        """A directory without entries."""

    def excluded(self, path: str) -> None:
        """A file that is left out."""


class First:
    """Keeps everything, in columns."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.sizes = array("Q")
        self.hashes = bytearray()
        self.executables: list[str] = []
        self.empty_directories: list[str] = []
        self._excluded: list[str] = []
        self.twins: list[tuple[str, str]] = []

    def file(self, path: str, size: int, *, executable: bool) -> int:
        """See Sink."""
        self.paths.append(path)
        self.sizes.append(size)
        self.hashes += _NO_HASH
        if executable:
            self.executables.append(path)
        return len(self.paths) - 1

    def hashed(self, key: int, digest: bytes) -> None:
        """See Sink."""
        self.hashes[key * HASH_BYTES : (key + 1) * HASH_BYTES] = digest

    def empty_directory(self, path: str) -> None:
        """See Sink."""
        self.empty_directories.append(path)

    def excluded(self, path: str) -> None:
        """See Sink."""
        self._excluded.append(path)

    def files(self) -> ManifestFiles:
        """The columns as rows."""
        return ManifestFiles(self.paths, self.sizes, self.hashes)

    def notes(self) -> ScanNotes:
        """What the manifest does not say."""
        return ScanNotes(
            excluded=tuple(self._excluded),
            empty_directories=tuple(self.empty_directories),
            executables=tuple(self.executables),
            twins=tuple(self.twins),
        )


class Again:
    """Compares with the first walk. Raises WorkMoved naming the first path that is not the same."""

    def __init__(self, first: First) -> None:
        self._first = first
        self._count = 0
        self._executables = 0  # how many there were
        self._empty_directories: list[str] = []

    def file(self, path: str, size: int, *, executable: bool) -> int:
        """See Sink."""
        key = self._count
        first = self._first
        if key == len(first.paths) or path != first.paths[key]:
            self._appeared_or_gone(path, key)
        if size != first.sizes[key]:
            raise WorkMoved(f"{escape(path)} had {first.sizes[key]} bytes in the first scan, {size} in the second")
        marked = self._executables < len(first.executables) and first.executables[self._executables] == path
        if executable != marked:
            then, now = ("was", "is not") if marked else ("was not", "is")
            raise WorkMoved(f"{escape(path)} {then} executable in the first scan, {now} in the second")
        self._executables += executable
        self._count += 1
        return key

    def hashed(self, key: int, digest: bytes) -> None:
        """See Sink."""
        first = self._first
        if first.hashes[key * HASH_BYTES : (key + 1) * HASH_BYTES] != digest:
            raise WorkMoved(f"{escape(first.paths[key])} had other bytes in the first scan than in the second")

    def empty_directory(self, path: str) -> None:
        """See Sink."""
        self._empty_directories.append(path)

    def excluded(self, path: str) -> None:
        """A file that is left out may come and go."""

    def finish(self) -> None:
        """Compare what can only be compared at the end."""
        first = self._first
        if self._count < len(first.paths):
            self._appeared_or_gone(None, self._count)
        _require_same(first.empty_directories, self._empty_directories)

    def _appeared_or_gone(self, path: str | None, key: int) -> None:
        expected = self._first.paths[key] if key < len(self._first.paths) else None
        if path is None or (expected is not None and expected < path):
            raise WorkMoved(f"{escape(expected or '')} was there in the first scan, not in the second")
        raise WorkMoved(f"{escape(path)} was not there in the first scan, but in the second")


def _require_same(before: Sequence[str], after: Sequence[str]) -> None:
    if list(before) != list(after):
        path = min(set(before) ^ set(after))
        then, now = ("was", "is not") if path in set(before) else ("was not", "is")
        raise WorkMoved(f"{escape(path)} {then} an empty directory in the first scan, {now} in the second")
