"""The Sigstore bundle 0.1, 0.2 and 0.3: recognised and taken apart, verified elsewhere (`trust`)."""

from typing import Any, Final

from in_toto_done_receipt.errors import MalformedEnvelope
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


class Bundle(Value, kw_only=True):
    """A bundle that holds an attestation.

    `tree` is the whole document for the verifier, `has_certificate` says whether a certificate or a managed key made
    the signature, `key_hint` is the unauthenticated name of such a key.
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
    attestation, anything but exactly one signature, no certificate or key, or more than one of them.
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
        tree=tree,
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
    return dict(tree)


def _key_hint(material: dict[str, Any], what: str) -> str | None:
    if "publicKey" not in material:
        return None
    place = join("", "verificationMaterial", "publicKey")
    key = Members(material["publicKey"], ("hint",), what=what, place=place, error=MalformedEnvelope)
    hint = key.optional("hint", "string")
    return str(hint) if hint is not None else None
