"""Watching one supervisor: feeds it its orders, bounds how long the command takes and how much it writes."""

import hashlib
import math
import os
import selectors
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from in_toto_done_receipt.observe.sandbox.guard import Guard
from in_toto_done_receipt.observe.sandbox.launch import Started
from in_toto_done_receipt.observe.sandbox.model import Captured, CommandLimits, Failure
from in_toto_done_receipt.wire.escape import escape

START_SECONDS: Final = 10.0  # for the sandbox to stand, on a busy machine
END_SECONDS: Final = 3.0  # for the supervisor to kill what is left, for which it takes at most 2
CHUNK: Final = 65_536
COMPLAINT_BYTES: Final = 300
REPORT_BYTES: Final = 65_536  # a path may be part of it


@dataclass(slots=True)
class Stream:
    """One stream of a command, kept up to a limit."""

    name: str
    limit: int
    data: bytearray = field(default_factory=bytearray)

    def take(self, part: bytes) -> bool:
        """Keeps what the limit allows; was there more?"""
        room = self.limit - len(self.data)
        self.data += part[:room]
        return len(part) > room

    def captured(self, excerpt_bytes: int) -> Captured:
        """The digest of everything kept, and its first bytes."""
        digest = hashlib.sha256(self.data).hexdigest()
        return Captured(sha256=digest, bytes=len(self.data), excerpt=bytes(self.data[:excerpt_bytes]))


class Watch:
    """One run, from its orders to its end. The attributes say how it went once `run` is over."""

    def __init__(
        self,
        started: Started,
        orders: bytes,
        limits: CommandLimits,
        guard: Guard,
        *,
        stop: threading.Event | None = None,
    ) -> None:
        self.stdout = Stream("standard output", limits.stream_bytes)
        self.stderr = Stream("standard error", limits.stream_bytes)
        self.exit_code: int | None = None
        self.failure: Failure | None = None
        self.detail = ""
        self.left_behind = False
        self.duration_ms = 0
        self.patience = END_SECONDS  # how long the supervisor still has once `run` is over or was interrupted
        self._started = started
        self._guard = guard
        self._stop = stop
        self._next_look = math.inf
        self._orders = orders
        self._seconds = limits.seconds
        self._ready = False
        self._report = bytearray()
        self._began = time.monotonic()
        self._deadline = self._began + START_SECONDS

    def run(self) -> None:
        """Reads until every pipe is closed, or until waiting longer has no point. `Started.end` comes after it."""
        started = self._started
        with selectors.DefaultSelector() as selector:
            selector.register(started.lifeline, selectors.EVENT_WRITE)
            selector.register(started.stdout, selectors.EVENT_READ, self.stdout)
            selector.register(started.stderr, selectors.EVENT_READ, self.stderr)
            selector.register(started.report, selectors.EVENT_READ)
            while selector.get_map() and self._go_on():
                for key, _ in selector.select(max(0.0, min(self._deadline, self._next_look) - time.monotonic())):
                    if not self._handle(key):
                        selector.unregister(key.fd)
                self._look()
                if self.failure is not None and started.lifeline >= 0:
                    if started.lifeline in selector.get_map():
                        selector.unregister(started.lifeline)
                    started.kill()
        if not self._ready:
            self._fail("sandbox", f"the sandbox did not start{self._complaint()}")
        elif self.exit_code is None:
            self._fail("sandbox", "the supervisor died before the command was over")

    def _handle(self, key: selectors.SelectorKey) -> bool:
        """Moves bytes through one pipe; is it still of interest?"""
        if key.fd == self._started.lifeline:
            return self._feed()
        part = os.read(key.fd, CHUNK)
        if isinstance(key.data, Stream):
            if key.data.take(part):
                self._fail("output", f"limit command-stream-bytes is {key.data.limit}, got more on {key.data.name}")
                return False
        elif len(self._report) < REPORT_BYTES:
            self._report += part
            self._read_report()
        return bool(part)

    def _feed(self) -> bool:
        """Writes orders as far as the pipe takes them. It stays open afterwards: it is the lifeline."""
        try:
            written = os.write(self._started.lifeline, self._orders)
        except BrokenPipeError:
            return False
        self._orders = self._orders[written:]
        return bool(self._orders)

    def _read_report(self) -> None:
        """Acts on every complete line of the supervisor."""
        while b"\n" in self._report:
            line, _, rest = bytes(self._report).partition(b"\n")
            self._report[:] = rest
            word, _, facts = line.decode("utf-8", "replace").partition(" ")
            if word == "ready":
                self._ready = True
                self._started.note_first_process()
                self._guard.first = self._started.first_pid
                self._began = time.monotonic()
                self._deadline = self._began + self._seconds
                self._next_look = self._began + self._guard.pause
            elif word == "refused":
                errno, _, stage = facts.partition(" ")
                reason = os.strerror(int(errno)) if errno != "0" else "refused"
                self._fail("not_started" if stage == "execute" else "sandbox", f"{escape(stage)}: {reason}")
            elif word == "exited":
                self._exited(*map(int, facts.split()))
            elif word == "alive":
                self.failure, self.detail = "leftover", f"{self.detail}, and not all of its processes could be killed"

    def _look(self) -> None:
        """Lets the guard look, when it is time to; what is too much is ended at once."""
        if self.failure is not None or self.exit_code is not None:
            self._next_look = math.inf
        if time.monotonic() < self._next_look:
            return
        excess = self._guard.look()
        self._next_look = time.monotonic() + self._guard.pause
        if excess is not None:
            self._fail(*excess)

    def _exited(self, code: int, took: int, left: int, alive: int) -> None:
        self.left_behind = bool(left)
        self._deadline = time.monotonic() + END_SECONDS
        if self.failure is None:
            self.exit_code = code
            self.duration_ms = took // 1_000_000
        if alive:
            self._fail("leftover", "not all processes that the command left behind could be killed")

    def _go_on(self) -> bool:
        """False when waiting has no point; a deadline that has passed becomes a failure, and so does a stop."""
        if self._stop is not None and self._stop.is_set() and self.exit_code is None:
            self._fail("stopped", "the verification was stopped")
        if time.monotonic() < self._deadline:
            return True
        if self.failure is not None:
            self.patience = 0.0
            return False
        if self.exit_code is not None:
            self._fail("leftover", "something that the command started holds its output open")
            return False
        if not self._ready:
            self._fail("sandbox", f"the sandbox did not start within {START_SECONDS:g} seconds")
            return False
        self._fail("timeout", f"limit command-seconds is {self._seconds:g}, got more")
        return True  # while the supervisor kills

    def _fail(self, failure: Failure, detail: str) -> None:
        """The first failure counts; everything is to be killed, for which there is a deadline."""
        if self.failure is None:
            self.failure, self.detail, self.exit_code = failure, detail, None
            self.duration_ms = self.duration_ms or int((time.monotonic() - self._began) * 1000)
            self._deadline = time.monotonic() + END_SECONDS

    def _complaint(self) -> str:
        """What `bwrap` or Python wrote before there was a command: it cannot be the command's word."""
        text = bytes(self.stderr.data).strip()[:COMPLAINT_BYTES]
        return f": {escape(text)}" if text else ""
