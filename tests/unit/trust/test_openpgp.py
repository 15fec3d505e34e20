"""OpenPGP signatures (RFC 9580, version 4): over digest, hashed part and trailer; only of keys that are marked."""

import hashlib
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from msgspec.structs import replace

from in_toto_done_receipt.errors import SignatureNotTrusted, TrustError
from in_toto_done_receipt.trust.dsse import keys_that_signed
from in_toto_done_receipt.trust.keys import load_key
from in_toto_done_receipt.trust.model import TrustedKey, make_policy
from in_toto_done_receipt.trust.openpgp import openpgp_verifies
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.dsse import (
    INTOTO_PAYLOAD_TYPE,
    Envelope,
    Signature,
    pae,
    read_envelope,
    write_envelope,
)
from in_toto_done_receipt.wire.reader import read_receipts

CREATED = b"\x05\x02\x6a\x00\x00\x00"
ISSUER = b"\x16\x21\x04" + bytes(range(20))
PAYLOAD = (
    b'{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"x","digest":{"sha256":"%s"}}],'
    b'"predicateType":"https://example.com/v1","predicate":{}}' % (b"a" * 64)
)
ED25519 = ed25519.Ed25519PrivateKey.generate()
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def header(
    algorithm: int, hashed: bytes = ISSUER + CREATED, *, version: int = 4, kind: int = 0, digest: int = 8
) -> bytes:
    return bytes([version, kind, algorithm, digest]) + len(hashed).to_bytes(2, "big") + hashed


def digest_of(message: bytes, head: bytes) -> bytes:
    return hashlib.sha256(message + head + b"\x04\xff" + len(head).to_bytes(4, "big")).digest()


def made(private: ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey, message: bytes, head: bytes) -> bytes:
    if isinstance(private, rsa.RSAPrivateKey):
        signature = private.sign(digest_of(message, head), padding.PKCS1v15(), Prehashed(hashes.SHA256()))
        return signature.lstrip(b"\0")
    return private.sign(digest_of(message, head))


def spki(private: ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> bytes:
    return private.public_key().public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)


def trusted(private: ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey, *, openpgp: bool = True) -> TrustedKey:
    pem = private.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    return load_key(pem, name="worker", what="k", openpgp=openpgp)


@pytest.mark.parametrize(("private", "algorithm"), [(ED25519, 22), (RSA, 1)], ids=["ed25519", "rsa"])
def test_a_signature_as_gnupg_makes_it(private: ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey, algorithm: int) -> None:
    head = header(algorithm)
    signature = made(private, b"message", head)
    assert openpgp_verifies(spki(private), signature, head, b"message")
    assert not openpgp_verifies(spki(private), signature, head, b"messagf")
    assert not openpgp_verifies(spki(private), signature, header(algorithm, CREATED), b"message")


def test_a_number_without_its_leading_zeros() -> None:
    head = header(1)
    number = next(n for n in range(10_000) if not made(RSA, b"%d" % n, head)[255:])
    signature = made(RSA, b"%d" % number, head)
    assert len(signature) == 255
    assert openpgp_verifies(spki(RSA), signature, head, b"%d" % number)


REFUSED = {
    "empty": b"",
    "version-3": header(22, version=3),
    "text": header(22, kind=1),
    "sha1": header(22, digest=2),
    "sha512": header(22, digest=10),
    "other-algorithm": header(1),
    "no-creation-time": header(22, ISSUER),
    "expires": header(22, CREATED + b"\x05\x03\x00\x01\x51\x80"),
    "critical-unknown": header(22, CREATED + b"\x02\xe4\x00"),
    "cut": header(22)[:-1],
    "more": header(22) + b"\0",
    "subpacket-too-long": header(22, b"\x30\x02"),
    "subpacket-empty": header(22, CREATED + b"\0"),
    "length-cut": header(22, CREATED + b"\xff\x00"),
}


@pytest.mark.parametrize("head", REFUSED.values(), ids=REFUSED)
def test_another_sort_of_signature_is_none(head: bytes) -> None:
    assert not openpgp_verifies(spki(ED25519), made(ED25519, b"message", head), head, b"message")


NEVER_EXPIRES = header(22, CREATED + b"\x05\x03\x00\x00\x00\x00")
LONG_LENGTHS = header(22, b"\xff\x00\x00\x00\x05" + CREATED[1:] + b"\xc0\x00\x14" + bytes(191))


@pytest.mark.parametrize("head", [NEVER_EXPIRES, LONG_LENGTHS], ids=["never-expires", "long-lengths"])
def test_what_changes_nothing_is_allowed(head: bytes) -> None:
    assert openpgp_verifies(spki(ED25519), made(ED25519, b"message", head), head, b"message")


@pytest.mark.parametrize("signature", [b"", b"\0", bytes(64), bytes(1000)], ids=["empty", "short", "zeros", "long"])
@pytest.mark.parametrize(("private", "algorithm"), [(ED25519, 22), (RSA, 1)], ids=["ed25519", "rsa"])
def test_what_is_no_signature(
    private: ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey, algorithm: int, signature: bytes
) -> None:
    assert not openpgp_verifies(spki(private), signature, header(algorithm), b"message")


def envelope(private: ed25519.Ed25519PrivateKey = ED25519) -> Envelope:
    head = header(22)
    signature = made(private, pae(INTOTO_PAYLOAD_TYPE, PAYLOAD), head)
    return Envelope(
        payload=PAYLOAD,
        payload_type=INTOTO_PAYLOAD_TYPE,
        signatures=(Signature(sig=signature, keyid="", openpgp_header=head),),
    )


def test_the_hashed_part_travels_in_the_envelope() -> None:
    read = read_envelope(strict_json.loads(write_envelope(envelope())))
    assert read == envelope()
    assert read.unrecognized == ()


@pytest.mark.parametrize("value", ["xyz", "ABCD", "abc", 7, None, "00" * 70_000])
def test_another_member_of_that_name_is_ignored_and_listed(value: object) -> None:
    tree = strict_json.loads(write_envelope(envelope()))
    tree["signatures"][0]["other_headers"] = value
    read = read_envelope(tree)
    assert read.signatures[0].openpgp_header is None
    assert read.unrecognized == ("/signatures/0/other_headers",)


def test_a_marked_key_is_a_signer() -> None:
    policy = make_policy(keys=(trusted(ED25519),), identities=(), root=None, threshold=1)
    (group,) = read_receipts(write_envelope(envelope()), what="receipt", allow_statement=False).groups
    verified = verify_group(group, policy, at=datetime(2026, 12, 1, tzinfo=UTC))
    assert [signer.principal for signer in verified.signers] == ["worker"]


def test_a_key_that_is_not_marked_is_none() -> None:
    policy = make_policy(keys=(trusted(ED25519, openpgp=False),), identities=(), root=None, threshold=1)
    (group,) = read_receipts(write_envelope(envelope()), what="receipt", allow_statement=False).groups
    with pytest.raises(SignatureNotTrusted, match="none of 1 trusted key"):
        verify_group(group, policy, at=datetime(2026, 12, 1, tzinfo=UTC))


def test_of_a_marked_key_no_other_signature_counts() -> None:
    plain = Signature(sig=ED25519.sign(pae(INTOTO_PAYLOAD_TYPE, PAYLOAD)), keyid="", openpgp_header=None)
    signed = replace(envelope(), signatures=(plain,))
    assert keys_that_signed(signed, (trusted(ED25519),)) == ()
    assert len(keys_that_signed(signed, (trusted(ED25519, openpgp=False),))) == 1


def test_the_mark_is_part_of_what_decides() -> None:
    digests = {
        make_policy(keys=(trusted(ED25519, openpgp=mark),), identities=(), root=None, threshold=1).digest
        for mark in (True, False)
    }
    assert len(digests) == 2


def test_a_key_that_openpgp_here_does_not_have() -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    pem = private.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(TrustError, match="OpenPGP signatures of a key of type ecdsa-p256"):
        load_key(pem, name="worker", what="k", openpgp=True)


def test_no_bundle_can_hold_it() -> None:
    pem = ED25519.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(TrustError, match="fits in no bundle"):
        load_key(pem, name="worker", what="k", openpgp=True, timestamp=True)
