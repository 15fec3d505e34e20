"""The DSSE envelope: reading, writing, and the bytes that are signed (DSSE v1.0.2, protocol.md and envelope.md)."""

import binascii
import json
import re
from base64 import b64encode
from typing import Any, Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope
from in_toto_done_receipt.wire.members import Members
from in_toto_done_receipt.wire.pointer import join, quote
from in_toto_done_receipt.wire.value import Value

INTOTO_PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
DONE_RECEIPT_PAYLOAD_TYPE: Final = "application/vnd.in-toto.done-receipt+json"

MAX_SIGNATURES: Final = 32  # every trusted key is tried on every signature
MAX_PAYLOAD_BYTES: Final = 10 * 2**20

OPENPGP_MEMBER: Final = "other_headers"  # not of DSSE; where securesystemslib puts it
MAX_OPENPGP_HEADER_BYTES: Final = 6 + 0xFFFF  # RFC 9580, 5.2.3: the length of the hashed part has two bytes
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})+")

ENVELOPE_MEMBERS: Final = ("payload", "payloadType", "signatures")
_NOT_STANDARD: Final = re.compile(r"[^A-Za-z0-9+/]")
_NOT_URL_SAFE: Final = re.compile(r"[^A-Za-z0-9_-]")
_URL_SAFE_TO_STANDARD: Final = str.maketrans("-_", "+/")
# Last characters whose unused low bits are zero, by the number of characters in the last group.
_LAST_CHARACTERS: Final = {2: "AQgw", 3: "AEIMQUYcgkosw048"}


class Signature(Value, kw_only=True):
    """One signature; `keyid` is an unauthenticated hint, empty when there is none.

    `openpgp_header` is the hashed part of an OpenPGP signature, without which `sig` means nothing (`trust.openpgp`).
    """

    sig: bytes
    keyid: str
    openpgp_header: bytes | None = None


class Envelope(Value, kw_only=True):
    """An envelope as it arrived; `payload` holds the decoded bytes, `unrecognized` JSON pointers of ignored members."""

    payload: bytes
    payload_type: str
    signatures: tuple[Signature, ...]
    unrecognized: tuple[str, ...] = ()


def pae(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed: DSSE v1 pre-authentication encoding (protocol.md). Lengths count bytes."""
    type_bytes = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(type_bytes), type_bytes, len(payload), payload)


def read_envelope(tree: Any, *, what: str = "envelope", place: str = "") -> Envelope:
    """The envelope in a tree that `strict_json` has read; verifies nothing.

    Raises MalformedEnvelope with the place, and LimitExceeded above 10 MiB of payload or 32 signatures. Members that
    DSSE does not know are ignored (envelope.md) and listed.
    """
    members = Members(tree, ENVELOPE_MEMBERS, what=what, place=place, error=MalformedEnvelope)
    payload_type = members.required("payloadType", "string")
    if not payload_type:
        raise members.fault(members.at("payloadType"), "expected a media type, got an empty string")
    encoded = members.required("payload", "string")
    if len(encoded) > (MAX_PAYLOAD_BYTES + 2) // 3 * 4:
        raise LimitExceeded("payload-bytes", allowed=MAX_PAYLOAD_BYTES, value=len(encoded) // 4 * 3, where=what)
    payload = decode_base64(encoded, f"{what}: {members.at('payload')}")
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise LimitExceeded("payload-bytes", allowed=MAX_PAYLOAD_BYTES, value=len(payload), where=what)
    listed = members.required("signatures", "array")
    if not listed:
        raise members.fault(members.at("signatures"), "expected at least one signature, got none")
    if len(listed) > MAX_SIGNATURES:
        raise LimitExceeded("signatures", allowed=MAX_SIGNATURES, value=len(listed), where=what)
    read = [_signature(item, what, join(place, "signatures", index)) for index, item in enumerate(listed)]
    return Envelope(
        payload=payload,
        payload_type=payload_type,
        signatures=tuple(signature for signature, _ in read),
        unrecognized=members.unknown + tuple(pointer for _, unknown in read for pointer in unknown),
    )


def _signature(tree: Any, what: str, place: str) -> tuple[Signature, tuple[str, ...]]:
    known = ("keyid", "sig", OPENPGP_MEMBER) if _openpgp_header(tree) is not None else ("keyid", "sig")
    members = Members(tree, known, what=what, place=place, error=MalformedEnvelope)
    sig = decode_base64(members.required("sig", "string"), f"{what}: {members.at('sig')}")
    if not sig:
        raise members.fault(members.at("sig"), "expected a signature, got an empty string")
    # Unset and empty are the same (envelope.md); some writers say null for unset.
    keyid = None if tree.get("keyid") is None else members.optional("keyid", "string")
    return Signature(sig=sig, keyid=keyid or "", openpgp_header=_openpgp_header(tree)), members.unknown


def _openpgp_header(tree: Any) -> bytes | None:
    """The member that securesystemslib adds for OpenPGP: hexadecimal. Anything else there is ignored, as unknown."""
    text = tree.get(OPENPGP_MEMBER) if isinstance(tree, dict) else None
    if not isinstance(text, str) or len(text) > 2 * MAX_OPENPGP_HEADER_BYTES or not _HEX.fullmatch(text):
        return None
    return bytes.fromhex(text)


def write_envelope(envelope: Envelope) -> bytes:
    """The envelope as JSON with standard, padded base64 and a newline at the end. Ignored members are not written."""
    tree = {
        "payloadType": envelope.payload_type,
        "payload": b64encode(envelope.payload).decode(),
        # `keyid` also when empty: securesystemslib refuses a signature without it.
        "signatures": [_signature_tree(signature) for signature in envelope.signatures],
    }
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _signature_tree(signature: Signature) -> dict[str, str]:
    tree = {"keyid": signature.keyid, "sig": b64encode(signature.sig).decode()}
    if signature.openpgp_header is not None:
        tree[OPENPGP_MEMBER] = signature.openpgp_header.hex()
    return tree


def decode_base64(text: str, where: str) -> bytes:
    """The bytes of standard or url-safe base64 (not both in one text), padded or not.

    Raises MalformedEnvelope for any other character (a line break too), wrong padding, a length that no encoder makes,
    and unused bits that are not zero: one value has one spelling per alphabet and padding.
    """
    body = text.rstrip("=")
    padding = len(text) - len(body)
    url_safe = "-" in body or "_" in body
    stray = (_NOT_URL_SAFE if url_safe else _NOT_STANDARD).search(body)
    if stray:
        mixed = " in url-safe base64" if url_safe and stray[0] in "+/" else ""
        raise MalformedEnvelope(f"{where}: not base64: {quote(stray[0])}{mixed} at character {stray.start() + 1}")
    tail = len(body) % 4
    if tail == 1 or padding not in (0, -len(body) % 4):
        raise MalformedEnvelope(f"{where}: not base64: {len(body)} characters and {padding} of padding")
    standard = body.translate(_URL_SAFE_TO_STANDARD) if url_safe else body
    if tail and standard[-1] not in _LAST_CHARACTERS[tail]:
        raise MalformedEnvelope(
            f"{where}: not base64: unused bits of the last character {quote(body[-1])} are not zero"
        )
    return binascii.a2b_base64(standard + "=" * (-len(body) % 4))
