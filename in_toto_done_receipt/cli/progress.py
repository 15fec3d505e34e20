"""Progress of long work: on a terminal only, never in a log."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Step = Callable[[int, int], None]


@contextmanager
def progress(label: str, done: str = "read") -> Iterator[Step | None]:
    """A function to call with files and bytes done so far, shown on standard error; None when nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.filesize import decimal
    from rich.markup import escape

    with Console(stderr=True).status(escape(label)) as status:
        yield lambda files, size: status.update(f"{escape(label)}: {files:,} files, {decimal(size)} {done}")
