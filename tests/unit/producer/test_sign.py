"""Signing: the bytes as they are, and nothing that no verifier could read."""

import json
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, padding, rsa, x25519

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, MalformedStatement
from in_toto_done_receipt.producer.keys import ALGORITHMS, KeyAlgorithm, generate
from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder
from in_toto_done_receipt.producer.sign import key_signer, sign_statement
from in_toto_done_receipt.wire import dsse, strict_json

FOREIGN = json.dumps(
    {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "é", "digest": {"sha256": "a" * 64}}],
        "predicateType": "https://example.com/other/v1",
        "predicate": {"any": 1.5},
    },
    indent=3,
).encode()


def receipt() -> bytes:
    builder = ReceiptBuilder(task="t", agent="a").subject("x", "a" * 64)
    return builder.finish(finished_on=datetime(2026, 1, 1, tzinfo=UTC)).build()


def pem(private: object) -> bytes:
    return private.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, ser.NoEncryption())  # type: ignore[attr-defined, no-any-return]


def envelope(data: bytes) -> dsse.Envelope:
    return dsse.read_envelope(strict_json.loads(data))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_signature_is_over_the_pae(algorithm: KeyAlgorithm) -> None:
    pair = generate(algorithm)
    payload = receipt()
    read = envelope(sign_statement(payload, key_signer(pair.private_pem, what="k")).document)
    signed = dsse.pae("application/vnd.in-toto+json", payload)
    public = ser.load_pem_public_key(pair.public_pem)
    signature = read.signatures[0].sig
    if isinstance(public, rsa.RSAPublicKey):
        public.verify(signature, signed, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
    elif isinstance(public, ec.EllipticCurvePublicKey):
        public.verify(signature, signed, ec.ECDSA(hashes.SHA256()))
    else:
        public.verify(signature, signed)  # type: ignore[union-attr, call-arg]


def test_the_payload_is_what_was_given_byte_for_byte() -> None:
    read = envelope(sign_statement(FOREIGN, key_signer(generate().private_pem, what="k")).document)
    assert (read.payload, read.payload_type) == (FOREIGN, "application/vnd.in-toto+json")


def test_the_keyid_is_the_fingerprint_or_the_label() -> None:
    pair = generate()
    signed = sign_statement(receipt(), key_signer(pair.private_pem, what="k"))
    assert signed.keyid == pair.fingerprint.removeprefix("sha256:")
    labelled = key_signer(pair.private_pem, what="k", key_id="worker-2026")
    assert envelope(sign_statement(receipt(), labelled).document).signatures[0].keyid == "worker-2026"


@pytest.mark.parametrize("label", ["", "a\nb", "x" * 1025, "\u202e"])
def test_a_label_is_printable(label: str) -> None:
    with pytest.raises(ConfigurationError, match="key id"):
        key_signer(generate().private_pem, what="k", key_id=label)


@pytest.mark.parametrize("curve", [ec.SECP384R1(), ec.SECP521R1()], ids=lambda curve: curve.name)
def test_other_curves_sign(curve: ec.EllipticCurve) -> None:
    assert sign_statement(receipt(), key_signer(pem(ec.generate_private_key(curve)), what="k")).document


UNFIT = {
    "rsa-1024": pem(rsa.generate_private_key(65537, 1024)),  # noqa: S505 - what must be refused
    "secp256k1": pem(ec.generate_private_key(ec.SECP256K1())),
    "x25519": pem(x25519.X25519PrivateKey.generate()),
    "ed448": pem(ed448.Ed448PrivateKey.generate()),
    "dsa": pem(dsa.generate_private_key(2048)),
}


@pytest.mark.parametrize("data", UNFIT.values(), ids=UNFIT)
def test_a_key_that_no_verifier_takes_is_refused(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"^k: "):
        key_signer(data, what="k")


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        receipt() + b"x",
        receipt().replace(b'"_type"', b'"type"'),
        FOREIGN.replace(b"a" * 64, b"A" * 64),
    ],
    ids=["empty", "object", "list", "utf8", "trailing", "alias", "digest"],
)
def test_what_is_no_statement_is_not_signed(payload: bytes) -> None:
    with pytest.raises(MalformedInput):
        sign_statement(payload, key_signer(generate().private_pem, what="k"))


def test_a_receipt_that_cannot_be_read_is_not_signed() -> None:
    with pytest.raises(MalformedStatement, match="outcome"):
        sign_statement(receipt().replace(b'"completed"', b'"done"'), key_signer(generate().private_pem, what="k"))


def test_a_receipt_that_contradicts_itself_is_signed_with_a_warning() -> None:
    payload = receipt().replace(b'"passed":false', b'"passed":true')
    signed = sign_statement(payload, key_signer(generate().private_pem, what="k"))
    assert [warning.split(":")[0] for warning in signed.warnings] == ["statement.passed", "statement.unchecked"]
    assert envelope(signed.document).payload == payload


def test_a_newline_at_the_end_is_signed_too() -> None:
    read = envelope(sign_statement(receipt() + b"\n", key_signer(generate().private_pem, what="k")).document)
    assert read.payload.endswith(b"\n")
