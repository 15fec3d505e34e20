"""`keygen`: two files or none, the private one for its owner alone, nothing of it anywhere else."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tests.cli.terminal import on_a_terminal

Cli = Callable[..., Any]


def opens(key: Path, passphrase: bytes) -> bool:
    return isinstance(load_pem_private_key(key.read_bytes(), passphrase), Ed25519PrivateKey)


def test_it_writes_a_pair_and_prints_the_fingerprint(cli: Cli, tmp_path: Path) -> None:
    done = cli("keygen", "--out", tmp_path / "worker")
    assert done.code == 0
    assert done.out.startswith("sha256:")
    assert len(done.out.strip()) == 71
    assert sorted(path.name for path in tmp_path.iterdir()) == ["worker.pem", "worker.pub"]
    assert stat.S_IMODE((tmp_path / "worker.pem").stat().st_mode) == 0o600


@pytest.mark.parametrize("algorithm", ["ed25519", "ecdsa-p256", "rsa-3072"])
def test_its_fingerprint_is_what_openssl_says(cli: Cli, tmp_path: Path, algorithm: str) -> None:
    done = cli("keygen", "--out", tmp_path / "k", "--algorithm", algorithm)
    command = f"openssl pkey -pubin -in {tmp_path}/k.pub -outform DER | openssl dgst -sha256 -r"
    if subprocess.run(["sh", "-c", "command -v openssl"], capture_output=True, check=False).returncode:
        pytest.skip("needs openssl")
    digest = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()[0]
    assert done.out.strip() == f"sha256:{digest}"


@pytest.mark.parametrize("flags", [["--json"], ["--format", "json"]], ids=["json", "format"])
def test_json(cli: Cli, tmp_path: Path, flags: list[str]) -> None:
    facts = json.loads(cli("keygen", "--out", tmp_path / "k", *flags).out)
    assert facts.keys() == {"fingerprint", "privateKey", "publicKey"}


@pytest.mark.parametrize("taken", ["k.pem", "k.pub"])
def test_it_overwrites_nothing(cli: Cli, tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("mine")
    done = cli("keygen", "--out", tmp_path / "k")
    assert (done.code, done.out) == (4, "")
    assert f"{taken} exists" in done.err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(taken, "mine")]


def test_it_looks_before_it_asks_for_a_passphrase(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.pem").write_text("mine")
    assert "exists" in cli("keygen", "--out", tmp_path / "k", "--encrypt").err


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"], ids=["bare", "lf", "crlf"])
def test_passphrase_from_a_file(cli: Cli, tmp_path: Path, end: bytes) -> None:
    (tmp_path / "secret").write_bytes(b"open sesame" + end)
    done = cli("keygen", "--out", tmp_path / "k", "--passphrase-file", tmp_path / "secret")
    assert done.code == 0
    assert opens(tmp_path / "k.pem", b"open sesame")
    assert "sesame" not in done.out + done.err


def test_passphrase_from_a_descriptor(cli: Cli, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"open sesame\n")
    os.close(writer)
    try:
        done = cli("keygen", "--out", tmp_path / "k", "--encrypt", "--passphrase-fd", str(reader))
    finally:
        os.close(reader)
    assert done.code == 0
    assert opens(tmp_path / "k.pem", b"open sesame")


WRONG = {
    "empty file": (b"", "the passphrase is empty", 4),
    "only a newline": (b"\n", "the passphrase is empty", 4),
    "too long": (b"x" * 5000, "limit", 4),
}


@pytest.mark.parametrize(("secret", "message", "code"), WRONG.values(), ids=WRONG)
def test_a_passphrase_that_is_none(cli: Cli, tmp_path: Path, secret: bytes, message: str, code: int) -> None:
    (tmp_path / "secret").write_bytes(secret)
    done = cli("keygen", "--out", tmp_path / "k", "--passphrase-file", tmp_path / "secret")
    assert (done.code, message in done.err) == (code, True)
    assert not (tmp_path / "k.pem").exists()


def test_two_sources_of_a_passphrase(cli: Cli, tmp_path: Path) -> None:
    done = cli("keygen", "--out", tmp_path / "k", "--passphrase-file", "x", "--passphrase-fd", "9")
    assert done.code == 2


def test_a_closed_descriptor(cli: Cli, tmp_path: Path) -> None:
    done = cli("keygen", "--out", tmp_path / "k", "--passphrase-fd", "987")
    assert (done.code, "bad file descriptor" in done.err) == (4, True)


def test_a_missing_passphrase_file(cli: Cli, tmp_path: Path) -> None:
    done = cli("keygen", "--out", tmp_path / "k", "--passphrase-file", tmp_path / "nowhere")
    assert (done.code, "--passphrase-file" in done.err) == (4, True)


@pytest.mark.parametrize("out", ["-", "/", ".."])
def test_a_name_is_wanted(cli: Cli, out: str) -> None:
    assert cli("keygen", "--out", out).code == 2


def test_a_folder_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    assert cli("keygen", "--out", tmp_path / "no" / "k").code == 4


def test_no_passphrase_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    assert cli("keygen", "--out", tmp_path / "k", "--passphrase", "x").code == 2


def test_passphrase_at_a_terminal(tmp_path: Path) -> None:
    code, shown = on_a_terminal([(b":", b"sesame")] * 2, "keygen", "--out", tmp_path / "k", "--encrypt")
    assert code == 0, shown
    assert opens(tmp_path / "k.pem", b"sesame")
    assert b"sesame" not in shown
