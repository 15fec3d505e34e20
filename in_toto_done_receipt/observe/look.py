"""Looking at one path of a workspace: what it is, what it hashes to, whether a text is in it."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.workspace import FileView, PathType, Workspace
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

_BUFFER: Final = 1 << 20  # bytes; hashlib lets other threads run while it works on this much
TEXT_LIMIT: Final = 10 << 20  # bytes; verification.md, "Limits"


class FileFacts(Value, kw_only=True):
    """What one reading of a file showed: lowercase hex digests by algorithm, and its size."""

    digests: dict[str, str]
    bytes: int


class TextFacts(Value, kw_only=True):
    """Whether the text was in the file, and the file's size."""

    matched: bool
    bytes: int


def path_type(ws: Workspace, path: str) -> PathType:
    """What the path is, links not followed. Raises ObservationError when that cannot be seen."""
    return ws.type_of(path)


def hash_file(ws: Workspace, path: str, *, algorithms: Sequence[str] = ("sha256",)) -> FileFacts:
    """The digests of a regular file, all from one reading. Raises ObservationError."""
    hashes = {name: hashlib.new(name) for name in algorithms}
    with ws.open_file(path) as view:
        for chunk in _chunks(view):
            for state in hashes.values():
                state.update(chunk)
        return FileFacts(digests={name: state.hexdigest() for name, state in hashes.items()}, bytes=view.size)


def find_text(ws: Workspace, path: str, literal: str, *, limit: int = TEXT_LIMIT) -> TextFacts:
    """Whether the file, which must be UTF-8 throughout, contains the literal. Raises ObservationError (not_utf8)."""
    data = read_bytes(ws, path, limit)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise ObservationError(f"{escape(path)} is not UTF-8: byte {fault.start}", kind="not_utf8") from None
    # Both sides are UTF-8, where a match of bytes is a match of characters.
    return TextFacts(matched=literal.encode("utf-8", "surrogatepass") in data, bytes=len(data))


def read_bytes(ws: Workspace, path: str, limit: int) -> bytes:
    """All bytes of a regular file of at most `limit` bytes. Raises ObservationError (too_large)."""
    with ws.open_file(path) as view:
        if view.size > limit:
            raise ObservationError(f"{escape(path)}: limit text-bytes is {limit}, got {view.size}", kind="too_large")
        return b"".join(bytes(chunk) for chunk in _chunks(view))


def _chunks(view: FileView) -> Iterator[memoryview]:
    """The file's bytes in pieces, each valid until the next is asked for."""
    buffer = memoryview(bytearray(min(_BUFFER, view.size + 1)))
    while count := view.readinto(buffer):
        yield buffer[:count]
