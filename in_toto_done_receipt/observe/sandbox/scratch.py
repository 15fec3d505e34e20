"""Private folders that are gone at the end, also after Ctrl-C, whatever a command has made of them."""

import os
import secrets
import signal
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import OutputError

ATTEMPTS: Final = 20  # a process that is being killed may still write once or twice


@contextmanager
def held_signals() -> Iterator[None]:
    """SIGINT and SIGTERM wait until the block is over, so that cleaning up is not interrupted half-way."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def scratch() -> Iterator[Path]:
    """A new empty folder of mode 0700 below the system's folder for temporary files; removed at the end.

    Its path holds no link. Raises OutputError if it cannot be made or emptied.
    """
    with held_signals():
        try:
            path = Path(tempfile.mkdtemp(prefix="done-receipt-")).resolve()
        except OSError as fault:
            raise OutputError(f"{tempfile.gettempdir()}: no scratch folder: {fault.strerror}") from fault
    try:
        yield path
    finally:
        with held_signals():
            remove_tree(path)


def remove_tree(path: Path) -> None:
    """Removes a folder of ours and all that is in it, of any depth and any mode, following no link.

    Raises OutputError if something is left after several attempts.
    """
    fault: OSError | None = None
    for _ in range(ATTEMPTS):
        try:
            _empty(path)
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            fault = error
        else:
            return
    raise OutputError(f"{path}: cannot be removed: {fault.strerror if fault else 'it is written to'}") from fault


def _empty(path: Path) -> None:
    """Moves every folder up to the top before it is emptied: no recursion and no path that is too long."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    top = os.open(path, flags)
    try:
        os.fchmod(top, stat.S_IRWXU)
        prefix = secrets.token_hex(8)  # a name that nobody can have taken
        _empty_one(top, top, prefix)
        while names := os.listdir(top):  # noqa: PTH208  (pathlib takes no descriptor)
            for name in names:
                os.chmod(name, stat.S_IRWXU, dir_fd=top)  # a folder: no link is left here
                folder = os.open(name, flags, dir_fd=top)
                try:
                    _empty_one(folder, top, prefix)
                finally:
                    os.close(folder)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def _empty_one(folder: int, top: int, prefix: str) -> None:
    """Removes the files of a folder and moves its folders to the top, where inode numbers keep their names apart."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False), entry.inode()) for entry in entries]
    for name, is_folder, inode in found:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
        elif folder != top:
            os.chmod(name, stat.S_IRWXU, dir_fd=folder)  # moving a folder writes to it
            os.rename(name, f"{prefix}.{inode}", src_dir_fd=folder, dst_dir_fd=top)
