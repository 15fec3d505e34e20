"""A timestamp authority (RFC 3161) and its tokens (RFC 5652, RFC 5816)."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.forge import der
from tests.forge.authority import BEGIN, END, certifying, der_of, key_usage, named, serial, signed
from tests.forge.keys import PrivateKey, derived, fingerprint, sign

_SHA256: Final = der.sequence(der.oid("2.16.840.1.101.3.4.2.1"))
_ECDSA_SHA256: Final = der.sequence(der.oid("1.2.840.10045.4.3.2"))
_SIGNED_DATA: Final = der.oid("1.2.840.113549.1.7.2")
_TIMESTAMP: Final = der.oid("1.2.840.113549.1.9.16.1.4")
_CONTENT_TYPE: Final = der.oid("1.2.840.113549.1.9.3")
_MESSAGE_DIGEST: Final = der.oid("1.2.840.113549.1.9.4")
_SIGNING_CERTIFICATE: Final = der.oid("1.2.840.113549.1.9.16.2.47")
_POLICY: Final = der.oid("1.3.6.1.4.1.57264.2")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampAuthority:
    """Known by `chain`, its own certificate first.

    `signs_with` is the key of that unless it lies; tokens name `chain[0]` as their signer and carry the certificates in
    `bag`, that one if there is none.
    """

    signs_with: PrivateKey
    chain: tuple[x509.Certificate, ...]
    bag: tuple[x509.Certificate, ...] = ()

    def stamp(self, message: bytes, when: datetime, *, number: int = 0) -> bytes:
        """The response that says the message was there at that time; `number` makes several of them differ."""
        return self.answer(hashlib.sha256(message).digest(), when, number=serial(message, b"%d" % number))

    def answer(self, digest: bytes, when: datetime, *, number: int, nonce: int | None = None) -> bytes:
        """The response to a request for this SHA-256 digest, with the request's nonce."""
        info = der.sequence(
            der.integer(1),
            _POLICY,
            der.sequence(_SHA256, der.octets(digest)),
            der.integer(number),
            der.generalized_time(when),
            *(() if nonce is None else (der.integer(nonce),)),
        )
        content = der.sequence(
            der.integer(3),
            der.set_of([_SHA256]),
            der.sequence(_TIMESTAMP, der.tlv(0xA0, der.octets(info))),
            der.tlv(0xA0, *(der_of(certificate) for certificate in self.bag or self.chain[:1])),
            der.set_of([self._signer(info)]),
        )
        return der.sequence(der.sequence(der.integer(0)), der.sequence(_SIGNED_DATA, der.tlv(0xA0, content)))

    def _signer(self, info: bytes) -> bytes:
        own = self.chain[0]
        issuer, number = own.issuer.public_bytes(), der.integer(own.serial_number)
        names = der.sequence(der.tlv(0xA4, issuer))
        identified = der.sequence(der.octets(hashlib.sha256(der_of(own)).digest()), der.sequence(names, number))
        attributes = der.set_of(
            [
                der.sequence(_CONTENT_TYPE, der.set_of([_TIMESTAMP])),
                der.sequence(_MESSAGE_DIGEST, der.set_of([der.octets(hashlib.sha256(info).digest())])),
                der.sequence(_SIGNING_CERTIFICATE, der.set_of([der.sequence(der.sequence(identified))])),
            ]
        )
        return der.sequence(
            der.integer(1),
            der.sequence(issuer, number),
            _SHA256,
            b"\xa0" + attributes[1:],  # signed as a SET OF, written as [0]
            _ECDSA_SHA256,
            der.octets(sign(self.signs_with, attributes)),
        )


def make_timestamp_authority(
    seed: str, *, purpose: Any = ExtendedKeyUsageOID.TIME_STAMPING, label: str = "tsa", until: datetime = END
) -> TimestampAuthority:
    """The authority that belongs to a seed; another `label` is another certificate of the same root."""
    root, key = derived("P-256", f"{seed}/tsa-root"), derived("P-256", f"{seed}/{label}")
    public = key.public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(named("timestamps"))
        .issuer_name(named("timestamp root"))
        .public_key(public)
        .serial_number(serial(fingerprint(public)))
        .not_valid_before(BEGIN)
        .not_valid_after(until)
        .add_extension(key_usage(signs=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key()), critical=False)
    )
    top = certifying("timestamp root", root, "timestamp root", root, pathlen=0)
    return TimestampAuthority(signs_with=key, chain=(signed(builder, root), top))
