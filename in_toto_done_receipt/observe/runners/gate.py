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
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from in_toto_done_receipt.observe.runners.model import Site

FAIL: Final = b"x"
GO_ON: Final = b"o"

_FLAGS: Final = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_NEAR: Final = 64  # sites that may come after the last one
_FILE: Final = 512  # sites of its file, in whatever order the runner takes them
_AT_ONCE: Final = 4  # files whose tests may run at the same time
_TICKS: Final = (0.0003, 0.001, 0.003)  # seconds between two looks at those: at once, after 20 ms, after 200 ms
_IDLE: Final = (0.02, 0.2)
_SHARE: Final = 4  # looks at all sites may take one of so many seconds


class Gate:
    """Answers as long as the block is open. `sites` are numbered from 0; those in `red` are told to fail.

    A site answers as often as it has tests: a parametrised function is asked once for each of its cases.

    One thread serves all: it tries to open the FIFOs for writing, which succeeds when somebody reads. A test waits for
    its answer less than a millisecond if tests run file by file, else for a look at all of them.
    """

    def __init__(self, folder: Path, sites: Sequence[Site], red: Collection[int]) -> None:
        self._folder = folder
        self._names = [secrets.token_hex(8) for _ in sites]
        self._left = [max(1, len(site.ids)) for site in sites]
        self._red = frozenset(red)
        self._asked: set[int] = set()
        self._waiting = dict.fromkeys(range(len(sites)))
        self._files = [site.path for site in sites]
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
        places = dict.fromkeys(self._files[:1], 0)  # the last test that asked, of each file that asked lately
        window = self._window(places.values())
        answered = next_sweep = time.monotonic()
        tick = _TICKS[0]
        while not self._over.wait(tick) and self._waiting:
            began = time.monotonic()
            sweeping = began >= next_sweep
            found = [number for number in (list(self._waiting) if sweeping else window) if self._answered(number)]
            now = time.monotonic()
            if sweeping:
                next_sweep = now + _SHARE * (now - began)
            for number in found:
                places.pop(self._files[number], None)
                places[self._files[number]] = number
            if found:
                places = dict(list(places.items())[-_AT_ONCE:])
                window, answered = self._window(places.values()), now
            tick = _TICKS[sum(now - answered > idle for idle in _IDLE)]

    def _window(self, places: Iterable[int]) -> list[int]:
        """Where the next question is likely to come from: the files of the last ones, and what follows them."""
        found: dict[int, None] = {}
        for near in places:
            first, last = near, near
            while first > 0 and near - first < _FILE and self._files[first - 1] == self._files[near]:
                first -= 1
            while last + 1 < len(self._files) and last - near < _FILE and self._files[last + 1] == self._files[near]:
                last += 1
            found |= dict.fromkeys(range(first, min(last + _NEAR, len(self._files))))
        return [number for number in found if number in self._waiting]

    def _answered(self, number: int) -> bool:
        name = self._names[number]
        try:
            fd = os.open(name, _FLAGS, dir_fd=self._fd)
        except OSError as fault:
            if fault.errno != errno.ENXIO:  # ENXIO: nobody reads yet
                self._waiting.pop(number, None)  # somebody took it away, where the folder could be written
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
