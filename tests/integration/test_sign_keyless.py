"""`sign --sigstore` and `attest --sigstore` with a real Sigstore: what is printed, whose token is used, consent."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.integration.made import DONE_RECEIPT, PERSON, SECONDS, WORKFLOW, Made
from tests.integration.stack.issuer import ACTIONS_ISSUER, EMAIL_ISSUER, REQUEST_PATH, REQUEST_TOKEN
from tests.integration.stack.sigstore import SigstoreStack

pytestmark = [pytest.mark.integration, pytest.mark.loopback]


@pytest.fixture
def token(sigstore_stack: SigstoreStack, tmp_path: Path) -> Path:
    """A person's token, in a file."""
    path = tmp_path / "token"
    path.write_text(sigstore_stack.fetch_token("email", email=PERSON) + "\n")
    return path


def log_index(bundle: Path) -> int:
    (entry,) = json.loads(bundle.read_bytes())["verificationMaterial"]["tlogEntries"]
    return int(entry["inclusionProof"]["logIndex"])


def test_it_prints_identity_issuer_and_log_index(
    cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, token: Path, tmp_path: Path
) -> None:
    out = tmp_path / "receipt.sigstore.json"
    flags = ("--sigstore", "--identity-token", token, "--trust-config", sigstore_stack.trust_config, "--yes")
    ended = cli("sign", unsigned.statement, *flags, "--out", out)
    assert ended.code == 0
    _, *lines = ended.out.splitlines()
    assert lines == [f"identity: {PERSON}", f"issuer: {EMAIL_ISSUER}", f"log index: {log_index(out)}"]
    assert PERSON in ended.err
    assert sigstore_stack.at.rekor in ended.err
    assert token.read_text().strip() not in ended.out + ended.err


def test_the_token_comes_from_standard_input(
    cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, token: Path, tmp_path: Path
) -> None:
    flags = ("--sigstore", "--identity-token", "-", "--signing-config", sigstore_stack.signing_config)
    root = ("--trusted-root", sigstore_stack.trusted_root)
    out = ("--out", tmp_path / "out.json", "--json")
    ended = cli("sign", unsigned.statement, *flags, *root, "--yes", *out, stdin=token.read_bytes())
    assert ended.code == 0, ended.err
    facts = json.loads(ended.out)
    assert (facts["identity"], facts["issuer"]) == (PERSON, EMAIL_ISSUER)
    assert facts["logIndex"] == log_index(tmp_path / "out.json")


# --- the job's own token --------------------------------------------------------------------------------------------


def job(stack: SigstoreStack, **changes: str | None) -> dict[str, str]:
    """The environment of a job of GitHub Actions that may have a token."""
    variables: dict[str, str | None] = {
        "GITHUB_ACTIONS": "true",
        "ACTIONS_ID_TOKEN_REQUEST_URL": f"{stack.issuer.url}{REQUEST_PATH}?api-version=2.0",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
    }
    return {name: value for name, value in (variables | changes).items() if value is not None}


def in_job(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_the_token_of_a_job_is_used(
    cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_job(monkeypatch, job(sigstore_stack))
    flags = ("--sigstore", "--trust-config", sigstore_stack.trust_config, "--yes", "--out", tmp_path / "out.json")
    ended = cli("sign", unsigned.statement, *flags, "--json")
    assert ended.code == 0, ended.err
    facts = json.loads(ended.out)
    assert (facts["identity"], facts["issuer"]) == (WORKFLOW, ACTIONS_ISSUER)
    assert REQUEST_TOKEN not in ended.out + ended.err


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param(
            {"ACTIONS_ID_TOKEN_REQUEST_URL": None, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": None},
            "id-token: write",
            id="no permission",
        ),
        pytest.param(
            {"ACTIONS_ID_TOKEN_REQUEST_TOKEN": "wrong"}, "the job's identity token cannot be had", id="refused"
        ),
    ],
)
def test_a_job_that_may_have_no_token(
    changes: dict[str, str | None],
    says: str,
    cli: Cli,
    sigstore_stack: SigstoreStack,
    unsigned: Made,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_job(monkeypatch, job(sigstore_stack, **changes))
    out = tmp_path / "out.json"
    ended = cli(
        "sign", unsigned.statement, "--sigstore", "--trust-config", sigstore_stack.trust_config, "--yes", "--out", out
    )
    assert ended.code == 4
    assert says in ended.err
    assert not out.exists()


# --- attest ---------------------------------------------------------------------------------------------------------

ATTEST = (
    *("attest", "--agent", "worker-agent", "--model", "model-1", "--task", "hello"),
    *("--claim", "greets=there", "--file", "greets=greeting.txt"),
)


def test_attest_signs_without_a_key(
    cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, token: Path, tmp_path: Path
) -> None:
    out = tmp_path / "receipt.sigstore.json"
    how = ("--sigstore", "--identity-token", token, "--trust-config", sigstore_stack.trust_config, "--yes")
    ended = cli(*ATTEST, "--root", unsigned.work, *how, "--out", out, "--json")
    assert ended.code == 0, ended.err
    facts = json.loads(ended.out)
    assert (facts["identity"], facts["issuer"]) == (PERSON, EMAIL_ISSUER)
    who = ("--certificate-identity", PERSON, "--certificate-oidc-issuer", EMAIL_ISSUER)
    verified = cli("verify", out, *who, "--trusted-root", sigstore_stack.trusted_root, "--root", unsigned.work)
    assert verified.code == 0, verified.out


def test_attest_runs_no_evidence_beside_the_identity_of_a_job(
    cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_job(monkeypatch, job(sigstore_stack))
    out = tmp_path / "receipt.sigstore.json"
    how = ("--sigstore", "--trust-config", sigstore_stack.trust_config, "--yes")
    ended = cli(*ATTEST, "--root", unsigned.work, *how, "--out", out)
    assert ended.code == 4
    assert "a signing identity is in the environment" in ended.err
    assert not out.exists()


# --- consent --------------------------------------------------------------------------------------------------------


def log_size(stack: SigstoreStack) -> int:
    """How many entries the log of the stack has; it answers a client once it has signed this."""
    return int((stack.folder / "rekor" / "checkpoint").read_text().splitlines()[1])


def at_a_terminal(answer: str, folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command that has a terminal of its own, at which this is typed."""
    line = " ".join(f"'{part}'" for part in (*DONE_RECEIPT, *command))
    script = ["script", "--quiet", "--return", "--echo", "never", "--command", line, "/dev/null"]
    return subprocess.run(
        script, cwd=folder, input=answer, capture_output=True, text=True, check=False, timeout=SECONDS
    )


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 4), ("\n", 4)], ids=["yes", "no", "nothing"])
def test_a_person_at_a_terminal_is_asked(
    answer: str, code: int, sigstore_stack: SigstoreStack, unsigned: Made, token: Path, tmp_path: Path
) -> None:
    flags = ("--sigstore", "--identity-token", token, "--trust-config", sigstore_stack.trust_config)
    before = log_size(sigstore_stack)
    done = at_a_terminal(answer, tmp_path, "sign", unsigned.statement, *flags, "--out", "out.json")
    assert done.returncode == code, done.stdout
    assert "make this public and sign? [y/N]" in done.stdout
    assert (tmp_path / "out.json").exists() == (code == 0)
    if code:
        assert "not signed: the answer was no" in done.stdout
        assert log_size(sigstore_stack) == before


def test_without_a_terminal_yes_has_to_be_said(
    sigstore_stack: SigstoreStack, unsigned: Made, token: Path, tmp_path: Path
) -> None:
    flags = ("--sigstore", "--identity-token", token, "--trust-config", sigstore_stack.trust_config)
    command: list[str | Path] = [*DONE_RECEIPT, "sign", unsigned.statement, *flags, "--out", tmp_path / "out.json"]
    before = log_size(sigstore_stack)
    done = subprocess.run(
        command, start_new_session=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "error: --yes is missing" in done.stderr
    assert not (tmp_path / "out.json").exists()
    assert log_size(sigstore_stack) == before
