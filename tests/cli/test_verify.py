"""`verify` from the outside: trust flags, outputs, several receipts, and every byte of a receipt changed."""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.cli import main
from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.pipeline import verify
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.wire.rfc3339 import parse_time
from testdata.receipts import generate

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
AT = ["--at", generate.NOW]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An honest receipt with its workspace, as the current directory."""
    shutil.copytree(CASES / "honest", tmp_path / "honest", symlinks=True)
    shutil.copytree(CASES / "trust", tmp_path / "trust")
    monkeypatch.chdir(tmp_path / "honest")
    return tmp_path / "honest"


HONEST = ["receipt.json", "--trusted-key", "worker=../trust/worker.pub", "--root", "workspace", *AT]


def run(*line: str) -> int:
    return main.run(["verify", *line])


def test_text_fits_80_columns_and_starts_with_the_verdict(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*HONEST) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ADMITTED — 2 of 2 item(s) confirmed, contract held_as_reported, signed by worker"
    assert max(map(len, lines)) <= 80


def test_several_outputs_are_written_at_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = ["--output", "json=out.json", "--output", "text=out.txt", "--output", "policy-input=input.json"]
    assert run(*HONEST, *outputs, "--quiet") == 0
    assert capsys.readouterr().out == ""
    assert json.loads(Path("out.json").read_text())["decision"]["allow"] is True
    assert Path("out.txt").read_text().startswith("ADMITTED")
    assert set(json.loads(Path("input.json").read_text())) == {"result", "profile", "demanded", "evaluatedAt"}


def test_of_several_receipts_the_worst_code_wins_and_each_has_its_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(CASES / "unknown_signer_fail" / "receipt.json", "stranger.json")
    assert run("receipt.json", "stranger.json", "missing.json", *HONEST[1:], "--json") == 3
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("decision", {}).get("allow") for line in lines] == [True, False, None]
    assert lines[2]["error"]["exitCode"] == 3


USAGE = {
    "nobody trusted": (["--root", "workspace"], 2, "nobody is trusted"),
    "unsigned beside a key": (["--unsigned", *HONEST[1:3]], 2, "--unsigned asks for no signature"),
    "allow without recheck": ([*HONEST[1:], "--allow-command", "/bin/true"], 2, "without --recheck-commands"),
    "relative command": ([*HONEST[1:], "--recheck-commands", "--allow-command", "true"], 2, "not an absolute path"),
    "commands without a root": ([*HONEST[1:3], "--recheck-commands"], 2, "--recheck-commands needs --root"),
    "half a context": ([*HONEST[1:], "--packet-digest", "a" * 64], 2, "go together"),
    "digest in capitals": ([*HONEST[1:], "--expected-digest", "A" * 64], 2, "lowercase hex digits"),
    "no such time": ([*HONEST[1:3], "--at", "yesterday"], 2, "--at"),
    "unknown format": ([*HONEST[1:], "--format", "jason"], 2, "unknown format jason"),
    "later format": ([*HONEST[1:], "--format", "html"], 4, "not available in this version"),
    "hidden tests without a run": ([*HONEST[1:], "--overlay", "."], 2, "--overlay needs --repo and --recheck-commands"),
    "a repository and a root": ([*HONEST[1:], "--repo", ".", "--head", "HEAD"], 2, "--root and --repo exclude"),
    "a repository without a head": ([*HONEST[1:3], "--repo", "."], 2, "--repo needs --head"),
    "a base without a repository": ([*HONEST[1:], "--base", "0" * 40], 2, "--base needs --repo"),
    "a file of no base": ([*HONEST[1:], "--profile", "base:a.toml"], 2, "and there is no --repo"),
    "a repository that is none": ([*HONEST[1:3], "--repo", ".", "--head", "HEAD"], 4, "is no git repository"),
    "unknown engine": ([*HONEST[1:], "--engine", "prolog"], 4, "prolog"),
    "unknown limit": ([*HONEST[1:], "--limit", "claim=1"], 4, "unknown limit claim"),
    "unreadable key": (["--trusted-key", "worker=nothing.pub"], 4, "nothing.pub"),
    "a key that is none": (["--trusted-key", "worker=receipt.json"], 4, "receipt.json"),
    "a key inside the root": (
        ["--trusted-key", "worker=workspace/w.pub", "--root", "workspace"],
        4,
        "lies inside --r",
    ),
    "no such root": ([*HONEST[1:3], "--root", "nowhere"], 4, "nowhere"),
    "unknown override": ([*HONEST[1:], "--override", "all"], 2, "no such override"),
}


@pytest.mark.parametrize(("line", "code", "message"), USAGE.values(), ids=USAGE)
def test_what_is_wrong_with_the_call_is_said(
    line: list[str], code: int, message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy("../trust/worker.pub", "workspace/w.pub")
    assert run("receipt.json", *line) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("error: ")


@pytest.mark.parametrize("name", ["missing.json", "workspace", "fifo", "/dev/zero"])
def test_a_receipt_that_cannot_be_read_is_3(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("fifo")
    assert run(name, *HONEST[1:]) == 3
    assert name in capsys.readouterr().err


def test_json_is_on_standard_output_for_an_error_too(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("receipt.json").write_text("{")
    assert run(*HONEST, "--json") == 3
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "MalformedJson"


def test_a_lower_sandbox_is_by_name_only_and_shown(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*HONEST, "--sandbox", "rlimits", "--json") == 0
    decision = json.loads(capsys.readouterr().out)["decision"]
    assert decision["overrides"] == ["sandbox.required"]


def test_a_limit_is_named_with_its_value(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*HONEST, "--limit", "evidence=1") == 3
    assert "limit evidence is 1, got 2" in capsys.readouterr().err


def test_recompute_and_admit_in_two_jobs_come_to_the_same(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["recompute", *HONEST, "--out", "result.json"]) == 0
    digest = capsys.readouterr().err.strip().removeprefix("sha256:")
    assert main.run(["admit", "result.json", "--expected-digest", digest, "--json", *AT]) == 0
    apart = json.loads(capsys.readouterr().out)
    assert run(*HONEST, "--json") == 0
    together = json.loads(capsys.readouterr().out)
    assert apart == together


FORGED = {
    "assurance": ('"assurance": "reported"', '"assurance": "fully_rechecked"', "assurance is fully_rechecked"),
    "state of a claim": ('"state": "refuted"', '"state": "confirmed"', "state of claim greets is confirmed"),
    "status of a check": ('"status": "fail"', '"status": "pass"', "pass"),
}


@pytest.mark.parametrize(("old", "new", "message"), FORGED.values(), ids=FORGED)
def test_admit_believes_nothing_that_the_items_do_not_give(
    old: str, new: str, message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("workspace/greeting.txt").write_text("hello, moon!\n")
    assert main.run(["recompute", *HONEST, "--out", "result.json"]) == 11
    text = Path("result.json").read_text()
    assert old in text
    Path("result.json").write_text(text.replace(old, new, 1))
    assert main.run(["admit", "result.json"]) == 3
    assert message in capsys.readouterr().err


def test_admit_refuses_another_profile(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["recompute", *HONEST, "--out", "result.json"]) == 0
    Path("acceptance.toml").write_text("version = 1\nminimumAssurance = 'reported'\n")
    assert main.run(["admit", "result.json", "--profile", "acceptance.toml"]) == 3
    assert "made with profile none" in capsys.readouterr().err


def test_a_result_without_a_signature_needs_the_word_unsigned_again(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    payload = base64.b64decode(json.loads(Path("receipt.json").read_text())["payload"])
    Path("statement.json").write_bytes(payload)
    assert main.run(["recompute", "statement.json", "--unsigned", *HONEST[3:], "--out", "result.json"]) == 0
    assert main.run(["admit", "result.json"]) == 12
    assert main.run(["admit", "result.json", "--unsigned"]) == 0


SMALL = generate.pretty(generate.envelope(generate.payload_of(generate.base()))).encode()


def changed(index: int) -> bytes:
    """The small receipt with one bit of one byte changed."""
    data = bytearray(SMALL)
    data[index] ^= 1 << (index % 8)
    return bytes(data)


def test_every_byte_of_a_receipt_changed_in_turn(place: Path) -> None:
    """Admitted only if the verified payload and its signers are unchanged; no exception but our own."""
    key = Path("../trust/worker.pub")
    trust = from_flags(trusted_keys=(f"worker={key}",), read=Path.read_bytes)
    engine = EmbeddedEngine(jit=True)  # thousands of decisions: compiled once, ten times faster each
    with DirectoryWorkspace(Path("workspace")) as workspace:
        now = parse_time(generate.NOW)
        context = RecomputeContext(evaluated_at=now, settings=Settings(), workspace=workspace)
        honest = verify(SMALL, trust=trust, context=context, engine=engine)
        assert honest.exit_code == 0
        for index in range(len(SMALL)):
            try:
                outcome = verify(changed(index), trust=trust, context=context, engine=engine)
            except MalformedInput:
                continue
            if outcome.exit_code == 0:
                assert outcome.result.input.payload_sha256 == honest.result.input.payload_sha256, index
                assert outcome.result.signers == honest.result.signers, index
            else:
                assert outcome.exit_code == 10, index


def test_a_changed_byte_never_gives_a_traceback(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for index in range(0, len(SMALL), 29):
        Path("receipt.json").write_bytes(changed(index))
        assert run(*HONEST) in (0, 3, 10), index
        assert "internal error" not in capsys.readouterr().err, index


def without_network_and_home(*line: str | Path) -> subprocess.CompletedProcess[str]:
    """One command line in a network namespace of its own, with a HOME that cannot be made."""
    command = ["unshare", "--map-root-user", "--net", sys.executable, "-I", "-m", "in_toto_done_receipt", *line]
    environment = {"PATH": os.environ["PATH"], "HOME": "/proc/nowhere"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def isolation() -> None:
    if without_network_and_home("--version").returncode:
        reason = "this machine lets nobody make a network namespace"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.mark.usefixtures("isolation")
def test_a_key_is_verified_without_network_and_without_a_home(place: Path) -> None:
    done = without_network_and_home("verify", *HONEST)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("isolation")
def test_a_sigstore_bundle_is_verified_without_network_and_without_a_home(shared: Path) -> None:
    folder = shared / "corpus" / "sigstore"
    root = ["--trusted-root", str(folder / "local-rekor2-trusted_root.json")]
    who = ["--certificate-identity", "dev@example.com", "--certificate-oidc-issuer", "https://oidc.local.test"]
    done = without_network_and_home("verify", folder / "local-rekor2-bundle.json", *root, *who, "--json")
    assert json.loads(done.stdout)["result"]["attesterNames"] == ["dev@example.com"], done.stderr


@pytest.mark.usefixtures("isolation")
def test_the_demo_ends_well_without_network_and_without_a_home(place: Path) -> None:
    done = without_network_and_home("demo")
    assert done.returncode == 0, done.stdout + done.stderr


def test_python_m_with_isolation_is_the_same_command(place: Path) -> None:
    command = [sys.executable, "-I", "-m", "in_toto_done_receipt", "verify", *HONEST]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
