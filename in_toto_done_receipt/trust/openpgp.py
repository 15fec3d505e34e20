"""Signatures that OpenPGP makes (RFC 9580, version 4 packets), as securesystemslib carries them in an envelope.

Such a signature is not over the message alone: it is over the SHA-256 digest of the message, the signature packet's
hashed part (`other_headers` beside `sig`) and a trailer. Only a key that the trust file marks `openpgp` counts, and of
such a key nothing else: whoever signs mails and tags with it has to mean attestations too.

Not looked at: user ids, certifications, revocation and expiry of the OpenPGP key; the trust file says when it counts.
"""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

_FIXED_BYTES: Final = 6  # version, type, two algorithms, and the length of what follows
_VERSION: Final = 4
_BINARY_DOCUMENT: Final = 0
_SHA256: Final = 8
_RSA: Final = 1
_EDDSA: Final = 22
_CREATED: Final = 2
_EXPIRES: Final = 3
# Subpackets that a signature may hold and that change nothing here: creation time, issuer, notation, signer's user id,
# issuer's fingerprint.
_KNOWN: Final = frozenset({_CREATED, 16, 20, 28, 33})
_CRITICAL: Final = 0x80


def openpgp_verifies(spki: bytes, signature: bytes, header: bytes, message: bytes) -> bool:
    """Whether the key (DER SubjectPublicKeyInfo, RSA or Ed25519) made this OpenPGP signature over the message.

    `header` is the hashed part of the signature packet. False for a version, type or hash that is not expected, for a
    signature that expires, and for an unknown subpacket that is critical.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    algorithm = _algorithm(header)
    if algorithm is None:
        return False
    trailer = bytes([_VERSION, 0xFF]) + len(header).to_bytes(4, "big")
    digest = hashlib.sha256(message + header + trailer).digest()
    public: Any = load_der_public_key(spki)
    try:
        if algorithm == _RSA and isinstance(public, RSAPublicKey):
            _verify_rsa(public, signature, digest)
        elif algorithm == _EDDSA and isinstance(public, Ed25519PublicKey):
            public.verify(signature, digest)
        else:
            return False
    except (InvalidSignature, ValueError):  # ValueError: not even of the right shape
        return False
    return True


def _verify_rsa(public: "RSAPublicKey", signature: bytes, digest: bytes) -> None:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

    # OpenPGP writes numbers without leading zeros (RFC 9580, 3.2).
    whole = signature.rjust((public.key_size + 7) // 8, b"\0")
    public.verify(whole, digest, padding.PKCS1v15(), Prehashed(hashes.SHA256()))


def _algorithm(header: bytes) -> int | None:
    """The public-key algorithm of a signature that is as we expect it, else None (RFC 9580, 5.2.3)."""
    if len(header) < _FIXED_BYTES:
        return None
    version, kind, algorithm, digest = header[:4]
    length = int.from_bytes(header[4:_FIXED_BYTES], "big")
    if (version, kind, digest) != (_VERSION, _BINARY_DOCUMENT, _SHA256) or len(header) != _FIXED_BYTES + length:
        return None
    try:
        subpackets = list(_subpackets(header[_FIXED_BYTES:]))
    except IndexError:
        return None
    kinds = [kind for kind, _ in subpackets]
    for kind, value in subpackets:
        number = kind & ~_CRITICAL
        if number == _EXPIRES and any(value):
            return None
        if kind & _CRITICAL and number not in _KNOWN:
            return None
    return algorithm if any(kind & ~_CRITICAL == _CREATED for kind in kinds) else None


def _subpackets(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and value of each subpacket (RFC 9580, 5.2.3.7). Raises IndexError where one does not fit."""
    place = 0
    while place < len(data):
        size, start = _size(data, place)
        end = start + size
        if size < 1 or end > len(data):
            raise IndexError
        yield data[start], data[start + 1 : end]
        place = end


def _size(data: bytes, place: int) -> tuple[int, int]:
    first = data[place]
    if first < 192:
        return first, place + 1
    if first < 255:
        return ((first - 192) << 8) + data[place + 1] + 192, place + 2
    if place + 5 > len(data):
        raise IndexError
    return int.from_bytes(data[place + 1 : place + 5], "big"), place + 5
