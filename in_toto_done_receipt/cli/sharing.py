"""Many receipts in one call, shared out to as many processes as there are processors.

Threads would not help: verifying holds the interpreter's lock. Each process takes every n-th receipt and sends what it
comes to through a pipe, which stops it when it is far ahead; the results are taken from the pipes in the order of the
receipts, so that neither order, exit code nor memory depends on how many there are. What a process did not answer, for
whatever reason, is done again by the caller, who then meets the reason.
"""

import contextlib
import fcntl
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

import click
import msgspec

from in_toto_done_receipt.wire.value import Value

AT_LEAST: Final = 32  # receipts for each process: starting one takes as long as verifying about ten
_LENGTH_BYTES: Final = 8
_PIPE_BYTES: Final = 1 << 20  # a process may be so far ahead, a hundred receipts or so


class Judged(Value, kw_only=True):
    """What one receipt comes to: exit code, the text for each output, and what was said on standard error."""

    code: int
    texts: tuple[str, ...]
    said: str = ""


Judge = Callable[[Path], Judged]


def processes_for(receipts: int) -> int:
    """How many processes so many receipts are worth; 1 where forking would not be safe."""
    if threading.active_count() > 1:
        return 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return max(1, min(usable, receipts // AT_LEAST))


def judged_in_order(paths: Sequence[Path], judge: Judge, *, processes: int) -> Iterator[Judged]:
    """What `judge` comes to for each path, in their order; what it says on standard error is said in that order too.

    Raises what `judge` raises. With more than one process, `judge` must not have started a thread.
    """
    if processes < 2:
        yield from map(judge, paths)
        return
    workers: list[_Worker] = []
    try:
        for number in range(processes):
            workers.append(_Worker(paths[number::processes], judge, workers))
        for number, path in enumerate(paths):
            judged = workers[number % processes].take()
            if judged is None:
                yield judge(path)
                continue
            click.echo(judged.said, err=True, nl=False)
            yield judged
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A forked process at work on its paths."""

    results: BinaryIO

    def __init__(self, paths: Sequence[Path], judge: Judge, others: "Sequence[_Worker]") -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        out, into = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(out)
            for other in others:  # or they would not notice when nobody reads them any more
                other.results.close()
            _work(paths, judge, into)
        os.close(into)
        self.results = os.fdopen(out, "rb")

    def take(self) -> Judged | None:
        """The next result; None if the process could not give it."""
        size = int.from_bytes(self.results.read(_LENGTH_BYTES), "big")
        data = self.results.read(size)
        return msgspec.msgpack.decode(data, type=Judged) if size and len(data) == size else None

    def stop(self) -> None:
        """End the process, wherever it is; it writes nothing that could be left half done."""
        self.results.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _work(paths: Sequence[Path], judge: Judge, into: int) -> NoReturn:
    """In the child: never returns, never raises, says nothing by itself."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with contextlib.suppress(AttributeError, OSError):  # not on every system, not beyond a user's allowance
            fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        with os.fdopen(into, "wb") as results:
            for path in paths:
                _send(results, _judged(path, judge))
    finally:
        os._exit(0)


def _judged(path: Path, judge: Judge) -> bytes:
    sys.stderr = said = io.StringIO()
    try:
        judged = judge(path)
        return msgspec.msgpack.encode(Judged(code=judged.code, texts=judged.texts, said=said.getvalue()))
    except Exception:  # noqa: BLE001 - whatever it is, the caller does this one again and meets it
        return b""


def _send(results: BinaryIO, data: bytes) -> None:
    results.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    results.flush()
