"""Keys of every kind, made once, and receipts signed with them."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, mldsa, padding, rsa

from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.wire import dsse
from in_toto_done_receipt.wire.reader import Group

PAYLOAD = (
    b'{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://example.com/p",'
    b'"predicate":{},"subject":[{"name":"a","digest":{"sha256":"' + b"0" * 64 + b'"}}]}'
)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@cache
def private_key(kind: str, copy: int = 0) -> Any:
    """A private key; `copy` tells several of one kind apart."""
    makers: dict[str, Callable[[], Any]] = {
        "ed25519": ed25519.Ed25519PrivateKey.generate,
        "ecdsa-p256": lambda: ec.generate_private_key(ec.SECP256R1()),
        "ecdsa-p384": lambda: ec.generate_private_key(ec.SECP384R1()),
        "ecdsa-p521": lambda: ec.generate_private_key(ec.SECP521R1()),
        "secp256k1": lambda: ec.generate_private_key(ec.SECP256K1()),
        "rsa-2048": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "rsa-1024": lambda: rsa.generate_private_key(public_exponent=65537, key_size=1024),  # noqa: S505 - refused
        "ml-dsa-65": mldsa.MLDSA65PrivateKey.generate,
    }
    return makers[kind]()


def public_pem(private: Any) -> bytes:
    pem: bytes = private.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    return pem


def trusted(private: Any, name: str = "alice", **members: Any) -> TrustedKey:
    return load_key(public_pem(private), name=name, what=f"key {name}", **members)


def signature(private: Any, message: bytes, *, hash_: Any = None, pss: bool = True) -> bytes:
    """A signature in the usual form of the key's algorithm."""
    signed: bytes
    if isinstance(private, ec.EllipticCurvePrivateKey):
        matching = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}[private.curve.key_size]
        signed = private.sign(message, ec.ECDSA(hash_ or matching))
    elif isinstance(private, rsa.RSAPrivateKey):
        hash_ = hash_ or hashes.SHA256()
        scheme = padding.PSS(mgf=padding.MGF1(hash_), salt_length=20) if pss else padding.PKCS1v15()
        signed = private.sign(message, scheme, hash_)
    else:
        signed = private.sign(message)
    return signed


def envelope(
    *signers: Any, payload: bytes = PAYLOAD, payload_type: str = dsse.INTOTO_PAYLOAD_TYPE, keyid: str = ""
) -> dsse.Envelope:
    message = dsse.pae(payload_type, payload)
    signatures = tuple(dsse.Signature(sig=signature(signer, message), keyid=keyid) for signer in signers)
    return dsse.Envelope(payload=payload, payload_type=payload_type, signatures=signatures)


def group(*parts: Any) -> Group:
    """One group of these envelopes and bundles, which sign the same payload."""
    first = parts[0] if isinstance(parts[0], dsse.Envelope) else parts[0].envelope
    return Group(payload=first.payload, payload_type=first.payload_type, media_type="test", parts=parts)


# A trusted root in its shape; its logs and authorities have no keys.
ROOT = json.dumps(
    {
        "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
        "tlogs": [{"baseUrl": "https://log", "publicKey": {"validFor": {"start": "2024-01-01T00:00:00Z"}}}],
        "certificateAuthorities": [{"uri": "https://ca", "validFor": {"start": "2025-02-03T04:05:06.789Z"}}],
        "ctlogs": [{"baseUrl": "https://ct", "publicKey": {"validFor": {"start": "2023-01-01T00:00:00+01:00"}}}],
    }
).encode()


class Workshop:
    """What the tests use, as one fixture: helpers of a folder cannot be imported."""

    payload = PAYLOAD
    now = NOW
    private_key = staticmethod(private_key)
    public_pem = staticmethod(public_pem)
    trusted = staticmethod(trusted)
    signature = staticmethod(signature)
    envelope = staticmethod(envelope)
    group = staticmethod(group)


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def folder(workshop: Any, tmp_path: Path) -> Path:
    (tmp_path / "alice.pub").write_bytes(workshop.public_pem(workshop.private_key("ed25519")))
    (tmp_path / "bob.pub").write_bytes(workshop.public_pem(workshop.private_key("ed25519", 1)))
    (tmp_path / "root.json").write_bytes(ROOT)
    return tmp_path
