"""What we sign cosign and sigstore-python accept, what cosign signs we accept and examine; we all refuse the same lies.

Every row of the two tables changes one thing of a question that is answered with yes, or of a bundle that is accepted.
"""

import json
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Cli
from tests.integration.asking import Question, document, failed
from tests.integration.made import BUNDLES, PERSON, SECONDS, WORKFLOW, Made, Tool, is_bare, key_of
from tests.integration.stack.issuer import ACTIONS_ISSUER, EMAIL_ISSUER
from tests.integration.stack.sigstore import SigstoreStack

pytestmark = [pytest.mark.integration, pytest.mark.loopback]

KEYLESS: Final = ("ours-email", "ours-actions", "cosign-email", "cosign-actions")
MANAGED: Final = ("ours-key", "cosign-key")
# A genuine bundle of the same payload by the same signer, where there is one, to take parts from.
OTHER: Final = {
    "ours-email": "cosign-email",
    "cosign-email": "ours-email",
    "ours-actions": "cosign-actions",
    "cosign-actions": "ours-actions",
    "ours-key": "cosign-key",
    "cosign-key": "ours-key",
}
Change = Callable[[dict[str, Any], dict[str, Any]], None]


def question(name: str, made: Made, stack: SigstoreStack) -> Question:
    """The question about this bundle whose answer is yes."""
    common = Question(
        bundle=made.bundle(name),
        root=stack.trusted_root,
        work=made.work,
        artifact=made.work / "greeting.txt",
        logged=not is_bare(name),
    )
    if "-key" in name:
        return replace(common, key=made.folder / f"{key_of(name)}.pub")
    if name.endswith("-actions"):
        return replace(common, identity=WORKFLOW, issuer=ACTIONS_ISSUER)
    return replace(common, identity=PERSON, issuer=EMAIL_ISSUER)


# --- accepted -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUNDLES)
def test_we_verify_recompute_and_admit(
    name: str, made: Made, sigstore_stack: SigstoreStack, cli: Cli, tmp_path: Path
) -> None:
    asked = question(name, made, sigstore_stack)
    answer = asked.put_to_us(cli, tmp_path)
    assert answer.code == 0, answer.out
    result, decision = document(answer)["result"], document(answer)["decision"]
    assert decision["allow"]
    assert [item["state"] for claim in result["claims"] for item in claim["evidence"]] == ["confirmed", "confirmed"]
    (signer,) = result["signers"]
    assert (signer.get("identity"), signer.get("issuer")) == (asked.identity, asked.issuer)


OTHER_CURVES: Final = ("ours-key-p384", "ours-key-p521-bare", "cosign-key-p384")


@pytest.mark.parametrize("name", [name for name in BUNDLES if name not in OTHER_CURVES])
def test_cosign_accepts(name: str, made: Made, sigstore_stack: SigstoreStack, tool: Tool) -> None:
    answer = question(name, made, sigstore_stack).put_to_cosign(tool("cosign"))
    assert (answer.returncode, answer.stderr.splitlines()[-1:]) == (0, ["Verified OK"])


@pytest.mark.parametrize("name", OTHER_CURVES)
def test_cosign_refuses_curves_that_want_another_hash_also_its_own(
    name: str, made: Made, sigstore_stack: SigstoreStack, tool: Tool
) -> None:
    """It signs with SHA-384 and verifies with SHA-256. If this fails, it has learnt that: the docs say it has not."""
    answer = question(name, made, sigstore_stack).put_to_cosign(tool("cosign"))
    assert answer.returncode == 1
    assert "accepted signatures do not match threshold" in answer.stderr


@pytest.mark.parametrize("name", ["ours-email", "ours-actions"])
def test_the_command_of_sigstore_python_accepts_ours(name: str, made: Made, sigstore_stack: SigstoreStack) -> None:
    asked = question(name, made, sigstore_stack)
    assert asked.identity is not None
    assert asked.issuer is not None
    command: list[str | Path] = [sys.executable, "-I", "-m", "sigstore"]
    command += ["--trust-config", sigstore_stack.trust_config, "verify", "identity", "--offline"]
    command += ["--bundle", asked.bundle, "--cert-identity", asked.identity, "--cert-oidc-issuer", asked.issuer]
    done = subprocess.run([*command, asked.artifact], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    assert f"OK: {asked.artifact}" in done.stderr


# --- reached: what is behind a good signature is examined -----------------------------------------------------------


@pytest.mark.parametrize("name", ["cosign-email", "cosign-key"])
def test_work_that_changed_since_is_refuted_though_cosign_signed(
    name: str, made: Made, sigstore_stack: SigstoreStack, cli: Cli, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "greeting.txt").write_text("good bye\n")
    asked = replace(question(name, made, sigstore_stack), work=work)
    answer = asked.put_to_us(cli, tmp_path)
    assert answer.code == 11
    assert "evidence-file.differs" in failed(answer)
    assert len(document(answer)["result"]["signers"]) == 1


@pytest.mark.parametrize("name", ["cosign-email", "cosign-key"])
def test_a_demand_of_the_profile_that_is_not_met_is_denied_though_cosign_signed(
    name: str, made: Made, sigstore_stack: SigstoreStack, cli: Cli, tmp_path: Path
) -> None:
    profile = tmp_path / "acceptance.toml"
    profile.write_text('version = 1\n[[evidence]]\nclaim = "greets"\nkind = "path"\n')
    answer = question(name, made, sigstore_stack).put_to_us(cli, tmp_path, "--profile", profile)
    assert answer.code == 12
    violations = document(answer)["decision"]["violations"]
    assert [violation["code"] for violation in violations] == ["profile.evidence"]


# --- refused --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """One thing that is wrong, and what each says of it: our exit code and reason, words of cosign's."""

    ask: Callable[[Question, "Around"], Question] = lambda asked, _: asked
    change: Change | None = None
    code: int = 10
    reason: str
    with_key: str | None = None  # the reason for a bundle that is signed with a key, if another
    cosign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a wrong question may name."""

    made: Made
    other_root: Path


def payload(bundle: dict[str, Any], other: dict[str, Any]) -> None:
    envelope = bundle["dsseEnvelope"]
    envelope["payload"] = b64encode(b64decode(envelope["payload"]).replace(b"worker-agent", b"worker-agenx")).decode()


def signature(bundle: dict[str, Any], other: dict[str, Any]) -> None:
    bundle["dsseEnvelope"]["signatures"] = other["dsseEnvelope"]["signatures"]


def part(name: str) -> Change:
    """This part of the verification material is another bundle's, which is of the same payload and genuine."""

    def change(bundle: dict[str, Any], other: dict[str, Any]) -> None:
        bundle["verificationMaterial"][name] = other["verificationMaterial"][name]

    return change


def unlogged(bundle: dict[str, Any], other: dict[str, Any]) -> None:
    del bundle["verificationMaterial"]["tlogEntries"]


def unstamped(bundle: dict[str, Any], other: dict[str, Any]) -> None:
    del bundle["verificationMaterial"]["timestampVerificationData"]


INVALID: Final = "signature.sigstore"
NO_KEY: Final = "signature.no_trusted_key"
WRONG: Final[dict[str, Wrong]] = {
    "root": Wrong(
        ask=lambda asked, around: replace(asked, root=around.other_root),
        reason=INVALID,
        cosign="not enough verified log entries",
    ),
    "subject": Wrong(
        ask=lambda asked, around: replace(asked, artifact=around.made.work / "tests" / "check.sh"),
        code=11,
        reason="subjects.artifact_unmatched",
        cosign="provided artifact digests? do(es)? not match",
    ),
    "predicate type": Wrong(
        ask=lambda asked, _: replace(asked, predicate_type="https://example.org/other/v1"),
        reason="signature.out_of_scope",
        cosign="invalid predicate type",
    ),
    "payload": Wrong(change=payload, reason=INVALID, with_key=NO_KEY, cosign="failed to verify log inclusion"),
    "signature of another bundle": Wrong(
        change=signature, reason=INVALID, with_key=NO_KEY, cosign="failed to verify log inclusion"
    ),
    "log entry of another bundle": Wrong(
        change=part("tlogEntries"), reason=INVALID, cosign="failed to verify log inclusion"
    ),
    "time of another bundle": Wrong(
        change=part("timestampVerificationData"), reason=INVALID, cosign="threshold not met for verified signed"
    ),
    "no log entry": Wrong(
        change=unlogged, reason="signature.no_transparency", cosign="not enough verified log entries"
    ),
    "no time": Wrong(
        change=unstamped,
        reason=INVALID,
        with_key="signature.no_timestamp",
        cosign="threshold not met for verified signed",
    ),
}
WRONG_IDENTITY: Final[dict[str, Wrong]] = {
    "identity": Wrong(
        ask=lambda asked, _: replace(asked, identity="bob@example.com"),
        reason="signature.identity",
        cosign="no matching CertificateIdentity found",
    ),
    "issuer": Wrong(
        ask=lambda asked, _: replace(asked, issuer="https://accounts.example.com"),
        reason="signature.issuer",
        cosign="expected issuer value",
    ),
    "certificate of another bundle": Wrong(
        change=part("certificate"), reason=INVALID, cosign="failed to verify log inclusion"
    ),
    "a key instead": Wrong(
        ask=lambda asked, around: replace(asked, identity=None, issuer=None, key=around.made.folder / "worker.pub"),
        reason="signature.no_trusted_identity",
        cosign="expected key signature, not certificate",
    ),
}
WRONG_KEY: Final[dict[str, Wrong]] = {
    "key": Wrong(
        ask=lambda asked, around: replace(asked, key=around.made.folder / "stranger.pub"),
        reason=NO_KEY,
        cosign="failed to verify log inclusion",
    ),
    "an identity instead": Wrong(
        ask=lambda asked, _: replace(asked, key=None, identity=PERSON, issuer=EMAIL_ISSUER),
        reason="signature.no_certificate",
        cosign="public key not found in trusted material",
    ),
}
ROWS: Final = [
    *[(name, wrong) for name in KEYLESS for wrong in (*WRONG, *WRONG_IDENTITY)],
    *[(name, wrong) for name in MANAGED for wrong in (*WRONG, *WRONG_KEY)],
]


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name}-wrong {row}" for name, row in ROWS])
def test_all_refuse(
    name: str,
    row: str,
    made: Made,
    other_root: Path,
    sigstore_stack: SigstoreStack,
    tool: Tool,
    cli: Cli,
    tmp_path: Path,
) -> None:
    wrong = {**WRONG, **WRONG_IDENTITY, **WRONG_KEY}[row]
    asked = wrong.ask(question(name, made, sigstore_stack), Around(made=made, other_root=other_root))
    if wrong.change is not None:
        asked = replace(asked, bundle=changed(asked.bundle, made.bundle(OTHER[name]), wrong.change, tmp_path))
    ours = asked.put_to_us(cli, tmp_path)
    theirs = asked.put_to_cosign(tool("cosign"))
    reason = wrong.with_key if wrong.with_key and asked.key else wrong.reason
    assert (ours.code, list(failed(ours))) == (wrong.code, [reason]), failed(ours)
    assert theirs.returncode != 0
    assert re.search(wrong.cosign, theirs.stderr), theirs.stderr


def changed(bundle: Path, other: Path, change: Change, folder: Path) -> Path:
    """A copy of the bundle with one thing changed, or taken over from another genuine one."""
    tree = json.loads(bundle.read_bytes())
    change(tree, json.loads(other.read_bytes()))
    path = folder / "changed.sigstore.json"
    path.write_text(json.dumps(tree))
    return path
