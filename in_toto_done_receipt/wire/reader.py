"""A receipt file: which format it is, and the attestations in it, grouped by what they sign (verification step 1)."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope, MalformedJson
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.bundle import Bundle, read_bundle
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import (
    INTOTO_PAYLOAD_TYPE,
    MAX_PAYLOAD_BYTES,
    MAX_SIGNATURES,
    Envelope,
    read_envelope,
)
from in_toto_done_receipt.wire.other_formats import other_format
from in_toto_done_receipt.wire.pointer import kind_of
from in_toto_done_receipt.wire.value import Value

ENVELOPE_MEDIA_TYPE: Final = "application/vnd.dsse.envelope.v1+json"
MAX_ATTESTATIONS: Final = 1024  # in one file: each costs signature checks

Part = Envelope | Bundle
Placed = tuple[Part, int | None]  # an attestation and its line in JSON Lines
Format = Literal["envelope", "bundle", "statement"]
Kind = Literal["envelope", "bundle", "jsonl", "statement"]


class Group(Value, kw_only=True):
    """Everything in a file that signs the same bytes; a bare statement is a group without parts.

    `lines` are the numbers of the lines that hold the parts, from 1, in JSON Lines; empty for other files.
    """

    payload: bytes
    payload_type: str
    media_type: str
    parts: tuple[Part, ...]
    lines: tuple[int, ...] = ()

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The parts, each with its line."""
        return tuple(zip(self.parts, self.lines or (None,) * len(self.parts), strict=True))


class ReceiptFile(Value, kw_only=True):
    """A file that was read. `skipped` counts blank lines and objects of another kind in JSON Lines."""

    kind: Kind
    groups: tuple[Group, ...]
    skipped: int
    sha256: str
    size: int


def read_receipts(data: bytes, *, what: str, allow_statement: bool) -> ReceiptFile:
    """The attestations in the bytes of a file; verifies nothing and does not read statements.

    Reads one DSSE envelope, one Sigstore bundle, JSON Lines of either, and with `allow_statement` one bare statement.
    Attestations are grouped by payload type and payload, byte for byte, in order of first appearance. Raises
    MalformedJson, MalformedEnvelope (also when there is nothing to verify, or one object is two formats at once) and
    LimitExceeded; in JSON Lines the message names the line.
    """
    if len(data) <= strict_json.MAX_BYTES and not data.strip():
        raise MalformedEnvelope(f"{what}: empty, nothing to verify")
    try:
        tree = strict_json.loads(data, what=what)
    except MalformedJson as error:
        if error.kind != "trailing" or not _starts_with_a_whole_line(data):
            raise
        kind: Kind = "jsonl"
        parts, skipped = _read_lines(data, what)
        groups = _grouped(parts, what)
    else:
        kind, groups, skipped = *_read_one(tree, data, what, allow_statement), 0
    return ReceiptFile(kind=kind, groups=groups, skipped=skipped, sha256=sha256_hex(data), size=len(data))


def _read_one(tree: Any, data: bytes, what: str, allow_statement: bool) -> tuple[Kind, tuple[Group, ...]]:
    """A file that is one JSON document."""
    format_ = _format_of(tree, what)
    if format_ is None:
        raise _not_a_receipt(tree, what)
    if format_ != "statement":
        return format_, _grouped([(_read_part(tree, format_, what), None)], what)
    if not allow_statement:
        raise MalformedEnvelope(
            f"{what}: a bare statement, which nobody signed", hint="use --unsigned to look at it without a signer"
        )
    if len(data) > MAX_PAYLOAD_BYTES:
        raise LimitExceeded("payload-bytes", allowed=MAX_PAYLOAD_BYTES, value=len(data), where=what)
    group = Group(payload=data, payload_type=INTOTO_PAYLOAD_TYPE, media_type=INTOTO_PAYLOAD_TYPE, parts=())
    return "statement", (group,)


def _not_a_receipt(tree: Any, what: str) -> MalformedEnvelope:
    known = other_format(tree)
    if known is not None:
        return MalformedEnvelope(f"{what}: expected a receipt, got {known.name}", hint=known.hint)
    got = "an object of no known format" if isinstance(tree, dict) else kind_of(tree)
    fact = f"expected a DSSE envelope, a Sigstore bundle or JSON Lines of either, got {got}"
    return MalformedEnvelope(f"{what}: {fact}")


def _format_of(tree: Any, what: str) -> Format | None:
    """The format of one object, or None if it is none of ours. Raises MalformedEnvelope if it is two at once."""
    if not isinstance(tree, dict):
        return None
    media_type = tree.get("mediaType")
    marks: dict[Format, bool] = {
        "bundle": "dsseEnvelope" in tree
        or "messageSignature" in tree
        or (isinstance(media_type, str) and media_type.startswith("application/vnd.dev.sigstore.bundle")),
        "envelope": "payload" in tree or "payloadType" in tree,
        "statement": ("_type" in tree and "subject" in tree) or "predicateType" in tree,
    }
    found = [format_ for format_, present in marks.items() if present]
    if len(found) > 1:
        raise MalformedEnvelope(f"{what}: two formats at once: {' and '.join(found)}")
    return found[0] if found else None


def _read_part(tree: Any, format_: Format, what: str) -> Part:
    return read_bundle(tree, what=what) if format_ == "bundle" else read_envelope(tree, what=what)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1, without line ends; what follows the last line end counts only if not empty."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return ((number, line.removesuffix(b"\r")) for number, line in enumerate(lines, 1))


def _starts_with_a_whole_line(data: bytes) -> bool:
    """Whether the first line that is not blank is a document by itself, as in JSON Lines and in no indented JSON."""
    first = next((line for _, line in _lines(data) if line.strip()), b"")
    try:
        strict_json.loads(first)
    except MalformedJson:
        return False
    return True


def _read_lines(data: bytes, what: str) -> tuple[list[Placed], int]:
    """The attestations of JSON Lines, and how many lines were skipped (in-toto bundle.md: unknown ones are ignored)."""
    parts: list[Placed] = []
    skipped = 0
    for number, line in _lines(data):
        part = _read_line(line, f"{what} line {number}", number) if line.strip() else None
        if part is None:
            skipped += 1
        else:
            parts.append((part, number))
        if len(parts) > MAX_ATTESTATIONS:
            raise LimitExceeded("attestations", allowed=MAX_ATTESTATIONS, value=f"at least {len(parts)}", where=what)
    if not parts:
        raise MalformedEnvelope(f"{what}: no attestation in {skipped} line(s), nothing to verify")
    return parts, skipped


def _read_line(line: bytes, what: str, number: int) -> Part | None:
    """The attestation in one line, or None for an object of another kind."""
    tree = strict_json.loads(line, what=what, first_line=number)
    format_ = _format_of(tree, what)
    if format_ is None or format_ == "statement" or ("messageSignature" in tree and "dsseEnvelope" not in tree):
        return None
    return _read_part(tree, format_, what)


def _grouped(parts: list[Placed], what: str) -> tuple[Group, ...]:
    together: dict[tuple[str, bytes], list[Placed]] = {}
    for part, line in parts:
        envelope = part.envelope if isinstance(part, Bundle) else part
        together.setdefault((envelope.payload_type, envelope.payload), []).append((part, line))
    return tuple(_group(payload_type, payload, same, what) for (payload_type, payload), same in together.items())


def _group(payload_type: str, payload: bytes, placed: list[Placed], what: str) -> Group:
    parts = tuple(part for part, _ in placed)
    signatures = sum(1 if isinstance(part, Bundle) else len(part.signatures) for part in parts)
    if signatures > MAX_SIGNATURES:
        raise LimitExceeded("signatures", allowed=MAX_SIGNATURES, value=signatures, where=what)
    media_type = parts[0].media_type if isinstance(parts[0], Bundle) else ENVELOPE_MEDIA_TYPE
    lines = tuple(line for _, line in placed if line is not None)
    return Group(payload=payload, payload_type=payload_type, media_type=media_type, parts=parts, lines=lines)
