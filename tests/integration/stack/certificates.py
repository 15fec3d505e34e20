"""Certificates and keys of a Sigstore of the tests' own, as the PEM files that its servers read."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

BEFORE: Final = timedelta(hours=1)
AFTER: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A P-256 key and its certificate."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def root(cls, name: str) -> Self:
        """An authority that certifies itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _authority(_builder(name, _named(name), key))
        return cls(key=key, certificate=builder.sign(key, hashes.SHA256()))

    def intermediate(self, name: str, usage: x509.ObjectIdentifier) -> "Certified":
        """An authority below this one, for one extended usage."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _authority(_builder(name, self.certificate.subject, key))
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        return Certified(key=key, certificate=self._signed(builder))

    def leaf(self, name: str, usage: x509.ObjectIdentifier, hosts: Iterable[str] = ()) -> "Certified":
        """An end entity below this one. RFC 3161 wants the extended usage critical and alone."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(name, self.certificate.subject, key)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs=True), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=True)
        if names := [x509.DNSName(host) for host in hosts]:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return Certified(key=key, certificate=self._signed(builder))

    def _signed(self, builder: x509.CertificateBuilder) -> x509.Certificate:
        own = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        return builder.add_extension(own, critical=False).sign(self.key, hashes.SHA256())


def _builder(name: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    subject_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder(issuer, _named(name), key.public_key(), x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + AFTER)
        .add_extension(subject_id, critical=False)
    )


def _authority(builder: x509.CertificateBuilder) -> x509.CertificateBuilder:
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return builder.add_extension(_usage(certifies=True), critical=True)


def _named(name: str) -> x509.Name:
    parts = {NameOID.ORGANIZATION_NAME: "tests", NameOID.COMMON_NAME: name}  # sigstore-python wants an organization
    return x509.Name([x509.NameAttribute(kind, text) for kind, text in parts.items()])


def _usage(*, signs: bool = False, certifies: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=certifies,
        crl_sign=certifies,
        encipher_only=False,
        decipher_only=False,
    )


def write_chain(path: Path, *chain: x509.Certificate) -> Path:
    """The certificates in one PEM file, in this order."""
    path.write_bytes(b"".join(certificate.public_bytes(Encoding.PEM) for certificate in chain))
    return path


def write_key(path: Path, key: Any, form: PrivateFormat = PrivateFormat.PKCS8) -> Path:
    """The private key in a PEM file without a password."""
    path.write_bytes(key.private_bytes(Encoding.PEM, form, NoEncryption()))
    return path


def write_public(path: Path, key: Any) -> Path:
    """The public key in a PEM file."""
    path.write_bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path
