"""Private keys that are the same in every run, and signatures that are too (RFC 6979, Ed25519)."""

import hashlib
from functools import cache
from typing import Any, Final, Literal

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

Kind = Literal["P-256", "P-384", "P-521", "Ed25519"]
PrivateKey = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey
PublicKey = ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | rsa.RSAPublicKey

_CURVES: Final[dict[str, tuple[ec.EllipticCurve, int]]] = {
    "P-256": (ec.SECP256R1(), 31),
    "P-384": (ec.SECP384R1(), 47),
    "P-521": (ec.SECP521R1(), 64),
}
_HASHES: Final[dict[str, hashes.HashAlgorithm]] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
# protobuf-specs, sigstore_common.proto, PublicKeyDetails.
_DETAILS: Final = {
    256: "PKIX_ECDSA_P256_SHA_256",
    384: "PKIX_ECDSA_P384_SHA_384",
    521: "PKIX_ECDSA_P521_SHA_512",
}


@cache
def derived(kind: Kind, label: str) -> Any:
    """The private key that belongs to this label."""
    if kind == "Ed25519":
        return ed25519.Ed25519PrivateKey.from_private_bytes(hashlib.sha256(label.encode()).digest())
    curve, size = _CURVES[kind]
    # A little shorter than the order of the curve: always in range.
    number = int.from_bytes(hashlib.shake_256(label.encode()).digest(size), "big") + 1
    return ec.derive_private_key(number, curve)


def sign(private: PrivateKey, message: bytes, *, digest: str | None = None) -> bytes:
    """The key's signature; `digest` is used instead of the one that goes with the key."""
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return private.sign(message)
    chosen = _HASHES[digest or digest_of(private.public_key()) or ""]
    if isinstance(private, rsa.RSAPrivateKey):
        return private.sign(message, padding.PKCS1v15(), chosen)
    return private.sign(message, ec.ECDSA(chosen, deterministic_signing=True))


def digest_of(public: PublicKey) -> str | None:
    """The digest that goes with the key; none for Ed25519, which is over the message itself."""
    if isinstance(public, ed25519.Ed25519PublicKey):
        return None
    if isinstance(public, rsa.RSAPublicKey):
        return "sha256"
    return {256: "sha256", 384: "sha384", 521: "sha512"}[public.curve.key_size]


def details_of(public: PublicKey) -> str:
    """The name that Sigstore has for the key's algorithm."""
    if isinstance(public, ed25519.Ed25519PublicKey):
        return "PKIX_ED25519"
    if isinstance(public, rsa.RSAPublicKey):
        return f"PKIX_RSA_PKCS1V15_{public.key_size}_SHA256"
    return _DETAILS[public.curve.key_size]


def spki(public: PublicKey) -> bytes:
    """DER SubjectPublicKeyInfo."""
    return public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def pem(public: PublicKey) -> bytes:
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def fingerprint(public: PublicKey) -> bytes:
    return hashlib.sha256(spki(public)).digest()
