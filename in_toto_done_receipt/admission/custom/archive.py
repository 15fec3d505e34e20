"""The files of a bundle (tar.gz), read from memory into memory: nothing is unpacked anywhere.

Ensures: bounded sizes and counts, whatever the compressed bytes say; regular files and folders only, so no link, device
or sparse file; names that stay inside, each once, also where case or normalisation is put aside; nothing after the end
of the compressed stream. Raises ConfigurationError naming the archive and the entry.
"""

import io
import tarfile
import zlib
from collections.abc import Iterator
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import check_path, twin_key

GZIP: Final = b"\x1f\x8b"
MAX_ARCHIVE: Final = 16 * 2**20  # bytes, as it lies there
MAX_UNPACKED: Final = 64 * 2**20  # bytes: policy is text; ours with all tests has a quarter of a mebibyte
MAX_ENTRIES: Final = 10_000
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_FAULTS: Final = (tarfile.TarError, ValueError, OverflowError, EOFError, RecursionError, KeyError, IndexError)


def read_archive(data: bytes, *, what: str) -> dict[str, bytes]:
    """Name -> bytes for every file of the archive; a leading `/` or `./`, which OPA writes, is dropped."""
    unpacked = _unpacked(data, what)
    files: dict[str, bytes] = {}
    seen: dict[str, str] = {}
    for name, content in _entries(unpacked, what):
        shown = f"{what}: {escape(name)}"
        if twin := seen.get(twin_key(name)):
            raise ConfigurationError(f"{shown}: stands there twice" + ("" if twin == name else f", as {escape(twin)}"))
        seen[twin_key(name)] = name
        if content is not None:
            files[name] = content
    return files


def _unpacked(data: bytes, what: str) -> bytes:
    if len(data) > MAX_ARCHIVE:
        raise ConfigurationError(f"{what}: has {len(data)} bytes, at most {MAX_ARCHIVE} are read")
    stream = zlib.decompressobj(_GZIP_WINDOW)
    try:
        unpacked = stream.decompress(data, MAX_UNPACKED + 1)
    except zlib.error:
        raise ConfigurationError(f"{what}: is damaged: it does not unpack") from None
    if len(unpacked) > MAX_UNPACKED:
        raise ConfigurationError(f"{what}: unpacks to more than {MAX_UNPACKED} bytes")
    if not stream.eof:
        raise ConfigurationError(f"{what}: is cut off")
    if stream.unused_data:
        raise ConfigurationError(f"{what}: {len(stream.unused_data)} bytes follow the end of the archive")
    return unpacked


def _entries(unpacked: bytes, what: str) -> Iterator[tuple[str, bytes | None]]:
    """Each entry's checked name with its bytes, None for a folder."""
    try:
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            for count, member in enumerate(archive):
                if count >= MAX_ENTRIES:
                    raise ConfigurationError(f"{what}: has more than {MAX_ENTRIES} entries")
                name = _name(member.name, what)
                if member.isdir():
                    if name is not None:
                        yield name, None
                elif name is None or not member.isreg() or member.issparse():
                    raise ConfigurationError(f"{what}: {escape(member.name)}: is neither a file nor a folder")
                else:
                    yield name, _content(archive, member)
    except _FAULTS as error:
        raise ConfigurationError(f"{what}: is no archive: {escape(str(error)) or type(error).__name__}") from None


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(member)
    if stream is None:
        raise tarfile.ReadError(f"{member.name} has no content")
    content = stream.read()
    if len(content) != member.size:
        raise tarfile.ReadError("unexpected end of data")
    return content


def _name(name: str, what: str) -> str | None:
    """The name inside the archive; None for its own folder."""
    inside = name.removeprefix("./").removeprefix("/").removesuffix("/")
    if inside in ("", "."):
        return None
    if fault := check_path(inside):
        raise ConfigurationError(f"{what}: {escape(name)}: {fault}")
    if any(part.startswith("._") for part in inside.split("/")):
        raise ConfigurationError(
            f"{what}: {escape(name)}: is a file that macOS adds to archives",
            hint="make the archive with COPYFILE_DISABLE=1, or with `done-receipt policy bundle`",
        )
    return inside
