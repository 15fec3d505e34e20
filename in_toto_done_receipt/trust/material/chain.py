"""The signer's certificate: issued by an authority of the trusted root, for signing code, valid when it signed.

Path validation is `cryptography`'s (RFC 5280, the profile of the web), with the one change that certificates are for
signing code and not for TLS clients.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from in_toto_done_receipt.trust.material.anchors import Anchors, Authority
from in_toto_done_receipt.trust.material.guard import does_not_verify, guarded, unsupported
from in_toto_done_receipt.trust.material.pairs import pair_of
from in_toto_done_receipt.wire.rfc3339 import format_time


def load_certificate(der: bytes) -> Any:
    """The certificate in exactly these bytes. Raises SignatureNotTrusted unless it is one, for an EC or RSA key."""
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509 import load_der_x509_certificate

    with guarded(lambda detail: does_not_verify(f"its certificate cannot be read: {detail}")):
        certificate = load_der_x509_certificate(der)
        if certificate.public_bytes(Encoding.DER) != der:
            raise does_not_verify("its certificate is followed by something else")
        public = certificate.public_key()
    if pair_of(public) is None or not isinstance(public, ec.EllipticCurvePublicKey | rsa.RSAPublicKey):
        raise unsupported(f"its certificate is for a key of type {type(public).__name__.removesuffix('PublicKey')}")
    return certificate


def demand_usage(certificate: Any) -> None:
    """Raises SignatureNotTrusted unless the certificate is for signatures, of code, and no authority's."""
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    with guarded(lambda detail: does_not_verify(f"its certificate cannot be read: {detail}")):
        extensions = certificate.extensions
        try:
            usage = extensions.get_extension_for_class(x509.KeyUsage).value
            purposes = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        except x509.ExtensionNotFound:
            raise does_not_verify("its certificate does not say what it is for") from None
        if not usage.digital_signature or usage.key_cert_sign:
            raise does_not_verify("its certificate is not for signatures")
        if ExtendedKeyUsageOID.CODE_SIGNING not in purposes:
            raise does_not_verify("its certificate is not for signing code")
        try:
            authority = extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        except x509.ExtensionNotFound:
            authority = False
        if authority:
            raise does_not_verify("its certificate is an authority's")


def issuers(certificate: Any, anchors: Anchors, moments: Sequence[datetime]) -> tuple[Any, ...]:
    """Who issued the certificate: for each moment the certificate next in the chain that was valid then.

    Raises SignatureNotTrusted when there is none at one of them: no authority of the root, or only one whose own
    validity in the root does not hold the moment; both ends belong to it.
    """
    with guarded(lambda detail: does_not_verify(f"its certificate cannot be read: {detail}")):
        start, end, named = certificate.not_valid_before_utc, certificate.not_valid_after_utc, certificate.issuer
    for moment in moments:
        if not start <= moment <= end:
            valid = f"valid from {format_time(start)} until {format_time(end)}"
            raise does_not_verify(f"its certificate is {valid}, it was signed {format_time(moment)}")
    # To ask an authority of another name costs a millisecond.
    authorities = [one for one in anchors.authorities if any(each.subject == named for each in one.chain)]
    return tuple(_issuer(certificate, authorities, moment) for moment in moments)


def _issuer(certificate: Any, authorities: Sequence[Authority], moment: datetime) -> Any:
    closed: Authority | None = None
    for authority in authorities:
        issuer = _issued_by(certificate, authority, moment)
        if issuer is not None and authority.valid.covers(moment):
            return issuer
        closed = closed or (authority if issuer is not None else None)
    if closed is not None:
        fact = f"its certificate authority {closed.where} is valid {closed.valid}, it was signed"
        raise does_not_verify(f"{fact} {format_time(moment)}")
    raise does_not_verify(
        "no authority of the trusted root that was valid then issued its certificate",
        hint="the trusted root may be another instance's, or from another time",
    )


def _issued_by(certificate: Any, authority: Authority, moment: datetime) -> Any | None:
    """The issuer in a chain from the certificate to the authority's root; None if there is no such chain."""
    from cryptography import x509
    from cryptography.x509 import verification

    *intermediates, root = authority.chain
    with guarded(lambda detail: does_not_verify(f"its certificate cannot be read: {detail}")):
        direct = authority.linked and certificate.issuer == authority.chain[0].subject
    if direct:
        # The root vouched for the whole chain when it was loaded; what is left is whether each was valid then.
        if not all(one.not_valid_before_utc <= moment <= one.not_valid_after_utc for one in authority.chain):
            return None
        intermediates, root = [], authority.chain[0]
    either = verification.Criticality.AGNOSTIC
    with guarded(lambda detail: does_not_verify(f"its certificate cannot be read: {detail}")):
        verifier = (
            verification.PolicyBuilder()
            .store(verification.Store([root]))
            .time(moment)
            .extension_policies(
                ca_policy=verification.ExtensionPolicy.webpki_defaults_ca().may_be_present(
                    x509.ExtendedKeyUsage, either, None
                ),
                ee_policy=verification.ExtensionPolicy.webpki_defaults_ee().may_be_present(
                    x509.ExtendedKeyUsage, either, None
                ),
            )
            .build_client_verifier()
        )
        try:
            return verifier.verify(certificate, intermediates).chain[1]
        except (verification.VerificationError, x509.UnsupportedGeneralNameType):
            return None
