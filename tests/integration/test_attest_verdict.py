"""`attest-result --sigstore` with a real Sigstore: the verdict under an identity, verified by cosign."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.integration.made import PERSON, SECONDS, Made, succeed
from tests.integration.stack.issuer import EMAIL_ISSUER
from tests.integration.stack.sigstore import SigstoreStack

pytestmark = [pytest.mark.integration, pytest.mark.loopback]


def test_a_verdict_is_signed_under_an_identity(
    cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, tool: Callable[[str], Path], tmp_path: Path
) -> None:
    receipt, result, out = tmp_path / "receipt.json", tmp_path / "result.json", tmp_path / "vsa.sigstore.json"
    assert cli("sign", unsigned.statement, "--key", unsigned.folder / "worker.pem", "--out", receipt).code == 0
    trust = ("--trusted-key", f"worker={unsigned.folder / 'worker.pub'}", "--root", unsigned.work)
    assert cli("recompute", receipt, *trust, "--out", result).code == 0
    (tmp_path / "token").write_text(sigstore_stack.fetch_token("email", email=PERSON))
    pin = ("--expected-digest", hashlib.sha256(result.read_bytes()).hexdigest())
    flags = ("--sigstore", "--identity-token", tmp_path / "token", "--trust-config", sigstore_stack.trust_config)
    ended = cli("attest-result", result, *pin, *flags, "--yes", "--resource-uri", "pkg:generic/app", "--out", out)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[1:3] == ["PASSED", f"identity: {PERSON}"]

    matched = json.loads(result.read_bytes())["matchedSubjects"]
    words = [str(tool("cosign")), "verify-blob-attestation", "--bundle", str(out)]
    words += ["--trusted-root", str(sigstore_stack.trusted_root), "--type", "https://slsa.dev/verification_summary/v1"]
    words += ["--certificate-identity", PERSON, "--certificate-oidc-issuer", EMAIL_ISSUER]
    assert "Verified OK" in succeed(*words, unsigned.work / matched[0], cwd=tmp_path)
    (tmp_path / "other").write_text("other")
    other = subprocess.run([*words, "other"], cwd=tmp_path, capture_output=True, timeout=SECONDS, check=False)
    assert other.returncode != 0
