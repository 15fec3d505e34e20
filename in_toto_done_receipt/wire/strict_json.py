"""Strict JSON: RFC 8259 without the freedoms that let two readers see two documents.

The fast path is the standard library's C scanner with hooks, after a check of the depth that does not recurse. Only
when it finds a fault does `json_fault` read the text again, slowly, to say where.
"""

import re
from typing import Any, Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedJson
from in_toto_done_receipt.wire.json_values import (
    DECODER,
    MAX_INTEGER,
    SHORT_INTEGERS_DECODER,
    NotStrictError,
    wide_decoder,
)

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_INTEGER", "loads"]

MAX_BYTES: Final = 16 * 2**20
MAX_DEPTH: Final = 64

_BOM: Final = b"\xef\xbb\xbf"
_DIGITS_TO_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
_SUSPECT_DIGITS: Final = b"0" * 16  # an integer out of range has at least 16 digits
_BRACKETS_TO_ROUND: Final = bytes.maketrans(b"[{]}", b"(())")
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(b'"[]{}'))
_QUOTED: Final = re.compile(rb'"[^"]*"')
_LONE_SURROGATE: Final = re.compile(
    rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL
)


def loads(
    data: bytes,
    *,
    what: str = "document",
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    first_line: int = 1,
    max_integer: int = MAX_INTEGER,
) -> Any:
    """The tree of a strict JSON document: dict, list, str, int, float, bool, None.

    Refuses, each with its own `MalformedJson.kind` and with line and column: what is not UTF-8, a byte order mark,
    duplicate member names at any depth, NaN, infinities and numbers too large for a double, lone surrogates, integers
    beyond 2^53-1, nesting deeper than `max_depth`, anything after the document. Raises LimitExceeded ("file-bytes")
    above `max_bytes`. A number with fraction or exponent is a float, never an int. `first_line` is the number of the
    first line, for a document that is a part of a file; `max_integer` is for old formats that have larger ones. Time
    and memory are linear in the size.
    """
    if len(data) > max_bytes:
        raise LimitExceeded("file-bytes", allowed=max_bytes, value=len(data), where=what)
    text = _decoded(data, what, first_line)
    shallow, whole = _looked_over(data, max_depth)
    try:
        if shallow and whole:
            decoder = _decoder(data) if max_integer == MAX_INTEGER else wide_decoder(max_integer)
            return decoder.decode(text)
    except (NotStrictError, ValueError, RecursionError):
        pass  # refused below, outside of the handler: the fault's own place says more than this exception
    raise _refusal(text, what, max_depth, shallow, first_line, max_integer)


def _decoded(data: bytes, what: str, first_line: int) -> str:
    """The text of the bytes: strict UTF-8 (which refuses encoded surrogates), no byte order mark."""
    if data.startswith(_BOM):
        raise MalformedJson(f"{what}: a byte order mark, line {first_line}, column 1", kind="bom")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        fact = f"not UTF-8: {error.reason} (byte 0x{data[error.start]:02x} at offset {error.start})"
        raise MalformedJson(f"{what}: {fact}, {_place(before, len(before), first_line)}", kind="utf8") from error


def _looked_over(data: bytes, max_depth: int) -> tuple[bool, bool]:
    """Whether the brackets nest at most `max_depth` deep, and whether every surrogate has its other half."""
    # An escape that begins with two backslashes would mislead both checks.
    escapes = data.replace(b"\\\\", b"  ") if b"\\" in data else data
    surrogates = b"\\ud" in escapes or b"\\uD" in escapes
    return _is_shallow(escapes, max_depth), not (surrogates and _LONE_SURROGATE.search(escapes))


def _is_shallow(escapes: bytes, max_depth: int) -> bool:
    """Whether no reader, whatever stops it, can get deeper than `max_depth`; in at most that many passes of C speed.

    Everything but quotes and brackets is dropped, then strings; each pass then takes away the innermost pairs.
    """
    structure = escapes.replace(b'\\"', b"").translate(_BRACKETS_TO_ROUND, _NOT_STRUCTURE)
    # Two quotes in a row hold no bracket between them, be they the ends of one string or of two neighbours.
    structure = structure.replace(b'""', b"")
    if b'"' in structure:
        structure = _QUOTED.sub(b"", structure).partition(b'"')[0]
    passes = 0
    while structure and passes < max_depth:
        smaller = structure.replace(b"()", b"")
        if len(smaller) == len(structure):
            break
        structure = smaller
        passes += 1
    return passes + structure.count(b"(") <= max_depth


def _decoder(data: bytes) -> Any:
    """The decoder for the data: without a check of each integer when no run of digits is long enough to need one."""
    return DECODER if _SUSPECT_DIGITS in data.translate(_DIGITS_TO_ZERO) else SHORT_INTEGERS_DECODER


def _refusal(text: str, what: str, max_depth: int, shallow: bool, first_line: int, max_integer: int) -> MalformedJson:
    """The error for the first fault of a text that is known to have one."""
    from in_toto_done_receipt.wire.json_fault import first_fault

    fault = first_fault(text, max_depth=max_depth, shallow=shallow, max_integer=max_integer)
    return MalformedJson(f"{what}: {fault.fact}, {_place(text, fault.offset, first_line)}", kind=fault.kind)


def _place(text: str, offset: int, first_line: int) -> str:
    """Line and column, in characters from 1, of an offset."""
    line = text.count("\n", 0, offset)
    column = offset - text.rfind("\n", 0, offset)
    return f"line {first_line + line}, column {column}"
