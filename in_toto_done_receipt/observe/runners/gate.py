"""The gate: each test asks for its fate through a FIFO, once, before its first statement.

The sources are the same whatever the answer is, so a test that is to fail cannot be told from one that is to go on by
looking at files. A FIFO that nobody opened is a test that was not entered; one that was opened ahead is gone when the
test itself comes, which then fails.
"""

import errno
import os
import secrets
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from in_toto_done_receipt.observe.runners.model import Site

FAIL: Final = b"x"
GO_ON: Final = b"o"

_FLAGS: Final = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_NEAR: Final = 64  # after one test comes one of its neighbours, nearly always
_TICK: Final = 0.0003  # seconds between two looks at those
_SWEEP: Final = 0.002  # seconds between two looks at all of them


class Gate:
    """Answers as long as the block is open. `sites` are numbered from 0; those in `red` are told to fail.

    A site answers as often as it has tests: a parametrised function is asked once for each of its cases.

    One thread serves all: it tries to open the FIFOs for writing, which succeeds when somebody reads. A test waits for
    its answer a third of a millisecond if tests run in the order of the sites, else for one look at all of them.
    """

    def __init__(self, folder: Path, sites: Sequence[Site], red: Collection[int]) -> None:
        self._folder = folder
        self._names = [secrets.token_hex(8) for _ in sites]
        self._left = [max(1, len(site.ids)) for site in sites]
        self._red = frozenset(red)
        self._asked: set[int] = set()
        self._waiting = dict.fromkeys(range(len(sites)))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="gate", daemon=True)
        self._fd = -1

    def __enter__(self) -> "Gate":
        self._fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for name in self._names:
            os.mkfifo(self._folder / name, 0o644)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        for number in self._waiting:
            with suppress(FileNotFoundError):
                os.unlink(self._names[number], dir_fd=self._fd)
        os.close(self._fd)

    def path(self, number: int) -> Path:
        """The FIFO of this site."""
        return self._folder / self._names[number]

    @property
    def asked(self) -> frozenset[int]:
        """The sites whose FIFO somebody opened."""
        return frozenset(self._asked)

    def _serve(self) -> None:
        near, next_sweep = 0, 0.0
        while not self._over.wait(_TICK) and self._waiting:
            window = [number for number in range(near - _NEAR // 4, near + _NEAR) if number in self._waiting]
            began = time.monotonic()
            if sweeping := began >= next_sweep:
                window = list(self._waiting)
            for number in window:
                if self._answered(number):
                    near = number + 1
            if sweeping:
                now = time.monotonic()
                next_sweep = now + max(_SWEEP, now - began)  # at most half of one processor

    def _answered(self, number: int) -> bool:
        name = self._names[number]
        try:
            fd = os.open(name, _FLAGS, dir_fd=self._fd)
        except OSError as fault:
            if fault.errno != errno.ENXIO:  # ENXIO: nobody reads yet
                del self._waiting[number]  # somebody took it away, where the folder could be written
            return False
        try:
            os.unlink(name, dir_fd=self._fd)
            self._asked.add(number)
            self._left[number] -= 1
            if self._left[number]:
                os.mkfifo(name, 0o644, dir_fd=self._fd)
            with suppress(OSError):  # whoever asked has gone
                os.write(fd, FAIL if number in self._red else GO_ON)
        finally:
            os.close(fd)
        if not self._left[number]:
            del self._waiting[number]
        return True
