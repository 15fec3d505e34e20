"""A bundle made safe for the library: only members we read ourselves, every encoding in its one plain spelling.

sigstore decodes base64 loosely (stray characters, data after the padding, no url-safe alphabet) and takes member names
in two spellings. What it verifies has to be exactly what we read, so it never sees the bytes that arrived.
"""

import json
import re
from base64 import b64encode
from typing import Any, Final

from in_toto_done_receipt.errors import MalformedEnvelope, SignatureNotTrusted
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.dsse import decode_base64
from in_toto_done_receipt.wire.pointer import join, named, quote

_BYTES: Final = frozenset(
    {"rawBytes", "keyId", "signedEntryTimestamp", "rootHash", "hashes", "canonicalizedBody", "signedTimestamp"}
)
_NUMBERS: Final = frozenset({"logIndex", "integratedTime", "treeSize"})
_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_MEMBER: Final = re.compile(r"[A-Za-z0-9]{1,64}")

# Kinds of log entries that the library can bind to an envelope. `intoto` is what npm and old generators write.
_ENTRY_KINDS: Final = frozenset({"dsse/0.0.1", "hashedrekord/0.0.2"})


def normalised(bundle: Bundle) -> dict[str, Any]:
    """The bundle as a tree of our own: our media type, the envelope as we read it, the material in plain spelling.

    Raises SignatureNotTrusted: `signature.unsupported` for bundles that a newer or other verifier could take,
    `signature.sigstore` for material that cannot be read.
    """
    material = bundle.tree["verificationMaterial"]
    _refuse_unsupported(material)
    envelope, signature = bundle.envelope, bundle.envelope.signatures[0]
    try:
        plain = _plain(material, "", "/verificationMaterial")
    except MalformedEnvelope as fault:
        raise _unreadable(fault.message) from None
    return {
        "mediaType": bundle.media_type,
        "verificationMaterial": plain,
        "dsseEnvelope": {
            "payload": b64encode(envelope.payload).decode(),
            "payloadType": envelope.payload_type,
            "signatures": [{"sig": b64encode(signature.sig).decode(), "keyid": signature.keyid}],
        },
    }


def to_bytes(tree: dict[str, Any]) -> bytes:
    """The tree as JSON for the library."""
    return json.dumps(tree, separators=(",", ":")).encode()


def log_index(tree: dict[str, Any]) -> int:
    """The index in the log that the inclusion proof proves; the entry's own `logIndex` is not authenticated."""
    return int(tree["verificationMaterial"]["tlogEntries"][0]["inclusionProof"]["logIndex"])


def _plain(value: Any, name: str, place: str) -> Any:
    if isinstance(value, dict):
        for member in value:
            # sigstore also takes `log_index` for `logIndex`; two readers must not see two documents.
            if not _MEMBER.fullmatch(member):
                raise MalformedEnvelope(f"{named(place)}: unknown member {quote(member)}")
        return {member: _plain(inner, member, join(place, member)) for member, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, name, join(place, index)) for index, inner in enumerate(value)]
    if name in _BYTES and isinstance(value, str):
        return b64encode(decode_base64(value, named(place))).decode()
    if name in _NUMBERS:
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str) or not _DECIMAL.fullmatch(text):
            raise MalformedEnvelope(f"{named(place)}: expected a decimal number, got {quote(str(value))}")
        return text
    return value


def _refuse_unsupported(material: dict[str, Any]) -> None:
    entries = material.get("tlogEntries", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _unreadable("tlogEntries is not a list of objects")
    if not entries:
        raise _unsupported(
            "it has no transparency log entry",
            "a bundle with timestamps only (GitHub, private repositories) cannot be verified here",
        )
    if len(entries) > 1:
        raise _unsupported(f"it has {len(entries)} transparency log entries, exactly one is read", None)
    _refuse_entry(entries[0])


def _refuse_entry(entry: dict[str, Any]) -> None:
    kind = entry.get("kindVersion")
    kind = kind if isinstance(kind, dict) else {}
    found = f"{kind.get('kind')}/{kind.get('version')}"
    if found not in _ENTRY_KINDS:
        raise _unsupported(
            f"its log entry is of kind {quote(found)}",
            "kinds dsse/0.0.1 and hashedrekord/0.0.2 can be verified; npm and old generators write intoto/0.0.2",
        )
    proof = entry.get("inclusionProof")
    missing = "inclusionProof" if not isinstance(proof, dict) else "inclusionProof.checkpoint"
    if not isinstance(proof, dict) or not proof.get("checkpoint"):
        raise _unsupported(
            f"its log entry has no {missing}",
            "old bundles 0.1 hold only a promise to include the entry; sign again with a current client",
        )
    if "logIndex" not in proof:
        raise _unreadable("inclusionProof has no logIndex")


def _unsupported(fact: str, hint: str | None) -> SignatureNotTrusted:
    return SignatureNotTrusted(
        f"the Sigstore bundle cannot be verified here: {fact}", reason="signature.unsupported", hint=hint
    )


def _unreadable(fact: str) -> SignatureNotTrusted:
    return SignatureNotTrusted(f"the Sigstore bundle cannot be read: {fact}", reason="signature.sigstore")
