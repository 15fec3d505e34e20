from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ObjectIdentifier

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.certificate import certificate_facts

FULCIO = "1.3.6.1.4.1.57264.1."
USER_NAME = ObjectIdentifier(FULCIO + "7")
Make = Callable[..., x509.Certificate]


def text(value: str) -> bytes:
    raw = value.encode()
    size = bytes([len(raw)]) if len(raw) < 128 else b"\x82" + len(raw).to_bytes(2, "big")
    return b"\x0c" + size + raw


@pytest.fixture
def make(workshop: Any) -> Make:
    def certificate(*names: x509.GeneralName, extensions: dict[int, bytes] | None = None) -> x509.Certificate:
        private = workshop.private_key("ecdsa-p256")
        start = datetime(2026, 1, 1, tzinfo=UTC)
        name = x509.Name([])
        builder = x509.CertificateBuilder(name, name, private.public_key(), 7, start, start + timedelta(1))
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=True)
        for number, value in ({8: text("https://i")} if extensions is None else extensions).items():
            extension = x509.UnrecognizedExtension(ObjectIdentifier(f"{FULCIO}{number}"), value)
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(private, hashes.SHA256())

    return certificate


MAIL = x509.RFC822Name("a@b.example")


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        (MAIL, "a@b.example"),
        (x509.UniformResourceIdentifier("https://x/y"), "https://x/y"),
        (x509.OtherName(USER_NAME, text("me!host")), "me!host"),
        (x509.OtherName(USER_NAME, text("x" * 300)), "x" * 300),
    ],
    ids=["mail", "uri", "user name", "long user name"],
)
def test_subject(make: Make, name: x509.GeneralName, subject: str) -> None:
    assert certificate_facts(make(name)).subject == subject


@pytest.mark.parametrize(
    "names",
    [
        (),
        (MAIL, x509.RFC822Name("c@d.example")),
        (x509.DNSName("example.com"),),
        (x509.OtherName(ObjectIdentifier("1.2.3"), text("me")),),
        (x509.UniformResourceIdentifier("https://x/" + "y" * 2048),),
        (x509.OtherName(USER_NAME, text("")),),
    ],
    ids=["none", "two", "dns", "other oid", "too long", "empty"],
)
def test_refuses_other_subjects(make: Make, names: tuple[x509.GeneralName, ...]) -> None:
    with pytest.raises(SignatureNotTrusted, match="the certificate") as caught:
        certificate_facts(make(*names))
    assert caught.value.reason == "signature.identity"


@pytest.mark.parametrize(
    "value", [b"me", text("me") + b"x", text("me")[:-1], b"\x13\x02me", b"\x0c\x84\0\0\0\x02me", b""]
)
def test_refuses_a_user_name_that_is_not_one_text(make: Make, value: bytes) -> None:
    # An otherName has to be some DER; what is not even that, the parser of certificates refuses.
    with pytest.raises((SignatureNotTrusted, ValueError), match=r".+"):
        certificate_facts(make(x509.OtherName(USER_NAME, value)))


@pytest.mark.parametrize(
    "extensions",
    [{1: b"https://i"}, {8: text("https://i")}, {1: b"https://i", 8: text("https://i")}],
    ids=["old", "new", "both"],
)
def test_issuer(make: Make, extensions: dict[int, bytes]) -> None:
    assert certificate_facts(make(MAIL, extensions=extensions)).issuer == "https://i"


@pytest.mark.parametrize(
    "extensions",
    [{}, {8: text("")}, {1: b"https://i", 8: text("https://j")}],
    ids=["none", "empty", "two"],
)
def test_refuses_other_issuers(make: Make, extensions: dict[int, bytes]) -> None:
    with pytest.raises(SignatureNotTrusted, match=r"names (no|two different) issuer") as caught:
        certificate_facts(make(MAIL, extensions=extensions))
    assert caught.value.reason == "signature.issuer"


@pytest.mark.parametrize("value", [b"\xff", b"\x0c\x01", b"\x0c\x03ab", b"\x0c\x01\xff", b""])
def test_refuses_a_claim_that_cannot_be_read(make: Make, value: bytes) -> None:
    with pytest.raises(SignatureNotTrusted, match="sourceRepositoryURI cannot be read"):
        certificate_facts(make(MAIL, extensions={8: text("https://i"), 12: value}))


def test_claims_have_the_names_of_gh(make: Make) -> None:
    extensions = {8: text("https://i"), 2: b"push", 9: text("https://s"), 22: text("public"), 99: b"?"}
    facts = certificate_facts(make(MAIL, extensions=extensions))
    assert facts.claims == {
        "githubWorkflowTrigger": "push",
        "buildSignerURI": "https://s",
        "sourceRepositoryVisibilityAtSigning": "public",
    }
