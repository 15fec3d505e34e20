"""`verify` on real Sigstore bundles: a foreign predicate by a shared workflow, and bundles of two other Sigstores."""

import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main

IDENTITY = (
    "https://github.com/github/artifact-attestations-workflows/.github/workflows/"
    "attest.yml@09b495c3f12c7881b3cc17209a327792065c1a1d"
)
ISSUER = "https://token.actions.githubusercontent.com"
REPOSITORY = "https://github.com/malancas/attest-demo"


class Run:
    """What one command line came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.err = code, err
        self.document: dict[str, Any] = json.loads(out)


def verify(capsys: pytest.CaptureFixture[str], bundle: Path, root: Path, **flags: str | None) -> Run:
    line = ["verify", str(bundle), "--trusted-root", str(root), "--json"]
    for name, value in flags.items():
        if value is not None:
            line += [f"--certificate-{name.replace('_', '-')}", value]
    code = main.run(line)
    captured = capsys.readouterr()
    return Run(code, captured.out, captured.err)


@pytest.fixture
def bundle(shared: Path) -> Path:
    return shared / "corpus" / "sigstore" / "gh-reusable-workflow-attestation.sigstore.json"


@pytest.fixture
def root(shared: Path) -> Path:
    return shared / "corpus" / "sigstore" / "root-targets-trusted_root.json"


def test_a_foreign_predicate_is_verified_and_denied(
    bundle: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = verify(capsys, bundle, root, identity=IDENTITY, oidc_issuer=ISSUER, source_repository=REPOSITORY)
    assert run.code == 12
    (signer,) = run.document["result"]["signers"]
    assert (signer["identity"], signer["issuer"]) == (IDENTITY, ISSUER)
    assert signer["claims"]["sourceRepositoryURI"] == REPOSITORY
    assert signer["logIndex"] > 0
    (violation,) = run.document["decision"]["violations"]
    assert violation["code"] == "statement.handler"
    assert "https://slsa.dev/provenance/v1" in violation["message"]
    assert "https://w3id.org/done-receipt/v0.1" in violation["message"]


WRONG: dict[str, tuple[dict[str, str | None], str]] = {
    "no source repository": ({"source_repository": None}, "signature.shared_builder"),
    "other source repository": ({"source_repository": REPOSITORY + "2"}, "signature.claims"),
    "wrong identity": ({"identity": IDENTITY.replace("attest.yml", "other.yml")}, "signature.identity"),
    "a prefix of the identity": ({"identity": IDENTITY[:-1]}, "signature.identity"),
    "an expression that matches a part": (
        {"identity": None, "identity_regexp": r"https://github\.com/github/artifact-attestations-workflows/"},
        "signature.identity",
    ),
    "other issuer": ({"oidc_issuer": "https://accounts.google.com"}, "signature.issuer"),
}


@pytest.mark.parametrize(("change", "reason"), WRONG.values(), ids=WRONG)
def test_a_signer_who_is_not_the_trusted_one_is_refused(
    change: dict[str, str | None], reason: str, bundle: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = {"identity": IDENTITY, "oidc_issuer": ISSUER, "source_repository": REPOSITORY} | change
    run = verify(capsys, bundle, root, **flags)
    assert run.code == 10
    reasons = [f["reason"] for c in run.document["result"]["checks"] for f in c["findings"] if f["status"] == "fail"]
    assert reasons == [reason]
    assert run.document["result"]["untrusted"] == {}


def test_another_root_is_refused(bundle: Path, shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = shared / "corpus" / "sigstore" / "local-rekor1-trusted_root.json"
    run = verify(capsys, bundle, other, identity=IDENTITY, oidc_issuer=ISSUER, source_repository=REPOSITORY)
    assert run.code == 10


def test_an_empty_issuer_is_a_usage_error(bundle: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = verify(capsys, bundle, root, identity=IDENTITY, oidc_issuer="", source_repository=REPOSITORY)
    assert run.code == 2
    assert run.document["error"]["exitCode"] == 2


@pytest.mark.parametrize("name", ["local-rekor1", "local-rekor2"])
@pytest.mark.parametrize("trusted", ["local-rekor1", "local-rekor2", "root-targets"])
def test_a_bundle_verifies_with_the_root_of_its_own_sigstore_and_no_other(
    name: str, trusted: str, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "corpus" / "sigstore"
    run = verify(
        capsys,
        folder / f"{name}-bundle.json",
        folder / f"{trusted}-trusted_root.json",
        identity="dev@example.com",
        oidc_issuer="https://oidc.local.test",
    )
    assert (run.document["result"]["signers"] != []) == (name == trusted)
    assert (run.code == 10) == (name != trusted)
