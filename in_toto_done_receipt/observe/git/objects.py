"""Objects out of one `git cat-file`, every id computed again here before a byte is used.

git serves what a loose file or a pack index says, without a word when it lies. And it may send more bytes than it
announced, which would be read as the next answers: after any surprise the stream is out of step, and git is stopped.
"""

import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, NoReturn

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.process import Git, Start, make_scratch, start
from in_toto_done_receipt.observe.git.view import make_view
from in_toto_done_receipt.wire.escape import escape

LOT: Final = 500  # requests: with the one before still unanswered they fit the pipe, so neither side blocks
SMALL: Final = 1 << 20  # bytes: what is checked as a whole before a byte of it is used
_HEADER_BYTES: Final = 200
_SAID_BYTES: Final = 400
_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


Sink = Callable[[bytes], None]
Take = Callable[[int, bytes | None], Sink | None]


class Header(NamedTuple):
    """What git says of an object before its bytes: not true before its id is checked. `kind` is None if missing."""

    id: str
    kind: str | None
    size: int


class Objects:
    """The objects of some stores, for one hash algorithm (`sha1`, `sha256`). A context manager.

    Raises RepositoryRefused everywhere: object_missing, object_unreadable, object_lies, wrong_type, too_large,
    deadline.
    """

    def __init__(
        self,
        git: Git,
        stores: tuple[Path, ...],
        *,
        algorithm: str,
        scratch: Path,
        limits: GitLimits,
        shallow: bool = False,
    ) -> None:
        self.algorithm = algorithm
        self.limits = limits
        self.raw_bytes = hashlib.new(algorithm).digest_size
        self._shallow = shallow
        self._metadata = 0
        self._cause: str | None = None
        self._refused: tuple[str, str, str | None] | None = None  # the first refusal: git is stopped, so it is the last
        make_scratch(scratch, algorithm)
        views = tuple(scratch / f"view{number}" for number in range(len(stores)))
        for store, view in zip(stores, views, strict=True):
            make_view(store, view, limits)
        self._errors = (scratch / "stderr").open("w+b")
        how = Start(git=git, scratch=scratch, views=views, stores=stores, limits=limits)
        try:
            self._process = start(["cat-file", "--batch-command", "--buffer"], how, self._errors.fileno())
        except BaseException:
            self._errors.close()
            raise
        self._rest_lock = threading.Lock()
        self._resters = 0
        self._arm(limits.seconds)

    def __enter__(self) -> "Objects":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._process.kill()  # before any wait: git may be blocked on a full pipe
        self._timer.join()
        for stream in (self._process.stdin, self._process.stdout):
            _close(stream)
        self._process.wait()
        self._errors.close()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """A block whose time does not count for git, which has nothing to do meanwhile; threads may overlap."""
        with self._rest_lock:
            if not self._resters:
                self._timer.cancel()
                self._left = self._ends - time.monotonic()
            self._resters += 1
        try:
            yield
        finally:
            with self._rest_lock:
                self._resters -= 1
                if not self._resters and self._cause is None:
                    self._arm(max(0.0, self._left))

    def _arm(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._kill, ("deadline",))
        self._timer.daemon = True
        self._timer.start()

    def metadata(self, ids: Iterable[str]) -> Iterator[tuple[str, str, bytes]]:
        """(id, type, bytes) of commits, trees and tags, in the order of `ids`. Refuses blobs and missing ones."""
        for header in self._answers("contents", ids):
            if header.kind is None:
                self.missing(header.id, "object")
            self._metadata += header.size
            if header.kind == "blob":
                self.fail("wrong_type", f"{header.id} is a blob, expected a commit, tree or tag")
            if self._metadata > self.limits.metadata_bytes:
                fact = f"commits and trees hold more than {self.limits.metadata_bytes} bytes"
                self.fail("too_large", fact)
            yield header.id, header.kind, self._body(header)

    def sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """The sizes that git announces for these blobs; true only once they are read."""
        found = {}
        for header in self._answers("info", ids):
            self._require_blob(header)
            found[header.id] = header.size
        return found

    def blobs(self, ids: Iterable[str], sizes: dict[str, int]) -> Iterator[tuple[str, bytes]]:
        """(id, bytes) of small blobs, in order, each checked. `sizes` are those that `sizes` gave."""
        for header in self._answers("contents", ids):
            self._require_blob(header, sizes)
            yield header.id, self._body(header)

    def each_blob(self, ids: Iterable[str], sizes: dict[str, int], take: Take) -> None:
        """Hands each blob over, in order: `take(index, bytes)`, for one over SMALL `take(index, None)`.

        The latter returns what its bytes go to as they come; they are true only when this has returned.
        """
        for index, header in enumerate(self._answers("contents", ids)):
            self._require_blob(header, sizes)
            if header.size <= SMALL:
                take(index, self._body(header))
            else:
                self._body(header, take(index, None))

    def large_blob(self, id: str) -> bytes:
        """One blob of any size as a whole; the caller has held its size against a limit."""
        (header,) = self._answers("contents", [id])
        self._require_blob(header)
        return self._body(header, whole=True)

    def missing(self, id: str, what: str) -> NoReturn:
        """Refuse: the object is not there."""
        hint = "the repository is shallow: fetch its full history" if self._shallow else "nothing is fetched from here"
        self._stop("object_missing", f"{what} {id} is not in the repository", hint)

    def fail(self, kind: str, message: str) -> NoReturn:
        """Refuse, and stop git."""
        self._stop(kind, message, None)

    def _stop(self, kind: str, message: str, hint: str | None) -> NoReturn:
        self._kill(kind)
        self._refused = self._refused or (message, kind, hint)
        raise RepositoryRefused(message, kind=kind, hint=hint)

    def _kill(self, cause: str) -> None:
        self._cause = self._cause or cause
        self._process.kill()

    def _require_blob(self, header: Header, sizes: dict[str, int] | None = None) -> None:
        if header.kind is None:
            self.missing(header.id, "blob")
        if header.kind != "blob":
            self.fail("wrong_type", f"{header.id} is a {header.kind}, expected a blob")
        if sizes is not None and sizes.get(header.id) != header.size:
            self.fail("object_lies", f"blob {header.id} changed its size while it was read")

    def _answers(self, verb: str, ids: Iterable[str]) -> Iterator[Header]:
        """git's answers in order, asked one lot ahead; after `contents` the caller reads the body before going on."""
        wanted = list(ids)
        lots = [wanted[at : at + LOT] for at in range(0, len(wanted), LOT)]
        for number, lot in enumerate(lots):
            if number == 0:
                self._ask(verb, lot)
            if number + 1 < len(lots):
                self._ask(verb, lots[number + 1])
            for id in lot:
                yield self._header(id)

    def _ask(self, verb: str, ids: list[str]) -> None:
        if not all(map(_ID.fullmatch, ids)):
            raise ValueError(ids)  # never: nothing but a full id may become a line of git's input
        if self._refused is not None:
            message, kind, hint = self._refused
            raise RepositoryRefused(message, kind=kind, hint=hint)
        lines = "".join(f"{verb} {id}\n" for id in ids) + "flush\n"
        stream = self._process.stdin
        try:
            if stream is not None:
                stream.write(lines.encode())
                stream.flush()
        except (BrokenPipeError, ValueError):
            self._died()

    def _read(self, count: int) -> bytes:
        stream = self._process.stdout
        return b"" if stream is None else stream.read(count)

    def _header(self, id: str) -> Header:
        stream = self._process.stdout
        line = b"" if stream is None else stream.readline(_HEADER_BYTES)
        parts = line.decode("ascii", "replace").split()
        if parts == [id, "missing"]:
            return Header(id, None, 0)
        if not line:
            self._died()
        if not line.endswith(b"\n") or len(parts) != 3 or parts[0] != id or not parts[2].isdecimal():
            self.fail("object_unreadable", f"git answered {escape(line[:100])} for {id}")
        return Header(id, parts[1], int(parts[2]))

    def _body(self, header: Header, target: Sink | None = None, *, whole: bool = False) -> bytes:
        """The object's bytes, or b"" when they went to `target`; its id is checked. `whole`: a large blob too."""
        digest = hashlib.new(self.algorithm, b"%s %d\0" % ((header.kind or "").encode(), header.size))
        left, data = header.size, b""
        if target is None and left > SMALL and header.kind == "blob" and not whole:
            self.fail("too_large", f"blob {header.id} has {left} bytes, at most {SMALL} are read at once")
        while left:
            data = self._read(left if target is None else min(left, SMALL))
            if not data:
                self._died()
            digest.update(data)
            left -= len(data)
            if target is not None:
                target(data)
        if self._read(1) != b"\n" or digest.hexdigest() != header.id:
            self.fail("object_lies", f"{header.kind} {header.id} has other content than its id says")
        return data if target is None else b""

    def _died(self) -> NoReturn:
        self._process.kill()
        code = self._process.wait()
        if self._cause == "deadline":
            fact = f"git took longer than {self.limits.seconds:g} s"
            raise RepositoryRefused(fact, kind="deadline")
        self._errors.seek(0)
        said = escape(b" ".join(self._errors.read(_SAID_BYTES).split()))
        raise RepositoryRefused(
            f"git stopped with {code} while it read objects: {said or 'no message'}",
            kind=self._cause or "object_unreadable",
        )


def _close(stream: IO[bytes] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except BrokenPipeError:
        pass  # requests that git will not answer any more
