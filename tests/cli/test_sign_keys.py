"""`sign --signer` and `--bundle`: exactly one way to sign, no flag without effect, the public half for a verifier."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder

Cli = Callable[..., Any]
NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def statement(tmp_path: Path) -> Path:
    path = tmp_path / "statement.json"
    path.write_bytes(ReceiptBuilder(task="t", agent="a").subject("x", "a" * 64).finish(finished_on=NOW).build())
    return path


@pytest.fixture
def key(cli: Cli, tmp_path: Path) -> Path:
    assert cli("keygen", "--out", tmp_path / "k").code == 0
    return tmp_path / "k.pem"


def signers(cli: Cli, receipt: Path, public: Path) -> list[str]:
    done = cli("verify", receipt, "--trusted-key", f"worker={public}", "--format", "json")
    return [signer["principal"] for signer in json.loads(done.out)["result"]["signers"]]


MISUSE = {
    "nobody": [],
    "two": ["--key", "k.pem", "--sigstore"],
    "three": ["--key", "k.pem", "--signer", "hsm:", "--sigstore"],
    "label-without-key": ["--sigstore", "--key-id", "x"],
    "public-out-without-key": ["--sigstore", "--public-key-out", "x"],
    "passphrase-without-key": ["--sigstore", "--passphrase-file", "x"],
    "public-half-of-a-file": ["--key", "k.pem", "--public-key", "x"],
    "public-half-for-gnupg": ["--signer", "gnupg:", "--public-key", "x"],
    "passphrase-for-gnupg": ["--signer", "gnupg:", "--passphrase-file", "x"],
    "token-with-key": ["--key", "k.pem", "--identity-token", "x"],
    "log-in-an-envelope": ["--key", "k.pem", "--trust-config", "x"],
    "services-without-root": ["--sigstore", "--signing-config", "x"],
    "root-without-services": ["--key", "k.pem", "--bundle", "--trusted-root", "x"],
    "same-output": ["--key", "k.pem", "--public-key-out", "r"],
    "unknown-scheme": ["--signer", "ftp:x"],
    "no-seconds": ["--key", "k.pem", "--timeout", "0"],
    "token-as-argument": ["--sigstore", "--identity-token=-", "--passphrase-fd", "0"],
}


@pytest.mark.parametrize("line", MISUSE.values(), ids=MISUSE)
@pytest.mark.parametrize("command", ["sign", "attest"])
def test_flags_that_contradict_each_other(
    cli: Cli, tmp_path: Path, statement: Path, command: str, line: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build = ["--root", ".", "--task", "t", "--agent", "a"]
    done = cli(command, *([statement] if command == "sign" else build), *line, "--out", "r")
    assert done.code == 2, done.err
    assert not (tmp_path / "r").exists()


def test_standard_input_is_one_thing(cli: Cli, tmp_path: Path) -> None:
    done = cli("sign", "-", "--sigstore", "--identity-token", "-", "--yes", "--out", tmp_path / "r")
    assert (done.code, "standard input can be one of" in done.err) == (2, True)


def test_a_key_by_uri(cli: Cli, tmp_path: Path, statement: Path, key: Path) -> None:
    done = cli("sign", statement, "--signer", f"file2:{key}", "--out", tmp_path / "r")
    assert done.code == 0, done.err
    assert signers(cli, tmp_path / "r", key.with_suffix(".pub")) == ["worker"]


def test_an_encrypted_key_by_uri(cli: Cli, tmp_path: Path, statement: Path) -> None:
    (tmp_path / "secret").write_bytes(b"sesame\n")
    cli("keygen", "--out", tmp_path / "e", "--passphrase-file", tmp_path / "secret")
    descriptor = os.open(tmp_path / "secret", os.O_RDONLY)
    try:
        line = ["--signer", f"file2:{tmp_path}/e.pem", "--passphrase-fd", str(descriptor), "--out", tmp_path / "r"]
        done = cli("sign", statement, *line)
    finally:
        os.close(descriptor)
    assert done.code == 0, done.err
    assert signers(cli, tmp_path / "r", tmp_path / "e.pub") == ["worker"]


@pytest.mark.parametrize("how", [["--key"], ["--signer"]], ids=["key", "signer"])
def test_the_public_half_is_written(cli: Cli, tmp_path: Path, statement: Path, key: Path, how: list[str]) -> None:
    value = str(key) if how == ["--key"] else f"file2:{key}"
    done = cli("sign", statement, *how, value, "--out", tmp_path / "r", "--public-key-out", tmp_path / "out.pub")
    assert done.code == 0, done.err
    assert (tmp_path / "out.pub").read_bytes() == key.with_suffix(".pub").read_bytes()


@pytest.mark.parametrize("how", ["--key=", "--signer=file2:"])
@pytest.mark.parametrize("output", ["--out", "--public-key-out"])
def test_no_input_is_written_over(cli: Cli, tmp_path: Path, statement: Path, key: Path, how: str, output: str) -> None:
    done = cli("sign", statement, f"{how}{key}", "--out", tmp_path / "r", output, key)
    assert (done.code, "is a file that this command reads" in done.err) == (2, True)
    assert b"PRIVATE KEY" in key.read_bytes()


@pytest.mark.parametrize("algorithm", ["ed25519", "ecdsa-p256", "rsa-3072"])
def test_a_bundle_without_a_log(cli: Cli, tmp_path: Path, statement: Path, algorithm: str) -> None:
    cli("keygen", "--algorithm", algorithm, "--out", tmp_path / "b")
    done = cli("sign", statement, "--key", tmp_path / "b.pem", "--bundle", "--out", tmp_path / "r")
    assert (done.code, done.err) == (0, "")
    tree = json.loads((tmp_path / "r").read_text())
    assert tree["mediaType"] == "application/vnd.dev.sigstore.bundle.v0.3+json"
    assert signers(cli, tmp_path / "r", tmp_path / "b.pub") == ["worker"]


def test_a_library_that_is_missing_is_noticed_before_evidence_runs(cli: Cli, tmp_path: Path, work: Path) -> None:
    line = ["--root", work, "--task", "t", "--agent", "a", "--claim", "c=x", "--command", "c=touch ran"]
    done = cli("attest", *line, "--subject", "report.md", "--signer", "gcpkms:k", "--out", tmp_path / "r")
    assert (done.code, "pip install 'in-toto-done-receipt[gcpkms]'" in done.err) == (4, True)
    assert not (work / "ran").exists()


@pytest.mark.parametrize("command", ["sign", "attest"])
def test_no_secret_on_the_command_line(cli: Cli, statement: Path, command: str) -> None:
    text = cli(command, "--help").out
    for word in ("--pin", "--passphrase ", "--token", "--password"):
        assert word not in text
