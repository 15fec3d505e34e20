"""Public keys: load one from PEM, verify one signature with one key. Nothing here reads files.

Algorithms (design, verification step 2): Ed25519; ECDSA on P-256, P-384 and P-521 with SHA-256, SHA-384 and SHA-512,
signatures as DER or r‖s; RSA of 2,048 bits and more with PSS (any salt length) or PKCS#1 v1.5 and SHA-256, SHA-384 or
SHA-512; ML-DSA where the library has it. A low S is not demanded: a signature is never used as a name.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.errors import TrustError
from in_toto_done_receipt.trust.model import ANYTHING, Scope, TrustedKey
from in_toto_done_receipt.wire.digests import sha256_hex

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

MIN_RSA_BITS: Final = 2048  # NIST SP 800-131A: less is disallowed
MAX_RSA_BITS: Final = 16384  # what OpenSSL verifies at most; larger ones only cost time
_CURVES: Final = {"secp256r1": "ecdsa-p256", "secp384r1": "ecdsa-p384", "secp521r1": "ecdsa-p521"}
_ACCEPTED: Final = "Ed25519, ECDSA on P-256, P-384 or P-521, RSA of at least 2048 bits, ML-DSA"

# What people give instead of a public key, and what to do about it. Longer marks before the ones they contain.
_OTHER_FORMS: Final = (
    (b"-----BEGIN CERTIFICATE-----", "a certificate", "take its key out: openssl x509 -in FILE -noout -pubkey"),
    (b"-----BEGIN RSA PUBLIC KEY-----", "a PKCS#1 key", "convert it: openssl rsa -RSAPublicKey_in -in FILE -pubout"),
    (b"-----BEGIN OPENSSH PRIVATE KEY-----", "a private key", "a verifier needs the public half only"),
    (b"PRIVATE KEY-----", "a private key", "a verifier needs the public half only: openssl pkey -in FILE -pubout"),
    (b"-----BEGIN PGP", "an OpenPGP key", "`sign --signer gnupg: --public-key-out FILE` writes it as PEM"),
    (b"-----BEGIN SSH2 PUBLIC KEY", "an SSH key", "convert it: ssh-keygen -e -m PKCS8 -f FILE"),
    (b"ssh-", "an SSH key", "convert it: ssh-keygen -e -m PKCS8 -f FILE"),
    (b"ecdsa-sha2-", "an SSH key", "convert it: ssh-keygen -e -m PKCS8 -f FILE"),
)


def load_key(
    pem: bytes,
    *,
    name: str,
    principal: str | None = None,
    what: str,
    not_before: datetime | None = None,
    not_after: datetime | None = None,
    transparency: bool = False,
    timestamp: bool = False,
    openpgp: bool = False,
    scope: Scope = ANYTHING,
) -> TrustedKey:
    """The trusted key in a PEM file with exactly one SubjectPublicKeyInfo; the principal is the name without one.

    `what` names the entry in messages. Raises TrustError for anything else, and for an algorithm that is not accepted
    (with `openpgp`: anything but RSA and Ed25519).
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization as ser

    _refuse_other_forms(pem, what)
    try:
        public = ser.load_pem_public_key(pem)
    except (ValueError, TypeError):
        raise TrustError(f"{what}: not a public key that can be read") from None
    except UnsupportedAlgorithm:
        raise TrustError(f"{what}: a key of an unknown algorithm", hint=f"accepted: {_ACCEPTED}") from None
    algorithm = _algorithm(public, what)
    if openpgp and algorithm != "ed25519" and not algorithm.startswith("rsa-"):
        raise TrustError(f"{what}: OpenPGP signatures of a key of type {algorithm}", hint="accepted: RSA, Ed25519")
    if openpgp and (transparency or timestamp):
        raise TrustError(f"{what}: a log entry or timestamp of an OpenPGP signature, which fits in no bundle")
    spki = public.public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)
    return TrustedKey(
        name=name,
        principal=name if principal is None else principal,
        spki=spki,
        algorithm=algorithm,
        fingerprint=f"sha256:{sha256_hex(spki)}",
        not_before=not_before,
        not_after=not_after,
        transparency=transparency,
        timestamp=timestamp,
        openpgp=openpgp,
        scope=scope,
    )


def _refuse_other_forms(pem: bytes, what: str) -> None:
    for mark, name, hint in _OTHER_FORMS:
        if mark in pem if mark.startswith(b"-") or mark.endswith(b"-----") else pem.startswith(mark):
            raise TrustError(f"{what}: {name}, not a public key", hint=hint)
    blocks = pem.count(b"-----BEGIN ")
    if blocks != 1 or b"-----BEGIN PUBLIC KEY-----" not in pem:
        got = f"{blocks} PEM blocks" if blocks > 1 else "no such block"
        raise TrustError(
            f"{what}: expected one PEM block PUBLIC KEY, got {got}",
            hint="`done-receipt keygen` writes NAME.pub; from DER: openssl pkey -pubin -inform DER -in FILE",
        )


def _algorithm(public: "PublicKeyTypes", what: str) -> str:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    if isinstance(public, ed25519.Ed25519PublicKey):
        return "ed25519"
    if isinstance(public, ec.EllipticCurvePublicKey):
        if public.curve.name in _CURVES:
            return _CURVES[public.curve.name]
        raise TrustError(f"{what}: ECDSA on curve {public.curve.name}", hint=f"accepted: {_ACCEPTED}")
    if isinstance(public, rsa.RSAPublicKey):
        return _rsa_algorithm(public, what)
    for name, kind in _ml_dsa_kinds():
        if isinstance(public, kind):
            return name
    got = type(public).__name__.removesuffix("PublicKey")
    raise TrustError(f"{what}: a key of type {got}", hint=f"accepted: {_ACCEPTED}")


def _rsa_algorithm(public: "rsa.RSAPublicKey", what: str) -> str:
    if not MIN_RSA_BITS <= public.key_size <= MAX_RSA_BITS:
        raise TrustError(f"{what}: RSA of {public.key_size} bits, {MIN_RSA_BITS} to {MAX_RSA_BITS} are accepted")
    exponent = public.public_numbers().e
    if exponent < 3 or exponent % 2 == 0:
        raise TrustError(f"{what}: RSA with public exponent {exponent}, which proves nothing")
    return f"rsa-{public.key_size}"


def _ml_dsa_kinds() -> list[tuple[str, Any]]:
    """The ML-DSA key types that the installed library has (FIPS 204)."""
    try:
        from cryptography.hazmat.primitives.asymmetric import mldsa
    except ImportError:  # cryptography before 47
        return []
    return [
        (f"ml-dsa-{size}", kind) for size in (44, 65, 87) if (kind := getattr(mldsa, f"MLDSA{size}PublicKey", None))
    ]


def verifies(key: TrustedKey, signature: bytes, message: bytes) -> bool:
    """Whether this key made this signature over this message, in any of the forms that its algorithm has."""
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    public: Any = load_der_public_key(key.spki)
    if isinstance(public, ec.EllipticCurvePublicKey):
        return _ecdsa_verifies(public, signature, message)
    if isinstance(public, rsa.RSAPublicKey):
        return _rsa_verifies(public, signature, message)
    return _accepts(lambda: public.verify(signature, message))


def _ecdsa_verifies(public: "ec.EllipticCurvePublicKey", signature: bytes, message: bytes) -> bool:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    matching: dict[int, type[hashes.SHA256 | hashes.SHA384 | hashes.SHA512]] = {
        256: hashes.SHA256,
        384: hashes.SHA384,
        521: hashes.SHA512,
    }
    scheme = ec.ECDSA(matching[public.curve.key_size]())
    if _accepts(lambda: public.verify(signature, message, scheme)):
        return True
    half = (public.curve.key_size + 7) // 8
    if len(signature) != 2 * half:
        return False
    r, s = int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big")
    return _accepts(lambda: public.verify(encode_dss_signature(r, s), message, scheme))


def _rsa_verifies(public: "rsa.RSAPublicKey", signature: bytes, message: bytes) -> bool:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    if len(signature) != (public.key_size + 7) // 8:
        return False
    digests: tuple[hashes.HashAlgorithm, ...] = (hashes.SHA256(), hashes.SHA384(), hashes.SHA512())
    for hash_ in digests:
        paddings = (padding.PSS(mgf=padding.MGF1(hash_), salt_length=padding.PSS.AUTO), padding.PKCS1v15())
        for scheme in paddings:
            if _accepts(lambda scheme=scheme, hash_=hash_: public.verify(signature, message, scheme, hash_)):
                return True
    return False


def _accepts(verify: Any) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        verify()
    except (InvalidSignature, ValueError):  # ValueError: a signature that is not even of the right shape
        return False
    return True
