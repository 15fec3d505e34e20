"""Keys that are elsewhere: a file, Vault, AWS. What the service signs is verified, and its errors are our own."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError, ProducerError, UsageError
from in_toto_done_receipt.producer.key_service import EXTRAS, Opening, check_available, key_at, open_key
from in_toto_done_receipt.producer.keys import generate, public_pem_of
from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder
from in_toto_done_receipt.producer.sign import Signed, sign_statement
from tests.unit.producer.key_services import Kms, Vault, serving

PAYLOAD = (
    ReceiptBuilder(task="t", agent="a")
    .subject("x", "a" * 64)
    .finish(finished_on=datetime(2026, 1, 1, tzinfo=UTC))
    .build()
)


def signed(uri: str, **opening: Any) -> Signed:
    """The payload, signed by what the URI names; `sign_statement` verifies it with the public half."""
    return sign_statement(PAYLOAD, open_key(key_at(uri), Opening(**opening)))


# --- URIs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "hsm",
        ":",
        "ftp:x",
        "tkey:",
        "file:key.pem",
        "/key.pem",
        "HSM:2",
        "hsm:2?pin=1234",
        "gnupg:?label=x",
        "awskms:k?x",
        "awskms:k?x=1",
        "file2:a#b",
        "hsm:\n",
        "azurekms://[::1",
    ],
)
def test_what_is_no_uri_of_a_key(uri: str) -> None:
    with pytest.raises(UsageError, match="--signer: "):
        key_at(uri)


@pytest.mark.parametrize("scheme", ["azurekms", "gcpkms"])
def test_an_extra_that_is_missing_is_named(scheme: str) -> None:
    """In the set-up for tests these two are not installed."""
    with pytest.raises(ConfigurationError, match=r"the library .* is not installed") as caught:
        check_available(key_at(f"{scheme}:x"))
    assert caught.value.hint == f"pip install 'in-toto-done-receipt[{EXTRAS[scheme][1]}]'"


def test_a_token_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYKCS11LIB", raising=False)
    with pytest.raises(ConfigurationError, match="the variable PYKCS11LIB is not set"):
        check_available(key_at("hsm:"))


def test_a_token_with_a_library_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYKCS11LIB", str(tmp_path / "none.so"))
    with pytest.raises(ConfigurationError, match=r"--signer hsm:2\?label=x: "):
        signed("hsm:2?label=x", secret=lambda: b"1234")


def test_no_gpg_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigurationError, match="there is no gpg here"):
        check_available(key_at("gnupg:"))


# --- file2 ----------------------------------------------------------------------------------------------------------


def test_a_file(tmp_path: Path) -> None:
    pair = generate()
    (tmp_path / "k.pem").write_bytes(pair.private_pem)
    assert signed(f"file2:{tmp_path}/k.pem").keyid == pair.fingerprint.removeprefix("sha256:")


def test_an_encrypted_file(tmp_path: Path) -> None:
    pair = generate("ecdsa-p256", passphrase=b"sesame")
    (tmp_path / "k.pem").write_bytes(pair.private_pem)
    found = signed(f"file2:{tmp_path}/k.pem", secret=lambda: b"sesame", key_id="worker")
    assert found.key is not None
    assert (found.key.fingerprint, found.keyid) == (pair.fingerprint, "worker")


def test_an_encrypted_file_and_the_wrong_passphrase(tmp_path: Path) -> None:
    (tmp_path / "k.pem").write_bytes(generate(passphrase=b"sesame").private_pem)
    with pytest.raises(ConfigurationError, match="the passphrase does not open the key"):
        signed(f"file2:{tmp_path}/k.pem", secret=lambda: b"simsim")


def test_a_file_below_the_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k.pem").write_bytes(generate().private_pem)
    monkeypatch.setenv("CRYPTO_SIGNER_PATH_PREFIX", str(tmp_path))
    assert signed("file2:k.pem").key is not None


def test_a_file_and_the_public_half_of_another(tmp_path: Path) -> None:
    pair = generate()
    (tmp_path / "k.pem").write_bytes(pair.private_pem)
    assert signed(f"file2:{tmp_path}/k.pem", public_pem=pair.public_pem).key is not None
    with pytest.raises(ConfigurationError, match="not that of the private key"):
        signed(f"file2:{tmp_path}/k.pem", public_pem=generate().public_pem)


@pytest.mark.parametrize("name", ["nowhere", ".", "text"])
def test_a_file_that_is_no_key(tmp_path: Path, name: str) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ConfigurationError, match=f"--signer file2:{tmp_path}/{name}"):
        signed(f"file2:{tmp_path}/{name}")


# --- Vault ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    found = Vault()
    with serving(found) as url:
        monkeypatch.setenv("VAULT_ADDR", url)
        monkeypatch.setenv("VAULT_TOKEN", "sesame")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield found


def pem_of(raw: bytes) -> bytes:
    return public_pem_of(ed25519.Ed25519PublicKey.from_public_bytes(raw))


@pytest.mark.loopback
@pytest.mark.parametrize("uri", ["hv:worker", "hv:worker/2"])
def test_vault(vault: Vault, uri: str) -> None:
    found = signed(uri)
    assert found.key is not None
    assert found.key.spki.endswith(vault.public("2"))


@pytest.mark.loopback
def test_an_older_version_with_its_public_half(vault: Vault) -> None:
    found = signed("hv:worker/1", public_pem=pem_of(vault.public("1")))
    assert found.key is not None
    assert found.key.spki.endswith(vault.public("1"))


VAULT_FAULTS: dict[str, tuple[str, type[DoneReceiptError], str]] = {
    "older": ("hv:worker/1", UsageError, "the newest version is 2"),
    "unknown": ("hv:other", ConfigurationError, "InvalidPath"),
}


@pytest.mark.loopback
@pytest.mark.parametrize(("uri", "kind", "said"), VAULT_FAULTS.values(), ids=VAULT_FAULTS)
def test_what_vault_has_not(vault: Vault, uri: str, kind: type[DoneReceiptError], said: str) -> None:
    with pytest.raises(kind, match=f"--signer {uri}: .*{said}") as caught:
        signed(uri)
    assert "sesame" not in caught.value.message


@pytest.mark.loopback
def test_a_public_half_wants_a_version(vault: Vault) -> None:
    with pytest.raises(UsageError, match="hv:NAME/VERSION"):
        signed("hv:worker", public_pem=pem_of(vault.public("2")))


@pytest.mark.loopback
def test_the_public_half_of_another_key(vault: Vault) -> None:
    with pytest.raises(ProducerError, match="the signature does not verify with the public key"):
        signed("hv:worker/2", public_pem=generate().public_pem)


# --- AWS ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def aws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kms]:
    found = Kms(request.param)
    with serving(found) as url:
        settings = {
            "AWS_ENDPOINT_URL_KMS": url,
            "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "sesame",
            "AWS_REGION": "eu-west-1",
            "AWS_DEFAULT_REGION": "eu-west-1",
            "AWS_MAX_ATTEMPTS": "1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        yield found


EC_KEYS = [ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP384R1())]
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.mark.loopback
@pytest.mark.parametrize("aws", [*EC_KEYS, RSA_KEY], indirect=True, ids=["p256", "p384", "rsa"])
def test_aws(aws: Kms) -> None:
    found = signed("awskms:alias/worker")
    assert found.key is not None
    der = aws.private.public_key().public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)
    assert (found.key.spki, aws.asked[0], aws.asked[-1]) == (der, "GetPublicKey", "Sign")


@pytest.mark.loopback
@pytest.mark.parametrize("aws", [RSA_KEY], indirect=True, ids=["rsa"])
def test_aws_with_the_padding_of_bundles(aws: Kms) -> None:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    signer = open_key(key_at("awskms:alias/worker"), Opening(padding="pkcs1v15"))
    RSA_KEY.public_key().verify(signer.sign(b"data").sig, b"data", padding.PKCS1v15(), hashes.SHA256())


@pytest.mark.loopback
@pytest.mark.parametrize("aws", EC_KEYS[:1], indirect=True, ids=["p256"])
def test_aws_is_not_asked_for_a_public_half_that_is_given(aws: Kms) -> None:
    signed("awskms:alias/worker", public_pem=public_pem_of(aws.private.public_key()))
    assert aws.asked == ["Sign"]


@pytest.mark.loopback
@pytest.mark.parametrize("aws", EC_KEYS[:1], indirect=True, ids=["p256"])
def test_a_key_that_aws_has_not(aws: Kms, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigurationError, match=r"--signer awskms:alias/other: .*Invalid keyId alias/other") as caught:
        signed("awskms:alias/other")
    assert "sesame" not in caught.value.message
    with pytest.raises(ConfigurationError, match="Invalid keyId"):
        signed("awskms:alias/other", public_pem=public_pem_of(aws.private.public_key()))
    assert capfd.readouterr().err == ""  # securesystemslib logs the failure; we say it once
