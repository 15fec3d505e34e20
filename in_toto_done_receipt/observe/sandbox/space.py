"""What a running command has put on disk. Free space is asked for; only if it has shrunk is anything counted."""

import errno
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SLACK: Final = 0.05  # seconds by which the clock of a file system may be behind
SMALL: Final = 64 * 2**20  # bytes: free space changes by that much on any machine, so it says nothing
DEPTH: Final = 200  # folders on the way to an entry, each of which is open while it is looked into
GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
STEP: Final = 200  # entries that are looked at before the clock is


class Space:
    """The folders that a command may write to, from now on. Files that were changed before do not count."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self._places = places
        self._since = time.time() - SLACK
        self._free = {device: _free(place) for device, place in _devices(places).items()}
        self.devices = frozenset(self._free)

    def shrunk(self) -> tuple[int, int]:
        """By how many bytes and files the free space has shrunk, whoever took it."""
        now = {device: _free(place) for device, place in _devices(self._places).items() if device in self._free}
        lost = [(self._free[device][0] - free[0], self._free[device][1] - free[1]) for device, free in now.items()]
        return sum(max(0, size) for size, _ in lost), sum(max(0, files) for _, files in lost)

    def count(self) -> Iterator[tuple[int, int] | None]:
        """Bytes and entries that were made or changed since the beginning; None now and then, to stop or go on.

        Follows no link, also where folders become links meanwhile. Raises OSError for a folder that does not let us
        look, or lies too deep.
        """
        size = entries = looked = 0
        seen: set[tuple[int, int]] = set()
        for status in self._found():
            looked += 1
            if looked % STEP == 0:
                yield None
            if status.st_ctime < self._since:
                continue
            if not stat.S_ISDIR(status.st_mode) and status.st_nlink > 1:
                place = (status.st_dev, status.st_ino)
                if place in seen:
                    continue
                seen.add(place)
            size += status.st_blocks * 512
            entries += 1
        yield size, entries

    def _found(self) -> Iterator[os.stat_result]:
        """What the kernel says of each entry below the places, one folder after the other, by descriptors."""
        for place in self._places:
            waiting: list[tuple[int, list[str]]] = []
            try:
                yield from _enter(str(place), None, waiting)
                while waiting:
                    folder, names = waiting[-1]
                    if not names:
                        os.close(waiting.pop()[0])
                        continue
                    if len(waiting) >= DEPTH:
                        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
                    yield from _enter(names.pop(), folder, waiting)
            finally:
                for folder, _ in waiting:
                    os.close(folder)


def _enter(name: str, above: int | None, waiting: list[tuple[int, list[str]]]) -> Iterator[os.stat_result]:
    """What is in a folder; the folder and those below it are added to the waiting ones. Nothing if it is none now."""
    try:
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    except OSError as fault:
        if fault.errno in GONE:
            return
        raise
    below: list[str] = []
    waiting.append((folder, below))
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISDIR(status.st_mode):
                below.append(entry.name)
            yield status


def _devices(places: tuple[Path, ...]) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for place in places:
        try:
            found.setdefault(place.lstat().st_dev, place)
        except OSError:
            continue
    return found


def _free(place: Path) -> tuple[int, int]:
    """Free bytes and files; none of a place that is gone, which is then looked at more closely."""
    try:
        facts = os.statvfs(place)
    except OSError:
        return 0, 0
    return facts.f_bfree * facts.f_frsize, facts.f_ffree
