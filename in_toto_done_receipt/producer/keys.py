"""Signing keys: make a pair, write it so that nobody else can read it, load a private key again.

Private bytes stay in these objects: no message, repr or file other than the key file ever holds them.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

from in_toto_done_receipt.errors import ConfigurationError, OutputError, ProducerError
from in_toto_done_receipt.observe.files import write_atomic

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes

KeyAlgorithm = Literal["ed25519", "ecdsa-p256", "rsa-3072"]
ALGORITHMS: Final[tuple[KeyAlgorithm, ...]] = get_args(KeyAlgorithm)

MAX_KEY_BYTES: Final = 64 << 10  # an encrypted RSA-16384 key in PEM is 13 KiB
MIN_RSA_BITS: Final = 2048  # what a verifier accepts at least


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """A new pair: PKCS#8 and SPKI, both PEM; `fingerprint` is `sha256:<SPKI digest>`."""

    private_pem: bytes = field(repr=False)
    public_pem: bytes
    fingerprint: str


def generate(algorithm: KeyAlgorithm = "ed25519", *, passphrase: bytes | None = None) -> KeyPair:
    """A new pair; the private half is encrypted when there is a passphrase.

    Raises ProducerError for an empty passphrase: it would look like protection.
    """
    from cryptography.hazmat.primitives import serialization as ser

    if passphrase is not None and not passphrase:
        raise ProducerError("the passphrase is empty")
    private = _new_key(algorithm)
    encryption = ser.NoEncryption() if passphrase is None else ser.BestAvailableEncryption(passphrase)
    public = private.public_key()
    return KeyPair(
        private_pem=private.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, encryption),
        public_pem=public.public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo),
        fingerprint=f"sha256:{spki_sha256(public)}",
    )


def _new_key(algorithm: KeyAlgorithm) -> "PrivateKeyTypes":
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    if algorithm == "ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    if algorithm == "ecdsa-p256":
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(public_exponent=65537, key_size=3072)


def spki_sha256(public: "PublicKeyTypes") -> str:
    """Hex sha256 of the DER SubjectPublicKeyInfo: the name of a key that needs no registry."""
    from cryptography.hazmat.primitives import serialization as ser

    der = public.public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


def public_pem_of(public: "PublicKeyTypes") -> bytes:
    """The key as SubjectPublicKeyInfo in PEM, what a verifier's trust file wants."""
    from cryptography.hazmat.primitives import serialization as ser

    return public.public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)


def pem_of_spki(spki: bytes) -> bytes:
    """DER SubjectPublicKeyInfo in PEM."""
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    return public_pem_of(load_der_public_key(spki))


def pair_paths(name: Path) -> tuple[Path, Path]:
    """`NAME.pem` and `NAME.pub`; a dot inside NAME stays."""
    return name.with_name(f"{name.name}.pem"), name.with_name(f"{name.name}.pub")


def refuse_existing(name: Path) -> None:
    """Raises OutputError when either file of the pair is there already, a dangling link included."""
    for path in pair_paths(name):
        if path.is_symlink() or path.exists():
            raise OutputError(
                f"{path} exists, a key is never overwritten", hint="choose another --out, or move it away"
            )


def write_pair(pair: KeyPair, name: Path) -> tuple[Path, Path]:
    """Both files or none: `NAME.pem` with mode 0600 from its first byte on, `NAME.pub` with 0644.

    The public half comes first, so that a process killed in between leaves no private key that nobody knows of.
    Raises OutputError when either exists, also when it appears while this runs.
    """
    refuse_existing(name)
    private, public = pair_paths(name)
    write_atomic(public, pair.public_pem, mode=0o644, replace=False)
    try:
        write_atomic(private, pair.private_pem, mode=0o600, replace=False)
    except BaseException:
        public.unlink()  # it was made three lines above, by us: `replace=False` refuses anybody else's
        raise
    return private, public


def load_private_key(pem: bytes, *, passphrase: Callable[[], bytes] | None, what: str) -> "PrivateKeyTypes":
    """The private key of a PEM file; `passphrase` is called only when the key is encrypted.

    Raises ConfigurationError, never with the library's own text: that could quote what it read.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if b"PRIVATE KEY-----" not in pem:
        raise ConfigurationError(f"{what}: not a private key in PEM", hint=_looks_like(pem))
    try:
        return load_pem_private_key(pem, None)
    except TypeError:
        pass  # the only reason for a TypeError here: the key is encrypted
    except (ValueError, UnsupportedAlgorithm):
        raise ConfigurationError(f"{what}: not a private key that can be read") from None
    if passphrase is None:
        raise ConfigurationError(f"{what}: the key is encrypted and no passphrase was given")
    try:
        return load_pem_private_key(pem, passphrase())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ConfigurationError(f"{what}: the passphrase does not open the key") from None


def _looks_like(pem: bytes) -> str | None:
    if b"PUBLIC KEY-----" in pem:
        return "this is a public key; signing wants NAME.pem"
    return "make one with `done-receipt keygen --out NAME`"
