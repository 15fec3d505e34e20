"""Deadlines for evaluations in one engine: the engine's epoch follows the time while anything runs."""

import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from in_toto_done_receipt.admission import wasm

TICK: Final = 0.01  # seconds between looks at the time
IDLE_LOOKS: Final = 100  # that find nothing running before the thread ends: starting one costs a tenth of a decision


class Clock:
    """Ends evaluations that run too long.

    wasmtime counts each store's deadline in epochs, so evaluations cannot spend each other's. Never early; late by
    as much as the machine is late in waking a thread. Threads may share it; a forked child starts its own.
    """

    def __init__(self, engine: wasm.Engine) -> None:
        self._engine, self._epoch = engine, 0
        self._after_fork()

    def _after_fork(self) -> None:  # the ticking thread, and perhaps a held lock, stayed in the parent
        self._pid, self._lock = os.getpid(), threading.Lock()
        self._running, self._ticking, self._zero = 0, False, 0.0

    @contextmanager
    def limit(self, store: wasm.Store, seconds: float) -> Iterator[None]:
        """What runs in this store inside the block traps (interrupt) once `seconds` are over."""
        if self._pid != os.getpid():
            self._after_fork()
        with self._lock:
            self._running += 1
            if not self._ticking:
                self._ticking, self._zero = True, time.monotonic() - self._epoch * TICK
                threading.Thread(target=self._tick, name="policy-clock", daemon=True).start()
            due = math.ceil((time.monotonic() + seconds - self._zero) / TICK)
            store.set_epoch_deadline(max(due - self._epoch, 1))
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def _tick(self) -> None:
        idle = 0
        while True:
            time.sleep(TICK)
            with self._lock:
                idle = 0 if self._running else idle + 1
                if idle > IDLE_LOOKS:
                    self._ticking = False
                    return
                now = int((time.monotonic() - self._zero) / TICK)
                while self._epoch < now:
                    self._engine.increment_epoch()
                    self._epoch += 1
