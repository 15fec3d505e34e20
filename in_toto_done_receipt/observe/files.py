"""Files that the user names: read within a limit, written as a whole or not at all."""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import LimitExceeded, OutputError, UnreadableInput
from in_toto_done_receipt.wire.escape import escape

_CHUNK: Final = 1 << 20  # bytes
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_NO_UNNAMED: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL})  # open(2), O_TMPFILE


def read_file(path: Path, *, limit: int, what: str, limit_name: str = "file-bytes") -> bytes:
    """All bytes of a regular file; a symbolic link to one is fine, as the user named it.

    Nothing else is opened (a FIFO would hang, a device may react), and never more is read than the size at opening
    plus one byte. Raises UnreadableInput (missing, not permitted, not a regular file, changed while it was read) and
    LimitExceeded under `limit_name`. Does not look at what the bytes say.
    """
    where = f"{what} {escape(str(path))}"
    with _opened(path, where) as (fd, opened):
        if opened.st_size > limit:
            raise LimitExceeded(limit_name, allowed=limit, value=opened.st_size, where=where)
        data = bytearray()
        for chunk in _chunks(fd, opened, where):
            data += chunk
        return bytes(data)


def stream_file(path: Path, *, what: str) -> Iterator[bytes]:
    """The bytes of a regular file in pieces of a mebibyte, for one that is never held as a whole.

    Opened as `read_file` does and read once, up to the size at opening plus one byte. Raises UnreadableInput, also at
    the end when the file changed meanwhile: pieces that were handed out before are then not to be relied on.
    """
    where = f"{what} {escape(str(path))}"
    with _opened(path, where) as (fd, opened):
        yield from _chunks(fd, opened, where)


@contextlib.contextmanager
def _opened(path: Path, where: str) -> Iterator[tuple[int, os.stat_result]]:
    """Descriptor and status of a regular file, looked at before it is opened: what else lies there is not touched."""
    try:
        before = path.stat()
        _require_regular(before.st_mode, where)
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as fault:
        raise UnreadableInput(f"{where} cannot be read: {_words(fault)}") from None
    try:
        opened = os.fstat(fd)
        _require_regular(opened.st_mode, where)
        if (opened.st_dev, opened.st_ino) != (before.st_dev, before.st_ino):
            raise UnreadableInput(f"{where} was exchanged while it was opened")
        yield fd, opened
    except OSError as fault:
        raise UnreadableInput(f"{where} cannot be read: {_words(fault)}") from None
    finally:
        os.close(fd)


def _chunks(fd: int, opened: os.stat_result, where: str) -> Iterator[bytes]:
    """The bytes, at most one more than there were at opening. Raises UnreadableInput at the end if that changed."""
    done = 0
    while done <= opened.st_size and (chunk := os.read(fd, min(_CHUNK, opened.st_size + 1 - done))):
        done += len(chunk)
        yield chunk
    if done != opened.st_size or stamp(os.fstat(fd)) != stamp(opened):
        raise UnreadableInput(f"{where} changed while it was read: {opened.st_size} bytes when it was opened")


def _require_regular(mode: int, where: str) -> None:
    if not stat.S_ISREG(mode):
        raise UnreadableInput(f"{where} is {kind_of(mode)}, not a regular file")


def kind_of(mode: int) -> str:
    """What a file mode is called in a message, with its article."""
    names = {
        stat.S_IFREG: "a regular file",
        stat.S_IFDIR: "a directory",
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a character device",
        stat.S_IFBLK: "a block device",
    }
    return names.get(stat.S_IFMT(mode), "a special file")


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    """What two looks at an open file compare, to notice that it changed between them."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644, replace: bool = True) -> None:
    """The file holds exactly `data` afterwards, or what was there before is untouched and nothing is left behind.

    `mode` is as for open(2): the umask applies, and the file never has more than it. A symbolic link, a directory or
    a special file in its place is refused; with `replace=False` so is any file, also one that appears meanwhile.
    Raises OutputError naming the path. Links in the directories above the file are followed.

    A process that is killed in the middle leaves no part of a new file: until it is whole it has no name, where the
    file system has such files. Only between naming a replacement and putting it in place can a second, whole file be
    left, as `.NAME.*.tmp`.
    """
    where = escape(str(path))
    if path.name in {"", ".."}:
        raise OutputError(f"{where} does not name a file")
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as fault:
        raise OutputError(f"{where} cannot be written: {_words(fault)} ({escape(str(path.parent))})") from None
    try:
        _check_target(folder, path.name, where, replace=replace)
        _write(folder, path.name, data, mode, replace=replace)
        os.fsync(folder)
    except FileExistsError:
        raise _exists(where) from None
    except (OSError, ValueError) as fault:
        raise OutputError(f"{where} cannot be written: {_words(fault)}") from None
    finally:
        os.close(folder)


def _check_target(folder: int, name: str, where: str, *, replace: bool) -> None:
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise OutputError(f"{where} is {kind_of(mode)}, and is left alone")
    if not replace:
        raise _exists(where)


def _exists(where: str) -> OutputError:
    return OutputError(f"{where} exists and is not overwritten", hint="choose another name or remove it first")


def _write(folder: int, name: str, data: bytes, mode: int, *, replace: bool) -> None:
    unnamed = _open_unnamed(folder, mode)
    if unnamed is None:
        with _named(folder, name, data, mode) as temporary:
            _put(folder, temporary, name, replace=replace)
        return
    try:
        _fill(unnamed, data)
        if _name_it(unnamed, folder, name, replace=replace):
            return
    finally:
        os.close(unnamed)
    with _named(folder, name, data, mode) as temporary:  # there is no /proc to name it through
        _put(folder, temporary, name, replace=replace)


def _open_unnamed(folder: int, mode: int) -> int | None:
    """A new file without a name, which is gone with the process; None where the file system has no such files."""
    try:
        return os.open(".", os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, mode, dir_fd=folder)
    except OSError as fault:
        if fault.errno in _NO_UNNAMED:
            return None
        raise


def _name_it(fd: int, folder: int, name: str, *, replace: bool) -> bool:
    """Give the unnamed file its name; False if this system cannot. Raises FileExistsError without `replace`."""
    unnamed = f"/proc/self/fd/{fd}"
    try:
        os.link(unnamed, name, dst_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        if not replace:
            raise
        temporary = _temporary_name(name)  # a link never replaces; a rename does, at once
        with _gone_at_the_end(folder, temporary):
            os.link(unnamed, temporary, dst_dir_fd=folder, follow_symlinks=True)
            _put(folder, temporary, name, replace=True)
    except OSError as fault:
        if fault.errno not in _NO_LINKS | {errno.ENOENT, errno.EXDEV}:
            raise
        return False
    return True


@contextlib.contextmanager
def _named(folder: int, name: str, data: bytes, mode: int) -> Iterator[str]:
    """The name of a new file beside the target that holds the data, on disk; gone at the end unless it was moved."""
    temporary = _temporary_name(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with _gone_at_the_end(folder, temporary):
        fd = os.open(temporary, flags, mode, dir_fd=folder)
        try:
            _fill(fd, data)
        finally:
            os.close(fd)
        yield temporary


def _temporary_name(name: str) -> str:
    # The name of the target is cut: with what is added it must not become longer than the file system takes.
    return f".{os.fsdecode(os.fsencode(name)[:200])}.{secrets.token_hex(8)}.tmp"


@contextlib.contextmanager
def _gone_at_the_end(folder: int, temporary: str) -> Iterator[None]:
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)


def _fill(fd: int, data: bytes) -> None:
    """All of the data, on disk."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
    os.fsync(fd)


def _put(folder: int, temporary: str, name: str, *, replace: bool) -> None:
    if replace:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as fault:
        if fault.errno not in _NO_LINKS:
            raise
        # No hard links here (vfat, some network shares): claim the name first, then replace the empty file.
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder))
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _words(fault: OSError | ValueError) -> str:
    """The system's words for a fault, lower case, without the path, which the message has already."""
    text = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return text[:1].lower() + text[1:]
