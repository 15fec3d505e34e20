"""Bounds that no limit of the kernel sets for a whole command: its memory, its processes, what it puts on disk.

The verifier looks while the command runs, first often and then ten times a second. So a bound can be passed by what
fits into the time between two looks. Why not control groups: docs/adr/0004-sandbox.md.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.observe.sandbox.model import CommandLimits, Failure, Used
from in_toto_done_receipt.observe.sandbox.processes import Process, Unnamed, below, exact_memory, unnamed, written
from in_toto_done_receipt.observe.sandbox.space import SMALL, Space

FIRST_PAUSE: Final = 0.025  # seconds
LAST_PAUSE: Final = 0.1
COUNTING_PAUSE: Final = 0.01  # while files are counted
SLICE: Final = 0.05  # seconds of counting at a time
REST: Final = 10  # after what took long we wait so many times as long
MANY: Final = 100_000  # processes that are looked at where no limit is set
DOUBTS: Final = 5  # looks at memory while processes come and go, after which it is believed
MEMORY_FOLDERS: Final = ("tmp", "dev/shm")  # of the namespace; at level bubblewrap they are in memory

Excess = tuple[Failure, str]


@dataclass(slots=True)
class Guard:
    """Watches one command. `root` is the process that was started, `depth` how many of ours there are above it all.

    At level bubblewrap, `first` is the first process of the namespace (0: there is none). With `on_look`, which
    is called after each look, everything is measured and nothing ended: for the self-test.
    """

    root: int
    depth: int
    limits: CommandLimits
    space: Space
    on_look: Callable[[], None] | None = None
    first: int = 0
    used: Used = field(default_factory=Used)
    pause: float = FIRST_PAUSE
    _unnamed: Unnamed = field(default_factory=lambda: Unnamed(disk=0, memory=0))
    _unnamed_at: float = 0.0
    _memory_at: float = 0.0
    _doubts: int = 0
    _count: Iterator[tuple[int, int] | None] | None = None
    _counting: float = 0.0
    _count_at: float = 0.0

    def look(self) -> Excess | None:
        """The first limit that is exceeded, as failure and explanation."""
        self.pause = COUNTING_PAUSE if self.on_look else min(LAST_PAUSE, self.pause * 1.5)
        most = self.limits.processes
        every = self._processes(MANY if most is None else most)
        found = [process for process in every if process.age >= self.depth]
        tasks = sum(process.tasks for process in found)
        self._note(processes=tasks)
        self._look_at_open_files(found)
        excesses = [
            _over("processes", "command-processes", most, tasks),
            self._memory(found),
            self._disk(every),
        ]
        if self.on_look is not None:
            self.on_look()
            return None
        return next((excess for excess in excesses if excess is not None), None)

    def _processes(self, most: int) -> list[Process]:
        """Ours, which are few and of one task each, and those of the command."""
        return below(self.root, most=most + self.depth)

    def _look_at_open_files(self, found: list[Process]) -> None:
        now = time.monotonic()
        if now >= self._unnamed_at:
            self._unnamed = unnamed(found, self.space.devices)
            self._unnamed_at = now + REST * (time.monotonic() - now)

    def _note(self, **seen: int) -> None:
        self.used = replace(self.used, **{name: max(value, getattr(self.used, name)) for name, value in seen.items()})

    def _memory(self, found: list[Process]) -> Excess | None:
        """A rough number first, which counts shared memory for each process; the exact one only if that is too much."""
        files = self._unnamed.memory + sum(used for used, _ in self._memory_folders())
        rough = sum(process.memory for process in found) + files
        self._note(memory=rough)
        limit, now = self.limits.total_memory, time.monotonic()
        if limit is None or rough <= limit or now < self._memory_at:
            return None
        exact = exact_memory(found, files)
        self._memory_at = now + REST * (time.monotonic() - now)
        over = _over("memory", "command-memory-bytes", limit, exact)
        self._doubts = self._doubts + 1 if over and self._has_changed(found) else 0
        return over if self._doubts in (0, DOUBTS) else None

    def _has_changed(self, found: list[Process]) -> bool:
        """Has a process ended or begun since? Then shares of memory were summed that do not belong together."""
        now = self._processes(sum(process.tasks for process in found))
        return {process.pid for process in now if process.age >= self.depth} != {process.pid for process in found}

    def _memory_folders(self) -> list[tuple[int, int]]:
        """Bytes and files in each folder of the sandbox that is in memory."""
        used = []
        for name in MEMORY_FOLDERS if self.first else ():
            try:
                facts = os.statvfs(f"/proc/{self.first}/root/{name}")
            except OSError:
                continue
            used.append(((facts.f_blocks - facts.f_bfree) * facts.f_frsize, facts.f_files - facts.f_ffree))
        return used

    def _disk(self, every: list[Process]) -> Excess | None:
        """Counts if that much was written, or free space has shrunk by it, or it is little: a slice at a time."""
        limits = self.limits
        in_memory = sum(files for _, files in self._memory_folders())
        self._note(disk_files=in_memory)
        if over := _over("disk", "command-disk-files", limits.disk_files, in_memory):
            return over
        if self._count is None:
            size, files = self.space.shrunk()
            small = limits.disk_bytes is not None and limits.disk_bytes <= SMALL
            size = max(size, written(every))
            due = small or _is_over(size, limits.disk_bytes) or _is_over(files, limits.disk_files)
            if not due or time.monotonic() < self._count_at:
                return None
            self._count, self._counting = self.space.count(), 0.0
        return self._go_on_counting(in_memory)

    def _go_on_counting(self, in_memory: int) -> Excess | None:
        assert self._count is not None  # noqa: S101  (the caller has set it)
        began = now = time.monotonic()
        self.pause = COUNTING_PAUSE
        try:
            while (found := next(self._count)) is None:
                now = time.monotonic()
                if now - began > SLICE:
                    self._counting += now - began
                    return None
        except OSError as fault:
            return "disk", f"what the command wrote cannot be counted: {fault.strerror}"
        self._count = None
        self._count_at = now + REST * (self._counting + now - began)
        self.pause = LAST_PAUSE
        size, files = found[0] + self._unnamed.disk, found[1] + in_memory
        self._note(disk_bytes=size, disk_files=files)
        over = _over("disk", "command-disk-bytes", self.limits.disk_bytes, size)
        return over or _over("disk", "command-disk-files", self.limits.disk_files, files)


def _is_over(value: int, limit: int | None) -> bool:
    return limit is not None and value > limit


def _over(failure: Failure, name: str, limit: int | None, value: int) -> Excess | None:
    return (failure, f"limit {name} is {limit}, got {value}") if _is_over(value, limit) else None
