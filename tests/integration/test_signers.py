"""Keys in a PKCS#11 token and in a GnuPG keyring: the real ones, of the distribution's packages softhsm2 and gnupg."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from securesystemslib.dsse import Envelope
from securesystemslib.signer import GPGSigner

from in_toto_done_receipt.cli.main import run as here
from tests.cli.conftest import work
from tests.integration.made import DONE_RECEIPT, SECONDS

__all__ = ["work"]

pytestmark = pytest.mark.integration

PIN: Final = "1234"
LIBRARIES: Final = ("/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so")


def run(*command: Any, environment: Mapping[str, str] | None = None, stdin: str = "") -> Any:
    """How a command ended."""
    return subprocess.run(
        [str(part) for part in command],
        env=os.environ | dict(environment or {}),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def succeed(*command: Any, environment: Mapping[str, str] | None = None) -> Any:
    done = run(*command, environment=environment)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done


@pytest.fixture
def statement(work: Path, tmp_path: Path) -> Path:
    out = tmp_path / "statement.json"
    line = "--agent", "worker-agent", "--task", "t", "--claim", "c=done", "--file", "c=report.md"
    assert here(["build", "--root", str(work), "--out", str(out), *line]) == 0
    return out


def trusted(folder: Path, public: Path, **members: object) -> Path:
    """A trust file for one key."""
    lines = ["version = 1", "[[key]]", 'name = "worker"', f'path = "{public}"']
    lines += [f"{name} = {json.dumps(value)}" for name, value in members.items()]
    (folder / "trust.toml").write_text("\n".join(lines))
    return folder / "trust.toml"


def admitted(receipt: Path, trust: Path, work: Path) -> int:
    return here(["verify", str(receipt), "--trust", str(trust), "--root", str(work)])


# --- PKCS#11 --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a token `worker` with an EC key for each supported curve: 2 (P-256) and 3 (P-384)."""
    folder = tmp_path_factory.mktemp("token")
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(f"directories.tokendir = {folder}/tokens\n")
    library = next((path for path in LIBRARIES if Path(path).is_file()), LIBRARIES[0])
    variables = {"SOFTHSM2_CONF": f"{folder}/softhsm2.conf", "PYKCS11LIB": library}
    pins = ["--pin", PIN, "--so-pin", "5678"]
    succeed("softhsm2-util", "--init-token", "--free", "--label", "worker", *pins, environment=variables)
    for number, curve in ((2, "P-256"), (3, "P-384")):
        key = folder / f"{curve}.pem"
        succeed("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}", "-out", key)
        named = ["--token", "worker", "--label", curve, "--id", f"0{number}", "--pin", PIN]
        succeed("softhsm2-util", "--import", key, *named, environment=variables)
    (folder / "pin").write_text(f"{PIN}\n")
    return variables | {"PIN_FILE": f"{folder}/pin"}


@pytest.mark.parametrize("uri", ["hsm:2?label=worker", "hsm:3?label=worker", "hsm:"])
def test_a_token(token: dict[str, str], statement: Path, work: Path, tmp_path: Path, uri: str) -> None:
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    line = ["--signer", uri, "--passphrase-file", token["PIN_FILE"], "--out", out, "--public-key-out", public]
    succeed(*DONE_RECEIPT, "sign", statement, *line, environment=token)
    assert admitted(out, trusted(tmp_path, public), work) == 0


def test_a_token_and_attest(token: dict[str, str], work: Path, tmp_path: Path) -> None:
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    line = ["--agent", "a", "--task", "t", "--claim", "c=done", "--file", "c=report.md", "--out", out]
    signer = ["--signer", "hsm:2?label=worker", "--passphrase-file", token["PIN_FILE"], "--public-key-out", public]
    succeed(*DONE_RECEIPT, "attest", "--root", work, *line, *signer, environment=token)
    assert admitted(out, trusted(tmp_path, public), work) == 0


def test_a_token_in_a_bundle(token: dict[str, str], statement: Path, work: Path, tmp_path: Path) -> None:
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    line = ["--signer", "hsm:2?label=worker", "--passphrase-file", token["PIN_FILE"], "--bundle"]
    outputs = ["--out", out, "--public-key-out", public]
    succeed(*DONE_RECEIPT, "sign", statement, *line, *outputs, environment=token)
    assert admitted(out, trusted(tmp_path, public), work) == 0


def test_the_public_half_of_a_token_need_not_be_asked(
    token: dict[str, str], statement: Path, work: Path, tmp_path: Path
) -> None:
    public = tmp_path / "worker.pub"
    line = ["--signer", "hsm:2?label=worker", "--passphrase-file", token["PIN_FILE"], "--out", tmp_path / "r"]
    succeed(*DONE_RECEIPT, "sign", statement, *line, "--public-key-out", public, environment=token)
    succeed(*DONE_RECEIPT, "sign", statement, *line, "--public-key", public, environment=token)
    assert admitted(tmp_path / "r", trusted(tmp_path, public), work) == 0


REFUSED_BY_THE_TOKEN: Final = {
    "pin": ("hsm:2?label=worker", "wrong", "the PIN is wrong"),
    "no-pin": ("hsm:2?label=worker", "", "the PIN is empty"),
    "key": ("hsm:9?label=worker", PIN, "could not find ECDSA key"),
    "label": ("hsm:2?label=other", PIN, "no PKCS#11 token found for label other"),
}


@pytest.mark.parametrize(("uri", "pin", "said"), REFUSED_BY_THE_TOKEN.values(), ids=REFUSED_BY_THE_TOKEN)
def test_what_a_token_refuses(
    token: dict[str, str], statement: Path, tmp_path: Path, uri: str, pin: str, said: str
) -> None:
    (tmp_path / "pin").write_text(pin)
    line = ["--signer", uri, "--passphrase-file", tmp_path / "pin", "--out", tmp_path / "r"]
    done = run(*DONE_RECEIPT, "sign", statement, *line, environment=token)
    assert (done.returncode, done.stdout, (tmp_path / "r").exists()) == (4, "", False)
    (error,) = [line for line in done.stderr.splitlines() if not line.startswith("hint:")]
    assert error.startswith("error: ")
    assert said in error


# --- GnuPG ----------------------------------------------------------------------------------------------------------


class Keyring:
    """A keyring in a folder with a space in its name."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "gnu pg"
        self.home.mkdir(mode=0o700)

    def gpg(self, *line: str) -> str:
        return str(succeed("gpg", "--homedir", self.home, "--batch", "--pinentry-mode", "loopback", *line).stdout)

    def make(self, algorithm: str, *, passphrase: str = "", usage: str = "sign", name: str = "worker") -> str:
        """A new key; gives its fingerprint."""
        self.gpg("--passphrase", passphrase, "--quick-gen-key", f"{name}@example.org", algorithm, usage, "0")
        return self.fingerprints()[-1]

    def fingerprints(self) -> list[str]:
        lines = self.gpg("--with-colons", "--list-keys").splitlines()
        return [line.split(":")[9] for line in lines if line.startswith("fpr:")]

    def stop(self) -> None:
        """End the agent, which `gpg` starts by itself."""
        run("gpgconf", "--homedir", self.home, "--kill", "all")


@pytest.fixture
def keyring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyring]:
    found = Keyring(tmp_path_factory.mktemp("g"))  # short: the agent's socket has 107 bytes for its path
    yield found
    found.stop()


def by_gnupg(statement: Path, keyring: Keyring, out: Path, *line: Any, query: str = "") -> Any:
    return run(*DONE_RECEIPT, "sign", statement, "--signer", f"gnupg:{keyring.home}{query}", "--out", out, *line)


@pytest.mark.parametrize("algorithm", ["ed25519", "rsa2048", "rsa3072"])
def test_a_keyring(keyring: Keyring, statement: Path, work: Path, tmp_path: Path, algorithm: str) -> None:
    fingerprint = keyring.make(algorithm)
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    done = by_gnupg(statement, keyring, out, "--public-key-out", public)
    assert done.returncode == 0, done.stderr
    assert "note: in a trust file this key wants openpgp = true" in done.stderr
    assert json.loads(out.read_text())["signatures"][0]["keyid"] == fingerprint.lower()
    assert admitted(out, trusted(tmp_path, public, openpgp=True), work) == 0
    assert admitted(out, trusted(tmp_path, public), work) == 10


def test_securesystemslib_accepts_it_too(keyring: Keyring, statement: Path, tmp_path: Path) -> None:
    fingerprint = keyring.make("ed25519").lower()
    out = tmp_path / "receipt.json"
    assert by_gnupg(statement, keyring, out).returncode == 0
    envelope = Envelope.from_dict(json.loads(out.read_text()))
    _, key = GPGSigner.import_(fingerprint, f"'{keyring.home}'")
    assert list(envelope.verify([key], 1)) == [fingerprint]


def test_a_changed_payload(keyring: Keyring, statement: Path, work: Path, tmp_path: Path) -> None:
    keyring.make("ed25519")
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    by_gnupg(statement, keyring, out, "--public-key-out", public)
    tree = json.loads(out.read_text())
    (tmp_path / "other.json").write_bytes(statement.read_bytes().replace(b'"passed":true', b'"passed":false'))
    other = tmp_path / "other-receipt.json"
    by_gnupg(tmp_path / "other.json", keyring, other)
    tree["payload"] = json.loads(other.read_text())["payload"]
    out.write_text(json.dumps(tree))
    assert admitted(out, trusted(tmp_path, public, openpgp=True), work) == 10


def test_several_keys_want_a_choice(keyring: Keyring, statement: Path, work: Path, tmp_path: Path) -> None:
    chosen, other = keyring.make("ed25519"), keyring.make("rsa2048", name="other")
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    done = by_gnupg(statement, keyring, out)
    assert (done.returncode, "2 keys of the keyring can sign" in done.stderr) == (4, True)
    assert all(fingerprint.lower() in done.stderr for fingerprint in (chosen, other))
    done = by_gnupg(statement, keyring, out, "--public-key-out", public, query=f"?keyid={chosen}")
    assert done.returncode == 0, done.stderr
    assert admitted(out, trusted(tmp_path, public, openpgp=True), work) == 0


@pytest.mark.parametrize("usage", ["cert", "sign,cert"])
@pytest.mark.parametrize("subkey", ["ed25519", "rsa2048"])
def test_the_newest_subkey_signs(
    keyring: Keyring, statement: Path, work: Path, tmp_path: Path, usage: str, subkey: str
) -> None:
    primary = keyring.make("ed25519", usage=usage)
    keyring.gpg("--passphrase", "", "--quick-add-key", primary, subkey, "sign", "0")
    out, public = tmp_path / "receipt.json", tmp_path / "worker.pub"
    done = by_gnupg(statement, keyring, out, "--public-key-out", public)
    assert done.returncode == 0, done.stderr
    newest = keyring.fingerprints()[-1].lower()
    assert json.loads(out.read_text())["signatures"][0]["keyid"] == newest
    assert admitted(out, trusted(tmp_path, public, openpgp=True), work) == 0
    if usage == "sign,cert":
        done = by_gnupg(statement, keyring, out, query=f"?keyid={primary}")
        assert (done.returncode, f"gpg would sign with the newer subkey {newest}" in done.stderr) == (4, True)


GNUPG_FAULTS: Final = {
    "empty": (None, "", "0 keys of the keyring can sign"),
    "unknown": ("ed25519", f"?keyid={'0' * 40}", "no key of the keyring with this fingerprint"),
    "curve": ("nistp256", "", "a key of OpenPGP algorithm 19"),
}


@pytest.mark.parametrize(("algorithm", "query", "said"), GNUPG_FAULTS.values(), ids=GNUPG_FAULTS)
def test_what_a_keyring_has_not(
    keyring: Keyring, statement: Path, tmp_path: Path, algorithm: str | None, query: str, said: str
) -> None:
    if algorithm is not None:
        keyring.make(algorithm)
    done = by_gnupg(statement, keyring, tmp_path / "r", query=query)
    assert (done.returncode, "Traceback" in done.stderr, (tmp_path / "r").exists()) == (4, False, False)
    assert said in done.stderr


def test_a_locked_key_and_nobody_to_ask(keyring: Keyring, statement: Path, tmp_path: Path) -> None:
    keyring.make("ed25519", passphrase="sesame")  # noqa: S106 - of a key of this test
    keyring.stop()  # it remembers the passphrase
    (keyring.home / "gpg-agent.conf").write_text("pinentry-program /bin/false\n")
    done = by_gnupg(statement, keyring, tmp_path / "r")
    assert (done.returncode, "gpg: signing failed: No pinentry" in done.stderr) == (4, True), done.stderr
    assert "hint: if the key has a passphrase" in done.stderr


def test_no_bundle_holds_it(keyring: Keyring, statement: Path, tmp_path: Path) -> None:
    keyring.make("ed25519")
    done = by_gnupg(statement, keyring, tmp_path / "r", "--bundle")
    assert (done.returncode, "leave out --bundle" in done.stderr) == (4, True)
