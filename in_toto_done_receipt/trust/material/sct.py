"""The timestamp of a certificate log that Fulcio embeds in each certificate (RFC 6962, sections 3.2 and 3.3)."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from in_toto_done_receipt.trust.material.anchors import Anchors
from in_toto_done_receipt.trust.material.guard import does_not_verify, guarded, unsupported
from in_toto_done_receipt.trust.material.pairs import signed_by
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION_1: Final = b"\0"
_CERTIFICATE_TIMESTAMP: Final = b"\0"
_PRECERTIFICATE: Final = b"\0\1"


def demand_certified(certificate: Any, issuers: Sequence[Any], anchors: Anchors) -> None:
    """Raises SignatureNotTrusted unless a certificate log of the root, valid then, promised the certificate.

    A root that names no certificate log demands none. Which issuer is meant decides the key in what is signed: each of
    `issuers` must fit.
    """
    if not anchors.certificate_logs:
        return
    with guarded(lambda detail: does_not_verify(f"the certificate log's timestamp cannot be read: {detail}")):
        stamp = _only_stamp(certificate)
        time = stamp.timestamp.replace(tzinfo=UTC)
        known = [log for log in anchors.certificate_logs if log.log_id == stamp.log_id]
        if not known:
            raise does_not_verify(
                f"its certificate is in no certificate log of the trusted root, but in {quote(stamp.log_id.hex())}",
                hint="the trusted root may be another instance's, or from another time",
            )
        valid = [log for log in known if log.valid.covers(time)]
        if not valid:
            fact = f"its certificate log {known[0].where} is valid {known[0].valid}, the certificate is of"
            raise does_not_verify(f"{fact} {format_time(time)}")
        if valid[0].public is None:
            raise unsupported(f"the key of its certificate log {valid[0].where} is of kind {quote(valid[0].details)}")
        for issuer in issuers:
            if not signed_by(valid[0].public, stamp.signature, _signed(stamp, certificate, issuer)):
                raise does_not_verify(f"the timestamp of certificate log {valid[0].where} is not for its certificate")


def _only_stamp(certificate: Any) -> Any:
    from cryptography import x509
    from cryptography.x509 import certificate_transparency as ct

    try:
        stamps = list(
            certificate.extensions.get_extension_for_class(x509.PrecertificateSignedCertificateTimestamps).value
        )
    except x509.ExtensionNotFound:
        raise does_not_verify("its certificate is in no certificate log") from None
    if len(stamps) != 1:
        raise unsupported(f"its certificate has {len(stamps)} timestamps of certificate logs, exactly one is read")
    stamp = stamps[0]
    if stamp.version is not ct.Version.v1 or stamp.entry_type is not ct.LogEntryType.PRE_CERTIFICATE:
        raise unsupported("its certificate log's timestamp is of an unknown version")
    if stamp.signature_hash_algorithm.name != "sha256":
        raise unsupported(f"its certificate log's timestamp is over {quote(stamp.signature_hash_algorithm.name)}")
    return stamp


def _signed(stamp: Any, certificate: Any, issuer: Any) -> bytes:
    """What the log signed: itself, the time, the issuer's key and the certificate without the timestamp."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    spki = issuer.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    milliseconds = (stamp.timestamp.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
    body, extensions = certificate.tbs_precertificate_bytes, stamp.extension_bytes
    return b"".join(
        (
            _VERSION_1,
            _CERTIFICATE_TIMESTAMP,
            milliseconds.to_bytes(8, "big"),
            _PRECERTIFICATE,
            hashlib.sha256(spki).digest(),
            len(body).to_bytes(3, "big"),
            body,
            len(extensions).to_bytes(2, "big"),
            extensions,
        )
    )
