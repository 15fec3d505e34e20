"""What a running command has put on disk. Free space is asked for; only if it has shrunk is anything counted."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SLACK: Final = 0.05  # seconds by which the clock of a file system may be behind
SMALL: Final = 64 * 2**20  # bytes: free space changes by that much on any machine, so it says nothing
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

        Follows no link. Raises OSError for a folder that does not let us look, or lies too deep.
        """
        size = entries = 0
        seen: set[tuple[int, int]] = set()
        waiting = list(map(str, self._places))
        looked = 0
        while waiting:
            try:
                found = os.scandir(waiting.pop())
            except FileNotFoundError:
                continue
            with found:
                for entry in found:
                    looked += 1
                    if looked % STEP == 0:
                        yield None
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif status.st_nlink > 1:
                        place = (status.st_dev, status.st_ino)
                        if place in seen:
                            continue
                        seen.add(place)
                    if status.st_ctime >= self._since:
                        size += status.st_blocks * 512
                        entries += 1
        yield size, entries


def _devices(places: tuple[Path, ...]) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for place in places:
        try:
            found.setdefault(place.lstat().st_dev, place)
        except OSError:
            continue
    return found


def _free(place: Path) -> tuple[int, int]:
    facts = os.statvfs(place)
    return facts.f_bfree * facts.f_frsize, facts.f_ffree
