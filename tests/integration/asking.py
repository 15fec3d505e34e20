"""One question about a bundle — is it by this signer, over this file, under this root? — put to us and to cosign."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli, Ended
from tests.integration.made import SECONDS, TYPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Whose signature is wanted: an identity with its issuer, or a key. `logged`: a log entry and a time as well."""

    bundle: Path
    root: Path
    artifact: Path
    work: Path
    predicate_type: str = TYPE
    identity: str | None = None
    issuer: str | None = None
    key: Path | None = None
    logged: bool = True

    def put_to_us(self, cli: Cli, folder: Path, *flags: str | Path) -> Ended:
        """What `done-receipt verify` answers, as JSON; its trust file is written into `folder`."""
        trust = folder / "trust.toml"
        trust.write_text(self._trust_file())
        where = ("--root", self.work, "--artifact", self.artifact)
        return cli("verify", self.bundle, "--trust", trust, *where, *flags, "--json")

    def put_to_cosign(self, cosign: Path) -> subprocess.CompletedProcess[str]:
        """What `cosign verify-blob-attestation` answers."""
        command: list[str | Path] = [cosign, "verify-blob-attestation", "--bundle", self.bundle]
        command += ["--trusted-root", self.root, "--type", self.predicate_type]
        command += ["--key", self.key] if self.key else []
        command += ["--use-signed-timestamps"] if self.key and self.logged else []
        command += ["--certificate-identity", self.identity] if self.identity else []
        command += ["--certificate-oidc-issuer", self.issuer] if self.issuer else []
        command += [] if self.logged else ["--insecure-ignore-tlog"]
        return subprocess.run([*command, self.artifact], capture_output=True, text=True, check=False, timeout=SECONDS)

    def _trust_file(self) -> str:
        scope = f"predicateTypes = {json.dumps([self.predicate_type])}\n"
        root = f"[sigstore]\ntrustedRoot = {json.dumps(str(self.root))}\n"
        if self.key is None:
            who = f"subject = {json.dumps(self.identity)}\nissuer = {json.dumps(self.issuer)}\n"
            return f'version = 1\n[[identity]]\nname = "signer"\n{who}{scope}{root}'
        demands = "transparency = true\ntimestamp = true\n" if self.logged else ""
        key = f'version = 1\n[[key]]\nname = "signer"\npath = {json.dumps(str(self.key))}\n{demands}{scope}'
        return key + (root if self.logged else "")


def document(answer: Ended) -> dict[str, Any]:
    """The result and the decision that were printed."""
    tree: dict[str, Any] = json.loads(answer.out)
    return tree


def failed(answer: Ended) -> dict[str, str]:
    """The reasons of all findings that failed, each with its message."""
    checks = document(answer)["result"]["checks"]
    return {
        found["reason"]: found["message"]
        for check in checks
        for found in check["findings"]
        if found["status"] == "fail"
    }
