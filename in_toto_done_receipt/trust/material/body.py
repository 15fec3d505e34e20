"""What a log entry says was signed: exactly this signature, over exactly this payload, by exactly this signer.

Without this a genuine entry of another signature would vouch for any bundle (CVE-2022-36056 and its kind). Bodies:
`dsse/0.0.1` and `intoto/0.0.2` of Rekor v1, `hashedrekord/0.0.2` of Rekor v2 (rekor-v2-spec, 6.1.4). Their hash of the
whole envelope cannot be recomputed (it is over JSON that is not kept) and adds nothing to what is compared here.
"""

import hashlib
import re
from typing import Any, Final

from in_toto_done_receipt.errors import MalformedEnvelope, MalformedInput
from in_toto_done_receipt.trust.material.guard import does_not_verify, unsupported
from in_toto_done_receipt.trust.material.model import LogEntry
from in_toto_done_receipt.trust.material.pairs import Pair
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.dsse import Envelope, decode_base64, pae
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.value import Value

_PEM: Final = re.compile(
    rb"-----BEGIN (CERTIFICATE|PUBLIC KEY)-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1-----\s*", re.ASCII
)


class Maker(Value, kw_only=True):
    """Who made the signature: a certificate or a public key as DER, and the registry's line for the key."""

    certificate: bytes | None
    spki: bytes
    pair: Pair | None


def demand_logged(entry: LogEntry, envelope: Envelope, maker: Maker) -> None:
    """Raises SignatureNotTrusted unless the entry is of the one signature of the envelope, made by `maker`.

    `signature.unsupported` for a kind of entry, or a key, that cannot be compared.
    """
    spec = spec_of(entry)
    if entry.kind == "dsse/0.0.1":
        _compare_dsse(spec, envelope, maker)
    elif entry.kind == "intoto/0.0.2":
        _compare_intoto(spec, envelope, maker)
    elif entry.kind == "hashedrekord/0.0.2":
        if maker.pair is None or maker.pair.digest is None:
            raise unsupported("its log entry is over a digest, and its key signs messages only")
        digest = hashlib.new(maker.pair.digest, pae(envelope.payload_type, envelope.payload)).digest()
        compare_hashed(spec, digest, envelope.signatures[0].sig, maker)
    else:
        raise unsupported(f"its log entry is of kind {quote(entry.kind)}")  # `entry.demand_supported` says more


def spec_of(entry: LogEntry) -> dict[str, Any]:
    """The `spec` of the body. Raises SignatureNotTrusted unless that is JSON, of the kind that the entry says."""
    try:
        tree = strict_json.loads(entry.body, what="the log entry's body")
    except MalformedInput as fault:
        raise does_not_verify(fault.message) from None
    kind = f"{tree.get('kind')}/{tree.get('apiVersion')}" if isinstance(tree, dict) else "none"
    if kind != entry.kind:
        raise does_not_verify(f"its log entry is said to be of kind {quote(entry.kind)}, and is of {quote(kind)}")
    return _at(tree, "spec")


def _compare_dsse(spec: dict[str, Any], envelope: Envelope, maker: Maker) -> None:
    _same_payload(_at(spec, "payloadHash"), envelope)
    signature = _only_one(spec.get("signatures"))
    _same(_decoded(signature.get("signature")), envelope.signatures[0].sig)
    demand_made_by(_decoded(signature.get("verifier")), maker)


def _compare_intoto(spec: dict[str, Any], envelope: Envelope, maker: Maker) -> None:
    content = _at(spec, "content")
    _same_payload(_at(content, "payloadHash"), envelope)
    logged = _at(content, "envelope")
    if logged.get("payloadType") != envelope.payload_type:
        raise _another("payload type")
    signature = _only_one(logged.get("signatures"))
    # The log keeps the base64 text that it was sent, in base64.
    _same(_decoded(_decoded(signature.get("sig"))), envelope.signatures[0].sig)
    demand_made_by(_decoded(signature.get("publicKey")), maker)


def compare_hashed(spec: dict[str, Any], digest: bytes, signature: bytes, maker: Maker) -> None:
    """Raises SignatureNotTrusted unless a `hashedrekord/0.0.2` is of this digest, signature and maker."""
    record = _at(spec, "hashedRekordV002")
    data, signed = _at(record, "data"), _at(record, "signature")
    verifier = _at(signed, "verifier")
    if maker.pair is None or verifier.get("keyDetails") != maker.pair.details:
        raise _another("key")
    if data.get("algorithm") != maker.pair.hash_name or _decoded(data.get("digest")) != digest:
        raise _another("payload or signature")
    _same(_decoded(signed.get("content")), signature)
    kind, der = ("publicKey", maker.spki) if maker.certificate is None else ("x509Certificate", maker.certificate)
    other = "x509Certificate" if kind == "publicKey" else "publicKey"
    if other in verifier or _decoded(_at(verifier, kind).get("rawBytes")) != der:
        raise _another("key")


def _same_payload(hash_: dict[str, Any], envelope: Envelope) -> None:
    if hash_ != {"algorithm": "sha256", "value": hashlib.sha256(envelope.payload).hexdigest()}:
        raise _another("payload")


def _same(logged: bytes, signature: bytes) -> None:
    if logged != signature:
        raise _another("signature")


def demand_made_by(pem: bytes, maker: Maker) -> None:
    """Raises SignatureNotTrusted unless this is one PEM block with the certificate, or for a managed key the key."""
    match = _PEM.fullmatch(pem)
    label, der = (b"CERTIFICATE", maker.certificate) if maker.certificate else (b"PUBLIC KEY", maker.spki)
    text = b"" if match is None else match[2].replace(b"\n", b"").replace(b"\r", b"")
    if match is None or match[1] != label or _decoded(text.decode()) != der:
        raise _another("key")


def _another(what: str) -> Exception:
    return does_not_verify(f"its log entry is for another {what}")


def _at(tree: dict[str, Any], name: str) -> dict[str, Any]:
    inner = tree.get(name)
    if not isinstance(inner, dict):
        raise does_not_verify(f"its log entry's body has no {name}")
    return inner


def _only_one(listed: Any) -> dict[str, Any]:
    if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], dict):
        raise does_not_verify("its log entry's body does not have exactly one signature")
    return listed[0]


def _decoded(text: Any) -> bytes:
    if isinstance(text, bytes):
        text = text.decode("ascii", "replace")
    if not isinstance(text, str):
        raise does_not_verify("its log entry's body has no base64 where it should have")
    try:
        return decode_base64(text, "the log entry's body")
    except MalformedEnvelope as fault:
        raise does_not_verify(fault.message) from None
