"""May this file be executed for a receipt at all: threats 19 and 27."""

import grp
import hashlib
import os
import pwd
import stat
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.sandbox.model import ExecutableFacts
from in_toto_done_receipt.wire.escape import escape

MAX_LINKS: Final = 40  # as the kernel


def check_executable(argv0: str, *, outside: Path) -> ExecutableFacts:
    """The facts of an executable that nobody but root and ourselves could have put there, and not below `outside`.

    Every step of the path counts, through every link: each folder on the way, and the file.
    Raises ObservationError: relative, missing, not_executable, in_tree, writable_by_others, denied.
    Not checked: access lists (ACL), what a script's first line names, what the executable loads.
    """
    path = Path(argv0)
    if not path.is_absolute() or "\0" in argv0:
        raise ObservationError(f"executable {escape(argv0)} is not an absolute path", kind="relative")
    owners = frozenset({0, os.geteuid()})
    real = resolve_guarded(path, owners=owners, outside=outside.resolve())
    return ExecutableFacts(path=real, sha256=_digest(real))


def resolve_guarded(path: Path, *, owners: frozenset[int], outside: Path | None = None) -> Path:
    """The real path of an executable file, if only `owners` can change what the path leads to.

    Raises ObservationError as `check_executable`.
    """
    waiting = list(reversed(path.parts[1:]))
    here = Path("/")
    links = 0
    while True:
        if outside is not None and (here == outside or outside in here.parents):
            raise ObservationError(
                f"executable {_shown(path)} leads into the examined tree at {_shown(here)}", kind="in_tree"
            )
        status = _status(here, path)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > MAX_LINKS:
                raise ObservationError(f"executable {_shown(path)}: more than {MAX_LINKS} links", kind="missing")
            target = here.readlink()
            waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            here = Path("/") if target.is_absolute() else here.parent
            continue
        _refuse_others(here, status, owners, path)
        if not waiting:
            break
        step = waiting.pop()
        here = here.parent if step == ".." else here / step
    if not stat.S_ISREG(status.st_mode) or not os.access(here, os.X_OK):
        raise ObservationError(f"executable {_shown(path)} is not an executable file", kind="not_executable")
    return here


def _shown(path: Path) -> str:
    return escape(str(path))


def _status(here: Path, path: Path) -> os.stat_result:
    try:
        return here.lstat()
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise ObservationError(f"executable {_shown(path)} does not exist", kind="missing") from fault
    except UnicodeEncodeError as fault:
        raise ObservationError(f"executable {_shown(path)} is no name of a file", kind="missing") from fault
    except OSError as fault:
        raise ObservationError(f"executable {_shown(path)}: {_shown(here)}: {fault.strerror}", kind="denied") from fault


def _refuse_others(here: Path, status: os.stat_result, owners: frozenset[int], path: Path) -> None:
    """A folder with the sticky bit may be writable: in it, only owners can replace what is theirs."""
    sticky = stat.S_ISDIR(status.st_mode) and bool(status.st_mode & stat.S_ISVTX)
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid not in owners:
        fact = f"{_shown(here)} belongs to user {status.st_uid}"
    elif mode & stat.S_IWOTH and not sticky:
        fact = f"{_shown(here)} is writable by everyone (mode {mode:04o})"
    elif mode & stat.S_IWGRP and not sticky and not is_private_group(status.st_gid):
        fact = f"{_shown(here)} is writable by group {status.st_gid} (mode {mode:04o})"
    else:
        return
    hint = "give it to root or to yourself, and take the right to write from others"
    raise ObservationError(f"executable {_shown(path)}: {fact}", kind="writable_by_others", hint=hint)


def is_private_group(group: int) -> bool:
    """Is this root's group or the one that holds nobody but us, as Debian and Fedora give to every user?"""
    if group == 0:
        return True
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user.pw_name and user.pw_gid == group and set(found.gr_mem) <= {user.pw_name}


def _digest(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as fault:
        raise ObservationError(f"executable {_shown(path)} cannot be read: {fault.strerror}", kind="denied") from fault
