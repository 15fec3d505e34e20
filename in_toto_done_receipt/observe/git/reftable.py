"""One ref out of a reftable stack (Documentation/technical/reftable, versions 1 and 2): just the ref blocks."""

from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.plain import read_plain
from in_toto_done_receipt.wire.escape import escape

_LIST_BYTES: Final = 1 << 20
_HEADERS: Final = {1: 24, 2: 28}
_DELETED, _ID, _ID_AND_PEELED, _SYMBOLIC = range(4)


def read_reftable(git_dir: Path, ref: bytes, limit: int) -> bytes | None:
    """What a ref file would hold: an id, or `ref: TARGET`; None if no table knows the ref or the newest deletes it.

    Raises RepositoryRefused (repository).
    """
    names = (read_plain(git_dir, b"reftable/tables.list", _LIST_BYTES) or b"").split()
    for name in reversed(names):
        if b"/" in name:
            raise _damaged(name)
        data = read_plain(git_dir, b"reftable/" + name, limit)
        if data is None:
            raise _damaged(name)
        try:
            found = _find(data, ref)
        except (IndexError, ValueError):
            raise _damaged(name) from None
        if found is not None:
            return found or None
    return None


def _find(data: bytes, ref: bytes) -> bytes | None:
    """The value in one table, b"" for a deletion, None if the table does not know it. Raises IndexError, ValueError."""
    if data[:4] != b"REFT" or data[4] not in _HEADERS:
        raise ValueError(data[:5])
    header = _HEADERS[data[4]]
    size = int.from_bytes(data[5:8], "big")
    raw = 32 if data[4] == 2 and data[24:28] == b"s256" else 20
    start, position = 0, header
    while data[position : position + 1] == b"r":
        length = int.from_bytes(data[position + 1 : position + 4], "big")
        end = start + length
        if length < header or end > len(data):
            raise ValueError(length)
        restarts = int.from_bytes(data[end - 2 : end], "big")
        found = _in_block(data, position + 4, end - 2 - 3 * restarts, ref, raw)
        if found is not None:
            return found
        start = position = end if size == 0 else start + size * -(-length // size)
        header = 8  # of a later block: its type and length, and something in it
    return None


def _in_block(data: bytes, at: int, stop: int, ref: bytes, raw: int) -> bytes | None:
    key = b""
    while at < stop:
        kept, at = _varint(data, at)
        suffix, at = _varint(data, at)
        kind, suffix = suffix & 7, suffix >> 3
        key = key[:kept] + data[at : at + suffix]
        at += suffix
        _, at = _varint(data, at)  # update index
        if kind > _SYMBOLIC:
            raise ValueError(kind)
        count, at = _varint(data, at) if kind == _SYMBOLIC else (raw * kind, at)
        value = data[at : at + count]
        at += count
        if key == ref:
            if kind == _DELETED:
                return b""
            return b"ref: " + value if kind == _SYMBOLIC else value[:raw].hex().encode()
    return None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = (value + 1) << 7 | data[at] & 127
    return value, at + 1


def _damaged(name: bytes) -> RepositoryRefused:
    return RepositoryRefused(f"reftable {escape(name[:100])} cannot be read", kind="repository", hint="give full ids")
