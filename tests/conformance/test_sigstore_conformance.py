"""Every case of the Sigstore conformance suite, through a client that speaks its protocol."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.sigstore_client import main

PRODUCTION = "root-targets-trusted_root.json"
IDENTITY = (
    "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/.github/workflows/"
    "extremely-dangerous-oidc-beacon.yml@refs/heads/main"
)
ISSUER = "https://token.actions.githubusercontent.com"

# 52 of the suite's 70 cases. Those that sigstore-python 4.5.1 refuses, and should not.
WRONGLY_REFUSED = {
    "intoto-with-custom-trust-root": "an entry intoto/0.0.2",
    "managed-key-happy-path": "a managed key",
    "trust-root-tsa-validity-end-inclusive": "the last moment of a timestamp authority's validity",
}
# Each case with what is wrong with it, for those that must fail.
CASES: dict[str, str | None] = {
    "bundle-empty-certificate-chain_fail": "no certificate in it",
    "bundle-from-wrong-instance_fail": "no authority of the trusted root",
    "bundle-invalid-base64-signature_fail": "not base64",
    "bundle-malformed-json_fail": "a string without end",
    "bundle-unknown-version_fail": "not a bundle of a known version",
    "bundle-with-sct-with-extensions": None,
    "checkpoint-wrong-roothash_fail": "for another tree than its checkpoint",
    "dsse-invalid-sig_fail": "signature is not over this payload",
    "dsse-mismatch-envelope_fail": "log entry is for another payload",
    "dsse-mismatch-sig_fail": "log entry is for another signature",
    "happy-path-intoto-in-dsse-v3": None,
    "happy-path-v0.2": None,
    "happy-path-v0.3": None,
    "happy-path-v0.3-new-mediaType": None,
    "incorrect-public-key_fail": r"promise of .* is not for its log entry",
    "intoto-expired-certificate_fail": "its certificate is valid from 2030",
    "intoto-missing-inclusion-proof_fail": "no inclusionProof, which a bundle 0.2 must have",
    "intoto-set-outside-signing-cert-validity_fail": "until 2023-02-01T00:10:00Z, it was signed 2023-02-02",
    "intoto-with-custom-trust-root": None,
    "invalid-checkpoint-signature_fail": "is not over its checkpoint",
    "invalid-ct-key_fail": "in no certificate log of the trusted root",
    "invalid-inclusion-proof_fail": r"no inclusionProof\.checkpoint, which a bundle 0.2 must have",
    "managed-key-happy-path": None,
    "managed-key-wrong-key_fail": "not a public key that can be read",
    "message-digest-mismatch_fail": "names another digest",
    "rekor2-checkpoint-cosigned": None,
    "rekor2-checkpoint-missing-log-signature_fail": "its checkpoint cannot be read",
    "rekor2-checkpoint-missing-root-hash_fail": "its checkpoint cannot be read: expected origin, size and root",
    "rekor2-checkpoint-missing-size_fail": "its checkpoint cannot be read: expected origin, size and root",
    "rekor2-checkpoint-no-matching-signature_fail": 'its checkpoint is of "log2025-alpha1.rekor.github.dev"',
    "rekor2-checkpoint-origin-not-first": None,
    "rekor2-checkpoint-two-sigs-cosigned": None,
    "rekor2-checkpoint-two-sigs-from-origin": None,
    "rekor2-dsse-invalid-sig_fail": "signature is not over this payload",
    "rekor2-dsse-mismatch-envelope_fail": "log entry is for another payload",
    "rekor2-dsse-mismatch-sig_fail": "log entry is for another signature",
    "rekor2-happy-path": None,
    "rekor2-no-inclusion-proof_fail": "no inclusionProof, which a bundle 0.3 must have",
    "rekor2-timestamp-outside-trust-root-tsa-validity_fail": r"timestamp authority .* until 2025-06-01",
    "rekor2-timestamp-payload-mismatch_fail": "timestamp is for another signature",
    "rekor2-timestamp-untrusted-tsa-with-embedded-cert_fail": "a timestamp of it cannot be read",
    "rekor2-timestamp-untrusted-tsa-without-embedded-cert_fail": "no timestamp authority of the trusted root",
    "rekor2-timestamp-with-embedded-cert": None,
    "rekor2-timestamp-with-expired-cert-chain": None,
    "rekor2-timestamp-with-incorrect-time_fail": r'not base64: "\\n"',
    "rekor2-timestamp-without-embedded-cert": None,
    "signature-mismatch_fail": "not over this file",
    "trust-root-tlog-missing-validity-start_fail": "has no start of validity",
    "trust-root-tsa-validity-end-inclusive": None,
    "wrong-hashedrekord-artifact_fail": "log entry is for another file",
    "wrong-hashedrekord-cert-and-sig_fail": "log entry is for another signature",
    "wrong-material_fail": "names another digest",
}


@pytest.fixture(scope="session")
def suite(shared: Path) -> Path:
    return shared / "corpus" / "sigstore-conformance" / "bundle-verify"


def command(suite: Path, case: str) -> list[str]:
    """The arguments of `verify-bundle` for a case, without the file."""
    folder = suite / case

    def said(name: str, default: str) -> str:
        return (folder / name).read_text().strip() if (folder / name).exists() else default

    root = folder / "trusted_root.json"
    root = root if root.exists() else suite.parents[1] / "sigstore" / PRODUCTION
    identity = [
        "--certificate-identity",
        said("identity", IDENTITY),
        "--certificate-oidc-issuer",
        said("issuer", ISSUER),
    ]
    who = ["--key", str(folder / "key.pub")] if (folder / "key.pub").exists() else identity
    return ["verify-bundle", "--bundle", str(folder / "bundle.sigstore.json"), "--trusted-root", str(root), *who]


def artifact(suite: Path, case: str) -> Path:
    own = suite / case / "artifact"
    return own if own.exists() else suite / "a.txt"


def test_every_case_of_the_folder_is_listed(suite: Path) -> None:
    assert sorted(folder.name for folder in suite.iterdir() if folder.is_dir()) == sorted(CASES)
    assert set(CASES) >= WRONGLY_REFUSED.keys()


@pytest.mark.parametrize("digest_only", [False, True], ids=["file", "digest"])
@pytest.mark.parametrize("case", CASES)
def test_case(suite: Path, case: str, digest_only: bool, capsys: pytest.CaptureFixture[str]) -> None:
    path = artifact(suite, case)
    what = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" if digest_only else str(path)
    code, wrong = main([*command(suite, case), what]), CASES[case]
    said = capsys.readouterr().err
    assert code == (1 if case.endswith("_fail") else 0), said
    assert (wrong is None) == (not case.endswith("_fail"))
    assert said == "" if wrong is None else re.search(f"^error: .*{wrong}", said)


PASSING = [case for case in CASES if not case.endswith("_fail")]


@pytest.mark.parametrize("case", PASSING)
def test_another_artifact_fails(suite: Path, case: str, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"another")
    assert main([*command(suite, case), str(tmp_path / "other")]) == 1


@pytest.mark.parametrize("case", [case for case in PASSING if not case.startswith("managed")])
@pytest.mark.parametrize("flag", ["--certificate-identity", "--certificate-oidc-issuer"])
def test_another_identity_fails(suite: Path, case: str, flag: str) -> None:
    argv = command(suite, case)
    argv[argv.index(flag) + 1] += "x"
    assert main([*argv, str(artifact(suite, case))]) == 1


@pytest.mark.parametrize("case", [case for case in PASSING if not case.startswith("managed")])
def test_a_key_for_a_certificate_fails(suite: Path, case: str) -> None:
    argv = command(suite, case)
    at = argv.index("--certificate-identity")
    key = ["--key", str(suite / "managed-key-happy-path" / "key.pub")]
    assert main([*argv[:at], *key, str(artifact(suite, case))]) == 1


def test_an_identity_for_a_key_fails(suite: Path) -> None:
    argv = command(suite, "managed-key-happy-path")
    identity = ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER]
    assert main([*argv[: argv.index("--key")], *identity, str(artifact(suite, "managed-key-happy-path"))]) == 1


def test_another_key_fails(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The suite's own wrong key is none at all."""
    argv = command(suite, "managed-key-happy-path")
    other = suite.parents[1] / "sigstore" / "ms-certificate-signing-key-pub.pem"
    argv[argv.index("--key") + 1] = str(other)
    assert main([*argv, str(artifact(suite, "managed-key-happy-path"))]) == 1
    assert "not a P-256 key" in capsys.readouterr().err


def test_the_incorrect_time_is_wrong_without_the_line_breaks_too(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The suite's bundle breaks its base64 into lines, which no strict reader gets past."""
    case = "rekor2-timestamp-with-incorrect-time_fail"
    argv = command(suite, case)
    text = (suite / case / "bundle.sigstore.json").read_text()
    tree = json.loads(text)
    (stamp,) = tree["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"]
    stamp["signedTimestamp"] = "".join(stamp["signedTimestamp"].split())
    (tmp_path / "bundle.json").write_text(json.dumps(tree))
    argv[argv.index("--bundle") + 1] = str(tmp_path / "bundle.json")
    assert main([*argv, str(artifact(suite, case))]) == 1
    assert "its certificate is valid from" in capsys.readouterr().err


def test_the_root_that_the_library_carries(suite: Path) -> None:
    """Without `--trusted-root`: the public instance, or staging."""
    for case, flags, code in (("happy-path-v0.3", [], 0), ("happy-path-v0.3", ["--staging"], 1)):
        argv = command(suite, case)
        at = argv.index("--trusted-root")
        assert main([*argv[:at], *argv[at + 2 :], *flags, str(artifact(suite, case))]) == code


def test_as_a_process(suite: Path) -> None:
    """As the suite calls it; the others above run in this process."""
    root = Path(__file__).parents[2]
    for case, code in (("rekor2-happy-path", 0), ("rekor2-no-inclusion-proof_fail", 1)):
        run = [sys.executable, "-m", "tests.conformance.sigstore_client", *command(suite, case)]
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root)}
        done = subprocess.run(
            [*run, str(artifact(suite, case))], cwd=root, env=environment, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert ("error: " in done.stderr) == bool(code)


@pytest.mark.parametrize("case", sorted(WRONGLY_REFUSED))
def test_the_library_still_refuses(suite: Path, case: str) -> None:
    """When this fails, the library has learned it: docs/adr/0008-sigstore-verification.md names these."""
    from sigstore.errors import Error
    from sigstore.models import Bundle, TrustedRoot
    from sigstore.verify import Verifier, policy

    argv = command(suite, case)
    verifier = Verifier(trusted_root=TrustedRoot.from_file(argv[argv.index("--trusted-root") + 1]))
    data = (suite / case / "bundle.sigstore.json").read_bytes()
    with pytest.raises(Error):
        bundle = Bundle.from_json(data)
        if "dsseEnvelope" in json.loads(data):
            verifier.verify_dsse(bundle, policy.UnsafeNoOp())
        else:
            verifier.verify_artifact(artifact(suite, case).read_bytes(), bundle, policy.UnsafeNoOp())
