"""Reading a manifest that somebody else wrote: strictly, in any layout of strict JSON."""

import re
from array import array
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput
from in_toto_done_receipt.observe.manifest.model import (
    SCHEMA,
    Manifest,
    ManifestFiles,
    ManifestLimits,
    make_manifest,
    path_fault,
)
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.strict_json import loads

_TOP: Final = frozenset({"file_count", "files", "schema", "total_bytes"})
_ROW: Final = frozenset({"bytes", "path", "sha256"})
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_SHOWN: Final = 80  # characters of a value in a message
_DEFAULT: Final = ManifestLimits()


class _Row(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    bytes: int
    path: str
    sha256: str


_ROW_DECODER: Final = msgspec.json.Decoder(_Row)


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file_count: int
    files: list[msgspec.Raw]  # where in the bytes a row lies; a million rows at once would be three times the file
    schema: str
    total_bytes: int


def read_manifest(data: bytes, *, what: str = "manifest", limits: ManifestLimits = _DEFAULT) -> Manifest:
    """The manifest in these bytes; its digest is over the canonical bytes, whatever the layout was.

    Ensures exactly the members of the format, known schema, sorted unique paths that keep the path rules, digests in
    lowercase hex, counts that add up. Raises MalformedInput (MalformedJson) naming the place, LimitExceeded naming the
    limit. Does not look at any file.
    """
    what = escape(what)
    if len(data) > limits.manifest_bytes:
        raise LimitExceeded("manifest-bytes", allowed=limits.manifest_bytes, value=len(data), where=what)
    return _read_canonical(data, limits) or _read_any(data, what, limits)


def _read_canonical(data: bytes, limits: ManifestLimits) -> Manifest | None:
    """The manifest if the bytes are its canonical form, with or without a final newline: the fast, usual case.

    msgspec is less strict than our reader, but what gives back the same bytes was strict.
    """
    body = data[:-1] if data.endswith(b"}\n") else data
    try:
        document = msgspec.json.decode(body, type=_Document)
        _check_count(document.file_count, len(document.files), "", limits)
        manifest = make_manifest(_files(_drained(document.files), "", limits))
    except (msgspec.MsgspecError, MalformedInput, UnicodeError, RecursionError):
        return None  # read again by the strict reader, which says what is wrong and where
    return manifest if manifest.size == len(body) and manifest.digest == sha256_hex(body) else None


def _drained(files: list[msgspec.Raw]) -> Iterable[tuple[str, int, str]]:
    """The rows in order; each is let go when it is read."""
    files.reverse()
    while files:
        row = _ROW_DECODER.decode(files.pop())
        yield row.path, row.bytes, row.sha256


def _read_any(data: bytes, what: str, limits: ManifestLimits) -> Manifest:
    tree = loads(data, what=what, max_bytes=limits.manifest_bytes)
    _check_members(tree, _TOP, what)
    if tree["schema"] != SCHEMA:
        raise MalformedInput(f"{what}: /schema is {_show(tree['schema'])}, expected {SCHEMA}")
    files = tree["files"]
    if not isinstance(files, list):
        raise MalformedInput(f"{what}: /files is not an array")
    _check_count(_count(tree["file_count"], f"{what}: /file_count"), len(files), what, limits)
    total = _count(tree["total_bytes"], f"{what}: /total_bytes")
    manifest = make_manifest(_files(_rows(files, what), what, limits))
    if manifest.total_bytes != total:
        raise MalformedInput(f"{what}: /total_bytes is {total}, the files add up to {manifest.total_bytes}")
    return manifest


def _check_count(said: int, present: int, what: str, limits: ManifestLimits) -> None:
    if present > limits.entries:
        raise LimitExceeded("manifest-entries", allowed=limits.entries, value=present, where=what)
    if said != present:
        raise MalformedInput(f"{what}: /file_count is {said}, /files has {present}")


def _rows(files: list[Any], what: str) -> Iterable[tuple[str, int, str]]:
    for index, row in enumerate(files):
        place = f"{what}: /files/{index}"
        _check_members(row, _ROW, place)
        if not isinstance(row["path"], str):
            raise MalformedInput(f"{place}/path is not a string")
        if not isinstance(row["sha256"], str):
            raise MalformedInput(f"{place}/sha256 is not a string")
        yield row["path"], _count(row["bytes"], f"{place}/bytes"), row["sha256"]


def _files(rows: Iterable[tuple[str, int, str]], what: str, limits: ManifestLimits) -> ManifestFiles:
    """The rows, checked one by one: order, path, digest, size, limits."""
    paths: list[str] = []
    sizes, hashes = array("Q"), bytearray()
    previous, total = "", 0
    for index, (path, size, sha256) in enumerate(rows):
        place = f"{what}: /files/{index}"
        if path <= previous:
            order = "twice" if path == previous and index else "not in order"
            raise MalformedInput(f"{place}/path {_show(path)} is {order}: paths are unique and sorted")
        fault = path_fault(path)
        if fault:
            raise MalformedInput(f"{place}/path {_show(path)}: {fault}")
        if not _SHA256.fullmatch(sha256):
            raise MalformedInput(f"{place}/sha256 is {_show(sha256)}, expected 64 lowercase hex digits")
        total += size
        _check_limits(path, size, total, place, limits)
        paths.append(path)
        sizes.append(size)
        hashes += bytes.fromhex(sha256)
        previous = path
    return ManifestFiles(paths, sizes, hashes)


def _check_limits(path: str, size: int, total: int, place: str, limits: ManifestLimits) -> None:
    if size < 0:
        raise MalformedInput(f"{place}/bytes is {size}, expected 0 or more")
    if size > limits.file_bytes:
        raise LimitExceeded("manifest-file-bytes", allowed=limits.file_bytes, value=size, where=place)
    if total > limits.total_bytes:
        raise LimitExceeded("manifest-total-bytes", allowed=limits.total_bytes, value=total, where=place)
    if path.count("/") > limits.depth:
        raise LimitExceeded("manifest-depth", allowed=limits.depth, value=path.count("/"), where=place)


def _check_members(value: Any, members: frozenset[str], place: str) -> None:
    if not isinstance(value, dict):
        raise MalformedInput(f"{place} is not an object")
    if value.keys() != members:
        missing = sorted(members - value.keys())
        extra = sorted(value.keys() - members)
        fact = f"{missing[0]} is missing" if missing else f"{_show(extra[0])} is unknown"
        raise MalformedInput(f"{place}: members are exactly {', '.join(sorted(members))}, {fact}")


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise MalformedInput(f"{place} is {_show(value)}, expected an integer")
    if value < 0:
        raise MalformedInput(f"{place} is {value}, expected 0 or more")
    return value


def _show(value: Any) -> str:
    text = escape(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
