"""Compact JSON byte for byte as Rust's serde_json writes it: what the harness hashes, and what its reader writes again.

Strings differ from RFC 8785 in nothing but the order of members, which stays as given; floats are those of the crate
`ryu`, which differ from Python's in the exponent (`1e16`, `0.00001`). Checked against vectors of the original.
"""

import json
import math
from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput

_INTEGERS: Final = range(-(2**63), 2**64)  # i64 and u64: the integers of a serde_json number
_MOST_DIGITS: Final = 16  # before the point, until ryu changes to an exponent
_MOST_ZEROS: Final = -5  # behind the point: one fewer than this many


def dump(value: Any, *, sort: bool = False) -> str:
    """The value as compact JSON. `sort` orders members by their names, as a map without a declared order has them.

    Raises MalformedInput for what serde_json has no number or text for: integers beyond 64 bits, NaN, infinities, lone
    surrogates, member names that are no strings. Nesting is bounded by the caller.
    """
    text = _dump(value, sort)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MalformedInput("a text holds a lone surrogate, which is not UTF-8") from None
    return text


def _dump(value: Any, sort: bool) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        if value not in _INTEGERS:
            raise MalformedInput("an integer is beyond 64 bits")
        return str(int(value))
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_dump(item, sort) for item in value)}]"
    if isinstance(value, dict):
        return _object(value, sort)
    raise MalformedInput(f"a value of type {type(value).__name__} is no JSON")


def _object(members: dict[Any, Any], sort: bool) -> str:
    if not all(isinstance(name, str) for name in members):
        raise MalformedInput("a member's name is not a string")
    names = sorted(members, key=_utf8) if sort else members
    return f"{{{','.join(f'{_dump(name, sort)}:{_dump(members[name], sort)}' for name in names)}}}"


def _utf8(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _float(value: float) -> str:
    """The shortest digits that read back as this double (Python finds the same ones), laid out as ryu does."""
    if not math.isfinite(value):
        raise MalformedInput("a number is not finite")
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))  # digits before the point
    digits = digits.rstrip("0")
    if len(digits) <= point <= _MOST_DIGITS:
        return f"{sign}{digits}{'0' * (point - len(digits))}.0"
    if 0 < point <= _MOST_DIGITS:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if _MOST_ZEROS < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1}"
