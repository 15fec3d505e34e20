"""One entry in a transparency log: the request, and the answer in the form that a bundle holds.

Rekor v1 takes the whole envelope (`dsse/0.0.1`) and keeps its digests; v2 takes the digest of what was signed
(`hashedrekord/0.0.2`, rekor-tiles CLIENTS.md). Neither answer is verified here: the finished bundle is, as a whole.
"""

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, Final

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, ProducerError
from in_toto_done_receipt.producer.calls import Answer, Deadline, Request, call
from in_toto_done_receipt.producer.signing_config import Log
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.dsse import Envelope, pae, write_envelope
from in_toto_done_receipt.wire.value import Value

PATHS: Final = {1: "/api/v1/log/entries", 2: "/api/v2/log/entries"}
MAX_LOG_INTEGER: Final = 2**63 - 1
_JSON: Final = {"Content-Type": "application/json", "Accept": "application/json"}
_MEMBERS: Final = (
    "logIndex",
    "logId",
    "kindVersion",
    "integratedTime",
    "inclusionPromise",
    "inclusionProof",
    "canonicalizedBody",
)


class Verifier(Value, kw_only=True):
    """What the log verifies the signature with: a certificate or a public key, both encodings of it.

    `algorithm` is the key's, as `trust.keys` names it.
    """

    der: bytes
    pem: bytes
    certificate: bool
    algorithm: str


# What Rekor v2 calls a key and its hash (sigstore_common.proto, PublicKeyDetails), and the hash.
_DETAILS: Final = {
    "ecdsa-p256": ("PKIX_ECDSA_P256_SHA_256", "sha256"),
    "ecdsa-p384": ("PKIX_ECDSA_P384_SHA_384", "sha384"),
    "ecdsa-p521": ("PKIX_ECDSA_P521_SHA_512", "sha512"),
    "rsa-2048": ("PKIX_RSA_PKCS1V15_2048_SHA256", "sha256"),
    "rsa-3072": ("PKIX_RSA_PKCS1V15_3072_SHA256", "sha256"),
    "rsa-4096": ("PKIX_RSA_PKCS1V15_4096_SHA256", "sha256"),
}
# Rekor v1 verifies every ECDSA signature with SHA-256, which on the other curves nobody here makes.
_OF_VERSION_1: Final = ("ecdsa-p256", "ed25519")


def check_loggable(log: Log, algorithm: str) -> None:
    """Raises ConfigurationError when the log takes no signature of such a key. Before anything is signed."""
    good = algorithm in _DETAILS if log.version == 2 else algorithm in _OF_VERSION_1 or algorithm.startswith("rsa-")
    if good:
        return
    taken = ", ".join(_DETAILS) if log.version == 2 else ", ".join((*_OF_VERSION_1, "rsa"))
    raise ConfigurationError(
        f"{log.service.named}: version {log.version} takes no signature of a key of type {algorithm}",
        hint=f"it takes {taken}; `done-receipt keygen --algorithm ecdsa-p256` makes one",
    )


def log_envelope(log: Log, envelope: Envelope, verifier: Verifier, deadline: Deadline) -> dict[str, Any]:
    """The entry of the envelope's one signature, as a bundle holds it.

    Raises ProducerError when the log refuses or fails, or its answer is no entry.
    """
    body = json.dumps(_proposed(log.version, envelope, verifier)).encode()
    request = Request(path=PATHS[log.version], body=body, headers=_JSON, accepted=(200, 201, 409))
    answer = call(log.service, request, deadline)
    if answer.status == 409:
        answer = _logged_before(log, answer, deadline)
    return _entry(answer, log)


def _proposed(version: int, envelope: Envelope, verifier: Verifier) -> dict[str, Any]:
    signature = b64encode(envelope.signatures[0].sig).decode()
    if version == 1:
        text = write_envelope(envelope).decode()
        proposed = {"envelope": text, "verifiers": [b64encode(verifier.pem).decode()]}
        return {"apiVersion": "0.0.1", "kind": "dsse", "spec": {"proposedContent": proposed}}
    details, algorithm = _DETAILS[verifier.algorithm]
    digest = hashlib.new(algorithm, pae(envelope.payload_type, envelope.payload)).digest()
    holder = "x509Certificate" if verifier.certificate else "publicKey"
    key = {holder: {"rawBytes": b64encode(verifier.der).decode()}, "keyDetails": details}
    return {
        "hashedRekordRequestV002": {
            "digest": b64encode(digest).decode(),
            "signature": {"content": signature, "verifier": key},
        }
    }


def _logged_before(log: Log, answer: Answer, deadline: Deadline) -> Answer:
    """The entry that the log has already: from a try whose answer was lost, or of the same signature as before."""
    place = answer.headers.get("location", "")
    if log.version == 1 and place.startswith(f"{PATHS[1]}/") and place.isascii() and place.isprintable():
        return call(log.service, Request(path=place, headers=_JSON), deadline)
    index = answer.headers.get("x-log-index", "")
    at = f" at index {index[:20]}" if index else ""
    raise ProducerError(
        f"{log.service.named}: it has this entry already{at}, and gives its proof only once",
        hint="sign again; a key whose signatures are always the same (RSA) has its bundle of the first time only",
    )


def _entry(answer: Answer, log: Log) -> dict[str, Any]:
    read: Callable[[Any], dict[str, Any]] = _entry_of_v1 if log.version == 1 else _entry_of_v2
    try:
        tree = strict_json.loads(answer.body, what="answer", max_integer=MAX_LOG_INTEGER)
        entry = read(tree)
        entry_index(entry)  # there, and a number
    except (MalformedInput, KeyError, TypeError, ValueError, AttributeError):
        raise ProducerError(f"{log.service.named}: the answer is no log entry with a proof") from None
    return entry


def _entry_of_v2(tree: Any) -> dict[str, Any]:
    entry = {name: tree[name] for name in _MEMBERS if tree.get(name) is not None}  # protobuf's null is "not set"
    if not entry["inclusionProof"]["checkpoint"]["envelope"] or not entry["canonicalizedBody"]:
        raise ValueError
    return entry


def _entry_of_v1(tree: Any) -> dict[str, Any]:
    """The one entry of an answer of v1, whose digests are hexadecimal and whose numbers are numbers."""
    (entry,) = tree.values()
    body = strict_json.loads(b64decode(entry["body"], validate=True), what="entry")
    proof = entry["verification"]["inclusionProof"]
    return {
        "logIndex": str(int(entry["logIndex"])),
        "logId": {"keyId": _hex_to_base64(entry["logID"])},
        "kindVersion": {"kind": body["kind"], "version": body["apiVersion"]},
        "integratedTime": str(int(entry["integratedTime"])),
        "inclusionPromise": {"signedEntryTimestamp": entry["verification"]["signedEntryTimestamp"]},
        "inclusionProof": {
            "logIndex": str(int(proof["logIndex"])),
            "rootHash": _hex_to_base64(proof["rootHash"]),
            "treeSize": str(int(proof["treeSize"])),
            "hashes": [_hex_to_base64(step) for step in proof["hashes"]],
            "checkpoint": {"envelope": proof["checkpoint"]},
        },
        "canonicalizedBody": entry["body"],
    }


def _hex_to_base64(text: str) -> str:
    return b64encode(bytes.fromhex(text)).decode()


def entry_index(entry: dict[str, Any]) -> int:
    """The index that the log says; not verified."""
    return int(entry["logIndex"])
