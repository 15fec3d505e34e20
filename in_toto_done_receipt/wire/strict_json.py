"""Strict JSON: RFC 8259 without the freedoms that let two readers see two documents.

The fast path is the standard library's C scanner with hooks, after a check of the depth that does not recurse. Only
when it finds a fault does `json_fault` read the text again, slowly, to say where the first fault is.
"""

import json
import math
import re
from typing import Any, Final, NoReturn

from in_toto_done_receipt.errors import LimitExceeded, MalformedJson

MAX_BYTES: Final = 16 * 2**20
MAX_DEPTH: Final = 64
MAX_INTEGER: Final = 2**53 - 1  # what every reader represents exactly (RFC 8785, I-JSON)

_BOM: Final = b"\xef\xbb\xbf"
# Longest integer in range; a longer one is refused by its length, since reading thousands of digits is quadratic.
_MAX_INTEGER_CHARACTERS: Final = len(str(-MAX_INTEGER))
_DIGITS_TO_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
_SUSPECT_DIGITS: Final = b"0" * 16  # shorter runs of digits are integers in range
_BRACKETS_TO_ROUND: Final = bytes.maketrans(b"[{]}", b"(())")
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(b'"[]{}'))
_QUOTED: Final = re.compile(rb'"[^"]*"')
_LONE_SURROGATE: Final = re.compile(
    rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL
)


class _Fault(Exception):
    """The fast path met something that is not strict; the careful reader will say what and where."""


def loads(
    data: bytes, *, what: str = "document", max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, first_line: int = 1
) -> Any:
    """The tree of a strict JSON document: dict, list, str, int, float, bool, None.

    Refuses, each with its own `MalformedJson.kind` and with line and column: what is not UTF-8, a byte order mark,
    duplicate member names at any depth, NaN, infinities and numbers too large for a double, lone surrogates, integers
    beyond 2^53-1, nesting deeper than `max_depth`, anything after the document. Raises LimitExceeded ("file-bytes")
    above `max_bytes`. A number with fraction or exponent is a float, never an int. `first_line` is the number of the
    first line, for a document that is a part of a file. Time and memory are linear in the size.
    """
    if len(data) > max_bytes:
        raise LimitExceeded("file-bytes", allowed=max_bytes, value=len(data), where=what)
    text = _decoded(data, what, first_line)
    try:
        # Both checks look at bytes, and an escape that begins with two backslashes would mislead them.
        escapes = data.replace(b"\\\\", b"  ") if b"\\" in data else data
        if _depth_fits(escapes, max_depth) and not _has_lone_surrogate(escapes):
            return _parsed(data, text)
    except (_Fault, ValueError, RecursionError):
        pass  # refused below, outside of the handler: the fault's own place says more than this exception
    raise _refusal(text, what, max_depth, first_line)


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


def _depth_fits(escapes: bytes, max_depth: int) -> bool:
    """Whether brackets nest at most `max_depth` deep and are balanced, in at most `max_depth` passes of C speed.

    Everything but quotes and brackets is dropped, then strings; each pass then takes away the innermost pairs.
    """
    structure = escapes.replace(b'\\"', b"").translate(_BRACKETS_TO_ROUND, _NOT_STRUCTURE)
    # Two quotes in a row hold no bracket between them, be they the ends of one string or of two neighbours.
    structure = structure.replace(b'""', b"")
    if b'"' in structure:
        structure = _QUOTED.sub(b"", structure).partition(b'"')[0]
    for _ in range(max_depth):
        smaller = structure.replace(b"()", b"")
        if len(smaller) == len(structure):
            break
        structure = smaller
    return not structure


def _has_lone_surrogate(escapes: bytes) -> bool:
    """Whether a \\u escape names half of a surrogate pair. Raw surrogates are not UTF-8 and refused before."""
    return (b"\\ud" in escapes or b"\\uD" in escapes) and _LONE_SURROGATE.search(escapes) is not None


def _parsed(data: bytes, text: str) -> Any:
    """The tree, by the C scanner. Raises _Fault or ValueError for what is not strict."""
    suspect = _SUSPECT_DIGITS in data.translate(_DIGITS_TO_ZERO)
    return json.loads(
        text,
        object_pairs_hook=_object,
        parse_constant=_constant,
        parse_float=_float,
        parse_int=_integer if suspect else int,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Fault
    return members


def _constant(name: str) -> NoReturn:
    raise _Fault(name)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _Fault
    return value


def _integer(digits: str) -> int:
    if len(digits) > _MAX_INTEGER_CHARACTERS:
        raise _Fault
    value = int(digits)
    if abs(value) > MAX_INTEGER:
        raise _Fault
    return value


def _refusal(text: str, what: str, max_depth: int, first_line: int) -> MalformedJson:
    """The error for the first fault of a text that is known to have one."""
    from in_toto_done_receipt.wire.json_fault import first_fault

    fault = first_fault(text, max_depth)
    return MalformedJson(f"{what}: {fault.fact}, {_place(text, fault.offset, first_line)}", kind=fault.kind)


def _place(text: str, offset: int, first_line: int) -> str:
    """Line and column, in characters from 1, of an offset."""
    line = text.count("\n", 0, offset)
    column = offset - text.rfind("\n", 0, offset)
    return f"line {first_line + line}, column {column}"
