"""`AuditChain`: a harness writes its audit log as the original does, one chained line per record, each on disk at once.

with AuditChain(Path("audit.jsonl")) as chain:
    chain.append("request", {"question": "write report"}, ts=now, request="req-7")
    chain.append("tool_use", {"tool": "write", "args": {}, "ok": True}, ts=now, request="req-7")
chain.records, chain.head   # what a receipt pins
"""

import errno
import fcntl
import os
import stat
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from in_toto_done_receipt.errors import InputError, MalformedInput, OutputError, ProducerError
from in_toto_done_receipt.observe.audit_chain.line import GENESIS, NotALineError, read_line
from in_toto_done_receipt.observe.audit_chain.read import MAX_LINE_BYTES, read_chain
from in_toto_done_receipt.observe.audit_chain.tally import RecordFaultError, Tally
from in_toto_done_receipt.observe.files import kind_of
from in_toto_done_receipt.wire import serde_json
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.rfc3339 import format_time

_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MODE: Final = 0o600  # what the agent was asked and what its tools were given is nobody else's business


class AuditChain:
    """One writer of one chain; it goes on where the file ends, after having read all of it.

    A record is on disk when `append` returns. A machine that dies in the middle leaves at most one line without its
    end: the next writer refuses such a file by name, unless `cut_torn_line` says that the piece is to be cut off.
    """

    def __init__(self, path: Path, *, cut_torn_line: bool = False) -> None:
        """Opens or creates the file, and keeps every other writer of this class out of it.

        Raises ProducerError for a file that is no sound chain, ends in the middle of a line or has a writer already;
        OutputError for one that cannot be opened. Directories above it are the caller's to make.
        """
        self.path = path
        self._where = escape(str(path))
        self._fd = self._open()
        try:
            self._records, head = self._read(cut=cut_torn_line)
            self._size = os.fstat(self._fd).st_size
        except BaseException:
            os.close(self._fd)
            self._fd = -1
            raise
        self._head = head

    @property
    def records(self) -> int:
        """How many records the chain has."""
        return self._records

    @property
    def head(self) -> str | None:
        """The hash of the last record; None for a chain without one."""
        return None if self._records == 0 else self._head.decode()

    def append(
        self,
        kind: str,
        detail: Mapping[str, Any],
        *,
        ts: datetime,
        actor: str | None = None,
        session: str | None = None,
        request: str | None = None,
    ) -> str:
        """Write one record and return its hash.

        Raises ProducerError for a record that the chain's reader would refuse, a closed chain, and a file that
        somebody else wrote to; OutputError when the disk takes no more: then the file is as it was before.
        """
        named = {"actor": actor, "session": session, "request": request}
        head = {"ts": _time(ts), **{name: value for name, value in named.items() if value is not None}, "kind": kind}
        raw = _record(head, detail)
        digest = sha256(self._head + raw).hexdigest().encode()
        line = b'{"seq":%d,"prev":"%b","hash":"%b","record":%b}' % (self._records, self._head, digest, raw)
        _demand_readable(line)
        self._write(line + b"\n")
        self._records += 1
        self._head = digest
        return digest.decode()

    def close(self) -> None:
        """No more records; `records` and `head` stay."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> int:
        try:
            fd = os.open(self.path, _FLAGS, _MODE)
        except OSError as fault:
            link = " (a symbolic link is not followed)" if fault.errno == errno.ELOOP else ""
            words = os.strerror(fault.errno or 0).lower()
            raise OutputError(f"audit log {self._where} cannot be opened: {words}{link}") from None
        try:
            self._demand_regular(os.fstat(fd).st_mode)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _sync_folder(self.path)
        except BlockingIOError:
            os.close(fd)
            raise ProducerError(f"audit log {self._where} has another writer") from None
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _demand_regular(self, mode: int) -> None:
        if not stat.S_ISREG(mode):
            raise OutputError(f"audit log {self._where} is {kind_of(mode)}, not a regular file")

    def _read(self, *, cut: bool) -> tuple[int, bytes]:
        """Number of records and hash of the last one, of a file that ends with a whole line."""
        size = os.fstat(self._fd).st_size
        if size == 0:
            return 0, GENESIS
        end = self._end_of_last_line(size)
        if end != size:
            if not cut:
                raise ProducerError(
                    f"audit log {self._where} ends in the middle of a line: {size - end} byte(s) after byte {end}",
                    hint="keep a copy, then open it with cut_torn_line=True to go on after the last whole record",
                )
            os.ftruncate(self._fd, end)
            os.fsync(self._fd)
        if end == 0:
            return 0, GENESIS
        try:
            chain = read_chain(self.path)
        except InputError as error:
            raise ProducerError(error.message) from None
        if chain.damage is not None and chain.damage.kind != "empty":
            raise ProducerError(
                f"audit log {self._where} is damaged and not extended: {chain.damage.detail}",
                hint="keep it as it is, and begin another file",
            )
        return chain.records, GENESIS if chain.head is None else chain.head.encode()

    def _end_of_last_line(self, size: int) -> int:
        """The offset behind the last line end."""
        end = size
        while end > 0:
            start = max(0, end - (1 << 16))
            found = os.pread(self._fd, end - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def _write(self, line: bytes) -> None:
        if self._fd < 0:
            raise ProducerError(f"audit log {self._where} is closed")
        if os.fstat(self._fd).st_size != self._size:
            raise ProducerError(f"audit log {self._where} was written to by somebody else")
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            os.fsync(self._fd)
        except OSError as fault:
            self._take_back()
            words = os.strerror(fault.errno or 0).lower()
            raise OutputError(f"audit log {self._where} cannot be written: {words}") from None
        except BaseException:  # an interrupt between two pieces of one line
            self._take_back()
            raise
        self._size += len(line)

    def _take_back(self) -> None:
        """The file as it was before the line; if even that fails, the chain is closed, so that nothing follows."""
        try:
            os.ftruncate(self._fd, self._size)
        except OSError:
            self.close()


def _record(head: dict[str, str], detail: Mapping[str, Any]) -> bytes:
    """The record's bytes: its own members in declared order, those of the detail sorted, as the original has them."""
    try:
        text = f'{serde_json.dump(head)[:-1]},"detail":{serde_json.dump(dict(detail), sort=True)}}}'
    except (MalformedInput, RecursionError) as error:
        said = error.message if isinstance(error, MalformedInput) else "nested too deep"
        raise ProducerError(f"cannot be said in an audit record: {said}") from None
    return text.encode()


def _demand_readable(line: bytes) -> None:
    """What the reader would refuse, or add up to nothing, is not written in the first place."""
    if len(line) > MAX_LINE_BYTES:
        raise ProducerError(f"the audit record has {len(line)} bytes, readers take {MAX_LINE_BYTES}")
    try:
        read = read_line(line)
        Tally(None).add(read.kind, read.request, read.detail)
    except (NotALineError, RecordFaultError) as fault:
        raise ProducerError(f"cannot be said in an audit record: {fault}") from None


def _time(moment: datetime) -> str:
    try:
        return format_time(moment)
    except ValueError:
        raise ProducerError(f"ts has no time zone: {moment.isoformat()}") from None


def _sync_folder(path: Path) -> None:
    """The name of a new file is on disk too."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
