"""Canonical JSON, RFC 8785 (JCS)."""

from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput

MAX_DEPTH: Final = 256  # four times what strict JSON reads, and far from where the library's recursion would end


def canonical(value: Any) -> bytes:
    """The RFC 8785 bytes of a JSON tree, without a final newline.

    Raises MalformedInput for what the RFC cannot say: NaN, infinities, integers beyond 2^53-1, lone surrogates,
    member names that are not strings, values that are not JSON.
    """
    import rfc8785

    if _deeper_than(value, MAX_DEPTH):
        raise MalformedInput("no canonical JSON: nested too deeply")
    try:
        return rfc8785.dumps(value)
    except (ValueError, AttributeError, TypeError) as error:
        # rfc8785's own error is a ValueError, and so is the UnicodeEncodeError of a name that it cannot sort;
        # AttributeError is what a name gives that is not text.
        raise MalformedInput(f"no canonical JSON: {str(error)[:200]}") from error


def _deeper_than(tree: Any, levels: int) -> bool:
    """Looked at level by level: whatever runs at the end of the recursion, a destructor too, would fail there."""
    level = [tree] if isinstance(tree, dict | list | tuple) else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            value
            for outer in level
            for value in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(value, dict | list | tuple)
        ]
    return bool(level)
