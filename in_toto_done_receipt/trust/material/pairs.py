"""Which hash goes with which key (Sigstore's algorithm registry), and signatures made so. No other pair counts.

ECDSA on P-256 with SHA-256, on P-384 with SHA-384, on P-521 with SHA-512, as DER; RSA of 2,048, 3,072 and 4,096 bits
with PKCS#1 v1.5 and SHA-256; Ed25519 (not prehashed).
"""

from typing import Any, Final, NamedTuple


class Pair(NamedTuple):
    """One line of the registry. `hash_name` is None where nothing is hashed before signing."""

    details: str
    hash_name: str | None
    digest: str | None


_CURVES: Final = {
    "secp256r1": Pair("PKIX_ECDSA_P256_SHA_256", "SHA2_256", "sha256"),
    "secp384r1": Pair("PKIX_ECDSA_P384_SHA_384", "SHA2_384", "sha384"),
    "secp521r1": Pair("PKIX_ECDSA_P521_SHA_512", "SHA2_512", "sha512"),
}
_RSA_BITS: Final = (2048, 3072, 4096)
_ED25519: Final = Pair("PKIX_ED25519", None, None)

# How trusted roots name what the registry has other names for, or none.
_OLD_NAMES: Final = {"PKCS1_RSA_PKCS1V5": "PKIX_RSA_PKCS1V15", "PKIX_RSA_PKCS1V5": "PKIX_RSA_PKCS1V15"}


def pair_of(public: Any) -> Pair | None:
    """The registry's line for a public key of the `cryptography` library; None for a key that is in none."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    if isinstance(public, ec.EllipticCurvePublicKey):
        return _CURVES.get(public.curve.name)
    if isinstance(public, rsa.RSAPublicKey) and public.key_size in _RSA_BITS:
        return Pair(f"PKIX_RSA_PKCS1V15_{public.key_size}_SHA256", "SHA2_256", "sha256")
    return _ED25519 if isinstance(public, ed25519.Ed25519PublicKey) else None


def named_rightly(public: Any, details: str) -> bool:
    """Whether a trusted root may call the key this; old names of RSA leave out the size and the hash."""
    pair = pair_of(public)
    if pair is None:
        return False
    return pair.details == details or (details in _OLD_NAMES and pair.details.startswith(_OLD_NAMES[details]))


def signed_by(public: Any, signature: bytes, message: bytes) -> bool:
    """Whether the key made this signature over this message, with its own hash and in its own encoding."""
    pair = pair_of(public)
    return pair is not None and _signed(public, signature, message, pair.digest)


def signed_with_sha256(public: Any, signature: bytes, message: bytes) -> bool:
    """Whether an EC key of another pair made it with SHA-256, as old clients did; it counts no more than none."""
    pair = pair_of(public)
    odd = pair is not None and pair.digest in ("sha384", "sha512")
    return odd and _signed(public, signature, message, "sha256")


def _signed(public: Any, signature: bytes, message: bytes, digest: str | None) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

    hash_: Any = None if digest is None else getattr(hashes, digest.upper())()
    try:
        if isinstance(public, ec.EllipticCurvePublicKey):
            public.verify(signature, message, ec.ECDSA(hash_))
        elif isinstance(public, rsa.RSAPublicKey):
            public.verify(signature, message, padding.PKCS1v15(), hash_)
        else:
            public.verify(signature, message)
    except (InvalidSignature, ValueError):  # ValueError: a signature that is not even of the right shape
        return False
    return True
