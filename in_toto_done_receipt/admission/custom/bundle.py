"""Write a bundle (tar.gz) whose bytes depend on the files only: on no clock, user, machine, or version of zlib."""

import io
import json
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from in_toto_done_receipt.admission.custom.manifest import FILE

# No name, no time, unknown system. Compressing would make bytes that another zlib does not make again.
_GZIP_HEADER: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
_STORED: Final = 0xFFFF  # bytes in one block, RFC 1951 section 3.2.4


def bundle(files: Mapping[str, bytes], *, revision: str, roots: tuple[str, ...]) -> bytes:
    """The files in order of their names, behind a manifest that says what they own."""
    manifest = {"revision": revision, "roots": list(roots), "rego_version": 1}
    return _stored(_tar({FILE: _json(manifest), **dict(sorted(files.items()))}))


def _json(tree: Any) -> bytes:
    return json.dumps(tree, separators=(",", ":")).encode() + b"\n"


def _tar(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def _stored(data: bytes) -> bytes:
    end = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return _GZIP_HEADER + b"".join(_blocks(data)) + end


def _blocks(data: bytes) -> Iterator[bytes]:
    for start in range(0, max(len(data), 1), _STORED):
        part = data[start : start + _STORED]
        last = start + _STORED >= len(data)
        size = len(part).to_bytes(2, "little")
        yield bytes([last]) + size + bytes(byte ^ 0xFF for byte in size) + part
