"""What the processes of a running command use: how many tasks, how much memory, which files without a name."""

import os
import re
import stat
from collections.abc import Iterable
from typing import Final

from in_toto_done_receipt.wire.value import Value

STATUS: Final = re.compile(rb"^(Threads|RssAnon|RssShmem|VmSwap):\s+(\d+)", re.MULTILINE)
WRITTEN: Final = re.compile(rb"^write_bytes: (\d+)", re.MULTILINE)
EXACT: Final = re.compile(rb"^(Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)", re.MULTILINE)
MOST_DESCRIPTORS: Final = 20_000  # looked at in one go, about a tenth of a second


class Process(Value, kw_only=True):
    """One process: how many generations away, its tasks, its bytes of memory, some of them perhaps shared."""

    pid: int
    age: int
    tasks: int
    memory: int


class Unnamed(Value, kw_only=True):
    """Bytes of files that are open and have no name any more: on the given devices, and elsewhere (in memory)."""

    disk: int
    memory: int


def below(root: int, *, most: int) -> list[Process]:
    """A process and its descendants: all of them, or so many that there are a few more than `most` tasks.

    One that starts or is adopted meanwhile may be missed, until the next time.
    """
    found: list[Process] = []
    tasks = 0
    generation, age = [root], 0
    while generation and tasks <= most:
        following: list[int] = []
        for pid in generation:
            process = _look(pid, age)
            if process is None:
                continue
            found.append(process)
            tasks += process.tasks
            following += _children(pid, alone=process.tasks == 1)
            if tasks > most:
                break
        generation, age = following, age + 1
    return found


def exact_memory(processes: Iterable[Process], files: int) -> int:
    """Bytes of memory, what is shared counted once; `files` are those of files that are in memory only.

    Which of these files are mapped, and so counted twice, cannot be told: the larger one of both numbers counts. A
    process that does not let us look is counted as if it shared nothing.
    """
    own = shared = 0
    for process in processes:
        try:
            facts = dict(EXACT.findall(_read(f"/proc/{process.pid}/smaps_rollup")))
        except PermissionError:
            facts = {}
        except OSError:
            continue  # it has ended
        if b"Pss_Anon" not in facts:
            own += process.memory
            continue
        own += 1024 * (int(facts[b"Pss_Anon"]) + int(facts.get(b"SwapPss", 0)))
        shared += 1024 * int(facts.get(b"Pss_Shmem", 0))
    return own + max(shared, files)


def unnamed(processes: Iterable[Process], devices: frozenset[int]) -> Unnamed:
    """What the processes keep open without a name. Not seen: what is mapped and closed, or on its way in a socket."""
    seen: set[tuple[int, int]] = set()
    disk = memory = looked = 0
    for process in processes:
        folder = f"/proc/{process.pid}/fd"
        try:
            names = os.listdir(folder)  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            looked += 1
            if looked > MOST_DESCRIPTORS:
                return Unnamed(disk=disk, memory=memory)
            try:
                status = os.stat(f"{folder}/{name}")  # noqa: PTH116
            except OSError:
                continue
            place = (status.st_dev, status.st_ino)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink or place in seen:
                continue
            seen.add(place)
            if status.st_dev in devices:
                disk += status.st_blocks * 512
            else:
                memory += status.st_blocks * 512
    return Unnamed(disk=disk, memory=memory)


def written(processes: Iterable[Process]) -> int:
    """Bytes that they and their ended children have ever written to disk, as far as we may know."""
    total = 0
    for process in processes:
        try:
            found = WRITTEN.search(_read(f"/proc/{process.pid}/io"))
        except OSError:
            continue
        total += int(found[1]) if found else 0
    return total


def _look(pid: int, age: int) -> Process | None:
    try:
        facts = dict(STATUS.findall(_read(f"/proc/{pid}/status")))
    except OSError:
        return None
    kilobytes = sum(int(facts.get(name, 0)) for name in (b"RssAnon", b"RssShmem", b"VmSwap"))
    return Process(pid=pid, age=age, tasks=int(facts.get(b"Threads", 1)), memory=1024 * kilobytes)


def _children(pid: int, *, alone: bool) -> list[int]:
    """Children belong to the task that started them."""
    found: list[int] = []
    try:
        for task in [str(pid)] if alone else os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    except OSError:
        return found
    return found


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123  (this runs ten times a second for each process)
        return file.read()
