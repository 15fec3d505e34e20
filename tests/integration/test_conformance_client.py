"""The conformance client signs with a real Sigstore, verifies what it signed, and cosign verifies it too."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.conformance.sigstore_client import main
from tests.integration.made import PERSON, Made, Tool, succeed
from tests.integration.stack.issuer import EMAIL_ISSUER
from tests.integration.stack.sigstore import SigstoreStack

pytestmark = [pytest.mark.integration, pytest.mark.loopback]

WHO = ("--certificate-identity", PERSON, "--certificate-oidc-issuer", EMAIL_ISSUER)


def signed(stack: SigstoreStack, what: Path, out: Path, *flags: str) -> Path:
    token = stack.fetch_token("email", email=PERSON)
    sigstore = ("--trusted-root", str(stack.trusted_root), "--signing-config", str(stack.signing_config))
    argv = ["sign-bundle", *flags, "--identity-token", token, "--bundle", str(out), *sigstore, str(what)]
    assert main(argv) == 0
    return out


def verified(stack: SigstoreStack, bundle: Path, what: str, *who: str) -> int:
    root = ("--trusted-root", str(stack.trusted_root))
    return main(["verify-bundle", "--bundle", str(bundle), *root, *(who or WHO), what])


@pytest.fixture(scope="module")
def file_bundle(sigstore_stack: SigstoreStack, made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return signed(sigstore_stack, made.work / "greeting.txt", tmp_path_factory.mktemp("file") / "bundle.json")


@pytest.fixture(scope="module")
def statement_bundle(sigstore_stack: SigstoreStack, made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("statement") / "bundle.json"
    return signed(sigstore_stack, made.statement, out, "--in-toto")


@pytest.mark.parametrize("kind", ["file_bundle", "statement_bundle"])
def test_it_verifies_what_it_signed(
    kind: str, sigstore_stack: SigstoreStack, made: Made, request: pytest.FixtureRequest
) -> None:
    bundle: Path = request.getfixturevalue(kind)
    path = made.work / "greeting.txt"
    for what in (str(path), f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"):
        assert verified(sigstore_stack, bundle, what) == 0
    assert verified(sigstore_stack, bundle, str(made.statement)) == 1
    assert verified(sigstore_stack, bundle, str(path), WHO[0], "eve@example.com", *WHO[2:]) == 1


def test_it_verifies_the_bundles_of_cosign(sigstore_stack: SigstoreStack, made: Made) -> None:
    path = str(made.work / "greeting.txt")
    assert verified(sigstore_stack, made.bundle("cosign-email"), path) == 0
    key = ("--key", str(made.folder / "cosign.pub"))
    assert verified(sigstore_stack, made.bundle("cosign-key"), path, *key) == 0
    assert verified(sigstore_stack, made.bundle("cosign-key"), path, "--key", str(made.folder / "stranger.pub")) == 1


def test_cosign_verifies_what_it_signed(
    sigstore_stack: SigstoreStack, made: Made, tool: Tool, file_bundle: Path
) -> None:
    flags = ("--bundle", file_bundle, "--trusted-root", sigstore_stack.trusted_root, *WHO)
    succeed(tool("cosign"), "verify-blob", *flags, made.work / "greeting.txt", cwd=made.folder)


def test_a_damaged_bundle_fails(sigstore_stack: SigstoreStack, made: Made, file_bundle: Path, tmp_path: Path) -> None:
    tree = json.loads(file_bundle.read_bytes())
    tree["verificationMaterial"]["tlogEntries"][0]["inclusionProof"]["treeSize"] = "1"
    (tmp_path / "bundle.json").write_text(json.dumps(tree))
    assert verified(sigstore_stack, tmp_path / "bundle.json", str(made.work / "greeting.txt")) == 1
