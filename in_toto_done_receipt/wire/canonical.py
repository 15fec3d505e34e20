"""Canonical JSON, RFC 8785 (JCS)."""

from typing import Any

from in_toto_done_receipt.errors import MalformedInput


def canonical(value: Any) -> bytes:
    """The RFC 8785 bytes of a JSON tree, without a final newline.

    Raises MalformedInput for what the RFC cannot say: NaN, infinities, integers beyond 2^53-1, lone surrogates,
    member names that are not strings, values that are not JSON.
    """
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except (ValueError, AttributeError, TypeError) as error:
        # rfc8785's own error is a ValueError, and so is the UnicodeEncodeError of a name that it cannot sort;
        # AttributeError is what a name gives that is not text.
        raise MalformedInput(f"no canonical JSON: {str(error)[:200]}") from error
    except RecursionError as error:
        raise MalformedInput("no canonical JSON: nested too deeply") from error
