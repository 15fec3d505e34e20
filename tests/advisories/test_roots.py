"""Keys come from the verifier's root and from nowhere else: no cache, no log that is asked, no bundle with its own."""

import json
import socket
from base64 import b64encode
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.advisories.conftest import TRUSTED, Court, statement
from tests.forge.authority import der_of
from tests.forge.keys import pem, spki
from tests.forge.plan import V02
from tests.forge.sigstore import Forge


@pytest.fixture
def poisoned(court: Court, monkeypatch: pytest.MonkeyPatch) -> Forge:
    """A home whose caches of every client hold a stranger's root."""
    stranger = Forge.of("stranger")
    home = court.folder / "home"
    root = json.dumps(stranger.trusted_root())
    for cache in (".cache", ".local/share"):
        for client in ("sigstore-python", "sigstore-python/tuf", "in-toto-done-receipt"):
            for url in ("https%3A%2F%2Ftuf-repo-cdn.sigstore.dev", ""):
                for name in ("trusted_root.json", "targets/trusted_root.json"):
                    place = home / cache / client / url / name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(root)
    (home / ".sigstore" / "root" / "targets").mkdir(parents=True)
    (home / ".sigstore" / "root" / "targets" / "trusted_root.json").write_text(root)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local/share"))
    monkeypatch.setenv("SIGSTORE_ROOT_FILE", str(home / ".sigstore/root/targets/trusted_root.json"))
    monkeypatch.setenv("TUF_ROOT", str(home / ".sigstore/root"))
    return stranger


def test_tob_sigstore_10_a_cached_root_is_never_used(court: Court, poisoned: Forge) -> None:
    court.refused(poisoned.bundle(statement()))
    assert court.judge(court.bundle()).code == 0


def test_tob_sigstore_10_without_a_root_nothing_is_looked_for(court: Court, poisoned: Forge) -> None:
    for bundle in (poisoned.bundle(statement()), court.bundle()):
        seen = court.judge(bundle, trust=TRUSTED)
        assert seen.code in (2, 4)
        assert "trusted-root" in seen.err


def test_tob_sigstore_10_a_root_that_is_pinned_is_that_one(court: Court) -> None:
    trust = """version = 1
[[identity]]
name = "dev"
subject = "dev@example.org"
issuer = "https://accounts.example.org"
[sigstore]
trustedRoot = "root.json"
sha256 = "{}"
"""
    court.write("trust.toml", trust.format("0" * 64))
    assert court.judge(court.bundle(), trust=["--trust", "trust.toml"]).code == 4


def embedded(court: Court) -> list[dict[str, Any]]:
    """Bundles that bring the keys that they want to be verified with."""
    stranger = Forge.of("stranger")
    key = stranger.key("worker")
    public = spki(key.public_key())
    chain = [{"rawBytes": b64encode(der_of(one)).decode()} for one in stranger.authority.chain]
    certified = stranger.bundle(statement(), media_type=V02)
    with_chain = deepcopy(certified)
    with_chain["verificationMaterial"]["x509CertificateChain"]["certificates"] += chain
    managed = stranger.managed(statement(), key, rekor="v1")
    with_key, with_hint = deepcopy(managed), deepcopy(managed)
    with_key["verificationMaterial"]["publicKey"] = {
        "rawBytes": b64encode(public).decode(),
        "keyDetails": "PKIX_ECDSA_P256_SHA_256",
    }
    with_hint["verificationMaterial"]["publicKey"] = {"hint": pem(key.public_key()).decode()}
    return [certified, with_chain, managed, with_key, with_hint]


@pytest.mark.parametrize("number", range(5), ids=["certificate", "chain", "managed", "key", "hint"])
def test_cve_2023_47122_a_bundle_brings_no_keys(court: Court, number: int) -> None:
    bundle = embedded(court)[number]
    assert court.judge(bundle).code in (3, 10)
    court.write("worker.pub", pem(court.forge.key("worker").public_key()).decode())
    for trust in (["--trusted-key", "worker=worker.pub"], ["--trusted-key", "worker=worker.pub", *TRUSTED]):
        rooted = [*trust, "--trusted-root", "root.json"] if len(trust) > 2 else trust
        assert court.judge(bundle, trust=rooted).code in (3, 10)


def test_cve_2023_47122_nobody_is_asked(court: Court, monkeypatch: pytest.MonkeyPatch) -> None:
    """No address is looked up and nothing is connected to, whatever the bundle is."""
    asked: list[Any] = []

    def ask(*arguments: Any, **_more: Any) -> Any:
        asked.append(arguments)
        raise OSError("not in a test")

    for name in ("getaddrinfo", "create_connection", "gethostbyname"):
        monkeypatch.setattr(socket, name, ask)
    unknown = Forge.of("stranger").bundle(statement())
    for bundle in (court.bundle(), court.bundle(rekor="v2"), unknown, court.bundle(entry="intoto/0.0.2")):
        court.judge(bundle)
    assert asked == []


def test_cve_2023_47122_the_library_is_given_no_place_to_write(court: Court, tmp_path: Path) -> None:
    court.judge(court.bundle())
    assert [path for path in tmp_path.rglob("*") if "sigstore" in path.name or "tuf" in path.name] == []
