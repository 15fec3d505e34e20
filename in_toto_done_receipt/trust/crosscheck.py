"""The second judge: sigstore-python, for bundles that it can judge. The only module of `trust` that imports sigstore.

Public API of sigstore 4.5 only (`Bundle`, `ClientTrustConfig`, `Verifier.verify_dsse`, a policy object of our own). It
sees neither the bytes that arrived nor a cache, HOME or the network, but a bundle written again from what was read:
its base64 decoder is loose, it takes member names in two spellings, and both judges have to see one document.

It cannot judge: entries `intoto/0.0.2`, bundles without log entry or without proof, keys other than P-256, the last
moment of a timestamp authority's validity, roots without logs. It ignores the end of every other validity.
docs/adr/0008-sigstore-verification.md says why it is not the only judge.
"""

import json
from base64 import b64encode
from functools import lru_cache
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509 import Certificate
from sigstore.models import Bundle as SigstoreBundle
from sigstore.models import ClientTrustConfig
from sigstore.verify import Verifier

from in_toto_done_receipt.errors import DoneReceiptError, TrustError
from in_toto_done_receipt.trust.certified import Certified
from in_toto_done_receipt.trust.material.anchors import load_anchors
from in_toto_done_receipt.trust.material.guard import does_not_verify, guarded
from in_toto_done_receipt.trust.material.model import LogEntry, Material
from in_toto_done_receipt.trust.material.read import read_material
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.trust.root import root_tree
from in_toto_done_receipt.wire.bundle import Bundle

# A trust configuration holds a signing configuration too; nothing is signed, so it is empty.
_NO_SIGNING: Final = {"mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json"}
_CONFIG: Final = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
_KINDS: Final = ("dsse/0.0.1", "hashedrekord/0.0.2")


def confirm(bundle: Bundle, certified: Certified, root: RootFile) -> bool:
    """Whether sigstore-python could judge the bundle, which `trust.certified` verified; then it accepted it too.

    Raises SignatureNotTrusted when it refuses the bundle, or accepted another payload or another certificate than the
    ones that were verified; TrustError when it cannot load the root.
    """
    material = read_material(bundle.tree["verificationMaterial"], bundle.version)
    if not can_judge(material, certified, root):
        return False
    judge = second_judge(root)
    with guarded(lambda detail: does_not_verify(f"sigstore-python refuses it: {detail}")):
        parsed = SigstoreBundle.from_json(json.dumps(written_again(bundle, material)))
        payload = judge.verify_dsse(parsed, _SameCertificate(certified.certificate))
    if payload != (bundle.envelope.payload_type, bundle.envelope.payload):
        raise does_not_verify("sigstore-python verified another payload than the one that was read")
    return True


def can_judge(material: Material, certified: Certified, root: RootFile) -> bool:
    """Whether a refusal by sigstore-python would mean anything."""
    public = certified.certificate.public_key()
    entry = material.entries[0] if len(material.entries) == 1 else None
    if entry is None or entry.kind not in _KINDS or entry.proof is None or not entry.proof.checkpoint:
        return False
    if not isinstance(public, ec.EllipticCurvePublicKey) or public.curve.name != "secp256r1":
        return False
    anchors = load_anchors(root)
    if not anchors.logs or not anchors.certificate_logs or any(log.checkpoint_id != log.log_id for log in anchors.logs):
        return False
    ends = {authority.valid.end for authority in anchors.timestamp_authorities}
    return not any(source == "tsa" and moment in ends for moment, source in certified.times)


class _SameCertificate:
    """The library's policy hook: what it judges has to be the certificate that was verified."""

    def __init__(self, certificate: Certificate) -> None:
        self._certificate = certificate

    def verify(self, cert: Certificate) -> None:
        """Raises SignatureNotTrusted for another certificate."""
        if cert != self._certificate:
            raise does_not_verify("sigstore-python judged another certificate than the one that was read")


def second_judge(root: RootFile) -> Verifier:
    """sigstore-python's verifier for a root. Raises TrustError unless it can load all of it."""
    with guarded(lambda detail: _refused(root, detail)):
        config = {"mediaType": _CONFIG, "trustedRoot": root_tree(root.data, root.name), "signingConfig": _NO_SIGNING}
        return _loaded(json.dumps(config))


def _refused(root: RootFile, detail: str) -> DoneReceiptError:
    return TrustError(f"{root.name}: trusted root cannot be loaded by sigstore-python: {detail}")


@lru_cache(maxsize=8)
def _loaded(config: str) -> Verifier:
    """The library's verifier for exactly this text; loading keys and certificates takes as long as verifying."""
    return Verifier(trusted_root=ClientTrustConfig.from_json(config).trusted_root)


def written_again(bundle: Bundle, material: Material) -> dict[str, Any]:
    """The bundle as a tree of our own: what was read, each value in its one plain spelling."""
    envelope, signature = bundle.envelope, bundle.envelope.signatures[0]
    certificate = {"rawBytes": _text(material.certificate or b"")}
    written: dict[str, Any] = {"tlogEntries": [_entry(entry) for entry in material.entries]}
    if material.version == "0.3":
        written["certificate"] = certificate
    else:
        written["x509CertificateChain"] = {"certificates": [certificate]}
    if material.stamps:
        stamps = [{"signedTimestamp": _text(stamp)} for stamp in material.stamps]
        written["timestampVerificationData"] = {"rfc3161Timestamps": stamps}
    return {
        "mediaType": bundle.media_type,
        "verificationMaterial": written,
        "dsseEnvelope": {
            "payload": _text(envelope.payload),
            "payloadType": envelope.payload_type,
            "signatures": [{"sig": _text(signature.sig), "keyid": signature.keyid}],
        },
    }


def _entry(entry: LogEntry) -> dict[str, Any]:
    kind, _, version = entry.kind.partition("/")
    written: dict[str, Any] = {
        "logIndex": str(entry.index),
        "logId": {"keyId": _text(entry.log_id)},
        "kindVersion": {"kind": kind, "version": version},
        "canonicalizedBody": _text(entry.body),
    }
    if entry.time:
        written["integratedTime"] = str(entry.time)
    if entry.promise:
        written["inclusionPromise"] = {"signedEntryTimestamp": _text(entry.promise)}
    if entry.proof is not None:
        written["inclusionProof"] = {
            "logIndex": str(entry.proof.index),
            "treeSize": str(entry.proof.size),
            "rootHash": _text(entry.proof.root),
            "hashes": [_text(hash_) for hash_ in entry.proof.hashes],
            "checkpoint": {"envelope": entry.proof.checkpoint},
        }
    return written


def _text(data: bytes) -> str:
    return b64encode(data).decode()
