"""The hooks that make the standard library's JSON scanner strict; shared by the reader and the finder of faults."""

import functools
import json
import math
from typing import Any, Final, NoReturn

MAX_INTEGER: Final = 2**53 - 1  # what every reader represents exactly (RFC 8785, I-JSON)
# Of any integer that a format here allows; a longer one is refused unread: reading thousands of digits is quadratic.
_MAX_INTEGER_CHARACTERS: Final = len(str(-(2**64)))


class NotStrictError(Exception):
    """A hook met a value that JSON readers disagree on. Never leaves `wire`."""


def float_in_range(digits: str) -> float:
    """The double; refused if it would be an infinity."""
    value = float(digits)
    if math.isinf(value):
        raise NotStrictError
    return value


def integer_in_range(digits: str, limit: int = MAX_INTEGER) -> int:
    """The integer; refused beyond the limit on either side."""
    if len(digits) > _MAX_INTEGER_CHARACTERS:
        raise NotStrictError
    value = int(digits)
    if abs(value) > limit:
        raise NotStrictError
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrictError
    return members


def _constant(name: str) -> NoReturn:
    raise NotStrictError(name)


DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=float_in_range, parse_int=integer_in_range
)
# For text in which every run of digits is short: the C conversion needs no check.
SHORT_INTEGERS_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=float_in_range
)


def wide_decoder(limit: int) -> json.JSONDecoder:
    """A strict decoder for a format that has integers beyond 2^53-1."""
    return json.JSONDecoder(
        object_pairs_hook=_object,
        parse_constant=_constant,
        parse_float=float_in_range,
        parse_int=functools.partial(integer_in_range, limit=limit),
    )
