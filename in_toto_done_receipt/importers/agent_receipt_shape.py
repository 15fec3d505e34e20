"""The shape of an agent-receipt/v1 file: exact members, and every limit of the original (0.1.1).

Stricter than the original where it was open: text without format characters is judged by a pinned table (Unicode 16),
a signature is canonical base64, integers lie within 2^53-1. What one value alone cannot say is in `agent_receipt`.
"""

from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from in_toto_done_receipt.errors import MalformedStatement
from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT
from in_toto_done_receipt.wire.record import convert

T = TypeVar("T")

SCHEMA: Final = "agent-receipt/v1"

MAX_FILE_BYTES: Final = 10 * 2**20  # of the receipt, and of a file that it speaks of
MAX_CLAIMS: Final = 100
MAX_EVIDENCE_OF_A_CLAIM: Final = 20
MAX_EVIDENCE: Final = 200
MAX_COMMANDS: Final = 5
MAX_COMMAND_ARGUMENTS: Final = 32
MAX_COMMAND_SECONDS: Final = 60
MAX_SECONDS_OF_COMMANDS: Final = 120
MAX_COMMAND_OUTPUT: Final = 64 * 2**10
MAX_SIGNATURES: Final = 10
MAX_STRING: Final = 4096

_END: Final = r"(?![\s\S])"  # the end; Python's `$` also matches before a last line feed
_BOUNDED: Final = f"^[^{CONTROL_OR_FORMAT.pattern[1:-1]}]+{_END}"

Bounded = Annotated[str, Meta(min_length=1, max_length=MAX_STRING, pattern=_BOUNDED)]
Sha256 = Annotated[str, Meta(pattern=f"^[0-9a-f]{{64}}{_END}")]
Commit = Annotated[str, Meta(pattern=f"^(?:[0-9a-f]{{40}}|[0-9a-f]{{64}}){_END}")]
FileBytes = Annotated[int, Meta(ge=0, le=MAX_FILE_BYTES)]
OutputBytes = Annotated[int, Meta(ge=0, le=MAX_COMMAND_OUTPUT)]
Seconds = Annotated[int, Meta(ge=1, le=MAX_COMMAND_SECONDS)]


class Closed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exactly these members; all of them, for none has a default."""


class HashDetail(Closed, frozen=True):
    """Detail of `file_hash`."""

    path: Bounded
    expect_sha256: Sha256 | None


class HashObserved(Closed, frozen=True):
    """What was in the file."""

    sha256: Sha256
    bytes: FileBytes


class ExistsDetail(Closed, frozen=True):
    """Detail of `path_exists`."""

    path: Bounded
    must_be_file: bool


class ExistsObserved(Closed, frozen=True):
    """What stood at the path, links followed."""

    exists: bool
    is_file: bool
    is_dir: bool


class TextDetail(Closed, frozen=True):
    """Detail of `text_contains`."""

    path: Bounded
    literal: Bounded


class TextObserved(Closed, frozen=True):
    """Whether the text was there."""

    bytes: FileBytes
    matched: bool


class CommandDetail(Closed, frozen=True):
    """Detail of `command`."""

    cmd: Annotated[tuple[Bounded, ...], Meta(min_length=1, max_length=MAX_COMMAND_ARGUMENTS)]
    expect_exit: int
    stdout_contains: Bounded | None
    timeout: Seconds


class CommandObserved(Closed, frozen=True):
    """How the command ended."""

    exit_code: int
    stdout_sha256: Sha256
    stderr_sha256: Sha256
    stdout_bytes: OutputBytes
    stderr_bytes: OutputBytes
    output_truncated: bool
    stdout_contains_matched: bool


class Failure(Closed, frozen=True):
    """Observed instead of a result."""

    error: Bounded


class Evidence(Closed, frozen=True):
    """One item; `detail` and `observed` are read by kind."""

    kind: Literal["file_hash", "path_exists", "text_contains", "command"]
    detail: dict[str, Any]
    ok: bool
    observed: dict[str, Any]


class Claim(Closed, frozen=True):
    """One claim with its evidence."""

    id: Bounded
    statement: Bounded
    evidence: Annotated[tuple[Evidence, ...], Meta(min_length=1, max_length=MAX_EVIDENCE_OF_A_CLAIM)]


class Context(Closed, frozen=True):
    """The handoff."""

    packet_digest: Sha256
    input_commit: Commit
    output_manifest_digest: Sha256


class Signature(Closed, frozen=True):
    """One signature over the content digest."""

    algorithm: Literal["ed25519"]
    key_id: Bounded
    signature: Annotated[str, Meta(pattern=f"^[A-Za-z0-9+/]{{85}}[AQgw]=={_END}")]  # 64 bytes, no stray bits


class Receipt(Closed, frozen=True):
    """The whole file. `schema` is compared by the reader, with a message of its own."""

    schema: str
    created_at: str
    agent: Bounded
    task: Bounded
    claims: Annotated[tuple[Claim, ...], Meta(min_length=1, max_length=MAX_CLAIMS)]
    overall_ok: bool
    content_digest: Sha256
    context: Context | None
    signatures: Annotated[tuple[Signature, ...], Meta(max_length=MAX_SIGNATURES)]


# How msgspec's message on a pattern goes on -> what the pattern means.
_WORDS: Final = (
    ("'^[^", "text without control or format characters"),
    ("'^[0-9a-f]{64}", "64 lowercase hex digits"),
    ("'^(?:[0-9a-f]{40}", "40 or 64 lowercase hex digits"),
    ("'^[A-Za-z0-9+/]", "64 bytes as canonical base64"),
)
_PATTERN: Final = "expected str matching regex "


def read_part(tree: Any, type_: type[T], *, what: str, place: str = "") -> T:
    """The part of a receipt at this place, of exactly this shape. Raises MalformedStatement with its pointer."""
    try:
        return convert(tree, type_, what=what, error=MalformedStatement)
    except MalformedStatement as error:
        before, pattern, after = error.message.removeprefix(f"{what}: ").partition(_PATTERN)
        if pattern:
            before += "expected " + next((word for start, word in _WORDS if after.startswith(start)), "other text")
        if place:
            before = place + before.removeprefix("top level")
        pointer = place + error.pointer
        raise MalformedStatement(f"{what}: {before}", pointer=pointer, reason="statement.format") from None
