"""Which key goes with which hash."""

from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from in_toto_done_receipt.trust.material.pairs import named_rightly, pair_of, signed_by, signed_with_sha256


@pytest.fixture
def keys(workshop: Any) -> Any:
    def key(kind: str) -> Any:
        sizes = {"rsa-3072": 3072, "rsa-2304": 2304}
        if kind in sizes:
            return rsa.generate_private_key(public_exponent=65537, key_size=sizes[kind])
        return workshop.private_key(kind)

    return key


@pytest.mark.parametrize(
    ("kind", "details"),
    [
        ("ecdsa-p256", "PKIX_ECDSA_P256_SHA_256"),
        ("ecdsa-p384", "PKIX_ECDSA_P384_SHA_384"),
        ("ecdsa-p521", "PKIX_ECDSA_P521_SHA_512"),
        ("ed25519", "PKIX_ED25519"),
        ("rsa-2048", "PKIX_RSA_PKCS1V15_2048_SHA256"),
        ("rsa-3072", "PKIX_RSA_PKCS1V15_3072_SHA256"),
        ("rsa-1024", None),
        ("rsa-2304", None),
        ("secp256k1", None),
        ("ml-dsa-65", None),
    ],
)
def test_pair_of_a_key(keys: Any, kind: str, details: str | None) -> None:
    pair = pair_of(keys(kind).public_key())
    assert (None if pair is None else pair.details) == details


@pytest.mark.parametrize("curve", ["ecdsa-p256", "ecdsa-p384", "ecdsa-p521"])
@pytest.mark.parametrize("digest", ["sha256", "sha384", "sha512"])
def test_an_ec_key_has_one_hash(keys: Any, curve: str, digest: str) -> None:
    private = keys(curve)
    hash_ = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}[digest]
    signature = private.sign(b"m", ec.ECDSA(hash_))
    right = {"ecdsa-p256": "sha256", "ecdsa-p384": "sha384", "ecdsa-p521": "sha512"}[curve] == digest
    assert signed_by(private.public_key(), signature, b"m") is right
    assert signed_with_sha256(private.public_key(), signature, b"m") is (digest == "sha256" and not right)


def test_rsa_is_pkcs1_with_sha256(keys: Any) -> None:
    private = keys("rsa-2048")
    public = private.public_key()
    assert signed_by(public, private.sign(b"m", padding.PKCS1v15(), hashes.SHA256()), b"m")
    assert not signed_by(public, private.sign(b"m", padding.PKCS1v15(), hashes.SHA512()), b"m")
    pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
    assert not signed_by(public, private.sign(b"m", pss, hashes.SHA256()), b"m")


@pytest.mark.parametrize("kind", ["ecdsa-p256", "ed25519", "rsa-2048", "rsa-1024", "ml-dsa-65"])
@pytest.mark.parametrize("signature", [b"", b"\0", b"\x30\x06\x02\x01\x00\x02\x01\x00", b"x" * 64, b"x" * 5000])
def test_what_is_no_signature_is_none(keys: Any, kind: str, signature: bytes) -> None:
    assert not signed_by(keys(kind).public_key(), signature, b"m")
    assert not signed_with_sha256(keys(kind).public_key(), signature, b"m")


@pytest.mark.parametrize(
    ("kind", "details", "right"),
    [
        ("ecdsa-p256", "PKIX_ECDSA_P256_SHA_256", True),
        ("ecdsa-p384", "PKIX_ECDSA_P256_SHA_256", False),
        ("ecdsa-p384", "PKIX_ECDSA_P384_SHA_256", False),
        ("rsa-2048", "PKCS1_RSA_PKCS1V5", True),
        ("rsa-2048", "PKIX_RSA_PKCS1V5", True),
        ("rsa-2048", "PKIX_RSA_PKCS1V15_2048_SHA256", True),
        ("rsa-2048", "PKIX_RSA_PKCS1V15_4096_SHA256", False),
        ("rsa-1024", "PKCS1_RSA_PKCS1V5", False),
        ("ed25519", "PKIX_ED25519", True),
        ("ed25519", "PKIX_ED25519_PH", False),
    ],
)
def test_names_in_a_root(keys: Any, kind: str, details: str, right: bool) -> None:
    assert named_rightly(keys(kind).public_key(), details) is right
