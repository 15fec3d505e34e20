"""What a Fulcio certificate says (sigstore/fulcio, docs/certificate-specification.md). Verifies nothing."""

from typing import Final

from cryptography import x509

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.identity import CLAIM_NAMES, CertificateFacts
from in_toto_done_receipt.trust.pattern import MAX_TEXT_BYTES

_FULCIO: Final = "1.3.6.1.4.1.57264.1."
_USER_NAME: Final = _FULCIO + "7"  # otherName of identities that are neither mail address nor URI
_UTF8_STRING: Final = 0x0C
_RAW_TEXT: Final = range(1, 7)  # OIDs whose value is text without any encoding


def certificate_facts(certificate: x509.Certificate) -> CertificateFacts:
    """Subject, issuer and claims. Raises SignatureNotTrusted when they are absent, ambiguous or cannot be read."""
    values = _extensions(certificate)
    claims = {
        name: _text(values[number], name, raw=number in _RAW_TEXT)
        for number, name in CLAIM_NAMES.items()
        if number in values
    }
    return CertificateFacts(subject=_subject(certificate), issuer=_issuer(values), claims=claims)


def _extensions(certificate: x509.Certificate) -> dict[int, bytes]:
    """Fulcio's own extensions by the last number of their OID."""
    found = {}
    for extension in certificate.extensions:
        prefix, _, number = extension.oid.dotted_string.rpartition(".")
        if prefix + "." == _FULCIO and isinstance(extension.value, x509.UnrecognizedExtension):
            found[int(number)] = extension.value.value
    return found


def _subject(certificate: x509.Certificate) -> str:
    """The one name in the subject alternative name: a mail address, a URI or a user name."""
    try:
        names = list(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        names = []
    if len(names) != 1:
        raise _refused(f"the certificate has {len(names)} names, exactly one is expected")
    name = names[0]
    if isinstance(name, x509.RFC822Name | x509.UniformResourceIdentifier):
        subject = str(name.value)
    elif isinstance(name, x509.OtherName) and name.type_id.dotted_string == _USER_NAME:
        subject = _text(name.value, "user name", raw=False)
    else:
        raise _refused("the certificate's name is neither a mail address, a URI nor a user name")
    if not subject or len(subject.encode()) > MAX_TEXT_BYTES:
        raise _refused(f"the certificate's name has {len(subject.encode())} bytes, expected 1 to {MAX_TEXT_BYTES}")
    return subject


def _issuer(values: dict[int, bytes]) -> str:
    """The OIDC issuer; when both its old and its new extension are there, they agree."""
    found = {_text(values[number], "issuer", raw=number in _RAW_TEXT) for number in (1, 8) if number in values}
    if len(found) != 1 or found == {""}:
        got = "two different issuers" if len(found) > 1 else "no issuer"
        raise SignatureNotTrusted(f"the certificate names {got}", reason="signature.issuer")
    return found.pop()


def _text(value: bytes, name: str, *, raw: bool) -> str:
    """A claim's text: the bytes themselves, or the one DER UTF8String (X.690, 8.1.3) that they hold."""
    try:
        return (value if raw else _der_text(value)).decode("utf-8")
    except ValueError:
        raise SignatureNotTrusted(f"the certificate's {name} cannot be read", reason="signature.sigstore") from None


def _der_text(value: bytes) -> bytes:
    tag, first, *_ = value if len(value) > 1 else b"\0\0"
    size_bytes = first & 0x7F if first & 0x80 else 0
    start = 2 + size_bytes
    size = int.from_bytes(value[2:start], "big") if size_bytes else first
    if tag != _UTF8_STRING or size_bytes > 2 or start + size != len(value):
        raise ValueError("not one UTF8String")
    return value[start:]


def _refused(fact: str) -> SignatureNotTrusted:
    return SignatureNotTrusted(fact, reason="signature.identity")
