"""The manifest in memory and as canonical bytes: agent-output-manifest/v1, the original's bytes with larger limits."""

import hashlib
import io
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Final, overload

from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT, escape
from in_toto_done_receipt.wire.paths import MAX_PATH_BYTES
from in_toto_done_receipt.wire.value import Value

SCHEMA: Final = "agent-output-manifest/v1"
HASH_BYTES: Final = 32  # SHA-256
_CHUNK_FILES: Final = 4096  # canonical bytes are made this many files at a time
_ESCAPED: Final = re.compile(rb"\\x([89a-f][0-9a-f])")
_NOT_PARTS: Final = frozenset({"", ".", ".."})


class ManifestLimits(Value, kw_only=True):
    """verification.md, "Limits". `depth` counts the folders on the way to a file."""

    entries: int = 1_000_000
    depth: int = 64
    file_bytes: int = 1 << 40
    total_bytes: int = 16 << 40
    manifest_bytes: int = 512 << 20


class ManifestFile(Value, kw_only=True):
    """One file: its path as the manifest spells it, lowercase hex, its size."""

    path: str
    sha256: str
    bytes: int


class ManifestFiles(Sequence[ManifestFile]):
    """The files in order of their paths, in about 100 bytes each besides the path; a row is made when asked for."""

    __slots__ = ("_hashes", "_paths", "_sizes")

    def __init__(self, paths: Sequence[str], sizes: "array[int]", hashes: bytes | bytearray) -> None:
        """For modules of this package, which give the three up and change none of them afterwards."""
        self._paths = paths
        self._sizes = sizes
        self._hashes = hashes

    @property
    def paths(self) -> Sequence[str]:
        """The paths alone, without making rows."""
        return self._paths

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, index: int) -> ManifestFile: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ManifestFile, ...]: ...
    def __getitem__(self, index: int | slice) -> ManifestFile | tuple[ManifestFile, ...]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        return ManifestFile(path=self._paths[index], sha256=self.raw_hash(index).hex(), bytes=self._sizes[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ManifestFiles):
            return NotImplemented
        mine, theirs = (self._paths, self._sizes, self._hashes), (other._paths, other._sizes, other._hashes)
        return len(self) == len(other) and all(map(_same, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # a sequence of any length: compared, never a key

    def size(self, index: int) -> int:
        """The size of one file, without making a row."""
        return self._sizes[index]

    def raw_hash(self, index: int) -> bytes:
        """The SHA-256 of one file as 32 bytes."""
        start = range(len(self))[index] * HASH_BYTES
        return bytes(self._hashes[start : start + HASH_BYTES])


def _same(mine: Sequence[object], theirs: Sequence[object]) -> bool:
    return mine == theirs or (isinstance(mine, list | tuple) and list(mine) == list(theirs))


class ScanNotes(Value, kw_only=True):
    """What a scan saw and the manifest does not say. All paths are spelled as in the manifest.

    `excluded`: files left out that exist. `empty_directories` and `executables`: what somebody could change without
    changing the manifest. `twins`: pairs of names in one folder that differ only by case or Unicode normalisation.
    """

    excluded: tuple[str, ...] = ()
    empty_directories: tuple[str, ...] = ()
    executables: tuple[str, ...] = ()
    twins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest that keeps the rules of the format; made by `make_manifest` only.

    `digest` is the SHA-256 of the canonical bytes, `size` their number. `notes` is empty unless a scan made it, and
    two manifests are equal whatever their notes.
    """

    files: ManifestFiles
    total_bytes: int
    digest: str
    size: int
    notes: ScanNotes = field(default_factory=ScanNotes, compare=False)

    def canonical(self) -> bytes:
        """The canonical bytes, without a final newline."""
        whole = io.BytesIO()  # gives its buffer away without a copy; join would hold every byte twice
        whole.writelines(_chunks(self.files, self.total_bytes))
        return whole.getvalue()

    def entry(self, path: str) -> ManifestFile | None:
        """The file at this path, spelled as in the manifest, or None."""
        index = bisect_left(self.files.paths, path)
        return self.files[index] if index < len(self.files) and self.files.paths[index] == path else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should be told about names."""
        return tuple(
            f"{escape(one)} and {escape(two)} differ only by case or Unicode normalisation"
            for one, two in self.notes.twins
        )


def make_manifest(files: ManifestFiles, notes: ScanNotes | None = None) -> Manifest:
    """The manifest of files that are in order and whose paths keep the rules, which is not checked here."""
    total = sum(files.size(index) for index in range(len(files)))
    state, size = hashlib.sha256(), 0
    for chunk in _chunks(files, total):
        state.update(chunk)
        size += len(chunk)
    return Manifest(files=files, total_bytes=total, digest=state.hexdigest(), size=size, notes=notes or ScanNotes())


def _chunks(files: ManifestFiles, total: int) -> Iterator[bytes]:
    """The canonical bytes in pieces: RFC 8785, which here means members in order and only \\ and " escaped."""
    yield b'{"file_count":%d,"files":[' % len(files)
    for start in range(0, len(files), _CHUNK_FILES):
        rows = ",".join(
            f'{{"bytes":{files.size(index)},"path":{encode_basestring(files.paths[index])},'
            f'"sha256":"{files.raw_hash(index).hex()}"}}'
            for index in range(start, min(start + _CHUNK_FILES, len(files)))
        )
        yield (("," if start else "") + rows).encode()
    yield b'],"schema":"%s","total_bytes":%d}' % (SCHEMA.encode(), total)


def name_text(raw: bytes) -> str:
    """How a manifest spells a name: as it is, but each byte that is not UTF-8 as `\\xNN`.

    The inverse is `name_bytes`; a name that holds a backslash is refused, so nothing is spelled twice.
    """
    return raw.decode("utf-8", "backslashreplace")


def name_bytes(text: str) -> bytes:
    """The bytes of a name or path that a manifest spells so."""
    return _ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode())


def path_fault(path: str) -> str | None:
    """What is wrong with a path in a manifest, or None: relative, normal, no Cc or Cf, escapes only where needed."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "path holds a lone surrogate"
    if not 1 <= size <= MAX_PATH_BYTES:
        return f"path is 1 to {MAX_PATH_BYTES} bytes long, got {size}"
    if path.startswith("/"):
        return "path is absolute"
    if not _NOT_PARTS.isdisjoint(path.split("/")):
        return "path has an empty, . or .. part"
    if CONTROL_OR_FORMAT.search(path):
        return "path holds a control or format character"
    if "\\" in path:
        raw = name_bytes(path)
        if b"\\" in raw or name_text(raw) != path:
            return "path holds a backslash that does not spell a byte that is not UTF-8"
    return None
