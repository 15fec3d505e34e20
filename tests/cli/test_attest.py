"""`attest`: evidence first, then the key, and no identity in reach of a command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.producer.identity import AMBIENT_VARIABLES

Cli = Callable[..., Any]


@pytest.fixture(autouse=True)
def nothing_ambient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in AMBIENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def base(cli: Cli, work: Path, tmp_path: Path) -> list[str]:
    cli("keygen", "--out", tmp_path / "k")
    flags = ["--root", str(work), "--out", str(tmp_path / "r"), "--task", "t", "--agent", "worker", "--claim", "c=done"]
    return ["attest", *flags, "--key", str(tmp_path / "k.pem")]


def test_it_builds_and_signs(cli: Cli, base: list[str], tmp_path: Path) -> None:
    import base64
    import hashlib

    done = cli(*base, "--file", "c=report.md", "--key-id", "w")
    envelope = json.loads((tmp_path / "r").read_bytes())
    payload = base64.b64decode(envelope["payload"])
    assert (done.code, done.out) == (0, hashlib.sha256(payload).hexdigest() + "\n")
    assert envelope["signatures"][0]["keyid"] == "w"
    assert "receipt says: PASSED" in done.err


def test_json_facts(cli: Cli, base: list[str]) -> None:
    facts = json.loads(cli(*base, "--file", "c=report.md", "--json").out)
    assert facts.keys() == {"payloadSha256", "out", "summary", "notOk", "breach", "keyid"}


def test_evidence_that_is_not_ok_is_signed_too(cli: Cli, base: list[str], tmp_path: Path) -> None:
    done = cli(*base, "--text", "c=report.md::FAIL", "--subject", "report.md")
    assert (done.code, "evidence not ok: c[0] (text)" in done.err) == (12, True)
    assert (tmp_path / "r").exists()


def test_a_key_that_is_none_is_noticed_before_evidence_runs(
    cli: Cli, base: list[str], tmp_path: Path, work: Path
) -> None:
    done = cli(*base, "--key", tmp_path / "nowhere", "--command", "c=touch ran", "--subject", "report.md")
    assert (done.code, "nowhere" in done.err) == (4, True)
    assert not (work / "ran").exists()


def test_a_key_is_loaded_after_evidence_ran(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    (tmp_path / "text").write_text("no key")
    done = cli(*base, "--key", tmp_path / "text", "--command", "c=touch ran", "--subject", "report.md")
    assert (done.code, (work / "ran").exists(), (tmp_path / "r").exists()) == (4, True, False)


@pytest.mark.parametrize("name", AMBIENT_VARIABLES)
def test_an_identity_in_the_environment(
    cli: Cli, base: list[str], tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "sesame")
    done = cli(*base, "--command", "c=touch ran", "--subject", "report.md")
    assert (done.code, name in done.err, "sesame" in done.err) == (4, True, False)
    assert "hint: run `done-receipt build`, then `done-receipt sign`" in done.err
    assert not (work / "ran").exists()


def test_an_identity_by_override(cli: Cli, base: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", "sesame")
    assert cli(*base, "--file", "c=report.md", "--override", "identity-near-evidence").code == 0


def test_another_override_is_unknown(cli: Cli, base: list[str]) -> None:
    assert cli(*base, "--file", "c=report.md", "--override", "everything").code == 2


def test_the_work_moved(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m")
    (work / "new").write_text("x")
    assert cli(*base, "--manifest", tmp_path / "m").code == 11
    assert not (tmp_path / "r").exists()


def test_what_it_signs_is_admitted(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    assert cli(*base, "--file", "c=report.md", "--text", "c=report.md::PASS").code == 0
    flags = ["--trusted-key", f"worker={tmp_path}/k.pub", "--root", work]
    assert cli("verify", tmp_path / "r", *flags).code == 0
    (work / "report.md").write_text("changed")
    assert cli("verify", tmp_path / "r", *flags).code == 11
