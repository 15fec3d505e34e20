"""The trusted root, loaded: logs and authorities with their keys, names and validity.

A key of a kind that is not in the registry is no fault of the root: other verifiers may know it. It is kept without the
key, so that what needs it can say so. A key or certificate that cannot be loaded is the verifier's own fault.
"""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final
from urllib.parse import urlsplit

from in_toto_done_receipt.errors import MalformedInput, TrustError
from in_toto_done_receipt.trust.material.guard import guarded
from in_toto_done_receipt.trust.material.pairs import named_rightly
from in_toto_done_receipt.trust.model import RootFile
from in_toto_done_receipt.trust.root import root_tree, window
from in_toto_done_receipt.wire.dsse import decode_base64
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.value import Value

_KNOWN_DETAILS: Final = (
    "PKIX_ECDSA_P256_SHA_256",
    "PKIX_ECDSA_P384_SHA_384",
    "PKIX_ECDSA_P521_SHA_512",
    "PKIX_ED25519",
)
_RSA_DETAILS: Final = ("PKCS1_RSA_PKCS1V5", "PKIX_RSA_PKCS1V5", "PKIX_RSA_PKCS1V15_")


class Validity(Value, kw_only=True):
    """When a log or authority counts; both ends belong to it (sigstore_common.proto, TimeRange)."""

    start: datetime
    end: datetime | None

    def covers(self, moment: datetime) -> bool:
        """Whether the moment lies in it."""
        return self.start <= moment and (self.end is None or moment <= self.end)

    def __str__(self) -> str:
        until = "" if self.end is None else f" until {format_time(self.end)}"
        return f"from {format_time(self.start)}{until}"


class Log(Value, kw_only=True):
    """A transparency log or certificate log. `public` is None for a key of an unknown kind, named by `details`.

    `names` are what the log may be called in its own checkpoints; none means any.
    """

    where: str
    log_id: bytes
    checkpoint_id: bytes
    names: frozenset[str]
    details: str
    public: Any
    valid: Validity


class Authority(Value, kw_only=True):
    """A certificate or timestamp authority: its chain, the root last.

    `linked` says that each certificate of the chain is issued by the next one, and that nothing in the chain depends on
    what is issued below it: then it need not be proved again with every certificate that `chain[0]` issues.
    """

    where: str
    chain: tuple[Any, ...]
    valid: Validity
    linked: bool = False


class Anchors(Value, kw_only=True):
    """What a trusted root vouches for. `name` is for messages."""

    name: str
    logs: tuple[Log, ...]
    certificate_logs: tuple[Log, ...]
    authorities: tuple[Authority, ...]
    timestamp_authorities: tuple[Authority, ...]


def load_anchors(root: RootFile) -> Anchors:
    """Everything in the root. Raises TrustError for a key or certificate that cannot be loaded."""
    return _loaded(root.data, root.name)


@lru_cache(maxsize=8)
def _loaded(data: bytes, name: str) -> Anchors:
    """The same bytes are loaded once: it takes about as long as verifying a bundle."""
    tree = root_tree(data, name)
    return Anchors(
        name=name,
        logs=_each(tree, "tlogs", name, _log),
        certificate_logs=_each(tree, "ctlogs", name, _log),
        authorities=_each(tree, "certificateAuthorities", name, _authority),
        timestamp_authorities=_each(tree, "timestampAuthorities", name, _authority),
    )


def _each(
    tree: dict[str, Any], section: str, name: str, load: Callable[[dict[str, Any], str, Validity], Any]
) -> tuple[Any, ...]:
    found = []
    for entry in tree.get(section, []):
        where = quote(str(entry.get("baseUrl") or entry.get("uri") or section))
        start, end = window(entry, name)
        try:
            with guarded(partial(_broken, f"{name}: trusted root: {where}")):
                found.append(load(entry, where, Validity(start=start, end=end)))
        except MalformedInput as fault:
            raise TrustError(f"{name}: trusted root: {where}: {fault.message}") from None
    return tuple(found)


def _broken(where: str, detail: str) -> TrustError:
    return TrustError(f"{where}: {detail}")


def _log(entry: dict[str, Any], where: str, valid: Validity) -> Log:
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    key = entry["publicKey"]
    details = key.get("keyDetails", "")
    hashed = entry.get("hashAlgorithm", "SHA2_256")
    public = None
    if hashed == "SHA2_256" and (details in _KNOWN_DETAILS or str(details).startswith(_RSA_DETAILS)):
        public = load_der_public_key(decode_base64(key["rawBytes"], "rawBytes"))
        if not named_rightly(public, details):
            raise ValueError(f"the key is not of the kind {quote(str(details))}")
    log_id = decode_base64(entry["logId"]["keyId"], "keyId")
    named = entry.get("checkpointKeyId")
    url = urlsplit(entry.get("baseUrl", ""))
    return Log(
        where=where,
        log_id=log_id,
        checkpoint_id=decode_base64(named["keyId"], "keyId") if named else log_id,
        names=frozenset(filter(None, (url.netloc, url.hostname))),
        details=str(details) if hashed == "SHA2_256" else f"{details} with {hashed}",
        public=public,
        valid=valid,
    )


def _authority(entry: dict[str, Any], where: str, valid: Validity) -> Authority:
    from cryptography.x509 import load_der_x509_certificate

    listed = entry["certChain"]["certificates"]
    chain = tuple(load_der_x509_certificate(decode_base64(item["rawBytes"], "rawBytes")) for item in listed)
    for certificate in chain:
        # Read only when they are asked for, later, where a fault would be taken for one of the bundle.
        _ = certificate.subject, certificate.issuer, certificate.extensions, certificate.public_key()
    if not chain:
        raise ValueError("no certificate")
    return Authority(where=where, chain=chain, valid=valid, linked=_linked(chain))


def _linked(chain: tuple[Any, ...]) -> bool:
    """Whether each certificate is issued by the next, which may have so many below it and sets no other conditions."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature

    for depth, certificate in enumerate(chain):
        extensions = {extension.oid: extension.value for extension in certificate.extensions}
        constraints = extensions.get(x509.BasicConstraints.oid)
        usage = extensions.get(x509.KeyUsage.oid)
        if x509.NameConstraints.oid in extensions or constraints is None or not constraints.ca:
            return False
        if usage is None or not usage.key_cert_sign:
            return False
        if constraints.path_length is not None and constraints.path_length < depth:
            return False
        try:
            if depth:
                chain[depth - 1].verify_directly_issued_by(certificate)
        except (InvalidSignature, ValueError, TypeError):
            return False
    return True
