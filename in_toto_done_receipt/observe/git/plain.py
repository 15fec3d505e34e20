"""Small plain files of a repository, read by us: bounded, no link on the way, nothing that could block."""

import os
import stat
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.wire.escape import escape

_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def read_plain(folder: Path, path: bytes, limit: int) -> bytes | None:
    """The bytes of the plain file `path` below `folder`; None if it is absent or a folder.

    Each part of `path` is looked at before it is opened, so that no device is ever opened. Raises RepositoryRefused
    (repository) for a link or something special on the way, for more than `limit` bytes, for what cannot be read.
    """
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise _refused(path, str(fault)) from None
    try:
        return _walk(opened, path, limit)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as fault:
        raise _refused(path, str(fault)) from None


def _walk(folder: int, path: bytes, limit: int) -> bytes | None:
    """As `read_plain`; closes `folder`."""
    parts = path.split(b"/")
    here = folder
    try:
        for number, part in enumerate(parts, start=1):
            mode = os.stat(part, dir_fd=here, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and number == len(parts):
                return None
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise _refused(path, "not a plain file")
            below = os.open(part, _OPEN, dir_fd=here)
            os.close(here)
            here = below
        return _bytes(here, path, limit)
    finally:
        os.close(here)


def _bytes(fd: int, path: bytes, limit: int) -> bytes:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise _refused(path, "not a plain file")
    data = bytearray()
    while len(data) <= limit and (chunk := os.read(fd, min(1 << 20, limit + 1 - len(data)))):
        data += chunk
    if len(data) > limit or status.st_size > limit:
        raise _refused(path, f"more than {limit} bytes")
    return bytes(data)


def _refused(path: bytes, fact: str) -> RepositoryRefused:
    return RepositoryRefused(f"repository file {escape(path[:200])}: {escape(fact)}", kind="repository")
