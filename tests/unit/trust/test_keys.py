import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed448, x25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from in_toto_done_receipt.errors import TrustError
from in_toto_done_receipt.producer.keys import spki_sha256
from in_toto_done_receipt.trust.dsse import keys_that_signed
from in_toto_done_receipt.trust.keys import load_key, verifies
from in_toto_done_receipt.wire.dsse import read_envelope

KINDS = ("ed25519", "ecdsa-p256", "ecdsa-p384", "ecdsa-p521", "rsa-2048", "ml-dsa-65")


@pytest.mark.parametrize("kind", KINDS)
def test_verifies_a_good_signature(workshop: Any, kind: str) -> None:
    private = workshop.private_key(kind)
    key = workshop.trusted(private)
    assert key.algorithm == kind
    assert verifies(key, workshop.signature(private, b"message"), b"message")


@pytest.mark.parametrize("kind", KINDS)
def test_refuses_a_signature_over_something_else(workshop: Any, kind: str) -> None:
    private = workshop.private_key(kind)
    assert not verifies(workshop.trusted(private), workshop.signature(private, b"message"), b"messagf")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "bad", [b"", b"\0", b"\x30\x06\x02\x01\x00\x02\x01\x00", b"\0" * 64, b"\xff" * 256, b"x" * 9999]
)
def test_refuses_what_is_no_signature(workshop: Any, kind: str, bad: bytes) -> None:
    assert not verifies(workshop.trusted(workshop.private_key(kind)), bad, b"message")


@pytest.mark.parametrize(("kind", "half"), [("ecdsa-p256", 32), ("ecdsa-p384", 48), ("ecdsa-p521", 66)])
def test_verifies_ecdsa_as_two_numbers(workshop: Any, kind: str, half: int) -> None:
    private = workshop.private_key(kind)
    r, s = decode_dss_signature(workshop.signature(private, b"message"))
    raw = r.to_bytes(half, "big") + s.to_bytes(half, "big")
    assert verifies(workshop.trusted(private), raw, b"message")
    assert not verifies(workshop.trusted(private), raw + b"\0\0", b"message")


def test_verifies_ecdsa_with_a_high_s(workshop: Any) -> None:
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    private = workshop.private_key("ecdsa-p256")
    r, s = decode_dss_signature(workshop.signature(private, b"message"))
    raw = r.to_bytes(32, "big") + (order - s).to_bytes(32, "big")
    assert verifies(workshop.trusted(private), raw, b"message")


def test_refuses_ecdsa_with_another_hash_than_the_curve_has(workshop: Any) -> None:
    private = workshop.private_key("ecdsa-p384")
    signed = workshop.signature(private, b"message", hash_=hashes.SHA256())
    assert not verifies(workshop.trusted(private), signed, b"message")


@pytest.mark.parametrize("hash_", [hashes.SHA256(), hashes.SHA384(), hashes.SHA512()], ids=lambda hash_: hash_.name)
@pytest.mark.parametrize("pss", [True, False], ids=["pss", "pkcs1v15"])
def test_verifies_rsa(workshop: Any, hash_: Any, pss: bool) -> None:
    private = workshop.private_key("rsa-2048")
    signed = workshop.signature(private, b"message", hash_=hash_, pss=pss)
    assert verifies(workshop.trusted(private), signed, b"message")


def test_refuses_rsa_with_sha1(workshop: Any) -> None:
    private = workshop.private_key("rsa-2048")
    signed = workshop.signature(private, b"message", hash_=hashes.SHA1(), pss=False)  # noqa: S303 - refused
    assert not verifies(workshop.trusted(private), signed, b"message")


def test_verifies_the_protocol_vector(workshop: Any, shared: Path) -> None:
    vector = json.loads((shared / "corpus/intoto/dsse-protocol-vector.json").read_bytes())
    numbers = ec.EllipticCurvePublicNumbers(int(vector["key"]["x"]), int(vector["key"]["y"]), ec.SECP256R1())
    pem = numbers.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    key = load_key(pem, name="vector", what="vector")
    other = workshop.trusted(workshop.private_key("ecdsa-p256"), "other")
    assert keys_that_signed(read_envelope(vector["envelope"]), (other, key)) == (key,)


def test_fingerprint_is_the_digest_that_keygen_prints(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    assert workshop.trusted(private).fingerprint == f"sha256:{spki_sha256(private.public_key())}"


def test_fingerprint_is_of_the_key_and_not_of_its_spelling(workshop: Any) -> None:
    public = workshop.private_key("ecdsa-p256").public_key()
    whole = workshop.public_pem(workshop.private_key("ecdsa-p256"))
    point = public.public_bytes(ser.Encoding.X962, ser.PublicFormat.CompressedPoint)
    spki = bytes.fromhex("3039301306072a8648ce3d020106082a8648ce3d030107032200") + point
    compressed = pem_of(spki)
    assert compressed != whole
    fingerprints = {load_key(pem, name="a", what="a").fingerprint for pem in (whole, compressed, whole + b"\n\n")}
    assert len(fingerprints) == 1


def pem_of(spki: bytes) -> bytes:
    return b"-----BEGIN PUBLIC KEY-----\n" + b64encode(spki) + b"\n-----END PUBLIC KEY-----\n"


@pytest.mark.parametrize("kind", ["ed25519", "rsa-2048"])
def test_refuses_a_private_key(workshop: Any, kind: str) -> None:
    private = workshop.private_key(kind)
    for form in (ser.PrivateFormat.PKCS8, ser.PrivateFormat.OpenSSH):
        pem = private.private_bytes(ser.Encoding.PEM, form, ser.NoEncryption())
        with pytest.raises(TrustError, match="key a: a private key, not a public key"):
            load_key(pem, name="a", what="key a")


def test_refuses_a_private_key_beside_a_public_one(workshop: Any) -> None:
    private = workshop.private_key("ed25519")
    pem = private.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, ser.NoEncryption())
    with pytest.raises(TrustError, match="private key"):
        load_key(workshop.public_pem(private) + pem, name="a", what="a")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        pytest.param(
            lambda w: w.private_key("rsa-1024").public_key(), "RSA of 1024 bits, 2048 to 16384", id="rsa-1024"
        ),
        pytest.param(lambda w: w.private_key("secp256k1").public_key(), "ECDSA on curve secp256k1", id="secp256k1"),
        pytest.param(lambda w: ed448.Ed448PrivateKey.generate().public_key(), "a key of type Ed448", id="ed448"),
        pytest.param(lambda w: x25519.X25519PrivateKey.generate().public_key(), "a key of type X25519", id="x25519"),
    ],
)
def test_refuses_other_algorithms(workshop: Any, key: Any, message: str) -> None:
    pem = key(workshop).public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(TrustError, match=f"key a: {message}"):
        load_key(pem, name="a", what="key a")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no such block"),
        (b"\x30\x2a\x30\x05", "no such block"),
        (b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", "a certificate, not a public key"),
        (b"-----BEGIN RSA PUBLIC KEY-----\nAA==\n-----END RSA PUBLIC KEY-----\n", "a PKCS#1 key, not a public key"),
        (b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n", "an OpenPGP key, not a public key"),
        (b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@host\n", "an SSH key, not a public key"),
        (b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "not a public key that can be read"),
        (b"-----BEGIN PUBLIC KEY-----\n", "not a public key that can be read"),
        (b"\xff\xfe-----BEGIN PUBLIC KEY-----\xff", "not a public key that can be read"),
    ],
    ids=["empty", "der", "certificate", "pkcs1", "pgp", "ssh", "nonsense", "cut", "binary"],
)
def test_refuses_other_files(data: bytes, message: str) -> None:
    with pytest.raises(TrustError, match=message):
        load_key(data, name="a", what="key a")


def test_refuses_two_keys_in_one_file(workshop: Any) -> None:
    pem = workshop.public_pem(workshop.private_key("ed25519")) + workshop.public_pem(workshop.private_key("ecdsa-p256"))
    with pytest.raises(TrustError, match="expected one PEM block PUBLIC KEY, got 2 PEM blocks"):
        load_key(pem, name="a", what="a")


def test_refuses_rsa_with_an_even_exponent(workshop: Any) -> None:
    public = workshop.private_key("rsa-2048").public_key()
    spki = public.public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)
    assert spki.endswith(b"\x02\x03\x01\x00\x01")
    with pytest.raises(TrustError, match=r"public exponent 65536|not a public key that can be read"):
        load_key(pem_of(spki[:-1] + b"\x00"), name="a", what="a")
