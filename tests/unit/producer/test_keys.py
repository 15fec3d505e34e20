"""Keys: written so that nobody else can read them, loaded with messages that hold nothing of them."""

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from in_toto_done_receipt.errors import ConfigurationError, OutputError, ProducerError
from in_toto_done_receipt.producer import keys

KINDS = {
    "ed25519": ed25519.Ed25519PrivateKey,
    "ecdsa-p256": ec.EllipticCurvePrivateKey,
    "rsa-3072": rsa.RSAPrivateKey,
}


@pytest.mark.parametrize("algorithm", keys.ALGORITHMS)
def test_generate_makes_a_pair_of_the_kind(algorithm: keys.KeyAlgorithm) -> None:
    pair = keys.generate(algorithm)
    private = keys.load_private_key(pair.private_pem, passphrase=None, what="k")
    assert isinstance(private, KINDS[algorithm])
    public = ser.load_pem_public_key(pair.public_pem)
    assert pair.fingerprint == f"sha256:{keys.spki_sha256(public)}"
    assert pair.fingerprint == f"sha256:{keys.spki_sha256(private.public_key())}"


def test_generate_writes_pkcs8_and_spki() -> None:
    pair = keys.generate()
    assert pair.private_pem.startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert pair.public_pem.startswith(b"-----BEGIN PUBLIC KEY-----\n")


def test_generate_with_a_passphrase_encrypts() -> None:
    pair = keys.generate(passphrase=b"open sesame")
    assert pair.private_pem.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    private = keys.load_private_key(pair.private_pem, passphrase=lambda: b"open sesame", what="k")
    assert pair.fingerprint == f"sha256:{keys.spki_sha256(private.public_key())}"


def test_generate_refuses_an_empty_passphrase() -> None:
    with pytest.raises(ProducerError, match="the passphrase is empty"):
        keys.generate(passphrase=b"")


def test_key_pair_repr_does_not_show_the_private_half() -> None:
    assert "PRIVATE" not in repr(keys.generate())


def test_write_pair_is_for_the_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private, public = keys.write_pair(keys.generate(), tmp_path / "worker.v1")
    finally:
        os.umask(before)
    assert (private.name, public.name) == ("worker.v1.pem", "worker.v1.pub")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE(public.stat().st_mode) == 0o644


@pytest.mark.parametrize("taken", ["worker.pem", "worker.pub"])
def test_write_pair_refuses_when_one_file_exists(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("mine")
    with pytest.raises(OutputError, match=f"{taken} exists"):
        keys.write_pair(keys.generate(), tmp_path / "worker")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(taken, "mine")]


def test_write_pair_refuses_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "worker.pem").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="exists"):
        keys.write_pair(keys.generate(), tmp_path / "worker")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("taken", ["worker.pem", "worker.pub"])
def test_write_pair_leaves_nothing_when_one_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    """The name appears between the first look and the write: a race, so it is made to happen."""
    monkeypatch.setattr(keys, "refuse_existing", lambda name: None)
    (tmp_path / taken).write_text("theirs")
    with pytest.raises(OutputError):
        keys.write_pair(keys.generate(), tmp_path / "worker")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(taken, "theirs")]


def test_write_pair_into_a_missing_folder_is_an_output_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no such file"):
        keys.write_pair(keys.generate(), tmp_path / "nowhere" / "worker")


def test_load_encrypted_without_a_passphrase() -> None:
    pem = keys.generate(passphrase=b"x").private_pem
    with pytest.raises(ConfigurationError, match="encrypted and no passphrase"):
        keys.load_private_key(pem, passphrase=None, what="k")


@pytest.mark.parametrize("wrong", [b"y", b"", b"\0", b"\xff" * 2000], ids=["other", "empty", "nul", "long"])
def test_load_encrypted_with_a_wrong_passphrase(wrong: bytes) -> None:
    pem = keys.generate(passphrase=b"x").private_pem
    with pytest.raises(ConfigurationError, match=r"^k: the passphrase does not open the key$"):
        keys.load_private_key(pem, passphrase=lambda: wrong, what="k")


def test_load_asks_for_no_passphrase_when_none_is_wanted() -> None:
    def ask() -> bytes:
        pytest.fail("asked")

    private = keys.load_private_key(keys.generate().private_pem, passphrase=ask, what="k")
    assert isinstance(private, ed25519.Ed25519PrivateKey)


NOT_KEYS = {
    "empty": b"",
    "text": b"hello",
    "public": keys.generate().public_pem,
    "cut": keys.generate().private_pem[:60],
    "garbage": b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    "no_base64": b"-----BEGIN PRIVATE KEY-----\n\xff\xfe!\n-----END PRIVATE KEY-----\n",
    "openssh_garbage": b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
    "binary": bytes(range(256)),
    "rsa_legacy_encrypted": b"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: X,00\n\nAAAA\n"
    b"-----END RSA PRIVATE KEY-----\n",
}


@pytest.mark.parametrize("data", NOT_KEYS.values(), ids=NOT_KEYS)
def test_load_refuses_what_is_no_key(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"^k: "):
        keys.load_private_key(data, passphrase=lambda: b"x", what="k")


def test_load_names_a_public_key() -> None:
    with pytest.raises(ConfigurationError) as caught:
        keys.load_private_key(keys.generate().public_pem, passphrase=None, what="k")
    assert caught.value.hint == "this is a public key; signing wants NAME.pem"


def test_a_fault_never_quotes_the_key() -> None:
    pem = keys.generate().private_pem
    broken = pem.replace(b"M", b"N", 1)
    with pytest.raises(ConfigurationError) as caught:
        keys.load_private_key(broken, passphrase=None, what="k")
    assert pem.decode().splitlines()[1][8:] not in str(caught.value)
    assert caught.value.__cause__ is None
