"""What the forge makes is genuine for cosign too, and for cosign too its lies are none."""

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.forge.keys import pem
from tests.forge.plan import Lies
from tests.forge.sigstore import Forge

pytestmark = pytest.mark.integration

Verify = Callable[..., subprocess.CompletedProcess[str]]
KEYLESS = ["--certificate-identity", "dev@example.org", "--certificate-oidc-issuer", "https://accounts.example.org"]


@pytest.fixture
def cosign(tool: Callable[[str], Path], tmp_path: Path) -> Verify:
    """`cosign verify-blob-attestation` on a bundle of the forge."""
    forge = Forge.of()
    (tmp_path / "root.json").write_text(json.dumps(forge.trusted_root()))
    (tmp_path / "greeting.txt").write_text(generate.GREETING)

    def verify(bundle: Any, *who: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "bundle.json").write_text(json.dumps(bundle))
        line = ["verify-blob-attestation", "--bundle", "bundle.json", "--trusted-root", "root.json"]
        line += ["--type", "https://w3id.org/done-receipt/v0.1", *(who or KEYLESS), "greeting.txt"]
        words = [str(tool("cosign")), *line]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    return verify


def payload() -> bytes:
    return generate.payload_of(generate.base())


GENUINE: dict[str, Mapping[str, Any]] = {
    "Rekor v1": {},
    "Rekor v1, intoto": {"entry": "intoto/0.0.2"},
    "Rekor v1 and a timestamp": {"stamps": 1},
    "Rekor v2": {"rekor": "v2"},
    "Rekor v2, P-384": {"rekor": "v2", "curve": "P-384"},
    "Rekor v2 in a tree of 300": {"rekor": "v2", "tree_size": 300, "index": 299},
}


@pytest.mark.parametrize("changes", GENUINE.values(), ids=GENUINE)
def test_cosign_accepts_what_is_genuine(cosign: Verify, changes: dict[str, Any]) -> None:
    done = cosign(Forge.of().bundle(payload(), **changes))
    assert (done.returncode, done.stderr.strip()) == (0, "Verified OK")


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_cosign_accepts_a_managed_key(cosign: Verify, rekor: str, tmp_path: Path) -> None:
    key = Forge.of().key("managed")
    (tmp_path / "key.pub").write_bytes(pem(key.public_key()))
    done = cosign(Forge.of().managed(payload(), key, rekor=rekor), "--key", "key.pub")
    assert (done.returncode, done.stderr.strip()) == (0, "Verified OK")


LIES: dict[str, Mapping[str, Any]] = {
    "an entry of another payload": {"lies": Lies(logged_payload=b"{}")},
    "an entry of another signature": {"lies": Lies(logged_signature=b"0")},
    "an entry of another signer, Rekor v2": {"lies": Lies(logged_by="other"), "rekor": "v2"},
    "a promise for another time": {"lies": Lies(promised={"integratedTime": 1})},
    "a checkpoint of another root": {"lies": Lies(checkpoint_root=b"\0" * 32)},
    "a timestamp of another signature": {"lies": Lies(stamped=b"other"), "rekor": "v2"},
    "no certificate log's promise": {"lies": Lies(scts=0)},
    "an expired certificate": {"after": 601},
    "a user name, whom nobody asked for": {"identity": "robot"},
}


@pytest.mark.parametrize("changes", LIES.values(), ids=LIES)
def test_cosign_refuses_a_lie(cosign: Verify, changes: dict[str, Any]) -> None:
    done = cosign(Forge.of().bundle(payload(), **changes))
    assert done.returncode != 0
    assert "Verified OK" not in done.stderr
