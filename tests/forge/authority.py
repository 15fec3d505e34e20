"""A certificate authority as Fulcio is one, with the log that its certificates name (RFC 6962, RFC 9162)."""

import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from tests.forge import der
from tests.forge.keys import PrivateKey, PublicKey, derived, digest_of, fingerprint, sign
from tests.forge.plan import Plan

BEGIN: Final = datetime(2020, 1, 1, tzinfo=UTC)
END: Final = datetime(2040, 1, 1, tzinfo=UTC)
FULCIO: Final = "1.3.6.1.4.1.57264.1."
_SCT_LIST: Final = ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_USER_NAME: Final = ObjectIdentifier(FULCIO + "7")

# Fulcio, docs/oid-info.md, by their names in `gh attestation verify`. 2 to 6 are bare text, from 8 on DER UTF8String.
CLAIMS: Final = {
    "githubWorkflowTrigger": 2,
    "githubWorkflowSHA": 3,
    "githubWorkflowName": 4,
    "githubWorkflowRepository": 5,
    "githubWorkflowRef": 6,
    "buildSignerURI": 9,
    "buildSignerDigest": 10,
    "runnerEnvironment": 11,
    "sourceRepositoryURI": 12,
    "sourceRepositoryDigest": 13,
    "sourceRepositoryRef": 14,
    "sourceRepositoryIdentifier": 15,
    "sourceRepositoryOwnerURI": 16,
    "sourceRepositoryOwnerIdentifier": 17,
    "buildConfigURI": 18,
    "buildConfigDigest": 19,
    "buildTrigger": 20,
    "runInvocationURI": 21,
    "sourceRepositoryVisibilityAtSigning": 22,
    "deploymentEnvironment": 23,
    "tokenSubject": 24,
}


def named(name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "forge.example.org"),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
    )


def key_usage(*, signs: bool = False, certifies: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=signs,
        content_commitment=not signs and not certifies,  # one has to be there
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=certifies,
        crl_sign=certifies,
        encipher_only=False,
        decipher_only=False,
    )


def serial(*parts: bytes) -> int:
    """A serial number that belongs to these bytes."""
    digest = hashes.Hash(hashes.SHA256())
    for part in parts:
        digest.update(part)
    return int.from_bytes(digest.finalize()[:16], "big") | 1


def signed(builder: x509.CertificateBuilder, private: PrivateKey) -> x509.Certificate:
    """The certificate, the same in every run."""
    algorithm = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), None: None}[digest_of(private.public_key())]
    deterministic = isinstance(private, ec.EllipticCurvePrivateKey) or None
    return builder.sign(private, algorithm, ecdsa_deterministic=deterministic)


def der_of(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def certifying(
    name: str,
    private: PrivateKey,
    issuer: str,
    issuing: PrivateKey,
    *,
    pathlen: int,
    purpose: Any = None,
    until: datetime = END,
) -> x509.Certificate:
    """The certificate of an authority."""
    public = private.public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named(issuer))
        .public_key(public)
        .serial_number(serial(name.encode(), fingerprint(public)))
        .not_valid_before(BEGIN)
        .not_valid_after(until)
        .add_extension(key_usage(certifies=True), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=pathlen), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )
    if issuing is not private:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuing.public_key())
        builder = builder.add_extension(identifier, critical=False)
    if purpose is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    return signed(builder, issuing)


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateLog:
    """The log that promises to publish a certificate. It is known by `key`; `signs_with` is the same unless it lies."""

    key: PrivateKey
    signs_with: PrivateKey

    def list_of(self, certified: bytes, issuer: PublicKey, at: datetime, *, count: int) -> bytes:
        """The extension's value: so many timestamps of this certificate body (RFC 6962, 3.2 and 3.3)."""
        stamps = [self._stamp(certified, issuer, int(at.timestamp() * 1000) + number) for number in range(count)]
        listed = b"".join(struct.pack("!H", len(stamp)) + stamp for stamp in stamps)
        return der.octets(struct.pack("!H", len(listed)) + listed)

    def _stamp(self, certified: bytes, issuer: PublicKey, milliseconds: int) -> bytes:
        entry = fingerprint(issuer) + len(certified).to_bytes(3, "big") + certified + b"\0\0"
        signature = sign(self.signs_with, struct.pack("!BBQH", 0, 0, milliseconds, 1) + entry)
        head = b"\0" + fingerprint(self.key.public_key()) + struct.pack("!Q", milliseconds) + b"\0\0"
        return head + struct.pack("!BBH", 4, 3, len(signature)) + signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Issues certificates for a signature's time. `chain` begins with its own certificate and ends with the root."""

    key: PrivateKey
    signs_with: PrivateKey
    name: str
    chain: tuple[x509.Certificate, ...]

    def issue(self, public: PublicKey, plan: Plan, log: CertificateLog) -> x509.Certificate:
        """The certificate for the plan's identity, with the log's promise in it."""
        builder = self._extended(self._plain(public, plan), plan)
        lies = plan.lies
        if not lies.scts:
            return signed(builder, self.signs_with)
        # What a log signs is the body without its own promise, which then comes last.
        certified = lies.certified or signed(builder, self.signs_with).tbs_certificate_bytes
        listed = log.list_of(certified, self.key.public_key(), plan.at, count=lies.scts)
        builder = builder.add_extension(x509.UnrecognizedExtension(_SCT_LIST, listed), critical=False)
        return signed(builder, self.signs_with)

    def _plain(self, public: PublicKey, plan: Plan) -> x509.CertificateBuilder:
        lies = plan.lies
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([]))
            .issuer_name(named(self.name))
            .public_key(public)
            .serial_number(serial(fingerprint(public), plan.identity.encode(), plan.at.isoformat().encode()))
            .not_valid_before(plan.at)
            .not_valid_after(plan.at + timedelta(seconds=plan.lifetime))
            .add_extension(key_usage(signs=lies.digital_signature, certifies=lies.certificate_authority), critical=True)
        )
        purpose = ExtendedKeyUsageOID.CODE_SIGNING if lies.code_signing else ExtendedKeyUsageOID.CLIENT_AUTH
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        if lies.certificate_authority:
            builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        subject = x509.SubjectKeyIdentifier.from_public_key(public)
        return builder.add_extension(subject, critical=False).add_extension(issuer, critical=False)

    def _extended(self, builder: x509.CertificateBuilder, plan: Plan) -> x509.CertificateBuilder:
        """Names, issuer and claims."""
        names = [general_name(name, plan) for name in (plan.lies.names or (plan.identity,))]
        if plan.lies.names != ():
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=True)
        old, new = plan.lies.issuers or (plan.issuer, plan.issuer)
        values = {1: None if old is None else old.encode(), 8: None if new is None else der.utf8(new)}
        for claim, text in plan.claims.items():
            number = CLAIMS[claim]
            values[number] = text.encode() if number < 7 else der.utf8(text)
        for number, value in sorted(values.items()):
            if value is not None:
                extension = x509.UnrecognizedExtension(ObjectIdentifier(f"{FULCIO}{number}"), value)
                builder = builder.add_extension(extension, critical=False)
        return builder


def general_name(name: str, plan: Plan) -> x509.GeneralName:
    """The name in the way that Fulcio writes names of its sort."""
    sort = plan.name or ("uri" if "://" in name else "mail" if "@" in name else "other")
    if sort == "uri":
        return x509.UniformResourceIdentifier(name)
    if sort == "mail":
        return x509.RFC822Name(name)
    return x509.OtherName(_USER_NAME, der.utf8(name))


def make_authority(
    seed: str, *, intermediate: bool = True, until: datetime = END, root_until: datetime = END
) -> Authority:
    """The authority that belongs to a seed; `until` is the last moment of the certificate that issues."""
    root = derived("P-256", f"{seed}/ca-root")
    if not intermediate:
        alone = certifying("root", root, "root", root, pathlen=0, until=until)
        return Authority(key=root, signs_with=root, name="root", chain=(alone,))
    top = certifying("root", root, "root", root, pathlen=1, until=root_until)
    key = derived("P-256", f"{seed}/ca")
    purpose = ExtendedKeyUsageOID.CODE_SIGNING
    own = certifying("intermediate", key, "root", root, pathlen=0, purpose=purpose, until=until)
    return Authority(key=key, signs_with=key, name="intermediate", chain=(own, top))


def make_certificate_log(seed: str) -> CertificateLog:
    """The log that belongs to a seed."""
    key = derived("P-256", f"{seed}/ct")
    return CertificateLog(key=key, signs_with=key)
