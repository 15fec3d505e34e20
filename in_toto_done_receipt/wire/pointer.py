"""JSON pointers (RFC 6901) for messages and findings, and quoting of text that came from outside."""

import json

_SHOWN_CHARACTERS = 80  # of a quoted text: enough to recognise it, too few to flood a terminal


def _token(part: str) -> str:
    """One reference token, escaped per RFC 6901 section 3."""
    return part.replace("~", "~0").replace("/", "~1")


def join(parent: str, *parts: str | int) -> str:
    """The pointer that goes from `parent` through `parts`; the whole document is the empty string."""
    for part in parts:
        parent += f"/{_token(part) if isinstance(part, str) else part}"
    return parent


def quote(text: str) -> str:
    """The text as an ASCII JSON string, cut to 80 characters: safe in a message whatever it holds."""
    return json.dumps(text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…")


def named(pointer: str) -> str:
    """The pointer for a message, quoted where it holds more than plain text; the whole document is "top level"."""
    if not pointer:
        return "top level"
    return (
        pointer if pointer.isascii() and pointer.isprintable() and len(pointer) <= _SHOWN_CHARACTERS else quote(pointer)
    )


def kind_of(value: object) -> str:
    """The JSON type of a parsed value, for "expected X, got Y"."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
