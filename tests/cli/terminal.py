"""A command with a terminal of its own, and somebody who types."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

SECONDS: Final = 20  # without a word from the command
_RUN: Final = """
import fcntl, sys, termios
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
from in_toto_done_receipt.cli.main import main
main(sys.argv[1:])
"""


def on_a_terminal(
    answers: Sequence[tuple[bytes, bytes]],
    *arguments: str | Path,
    stdin: bytes | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, bytes]:
    """Exit code, and what the terminal showed. Each answer is typed when the text before it is shown last.

    With `stdin` standard input is a pipe with these bytes; the terminal is there all the same.
    """
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-c", _RUN, *map(str, arguments)]
    process = subprocess.Popen(
        argv,
        stdin=theirs if stdin is None else subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | dict(environment or {}),
    )
    os.close(theirs)
    try:
        if process.stdin is not None:
            process.stdin.write(stdin or b"")
            process.stdin.close()
        return _typing(ours, process, list(answers))
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _typing(ours: int, process: "subprocess.Popen[bytes]", left: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    shown, from_here = b"", 0
    while select.select([ours], [], [], SECONDS)[0]:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other side has gone
            break
        shown += piece
        if left and shown.rstrip(b" ").endswith(left[0][0]) and len(shown) > from_here:
            from_here = len(shown)
            os.write(ours, left.pop(0)[1] + b"\n")
    return process.wait(SECONDS), shown
