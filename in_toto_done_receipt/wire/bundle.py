"""The Sigstore bundle 0.1, 0.2 and 0.3: recognised and taken apart, verified elsewhere (`trust`)."""

from typing import Any, Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedEnvelope
from in_toto_done_receipt.wire.dsse import Envelope, read_envelope
from in_toto_done_receipt.wire.members import Members
from in_toto_done_receipt.wire.pointer import join, quote
from in_toto_done_receipt.wire.value import Value

# sigstore_bundle.proto: both spellings of 0.3 are in use.
VERSIONS: Final = {
    "application/vnd.dev.sigstore.bundle+json;version=0.1": "0.1",
    "application/vnd.dev.sigstore.bundle+json;version=0.2": "0.2",
    "application/vnd.dev.sigstore.bundle+json;version=0.3": "0.3",
    "application/vnd.dev.sigstore.bundle.v0.3+json": "0.3",
}
_BUNDLE_MEMBERS: Final = ("mediaType", "verificationMaterial", "dsseEnvelope", "messageSignature")
_KEY_MEMBERS: Final = ("certificate", "x509CertificateChain", "publicKey")
MATERIAL_MEMBERS: Final = (*_KEY_MEMBERS, "tlogEntries", "timestampVerificationData")

# What one bundle may hold, looked at before any of it is decoded. Public ones hold one entry, one timestamp, and a
# checkpoint of 300 bytes, or 3 KiB with the signatures of witnesses; the numbers of sigstore-go where it has any.
MAX_LOG_ENTRIES: Final = 32
MAX_TIMESTAMPS: Final = 32
MAX_CERTIFICATES: Final = 10
MAX_PROOF_HASHES: Final = 64  # a tree of 2^63 entries needs 63
MAX_CHECKPOINT_BYTES: Final = 64 * 1024
MAX_CHECKPOINT_SIGNATURES: Final = 32
_LISTS: Final = {
    "tlogEntries": ("log-entries", MAX_LOG_ENTRIES),
    "rfc3161Timestamps": ("timestamps", MAX_TIMESTAMPS),
    "certificates": ("certificates", MAX_CERTIFICATES),
    "hashes": ("proof-hashes", MAX_PROOF_HASHES),
}
_SIGNATURE_LINE: Final = "\n\u2014 "


class Bundle(Value, kw_only=True):
    """A bundle that holds an attestation.

    `tree` is the document for the verifier, without the envelope: its text may be large, and is in `envelope` already.
    `has_certificate` says whether a certificate or a managed key made the signature, `key_hint` is the unauthenticated
    name of such a key.
    """

    media_type: str
    version: str
    envelope: Envelope
    tree: dict[str, Any]
    has_certificate: bool
    key_hint: str | None


def read_bundle(tree: Any, *, what: str = "bundle") -> Bundle:
    """The bundle in a tree that `strict_json` has read; verifies nothing and does not look into certificates or logs.

    Raises MalformedEnvelope with the place: an unknown media type, a bundle over an artifact's bytes instead of an
    attestation, anything but exactly one signature, no certificate or key, or more than one of them. Raises
    LimitExceeded for more log entries, timestamps and the like than any verifier should look at.
    """
    members = Members(tree, _BUNDLE_MEMBERS, what=what, error=MalformedEnvelope)
    media_type = members.required("mediaType", "string")
    if media_type not in VERSIONS:
        fact = f"expected a Sigstore bundle 0.1, 0.2 or 0.3, got {quote(media_type)}"
        raise members.fault("/mediaType", fact)
    if "messageSignature" in tree:
        both = "dsseEnvelope" in tree
        fact = "both dsseEnvelope and messageSignature" if both else "a signature over a file, not an attestation"
        raise members.fault("/messageSignature", fact)
    envelope = read_envelope(members.required("dsseEnvelope", "object"), what=what, place="/dsseEnvelope")
    if len(envelope.signatures) != 1:
        fact = f"expected exactly one signature in a Sigstore bundle, got {len(envelope.signatures)}"
        raise members.fault("/dsseEnvelope/signatures", fact)
    material = _material(members.required("verificationMaterial", "object"), what)
    return Bundle(
        media_type=media_type,
        version=VERSIONS[media_type],
        envelope=envelope,
        tree={name: value for name, value in tree.items() if name != "dsseEnvelope"},
        has_certificate="publicKey" not in material,
        key_hint=_key_hint(material, what),
    )


def _material(tree: Any, what: str) -> dict[str, Any]:
    """The verification material, which names exactly one of certificate, chain and key."""
    place = "/verificationMaterial"
    members = Members(tree, MATERIAL_MEMBERS, what=what, place=place, error=MalformedEnvelope)
    given = [name for name in _KEY_MEMBERS if members.optional(name, "object") is not None]
    if len(given) != 1:
        fact = f"expected exactly one of {', '.join(_KEY_MEMBERS)}, got {', '.join(given) or 'none'}"
        raise members.fault(place, fact)
    demand_bounded(tree, what)
    return dict(tree)


def demand_bounded(material: Any, what: str, name: str = "") -> None:
    """Raises LimitExceeded for verification material with too much of anything in it."""
    if isinstance(material, dict):
        for member, inner in material.items():
            demand_bounded(inner, what, member)
    elif isinstance(material, list):
        if name in _LISTS:
            _demand(len(material), *_LISTS[name], what)
        for inner in material:
            demand_bounded(inner, what, name)
    elif isinstance(material, str) and name == "envelope":
        _demand(len(material), "checkpoint-bytes", MAX_CHECKPOINT_BYTES, what)
        _demand(material.count(_SIGNATURE_LINE), "checkpoint-signatures", MAX_CHECKPOINT_SIGNATURES, what)


def _demand(value: int, limit: str, allowed: int, what: str) -> None:
    if value > allowed:
        raise LimitExceeded(limit, allowed=allowed, value=value, where=what)


def _key_hint(material: dict[str, Any], what: str) -> str | None:
    if "publicKey" not in material:
        return None
    place = join("", "verificationMaterial", "publicKey")
    key = Members(material["publicKey"], ("hint",), what=what, place=place, error=MalformedEnvelope)
    hint = key.optional("hint", "string")
    return str(hint) if hint is not None else None
