"""Python as syntax, of files that nobody vouches for."""

import ast
import threading
import warnings
from typing import Final

_FILTERS: Final = threading.Lock()  # what warnings.catch_warnings changes belongs to the process


def parsed(data: bytes) -> ast.Module | None:
    """The syntax tree, by the grammar of our own Python; None for what is not Python to it. Says nothing on the way."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an escape that is none, `is` with a literal: not ours to complain about
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
