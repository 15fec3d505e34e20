"""The page on GitHub Actions: its workflow is run job by job, its files are the gate's, its commands are typed."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_docs import DOCS, blocks, bubblewrap, steps, transcript, typed_in
from tests.integration.asking import document, failed
from tests.integration.made import DONE_RECEIPT, succeed
from tests.integration.stack.issuer import REQUEST_PATH, REQUEST_TOKEN
from tests.integration.stack.sigstore import SigstoreStack
from tests.integration.workflow import Runner, read_workflow

__all__ = ["bubblewrap"]

pytestmark = [pytest.mark.integration, pytest.mark.loopback]

PAGE = DOCS / "how-to" / "github-actions.md"
AGENT = '#!/bin/sh\ntest "$1" = "Say hello to the world." && printf "hello, world\\n" > greeting.txt\n'
CHECK = 'test "$(cat greeting.txt)" = "hello, world"\n'
SIGNER = "octo/signer/.github/workflows/sign.yml@refs/tags/v1"
SIGNER_COMMIT = "89abcdef0123456789abcdef0123456789abcdef"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The workflow of the page, after it ran."""

    runner: Runner
    stack: SigstoreStack
    gate: Path
    shared_builder: str

    @property
    def folder(self) -> Path:
        """Where the last job verified."""
        return self.runner.job_folder("gate")


@pytest.fixture(scope="module")
def commands(sigstore_bin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH with `done-receipt` and `cosign`, and what installs nothing in a test."""
    folder = tmp_path_factory.mktemp("bin")
    for command in sigstore_bin.iterdir():
        (folder / command.name).symlink_to(command)
    for name in ("pip", "sudo"):
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def ran(
    sigstore_stack: SigstoreStack,
    commands: Path,
    tool: Callable[[str], Path],
    bubblewrap: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Ran:
    folder = tmp_path_factory.mktemp("actions")
    repository, gate = folder / "repository", folder / "gate"
    (repository / "tests").mkdir(parents=True)
    (repository / "agent.sh").write_text(AGENT)
    (repository / "agent.sh").chmod(0o755)
    (repository / "tests" / "check.sh").write_text(CHECK)
    trust, acceptance, shared_builder = blocks(PAGE, "toml")
    gate.mkdir()
    (gate / "trust.toml").write_text(trust)
    (gate / "acceptance.toml").write_text(acceptance)
    shutil.copy(sigstore_stack.trusted_root, gate / "trusted_root.json")
    succeed(*DONE_RECEIPT, *f"seal --root {repository} --path tests/** --out {gate}/contract.json".split(), cwd=folder)
    (text,) = blocks(PAGE, "yaml")
    with_stack = f"--sigstore --trust-config {sigstore_stack.trust_config}"
    assert text.count("--sigstore") == 1
    runner = Runner(
        folder=folder,
        path=commands,
        repositories={"": repository, "octo/gate": gate},
        inputs={"task": "Say hello to the world."},
        identity={
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{sigstore_stack.issuer.url}{REQUEST_PATH}?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
        },
    )
    runner.run(read_workflow(text.replace("--sigstore", with_stack), tool("opa")))
    return Ran(runner=runner, stack=sigstore_stack, gate=gate, shared_builder=shared_builder)


def sign(ran: Ran, out: Path, **claims: str) -> None:
    """Sign the statement of the run with a token that differs from the run's in these claims."""
    token = ran.stack.fetch_token("actions", **claims)
    how = ("--sigstore", "--identity-token", "-", "--trust-config", ran.stack.trust_config, "--yes", "--out", out)
    statement = ran.runner.job_folder("sign") / "statement.json"
    succeed(*DONE_RECEIPT, "sign", statement, *how, cwd=out.parent, stdin=token)


def test_the_workflow_signs_and_the_gate_admits(ran: Ran) -> None:
    assert "issuer: https://token.actions.githubusercontent.com" in ran.runner.printed["sign"]
    assert ran.runner.printed["gate"].startswith("ADMITTED")
    assert "[confirmed]" in ran.runner.printed["gate"]


def test_only_the_job_that_signs_may_have_an_identity(tool: Callable[[str], Path]) -> None:
    (text,) = blocks(PAGE, "yaml")
    workflow = read_workflow(text, tool("opa"))
    assert workflow["permissions"] == {}
    with_identity = {name for name, job in workflow["jobs"].items() if "id-token" in job["permissions"]}
    assert with_identity == {"sign"}
    assert not any("checkout" in step.get("uses", "") for step in workflow["jobs"]["sign"]["steps"])


def test_its_commands_do_what_it_shows(ran: Ran, commands: Path) -> None:
    branch = "refs/heads/a-branch"
    claims = {"ref": branch, "job_workflow_ref": f"octo/repo/.github/workflows/receipt.yml@{branch}"}
    sign(ran, ran.folder / "other-branch.sigstore.json", **claims)
    wanted = steps(PAGE)
    assert len(wanted) == 4
    assert "\n".join(transcript(typed_in(ran.folder, commands, wanted), wanted)) == ""


def test_the_trust_file_of_the_page_is_weak_only_where_the_page_says_so(ran: Ran, cli: Cli) -> None:
    ended = cli("trust", "check", ran.gate / "trust.toml", "--json")
    warnings = json.loads(ended.out)["warnings"]
    weak = re.findall(r"no (\w+):", " ".join(warnings))
    assert (len(warnings), sorted(weak)) == (3, ["maxAge", "obtainedOn", "sha256"])
    assert all(f"`{word}`" in PAGE.read_text(encoding="utf-8") for word in weak)


SHARED = {
    "right": ({}, 0, []),
    "another organisation": ({"repository": "evil/repo"}, 10, ["signature.claims"]),
    "another commit behind the tag": ({"job_workflow_sha": "0" * 40}, 10, ["signature.claims"]),
    "another workflow": ({"job_workflow_ref": SIGNER.replace("sign.yml", "x.yml")}, 10, ["signature.identity"]),
}


@pytest.mark.parametrize(("changes", "code", "reasons"), SHARED.values(), ids=SHARED)
def test_a_reusable_workflow_signs_for_an_organisation(
    changes: dict[str, str], code: int, reasons: list[str], ran: Ran, cli: Cli, tmp_path: Path
) -> None:
    claims = {"job_workflow_ref": SIGNER, "job_workflow_sha": SIGNER_COMMIT, "repository": "octo/any"} | changes
    sign(ran, tmp_path / "shared.sigstore.json", **claims)
    (tmp_path / "trust.toml").write_text(ran.shared_builder)
    shutil.copy(ran.stack.trusted_root, tmp_path / "trusted_root.json")
    where = ("--root", ran.folder / "work", "--minimum-assurance", "partially_rechecked")
    ended = cli("verify", tmp_path / "shared.sigstore.json", "--trust", tmp_path / "trust.toml", *where, "--json")
    assert (ended.code, list(failed(ended))) == (code, reasons), document(ended)["result"]["summary"]
