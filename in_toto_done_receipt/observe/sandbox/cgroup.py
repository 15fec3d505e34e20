"""A control group that bounds how many processes a command has: for root, whom no other limit of the kernel binds.

Others need none, and rarely could make one. Where there is none the guard is left, which looks ten times a second.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final

PREFIX: Final = "done-receipt-"
KILL_SECONDS: Final = 2.0
SIGKILL: Final = 9


def base_of(groups: str, mounts: str) -> Path | None:
    """Where a new group with a limit of processes can be made, from our own /proc/self/cgroup and mountinfo.

    Of version 1 below our own group; of version 2 beside it, as there a group with processes has no groups below.
    Not checked: that the place can be written to, nor, of version 2, that it passes the controller on.
    """
    own: dict[str, str] = {}
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, place = left.split()[3:5]
        if kind == "cgroup" and "pids" in options.split(",") and "pids" in own:
            return _inside(place, root, own["pids"])
        if kind == "cgroup2" and "pids" not in own and "" in own:
            inside = _inside(place, root, own[""])
            return inside if inside is None or inside == Path(place) else inside.parent
    return None


def _inside(place: str, root: str, path: str) -> Path | None:
    """The folder of a group where a part of the hierarchy is mounted."""
    below = os.path.relpath(path, root)
    return None if ".." in (*path.split("/"), *below.split("/")) else Path(os.path.normpath(Path(place, below)))


@contextmanager
def process_group(most: int | None) -> Iterator[int]:
    """A new group of at most so many processes: a descriptor to which a process writes 0 to be in it; -1 without one.

    At the end whatever is left in the group is dead, and the group is gone.
    """
    group = _new_group(most) if most is not None and os.geteuid() == 0 else None
    if group is None:
        yield -1
        return
    try:
        entrance = os.open(group / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        try:
            yield entrance
        finally:
            os.close(entrance)
    finally:
        _end(group)


def enter_early(group: int, pid: int) -> Thread | None:
    """Puts a process that has just been started into the group, at the side; to be joined before the group ends.

    The first one to enter a group waits for all processors, as long as an interpreter takes to start: so both wait at
    once. What the process has started by then is not in the group: the supervisor enters by itself as well.
    """
    if group < 0:
        return None
    thread = Thread(target=_write, args=(group, str(pid).encode()), daemon=True)
    thread.start()
    return thread


def _write(group: int, text: bytes) -> None:
    with suppress(OSError):
        os.write(group, text)


def _new_group(most: int) -> Path | None:
    try:
        proc = Path("/proc/self")
        base = base_of((proc / "cgroup").read_text(), (proc / "mountinfo").read_text(errors="surrogateescape"))
        if base is None:
            return None
        _remove_abandoned(base)
        group = base / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        group.mkdir()
    except (OSError, ValueError):
        return None
    try:
        _set(group / "pids.max", str(most))
    except OSError:  # no such controller here
        _end(group)
        return None
    return group


def _set(place: Path, value: str) -> None:
    """Writes to a file of the kernel's; makes none."""
    with place.open("r+", encoding="ascii") as file:
        file.write(value)


def _remove_abandoned(base: Path) -> None:
    """Removes the empty groups of verifiers that were killed."""
    for left in base.glob(f"{PREFIX}*-*"):
        owner = left.name.removeprefix(PREFIX).partition("-")[0]
        if not Path("/proc", owner).exists():
            with suppress(OSError):
                left.rmdir()


def _end(group: Path) -> None:
    """No process can be started in the group any more; those in it are killed."""
    end = time.monotonic() + KILL_SECONDS
    with suppress(OSError):
        _set(group / "pids.max", "0")
    while time.monotonic() < end:
        with suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), SIGKILL)
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.005)
