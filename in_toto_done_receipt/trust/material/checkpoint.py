"""A log's checkpoint: a signed note that says how large the tree is and what its root is.

C2SP signed-note and tlog-checkpoint. Signatures by others than the log (witnesses, a second key) are ignored: nobody
here knows their keys. Every signature line must have the format all the same.
"""

import re
from typing import Final

from in_toto_done_receipt.errors import MalformedEnvelope
from in_toto_done_receipt.trust.material.anchors import Log
from in_toto_done_receipt.trust.material.guard import does_not_verify
from in_toto_done_receipt.trust.material.pairs import signed_by
from in_toto_done_receipt.wire.dsse import decode_base64
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.value import Value

_SIGNATURE: Final = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_HINT_BYTES: Final = 4


class NoteSignature(Value, kw_only=True):
    """One signature line: whose name, the first bytes of the key's id, the signature."""

    name: str
    hint: bytes
    signature: bytes


class Checkpoint(Value, kw_only=True):
    """A checkpoint that was read; `text` is what is signed."""

    text: bytes
    origin: str
    size: int
    root: bytes
    signatures: tuple[NoteSignature, ...]


def read_checkpoint(note: str) -> Checkpoint:
    """The checkpoint in a signed note. Raises SignatureNotTrusted for any other format."""
    text, separator, lines = note.partition("\n\n")
    if not separator or not lines.endswith("\n") or "\n\n" in lines:
        raise _malformed("expected a text, an empty line and signature lines")
    origin, *rest = text.split("\n")
    if not origin or len(rest) < 2 or not all(rest):
        raise _malformed("expected origin, size and root")
    if not _SIZE.fullmatch(rest[0]):
        raise _malformed(f"expected a size, got {quote(rest[0])}")
    return Checkpoint(
        text=f"{text}\n".encode(),
        origin=origin,
        size=int(rest[0]),
        root=_bytes(rest[1], "root"),
        signatures=tuple(_signature(line) for line in lines.removesuffix("\n").split("\n")),
    )


def _signature(line: str) -> NoteSignature:
    match = _SIGNATURE.fullmatch(line)
    if match is None:
        raise _malformed(f"expected a signature line, got {quote(line)}")
    signed = _bytes(match[2], "signature")
    if len(signed) <= _HINT_BYTES:
        raise _malformed(f"a signature of {len(signed)} bytes")
    return NoteSignature(name=match[1], hint=signed[:_HINT_BYTES], signature=signed[_HINT_BYTES:])


def _bytes(text: str, what: str) -> bytes:
    try:
        return decode_base64(text, what)
    except MalformedEnvelope as fault:
        raise _malformed(fault.message) from None


def demand_signed(checkpoint: Checkpoint, log: Log) -> None:
    """Raises SignatureNotTrusted unless the log signed the checkpoint under its own name.

    The name is the host in the log's URL; the origin is that name, or begins with it (Rekor v1 adds the tree's number).
    The key is in `log`; a line with its hint that does not verify is a forgery, whatever else is there.
    """
    name = checkpoint.origin.partition(" - ")[0]
    if log.names and name not in log.names:
        raise does_not_verify(f"its checkpoint is of {quote(name)}, the log's address is {log.where}")
    own = [line for line in checkpoint.signatures if line.name == name and line.hint == log.checkpoint_id[:_HINT_BYTES]]
    if not own:
        raise does_not_verify(f"its checkpoint has no signature of {log.where}")
    if not all(signed_by(log.public, line.signature, checkpoint.text) for line in own):
        raise does_not_verify(f"the signature of {log.where} is not over its checkpoint")


def _malformed(fact: str) -> Exception:
    return does_not_verify(f"its checkpoint cannot be read: {fact}")
