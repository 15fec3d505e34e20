"""Hashing files that are open: small ones at once, large ones by threads beside the walk.

Measured on two cores (docs/adr/0003-manifest-scan.md): threads make many small files slower, since each of the four
system calls for a file gives the interpreter lock away and waits for it again; large files scale with the cores.
"""

import hashlib
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final

from in_toto_done_receipt.errors import ProducerError, WorkMoved
from in_toto_done_receipt.observe.files import stamp
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

LARGE: Final = 128 << 10  # bytes from which handing a file to a thread costs less than it gains
_BUFFER: Final = 1 << 20  # bytes; larger ones leave the processor's cache
_MOST_THREADS: Final = 16
_AHEAD: Final = 4  # files per thread that may be open and waiting
_LOOK: Final = 0.2  # seconds between two reports of progress while waiting for a large file


class Hasher:
    """Hashes open regular files. As a context manager it leaves neither a thread nor an open file behind.

    `settled` is called, in the thread that uses this object, with the key and the hash of each large file; `waiting`
    from time to time while there is nothing else to do.
    """

    def __init__(self, settled: Callable[[int, bytes], None], waiting: Callable[[], None]) -> None:
        self._settled = settled
        self._waiting = waiting
        self._pool: ThreadPoolExecutor | None = None
        self._pending: list[tuple[int, Future[bytes]]] = []
        self._threads = max(1, min(_MOST_THREADS, len(os.sched_getaffinity(0))))
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self.bytes_done = 0

    def __enter__(self) -> "Hasher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def now(self, fd: int, opened: os.stat_result, path: str) -> bytes:
        """The hash of a small file. Raises WorkMoved when it is not what it was when it was opened."""
        data = os.read(fd, opened.st_size + 1)
        if len(data) != opened.st_size:
            raise _moved(path)
        _require_unchanged(fd, opened, path)
        self.bytes_done += len(data)
        return hashlib.sha256(data).digest()

    def later(self, key: int, fd: int, opened: os.stat_result, path: str) -> None:
        """Have a large file hashed by a thread, which also closes it."""
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="manifest")
        if len(self._pending) >= _AHEAD * self._threads:
            self._settle()
        self._pending.append((key, self._pool.submit(self._hash_and_close, fd, opened, path)))

    def finish(self) -> None:
        """Wait until every file is hashed."""
        while self._pending:
            self._settle()

    def _settle(self) -> None:
        key, future = self._pending.pop(0)
        while True:
            try:
                digest = future.result(timeout=_LOOK)
            except TimeoutError:
                if future.done():
                    raise
                self._waiting()
            else:
                self._settled(key, digest)
                return

    def _hash_and_close(self, fd: int, opened: os.stat_result, path: str) -> bytes:
        try:
            return self._hash(fd, opened, path)
        except OSError as fault:
            raise ProducerError(f"{escape(path)} cannot be read: {os.strerror(fault.errno or 0).lower()}") from None
        finally:
            os.close(fd)

    def _hash(self, fd: int, opened: os.stat_result, path: str) -> bytes:
        state, done = hashlib.sha256(), 0
        buffer = memoryview(bytearray(_BUFFER))
        while not self._stop.is_set():
            count = os.readv(fd, [buffer[: min(_BUFFER, opened.st_size + 1 - done)]])
            if not count:
                break
            state.update(buffer[:count])
            done += count
            if done > opened.st_size:
                raise _moved(path)
            with self._lock:
                self.bytes_done += count
        if done != opened.st_size:
            raise _moved(path)
        _require_unchanged(fd, opened, path)
        return state.digest()


def _require_unchanged(fd: int, opened: os.stat_result, path: str) -> None:
    if stamp(os.fstat(fd)) != stamp(opened):
        raise _moved(path)


def _moved(path: str) -> WorkMoved:
    return WorkMoved(f"{escape(path)} changed while it was read")
