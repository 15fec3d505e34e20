"""ARGV on the command line: a JSON array if it starts with `[`, otherwise split as a shell splits words."""

import shlex

from in_toto_done_receipt.errors import MalformedInput, UsageError
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.strict_json import loads


def split_argv(text: str, *, flag: str) -> tuple[str, ...]:
    """The arguments; compared as lists everywhere. Raises UsageError naming the flag."""
    if text.startswith("["):
        try:
            words = loads(text.encode(), what=flag)
        except MalformedInput as error:
            raise UsageError(error.message) from None
        if not all(isinstance(word, str) for word in words):
            raise UsageError(f"{flag}: an argument is not a string: {escape(text)}")
    else:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"{flag}: {str(error).lower()}: {escape(text)}") from None
    if not words:
        raise UsageError(f"{flag}: names no command")
    return tuple(words)
