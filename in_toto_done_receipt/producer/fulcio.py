"""A certificate for a key that lives as long as one signature: Fulcio's API v2, POST /api/v2/signingCert.

Does not verify the certificate: `sign_keyless` verifies the whole bundle before anybody gets it.
"""

import json
from base64 import b64encode
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, ProducerError
from in_toto_done_receipt.producer.calls import Deadline, Request, Service, call
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.rfc3339 import format_time

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate

PATH: Final = "/api/v2/signingCert"


def request_certificate(
    fulcio: Service, private: "EllipticCurvePrivateKey", token: str, *, now: datetime, deadline: Deadline
) -> "Certificate":
    """The certificate for this key and the identity in the token.

    Raises ConfigurationError rather than send the token unencrypted over a network; ProducerError when Fulcio refuses,
    fails, or hands out a certificate for another key or another time.
    """
    if not fulcio.url.startswith("https://") and not fulcio.loopback:
        raise ConfigurationError(
            f"{fulcio.named}: the identity token would travel unencrypted",
            hint="whoever reads it can sign as this identity; give Fulcio an https URL",
        )
    body = json.dumps({"certificateSigningRequest": b64encode(_signing_request(private)).decode()}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": "application/json"}
    answer = call(fulcio, Request(path=PATH, body=body, headers=headers), deadline)
    certificate = _leaf(answer.body, fulcio)
    if certificate.public_key() != private.public_key():
        raise ProducerError(f"{fulcio.named}: the certificate is for another key")
    start, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > end:
        raise ProducerError(
            f"{fulcio.named}: the certificate is valid from {format_time(start)} to {format_time(end)}, "
            f"here it is {format_time(now)}",
            hint="is this machine's clock right?",
        )
    return certificate


def _signing_request(private: "EllipticCurvePrivateKey") -> bytes:
    """A CSR without a subject: Fulcio takes the identity from the token, the CSR only proves that we have the key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
    return builder.sign(private, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _leaf(body: bytes, fulcio: Service) -> "Certificate":
    from cryptography import x509

    tree: Any
    try:
        tree = strict_json.loads(body, what="answer")
        listed = tree["signedCertificateEmbeddedSct"]["chain"]["certificates"]
        return x509.load_pem_x509_certificate(listed[0].encode())
    except (MalformedInput, KeyError, IndexError, TypeError, AttributeError, ValueError):
        raise ProducerError(f"{fulcio.named}: the answer holds no certificate") from None
