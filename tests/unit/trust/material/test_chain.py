"""The signer's certificate: read exactly, of a usual kind, for signing code."""

import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from in_toto_done_receipt.errors import SignatureNotTrusted
from in_toto_done_receipt.trust.material.anchors import Anchors, Authority, load_anchors
from in_toto_done_receipt.trust.material.chain import demand_usage, issuers, load_certificate
from in_toto_done_receipt.trust.root import read_root
from tests.forge.authority import make_authority
from tests.forge.plan import NOW, Lies, Plan
from tests.forge.sigstore import Forge

FORGE = Forge.of()
SECOND = timedelta(seconds=1)


def anchors(forge: Forge = FORGE) -> Anchors:
    return load_anchors(read_root(json.dumps(forge.trusted_root()).encode(), name="root.json"))


def issued(curve: Any = "P-256", forge: Forge = FORGE, **plan: Any) -> bytes:
    public = forge.key("signer", curve).public_key()
    certificate = forge.authority.issue(public, Plan(curve=curve, **plan), forge.certificate_log)
    return certificate.public_bytes(Encoding.DER)


@pytest.mark.parametrize("curve", ["P-256", "P-384", "P-521"])
def test_a_certificate_of_a_usual_kind(curve: str) -> None:
    certificate = load_certificate(issued(curve))
    demand_usage(certificate)
    (issuer,) = issuers(certificate, anchors(), [NOW])
    assert issuer == FORGE.authority.chain[0]


def test_a_certificate_for_ed25519_is_unsupported() -> None:
    """Path validation refuses such keys; Sigstore's registry has them."""
    with pytest.raises(SignatureNotTrusted, match="for a key of type Ed25519") as caught:
        load_certificate(issued("Ed25519"))
    assert caught.value.reason == "signature.unsupported"


@pytest.mark.parametrize("der", [b"", b"\x30\x00", issued()[:-1], issued() + b"\0", b"-----BEGIN CERTIFICATE-----"])
def test_exactly_one_certificate(der: bytes) -> None:
    with pytest.raises(SignatureNotTrusted, match="its certificate") as caught:
        load_certificate(der)
    assert caught.value.reason == "signature.sigstore"


@pytest.mark.parametrize("lies", [Lies(digital_signature=False), Lies(code_signing=False)])
def test_usage(lies: Lies) -> None:
    with pytest.raises(SignatureNotTrusted, match="is not for sign"):
        demand_usage(load_certificate(issued(lies=lies)))


def test_a_certificate_that_does_not_say_what_it_is_for() -> None:
    root = FORGE.authority.chain[-1]
    with pytest.raises(SignatureNotTrusted, match="not"):
        demand_usage(root)


@pytest.mark.parametrize(("seconds", "good"), [(-1, False), (0, True), (600, True), (601, False)])
def test_the_certificates_own_validity_has_both_ends(seconds: int, good: bool) -> None:
    certificate = load_certificate(issued())
    moments = [NOW + SECOND, NOW + seconds * SECOND]
    if good:
        assert len(issuers(certificate, anchors(), moments)) == 2
        return
    with pytest.raises(SignatureNotTrusted, match="its certificate is valid from"):
        issuers(certificate, anchors(), moments)


def test_each_authority_is_asked() -> None:
    other = Forge.of("other", intermediate=False)
    both = anchors()
    both = Anchors(
        name="both",
        logs=(),
        certificate_logs=(),
        authorities=(*anchors(other).authorities, *both.authorities),
        timestamp_authorities=(),
    )
    assert issuers(load_certificate(issued()), both, [NOW]) == (FORGE.authority.chain[0],)
    assert issuers(load_certificate(issued(forge=other)), both, [NOW]) == (other.authority.chain[-1],)


def test_an_intermediate_is_no_anchor() -> None:
    """Its certificate has ended, the root's has not: the library takes every certificate of a chain for an anchor."""
    intermediate, root = FORGE.authority.chain
    stranger = make_authority("stranger").chain[-1]
    (ours,) = anchors().authorities
    broken = Authority(where="x", chain=(intermediate, stranger), valid=ours.valid)
    tree = anchors()
    changed = Anchors(
        name="x",
        logs=tree.logs,
        certificate_logs=tree.certificate_logs,
        authorities=(broken,),
        timestamp_authorities=(),
    )
    certificate = load_certificate(issued())
    with pytest.raises(SignatureNotTrusted, match="no authority of the trusted root"):
        issuers(certificate, changed, [NOW])
    assert isinstance(root, x509.Certificate)


def test_certificates_in_the_bundle_do_not_build_a_chain() -> None:
    """Only the root's own certificates do: one of the same names and another key is a stranger's."""
    impostor = Forge.of("impostor")
    with pytest.raises(SignatureNotTrusted, match="no authority of the trusted root"):
        issuers(load_certificate(issued(forge=impostor)), anchors(), [NOW])
