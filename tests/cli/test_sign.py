"""`sign`: the statement's bytes as they are, by a key that stays where it is."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.trust.verify import verify_group
from in_toto_done_receipt.wire.reader import read_receipts

Cli = Callable[..., Any]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def statement(tmp_path: Path) -> Path:
    path = tmp_path / "statement.json"
    path.write_bytes(ReceiptBuilder(task="t", agent="a").subject("x", "a" * 64).finish(finished_on=NOW).build())
    return path


@pytest.fixture
def key(cli: Cli, tmp_path: Path) -> Path:
    assert cli("keygen", "--out", tmp_path / "k").code == 0
    return tmp_path / "k.pem"


def verified(envelope: bytes, public: Path) -> bytes:
    """The payload, once our own verification has accepted it."""
    trust = from_flags(read=Path.read_bytes, trusted_keys=(f"worker={public}",))
    (group,) = read_receipts(envelope, what="receipt", allow_statement=False).groups
    found = verify_group(group, trust, at=NOW)
    assert [signer.principal for signer in found.signers] == ["worker"]
    return found.payload


@pytest.mark.parametrize("algorithm", ["ed25519", "ecdsa-p256", "rsa-3072"])
def test_what_it_signs_is_verified_by_trust(cli: Cli, tmp_path: Path, statement: Path, algorithm: str) -> None:
    cli("keygen", "--out", tmp_path / "k", "--algorithm", algorithm)
    out = tmp_path / "receipt.json"
    done = cli("sign", statement, "--key", tmp_path / "k.pem", "--out", out)
    assert done.code == 0
    assert verified(out.read_bytes(), tmp_path / "k.pub") == statement.read_bytes()


@pytest.mark.parametrize("curve", ["SECP384R1", "SECP521R1"])
def test_what_other_curves_sign_is_verified_by_trust(cli: Cli, tmp_path: Path, statement: Path, curve: str) -> None:
    from cryptography.hazmat.primitives import serialization as ser
    from cryptography.hazmat.primitives.asymmetric import ec

    private = ec.generate_private_key(getattr(ec, curve)())
    pem, spki = ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo
    (tmp_path / "k.pem").write_bytes(
        private.private_bytes(pem, ser.PrivateFormat.TraditionalOpenSSL, ser.NoEncryption())
    )
    (tmp_path / "k.pub").write_bytes(private.public_key().public_bytes(pem, spki))
    cli("sign", statement, "--key", tmp_path / "k.pem", "--out", tmp_path / "receipt.json")
    assert verified((tmp_path / "receipt.json").read_bytes(), tmp_path / "k.pub") == statement.read_bytes()


def test_it_prints_the_payloads_digest(cli: Cli, tmp_path: Path, statement: Path, key: Path) -> None:
    import hashlib

    done = cli("sign", statement, "--key", key, "--out", tmp_path / "receipt.json")
    assert done.out == hashlib.sha256(statement.read_bytes()).hexdigest() + "\n"


def test_the_envelope_goes_to_standard_output(cli: Cli, statement: Path, key: Path) -> None:
    done = cli("sign", statement, "--key", key)
    assert verified(done.out.encode(), key.with_suffix(".pub")) == statement.read_bytes()
    assert done.err.strip().isalnum()


def test_the_statement_comes_from_standard_input(cli: Cli, statement: Path, key: Path) -> None:
    done = cli("sign", "-", "--key", key, stdin=statement.read_bytes())
    assert verified(done.out.encode(), key.with_suffix(".pub")) == statement.read_bytes()


def test_a_label(cli: Cli, statement: Path, key: Path) -> None:
    done = cli("sign", statement, "--key", key, "--key-id", "worker-2026")
    assert json.loads(done.out)["signatures"][0]["keyid"] == "worker-2026"


def test_json_facts(cli: Cli, tmp_path: Path, statement: Path, key: Path) -> None:
    done = cli("sign", statement, "--key", key, "--out", tmp_path / "r", "--json")
    assert json.loads(done.out).keys() == {"payloadSha256", "keyid", "out"}


def test_two_envelopes_are_json_lines(cli: Cli, tmp_path: Path, statement: Path, key: Path) -> None:
    cli("keygen", "--out", tmp_path / "other")
    lines = cli("sign", statement, "--key", key).out + cli("sign", statement, "--key", tmp_path / "other.pem").out
    (group,) = read_receipts(lines.encode(), what="receipt", allow_statement=False).groups
    assert len(group.parts) == 2


def encrypted(cli: Cli, tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(b"open sesame\n")
    assert cli("keygen", "--out", tmp_path / "e", "--passphrase-file", tmp_path / "secret").code == 0
    return tmp_path / "e.pem"


def test_an_encrypted_key_with_its_file(cli: Cli, tmp_path: Path, statement: Path) -> None:
    key = encrypted(cli, tmp_path)
    done = cli("sign", statement, "--key", key, "--passphrase-file", tmp_path / "secret")
    assert verified(done.out.encode(), tmp_path / "e.pub") == statement.read_bytes()
    assert "sesame" not in done.out + done.err


def test_an_encrypted_key_with_a_descriptor(cli: Cli, tmp_path: Path, statement: Path) -> None:
    key = encrypted(cli, tmp_path)
    descriptor = os.open(tmp_path / "secret", os.O_RDONLY)
    try:
        assert cli("sign", statement, "--key", key, "--passphrase-fd", str(descriptor)).code == 0
    finally:
        os.close(descriptor)


def test_a_wrong_passphrase(cli: Cli, tmp_path: Path, statement: Path) -> None:
    key = encrypted(cli, tmp_path)
    (tmp_path / "secret").write_bytes(b"other")
    done = cli("sign", statement, "--key", key, "--passphrase-file", tmp_path / "secret", "--out", tmp_path / "r")
    assert (done.code, "does not open the key" in done.err) == (4, True)
    assert not (tmp_path / "r").exists()


def test_standard_input_twice(cli: Cli, tmp_path: Path, statement: Path) -> None:
    key = encrypted(cli, tmp_path)
    assert cli("sign", "-", "--key", key, "--passphrase-fd", "0", stdin=statement.read_bytes()).code == 2


def test_nobody_to_ask(cli: Cli, tmp_path: Path, statement: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from in_toto_done_receipt.cli import options

    monkeypatch.setattr(options, "has_terminal", lambda: False)
    done = cli("sign", statement, "--key", encrypted(cli, tmp_path))
    assert (done.code, "--passphrase-file" in done.err) == (4, True)


def test_a_foreign_statement_is_signed_as_it_is(cli: Cli, key: Path) -> None:
    payload = (
        b'{ "_type":"https://in-toto.io/Statement/v1",\n"subject":[{"name":"x","digest":{"sha256":"%s"}}],'
        b' "predicateType":"https://example.com/v1","predicate":{"b":1,"a":2} }\n' % (b"a" * 64)
    )
    done = cli("sign", "-", "--key", key, stdin=payload)
    assert verified(done.out.encode(), key.with_suffix(".pub")) == payload


def test_a_contradiction_is_signed_with_a_warning(cli: Cli, statement: Path, key: Path) -> None:
    payload = statement.read_bytes().replace(b'"passed":false', b'"passed":true')
    done = cli("sign", "-", "--key", key, stdin=payload)
    assert done.code == 0
    assert "warning: statement.passed" in done.err


REFUSED = {
    "envelope": b'{"payload":"e30=","payloadType":"x","signatures":[]}',
    "empty": b"",
    "duplicate": b'{"_type":1,"_type":2}',
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("payload", REFUSED.values(), ids=REFUSED)
def test_what_is_no_statement(cli: Cli, tmp_path: Path, key: Path, payload: bytes) -> None:
    done = cli("sign", "-", "--key", key, "--out", tmp_path / "r", stdin=payload)
    assert (done.code, done.out) == (3, "")
    assert not (tmp_path / "r").exists()


def test_a_missing_statement(cli: Cli, tmp_path: Path, key: Path) -> None:
    assert cli("sign", tmp_path / "nowhere", "--key", key).code == 3


@pytest.mark.parametrize("name", ["missing", "folder", "k.pub", "text"])
def test_a_key_that_is_none(cli: Cli, tmp_path: Path, statement: Path, key: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("hello")
    done = cli("sign", statement, "--key", tmp_path / name, "--out", tmp_path / "r")
    assert (done.code, str(tmp_path / name) in done.err) == (4, True)
    assert not (tmp_path / "r").exists()


def test_nothing_of_the_key_is_printed(cli: Cli, tmp_path: Path, statement: Path, key: Path) -> None:
    secret = key.read_text().splitlines()[1]
    done = cli("sign", statement, "--key", key, "--out", tmp_path / "r", "--json")
    assert secret not in done.out + done.err + (tmp_path / "r").read_text()


def test_a_linked_output_is_left_alone(cli: Cli, tmp_path: Path, statement: Path, key: Path) -> None:
    (tmp_path / "r").symlink_to(statement)
    before = statement.read_bytes()
    assert cli("sign", statement, "--key", key, "--out", tmp_path / "r").code == 4
    assert statement.read_bytes() == before
