"""A verifier's desk before an attack that was published: a Sigstore of the test's own, bundles, the real command."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from testdata.receipts import generate
from tests.forge.sigstore import Forge
from tests.threats.conftest import Desk, Seen

IDENTITY: Final = "dev@example.org"
ISSUER: Final = "https://accounts.example.org"
TRUSTED: Final = ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER]

Bundle = dict[str, Any]


class Court(Desk):
    """A desk whose signers are identities; `forge` is the Sigstore that the verifier trusts."""

    forge: Forge

    def bundle(self, change: generate.Change = lambda statement, predicate: None, **plan: Any) -> Bundle:
        """A genuine bundle of an honest receipt, by the trusted identity; `plan` is the forge's."""
        return self.forge.bundle(statement(change), **plan)

    def managed(self, label: str = "worker", **plan: Any) -> Bundle:
        """The same by a key."""
        return self.forge.managed(statement(), self.forge.key(label), **plan)

    def judge(
        self,
        *attestations: Mapping[str, Any] | str,
        trust: list[str] | None = None,
        flags: list[str] | None = None,
        root: Mapping[str, Any] | None = None,
        work: bool = True,
    ) -> Seen:
        """`verify` for these attestations in one file. `trust` instead of the trusted identity."""
        lines = [one if isinstance(one, str) else json.dumps(one) for one in attestations]
        self.write("receipt.json", "\n".join(lines) + "\n")
        self.write("root.json", json.dumps(root or self.forge.trusted_root()))
        words: list[str] = ["receipt.json", *(["--trusted-root", "root.json", *TRUSTED] if trust is None else trust)]
        for path, text in generate.WORK.items():
            self.write(f"workspace/{path}", text)
        return self.run(
            "verify", *words, *(generate.ROOT if work else []), "--at", generate.NOW, "--json", *(flags or [])
        )

    def refused(
        self, *attestations: Mapping[str, Any] | str, reason: str | None = "signature.sigstore", **how: Any
    ) -> Seen:
        """Not trusted: the exit code says so, no signer is named and nothing that is not verified is a fact."""
        seen = self.judge(*attestations, **how)
        assert (seen.code, seen.result["signers"], seen.result["claims"]) == (10, [], [])
        assert reason is None or reason in seen.reasons
        return seen


def statement(change: generate.Change = lambda statement, predicate: None) -> bytes:
    """The payload of an honest receipt."""
    tree = generate.base()
    change(tree, tree["predicate"])
    return generate.payload_of(tree)


@pytest.fixture(scope="session")
def forge() -> Forge:
    return Forge.of()


@pytest.fixture
def court(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], forge: Forge) -> Court:
    folder = tmp_path / "case"
    folder.mkdir()
    monkeypatch.chdir(folder)
    court = Court(folder, capsys)
    court.forge = forge
    return court
