"""Files that people pass by mistake for a receipt: recognised by name, so that the error can say what to do."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from in_toto_done_receipt.wire.pointer import quote


class OtherFormat(NamedTuple):
    """A known format that is not a receipt, and what to do with it."""

    name: str
    hint: str | None = None


_BY_SCHEMA: Final = {
    "agent-receipt/v1": OtherFormat("an agent-receipt/v1 file", "verify it with --as agent-receipt, or import it"),
    "harness.receipt.v1": OtherFormat("a harness.receipt.v1 file", "verify it with --as harness-receipt, or import it"),
    "agent-output-manifest/v1": OtherFormat("an output manifest", "give it with --manifest"),
}
_BY_MEDIA_TYPE: Final = {
    "application/vnd.dev.sigstore.trustedroot": OtherFormat("a Sigstore trusted root", "give it with --trusted-root"),
    "application/vnd.dev.sigstore.clienttrustconfig": OtherFormat("a Sigstore trust configuration"),
    "application/vnd.dev.sigstore.signingconfig": OtherFormat("a Sigstore signing configuration"),
}
_RESULT_SCHEMA: Final = "https://w3id.org/done-receipt/result/"
_DECISION_HINT: Final = "give a result to admit, and a receipt to verify"


def other_format(tree: Any) -> OtherFormat | None:
    """The known format of a document that is no receipt, or None."""
    if isinstance(tree, list):
        return _gh_output(tree)
    if not isinstance(tree, dict):
        return None
    return _by_schema(tree.get("schema")) or _by_media_type(tree.get("mediaType")) or _by_members(tree)


def _by_schema(schema: Any) -> OtherFormat | None:
    if not isinstance(schema, str):
        return None
    if schema.startswith(_RESULT_SCHEMA):
        return OtherFormat("a verification result", _DECISION_HINT)
    return _BY_SCHEMA.get(schema)


def _by_media_type(media_type: Any) -> OtherFormat | None:
    if not isinstance(media_type, str):
        return None
    return next((known for start, known in _BY_MEDIA_TYPE.items() if media_type.startswith(start)), None)


def _by_members(tree: dict[str, Any]) -> OtherFormat | None:
    signed = tree.get("signed")
    type_ = signed.get("_type") if isinstance(signed, dict) else tree.get("_type")
    if type_ in ("link", "layout"):
        return OtherFormat(f"an in-toto {type_}, not an attestation")
    if "attestation_bundles" in tree:
        return OtherFormat("a PEP 740 provenance object", "`pypi-attestations convert` makes Sigstore bundles of it")
    if "verification_material" in tree and "envelope" in tree:
        return OtherFormat("a PEP 740 attestation", "`pypi-attestations convert` makes a Sigstore bundle of it")
    if "result" in tree and "decision" in tree:
        return OtherFormat("the output of verify", _DECISION_HINT)
    if "provenance_summary" in tree:
        return OtherFormat("gcloud's description of an image", "give one of its envelopes, as a file of its own")
    if "base64Signature" in tree:
        return OtherFormat("an old cosign bundle over a file")
    return None


def _gh_output(items: list[Any]) -> OtherFormat | None:
    if items and isinstance(items[0], dict) and "verificationResult" in items[0]:
        return OtherFormat("the output of gh attestation verify", "give the bundle from `gh attestation download`")
    return None


def foreign_key(bundle: dict[str, Any]) -> str | None:
    """Whose bundle it is that nobody's key verifies, by what stands where only a hint may stand; or None."""
    inside = bundle["verificationMaterial"].get("publicKey")
    if isinstance(inside, dict) and "rawBytes" in inside:
        return "a bundle with a key inside, as model-signing wrote it up to 1.0; whoever made it chose that key"
    return None


def foreign_signature(keyids: Iterable[str], ignored: Iterable[str]) -> str | None:
    """Whose envelope it is that nobody's key verifies, by its key ids and by the members that were ignored; or None."""
    if any(pointer.endswith("/cert") for pointer in ignored):
        return (
            "an envelope of the SLSA generator with a certificate beside its signature; without a bundle nobody "
            "vouches for when it signed"
        )
    named = next((keyid for keyid in keyids if keyid.startswith("projects/") and "/cryptoKeys/" in keyid), None)
    if named is not None:
        return f"an envelope of Google Cloud Build, signed with {quote(named)}; its key has to be trusted as a PEM file"
    return None
