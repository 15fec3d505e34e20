"""Transparency logs as Rekor v1 and v2 are: Merkle proofs (RFC 6962), checkpoints, promises, and entries."""

import hashlib
import json
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from tests.forge.authority import der_of
from tests.forge.keys import PrivateKey, PublicKey, derived, details_of, digest_of, fingerprint, pem, sign
from tests.forge.plan import Plan

# Rekor v1 numbers its entries through all its trees; a proof speaks of one tree.
EARLIER_TREES: Final = 1_000_000
_TREE: Final = " - 1193050959916656506"  # the tree's number, in the origin of its checkpoints


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


def canonical(tree: Any) -> bytes:
    """RFC 8785 for what logs write: names in ASCII, whole numbers."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":")).encode()


def pae(payload_type: str, payload: bytes) -> bytes:
    """What an envelope's signature is over (DSSE v1)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


# --- the tree -------------------------------------------------------------------------------------------------------


def leaf(body: bytes) -> bytes:
    return hashlib.sha256(b"\0" + body).digest()


@cache
def other(number: int) -> bytes:
    """The leaf of an entry by somebody else."""
    return leaf(b"entry %d" % number)


def _split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


def head(leaves: tuple[bytes, ...]) -> bytes:
    """The hash of the whole tree (RFC 6962, 2.1)."""
    if len(leaves) == 1:
        return leaves[0]
    at = _split(len(leaves))
    return hashlib.sha256(b"\1" + head(leaves[:at]) + head(leaves[at:])).digest()


def audit_path(index: int, leaves: tuple[bytes, ...]) -> list[bytes]:
    """From the leaf upwards (RFC 6962, 2.1.1)."""
    if len(leaves) == 1:
        return []
    at = _split(len(leaves))
    if index < at:
        return [*audit_path(index, leaves[:at]), head(leaves[at:])]
    return [*audit_path(index - at, leaves[at:]), head(leaves[:at])]


# --- entries --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What an entry speaks of."""

    payload: bytes
    payload_type: str
    signature: bytes
    signer: x509.Certificate | PublicKey

    @property
    def verifier(self) -> str:
        """The signer as Rekor v1 writes it."""
        if isinstance(self.signer, x509.Certificate):
            return encoded(self.signer.public_bytes(serialization.Encoding.PEM))
        return encoded(pem(self.signer))

    @property
    def public(self) -> PublicKey:
        signer = self.signer
        key: Any = signer.public_key() if isinstance(signer, x509.Certificate) else signer
        return key  # type: ignore[no-any-return]


def _sha256(data: bytes) -> dict[str, str]:
    return {"algorithm": "sha256", "value": hashlib.sha256(data).hexdigest()}


def _envelope(logged: Logged) -> dict[str, Any]:
    signatures = [{"sig": encoded(logged.signature)}]
    return {"payload": encoded(logged.payload), "payloadType": logged.payload_type, "signatures": signatures}


def _dsse(logged: Logged) -> dict[str, Any]:
    return {
        "envelopeHash": _sha256(canonical(_envelope(logged))),
        "payloadHash": _sha256(logged.payload),
        "signatures": [{"signature": encoded(logged.signature), "verifier": logged.verifier}],
    }


def _intoto(logged: Logged) -> dict[str, Any]:
    # The signature is encoded twice: the entry holds the envelope's text.
    signatures = [{"publicKey": logged.verifier, "sig": encoded(encoded(logged.signature).encode())}]
    return {
        "content": {
            "envelope": {"payloadType": logged.payload_type, "signatures": signatures},
            "hash": _sha256(canonical(_envelope(logged))),
            "payloadHash": _sha256(logged.payload),
        }
    }


def _hashedrekord_1(logged: Logged) -> dict[str, Any]:
    """Over a file's digest; no client writes it for an envelope."""
    return {
        "data": {"hash": _sha256(pae(logged.payload_type, logged.payload))},
        "signature": {"content": encoded(logged.signature), "publicKey": {"content": logged.verifier}},
    }


def _hashedrekord_2(logged: Logged) -> dict[str, Any]:
    digest = digest_of(logged.public) or "sha512"
    verifier: dict[str, Any] = {"keyDetails": details_of(logged.public)}
    if isinstance(logged.signer, x509.Certificate):
        verifier["x509Certificate"] = {"rawBytes": encoded(der_of(logged.signer))}
    else:
        der = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        verifier["publicKey"] = {"rawBytes": encoded(logged.signer.public_bytes(*der))}
    data = hashlib.new(digest, pae(logged.payload_type, logged.payload)).digest()
    return {
        "hashedRekordV002": {
            "data": {"algorithm": f"SHA2_{digest[3:]}", "digest": encoded(data)},
            "signature": {"content": encoded(logged.signature), "verifier": verifier},
        }
    }


_SPECS: Final = {
    "dsse/0.0.1": _dsse,
    "intoto/0.0.2": _intoto,
    "hashedrekord/0.0.1": _hashedrekord_1,
    "hashedrekord/0.0.2": _hashedrekord_2,
}


def entry_body(kind: str, logged: Logged) -> bytes:
    """The canonical body of an entry of this kind."""
    name, _, version = kind.partition("/")
    return canonical({"apiVersion": version, "kind": name, "spec": _SPECS[kind](logged)})


# --- the log --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TransparencyLog:
    """Known by `key` and `origin`; every entry lies in a tree of its own, among entries of others."""

    origin: str
    key: PrivateKey
    signs_with: PrivateKey

    @property
    def log_id(self) -> bytes:
        """Of a key as Rekor v1 and v2 have it: the latter's is that of a signed note."""
        public = self.key.public_key()
        if isinstance(public, ed25519.Ed25519PublicKey):
            return hashlib.sha256(self.origin.encode() + b"\n\x01" + public.public_bytes_raw()).digest()
        return fingerprint(public)

    def entry(self, body: bytes, plan: Plan, number: int = 0) -> dict[str, Any]:
        """The entry as a bundle holds it."""
        kind, _, version = plan.entry_kind.partition("/")
        first = plan.rekor == "v1"
        index = plan.index + number
        entry: dict[str, Any] = {
            "logIndex": str(index + (EARLIER_TREES if first else 0)),
            "logId": {"keyId": encoded(plan.lies.log_id or self.log_id)},
            "kindVersion": {"kind": kind, "version": version},
        }
        if first:
            entry["integratedTime"] = str(int(plan.seen.timestamp()))
            if plan.promise:
                entry["inclusionPromise"] = {"signedEntryTimestamp": encoded(self._promise(body, entry, plan))}
        if plan.proof:
            entry["inclusionProof"] = self._proof(body, plan, index)
        return entry | {"canonicalizedBody": encoded(body)}

    def _promise(self, body: bytes, entry: dict[str, Any], plan: Plan) -> bytes:
        said = {
            "body": encoded(body),
            "integratedTime": int(entry["integratedTime"]),
            "logID": self.log_id.hex(),
            "logIndex": int(entry["logIndex"]),
        }
        return sign(self.signs_with, canonical(said | dict(plan.lies.promised or {})))

    def _proof(self, body: bytes, plan: Plan, index: int) -> dict[str, Any]:
        leaves = tuple(leaf(body) if number == index else other(number) for number in range(plan.tree_size))
        root = head(leaves)
        proof: dict[str, Any] = {
            "logIndex": str(index),
            "rootHash": encoded(root),
            "treeSize": str(plan.tree_size),
            "hashes": [encoded(step) for step in audit_path(index, leaves)],
        }
        if plan.checkpoint:
            lies = plan.lies
            size = plan.tree_size if lies.checkpoint_size is None else lies.checkpoint_size
            origin = self.origin + (_TREE if plan.rekor == "v1" else "")
            note = self.note(size, lies.checkpoint_root or root, lies.checkpoint_origin or origin)
            proof["checkpoint"] = {"envelope": note}
        return proof

    def note(self, size: int, root: bytes, origin: str) -> str:
        """The signed checkpoint (C2SP signed-note, tlog-checkpoint)."""
        text = f"{origin}\n{size}\n{encoded(root)}\n"
        signature = self.log_id[:4] + sign(self.signs_with, text.encode())
        return f"{text}\n\N{EM DASH} {self.origin} {encoded(signature)}\n"


def make_log(seed: str, version: str) -> TransparencyLog:
    key = derived("Ed25519" if version == "v2" else "P-256", f"{seed}/rekor-{version}")
    return TransparencyLog(origin=f"rekor-{version}.forge.example.org", key=key, signs_with=key)
