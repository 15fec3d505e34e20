"""`attest-result`: decides again, signs what came out, says no more than that."""

import base64
import hashlib
import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import (  # type: ignore[attr-defined]
    TestResult as ResultOfTests,
)
from in_toto_attestation.predicates.vsa.v1.vsa_pb2 import VerificationSummary  # type: ignore[attr-defined]
from in_toto_attestation.v1.statement_pb2 import Statement as Message  # type: ignore[attr-defined]

from in_toto_done_receipt.cli.main import group
from in_toto_done_receipt.cli.verify_options import workspace_options
from in_toto_done_receipt.observe.sandbox.probe import probe
from testdata.receipts import generate
from tests.cli.conftest import Cli, Ended

Change = Callable[[Any], None]
URI = "git+https://example.com/app"
SIGNED = ["--trusted-key", "worker=worker.pub"]
ROOT = ["--root", "workspace"]
COMMANDS = ["--recheck-commands", "--allow-command", "/bin/sh tests/check.sh"]


class Gate:
    """The folder of one receipt, with a key, and the three jobs."""

    def __init__(self, folder: Path, cli: Cli) -> None:
        self.folder, self._cli = folder, cli

    def lay(self, case: generate.Case) -> "Gate":
        for path, text in case.files().items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8", newline="")
        (self.folder / "worker.pub").write_text(generate.public_pem("worker"))
        assert self._cli("keygen", "--out", "gate", "--algorithm", "ecdsa-p256").code == 0
        return self

    def recompute(self, *flags: str) -> Ended:
        return self._cli("recompute", "receipt.json", *(flags or [*SIGNED, *ROOT]), "--out", "result.json")

    def edit(self, change: Change) -> None:
        tree = json.loads((self.folder / "result.json").read_bytes())
        change(tree)
        (self.folder / "result.json").write_text(json.dumps(tree))

    def digest(self) -> str:
        return hashlib.sha256((self.folder / "result.json").read_bytes()).hexdigest()

    def attest(self, *flags: str, kind: str = "vsa", pin: str | None = None) -> Ended:
        named = ["--resource-uri", URI] if kind == "vsa" else []
        line = ["attest-result", "result.json", "--expected-digest", pin or self.digest(), "--type", kind, *named]
        return self._cli(*line, "--key", "gate.pem", "--out", "out.json", *flags)

    @property
    def written(self) -> bool:
        return (self.folder / "out.json").exists()

    @property
    def payload(self) -> bytes:
        tree = json.loads((self.folder / "out.json").read_bytes())
        return base64.b64decode(tree.get("dsseEnvelope", tree)["payload"])

    @property
    def statement(self) -> Any:
        return json.loads(self.payload)

    @property
    def predicate(self) -> Any:
        return self.statement["predicate"]


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Gate:
    monkeypatch.chdir(tmp_path)
    return Gate(tmp_path, cli)


@pytest.fixture
def honest(gate: Gate) -> Gate:
    gate.lay(generate.Case(why=""))
    assert gate.recompute().code == 0
    return gate


def test_an_admitted_result_is_passed_with_its_levels(honest: Gate) -> None:
    done = honest.attest()
    assert (done.code, done.out.splitlines()[1]) == (0, "PASSED")
    assert honest.predicate["verificationResult"] == "PASSED"
    assert honest.predicate["verifiedLevels"] == ["DONE_RECEIPT_FULLY_RECHECKED", "DONE_RECEIPT_COLLECTION_MINIMAL"]
    assert honest.statement["subject"] == [generate.file("greeting.txt", generate.GREETING)]


def test_a_denied_result_is_failed_and_the_code_says_so(gate: Gate) -> None:
    gate.lay(generate.Case(why="", change=generate.failed("the tests are red")))
    gate.recompute()
    assert gate.attest().code == 12
    assert gate.predicate["verificationResult"] == "FAILED"
    assert gate.predicate["verifiedLevels"] == ["FAILED"]


def test_a_refuted_result_is_failed_about_what_was_seen(gate: Gate) -> None:
    gate.lay(generate.Case(why="", change=generate.claims(generate.text_item("bye"), generate.file_item())))
    gate.recompute()
    assert gate.attest().code == 11
    assert gate.predicate["verificationResult"] == "FAILED"


def test_every_input_is_named_by_digest(honest: Gate) -> None:
    honest.attest()
    payload = generate.payload_of(generate.base())
    receipt = (honest.folder / "receipt.json").read_bytes()
    digests = [entry["digest"]["sha256"] for entry in honest.predicate["inputAttestations"]]
    assert digests == [hashlib.sha256(payload).hexdigest(), hashlib.sha256(receipt).hexdigest(), honest.digest()]
    assert honest.predicate["resourceUri"] == URI


def test_the_time_is_when_the_work_was_looked_at(honest: Gate) -> None:
    honest.attest()
    evaluated = json.loads((honest.folder / "result.json").read_bytes())["evaluatedAt"]
    assert honest.predicate["timeVerified"] == evaluated


def test_the_policy_digest_is_of_all_that_decided(honest: Gate) -> None:
    honest.attest("--policy-out", "judged-by.json")
    data = (honest.folder / "judged-by.json").read_bytes()
    assert honest.predicate["policy"]["digest"] == {"sha256": hashlib.sha256(data).hexdigest()}
    tree, result = json.loads(data), json.loads((honest.folder / "result.json").read_bytes())
    assert tree["trust"] == result["trust"]["digest"]
    assert (tree["profile"], tree["allowedCommands"], tree["settings"]["collection"]) == (None, [], "minimal")


def profile(gate: Gate, text: str) -> list[str]:
    (gate.folder / "acceptance.toml").write_text("version = 1\n" + text)
    return ["--profile", "acceptance.toml"]


def policy_digest(gate: Gate, *recompute: str, attest: tuple[str, ...] = ()) -> Any:
    gate.recompute(*(recompute or [*SIGNED, *ROOT]))
    assert gate.attest(*attest).code == 0
    return gate.predicate["policy"]["digest"]


def test_another_profile_trust_or_allow_list_is_another_policy(gate: Gate) -> None:
    gate.lay(generate.Case(why=""))
    flags = profile(gate, "[agent]\nmodels = ['model-1']\n")
    found = [
        policy_digest(gate),
        policy_digest(gate, *SIGNED, *ROOT, *flags, attest=tuple(flags)),
        policy_digest(gate, "--trusted-key", "other=worker.pub", *ROOT),
        policy_digest(gate, *SIGNED, *ROOT, "--recheck-commands", "--allow-command", "/bin/true"),
    ]
    assert len({digest["sha256"] for digest in found}) == len(found)
    assert policy_digest(gate) == found[0]


def test_the_key_signs_and_the_statement_is_canonical(honest: Gate, cli: Cli) -> None:
    honest.attest("--public-key-out", "again.pub")
    assert (honest.folder / "again.pub").read_text() == (honest.folder / "gate.pub").read_text()
    assert honest.payload == json.dumps(honest.statement, sort_keys=True, separators=(",", ":")).encode()
    said = cli("inspect", "out.json", "--json")
    assert "verification_summary" in said.out


def test_with_bundle_it_is_a_sigstore_bundle(honest: Gate) -> None:
    assert honest.attest("--bundle").code == 0
    tree = json.loads((honest.folder / "out.json").read_bytes())
    assert tree["mediaType"] == "application/vnd.dev.sigstore.bundle.v0.3+json"
    assert honest.predicate["verificationResult"] == "PASSED"


@pytest.mark.parametrize(
    "command", [["verify", "receipt.json", *SIGNED, *ROOT], ["admit", "result.json"]], ids=" ".join
)
def test_a_result_with_its_decision_will_do(honest: Gate, cli: Cli, command: list[str]) -> None:
    cli(*command, "--output", "json=both.json")
    (honest.folder / "both.json").replace(honest.folder / "result.json")
    assert honest.attest().code == 0
    assert honest.predicate["verificationResult"] == "PASSED"


def test_a_decision_in_the_file_is_not_believed(gate: Gate, cli: Cli) -> None:
    gate.lay(generate.Case(why="", change=generate.failed("the tests are red")))
    cli("verify", "receipt.json", *SIGNED, *ROOT, "--output", "json=result.json")
    gate.edit(lambda tree: tree["decision"].update(allow=True, violations=[]))
    assert gate.attest().code == 12
    assert gate.predicate["verificationResult"] == "FAILED"


def test_a_decision_in_the_file_that_denies_is_kept_to(honest: Gate, cli: Cli) -> None:
    flags = profile(honest, "collection = 'ci'\n")
    cli("verify", "receipt.json", *SIGNED, *ROOT, *flags, "--output", "json=result.json")
    honest.edit(lambda tree: tree["result"].update(profileDigest=None))
    done = honest.attest()
    assert (done.code, honest.written) == (4, False)
    assert "the decision in it denies" in done.err


def test_another_digest_is_refused(honest: Gate) -> None:
    done = honest.attest(pin="0" * 64)
    assert (done.code, honest.written) == (3, False)
    assert f"sha256 is {honest.digest()}, expected {'0' * 64}" in done.err


def test_without_a_digest_nothing_is_read(honest: Gate, cli: Cli) -> None:
    done = cli("attest-result", "result.json", "--key", "gate.pem", "--resource-uri", URI)
    assert done.code == 2
    assert "--expected-digest" in done.err


def test_another_profile_is_refused(honest: Gate) -> None:
    done = honest.attest(*profile(honest, "collection = 'minimal'\n"))
    assert (done.code, honest.written) == (3, False)
    assert "give attest-result the profiles" in done.err


def test_another_trust_file_is_refused(gate: Gate) -> None:
    gate.lay(generate.Case(why=""))
    (gate.folder / "trust.toml").write_text('version = 1\n[[key]]\nname = "worker"\npath = "worker.pub"\n')
    (gate.folder / "other.toml").write_text('version = 1\n[[key]]\nname = "boss"\npath = "worker.pub"\n')
    gate.recompute("--trust", "trust.toml", *ROOT)
    assert gate.attest("--trust", "trust.toml").code == 0
    done = gate.attest("--trust", "other.toml")
    assert done.code == 3
    assert "made with trust" in done.err


def test_edited_items_are_found_out(gate: Gate) -> None:
    gate.lay(generate.Case(why="", change=generate.claims(generate.text_item("bye"), generate.file_item())))
    gate.recompute()
    gate.edit(lambda tree: tree.update(assurance="fully_rechecked"))
    done = gate.attest()
    assert (done.code, gate.written) == (3, False)


@pytest.mark.parametrize(
    ("kind", "uri", "said"),
    [("vsa", [], "names what was verified"), ("svr", ["--resource-uri", URI], "has no place for it")],
)
def test_a_vsa_alone_names_a_resource(honest: Gate, cli: Cli, kind: str, uri: list[str], said: str) -> None:
    line = ["attest-result", "result.json", "--expected-digest", honest.digest(), "--type", kind, *uri]
    done = cli(*line, "--key", "gate.pem")
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize("flag", ["--resource-uri", "--verifier-id", "--policy-uri"])
def test_names_are_uris(honest: Gate, flag: str) -> None:
    done = honest.attest(flag, "no uri")
    assert (done.code, honest.written) == (2, False)
    assert "is not a URI" in done.err


def test_the_verifiers_own_names_are_written(honest: Gate) -> None:
    honest.attest("--verifier-id", "https://example.com/gate", "--policy-uri", "https://example.com/policy")
    assert honest.predicate["verifier"]["id"] == "https://example.com/gate"
    assert honest.predicate["policy"]["uri"] == "https://example.com/policy"


def test_it_has_no_flag_for_a_receipt_or_a_workspace() -> None:
    command = group.get_command(click.Context(group), "attest-result")
    assert command is not None

    @workspace_options
    def looks() -> None: ...

    workspace = {flag for option in looks.__click_params__ for flag in option.opts}  # type: ignore[attr-defined]
    own = {flag for option in command.params for flag in option.opts}
    assert own & workspace == {"--expected-digest"}  # of the result here


def test_an_svr_lists_what_was_found_true(honest: Gate) -> None:
    assert honest.attest(kind="svr").code == 0
    assert honest.statement["predicateType"] == "https://in-toto.io/attestation/svr/v0.2"
    assert set(honest.predicate["properties"]) == {
        "DONE_RECEIPT_FULLY_RECHECKED",
        "DONE_RECEIPT_COLLECTION_MINIMAL",
        "DONE_RECEIPT_CHECK_SIGNATURE",
        "DONE_RECEIPT_CHECK_STATEMENT",
        "DONE_RECEIPT_CHECK_SUBJECTS",
        "DONE_RECEIPT_CHECK_EVIDENCE_FILE",
        "DONE_RECEIPT_CHECK_EVIDENCE_TEXT",
        "DONE_RECEIPT_CHECK_FRESHNESS",
        "DONE_RECEIPT_CONTRACT_HELD_AS_REPORTED",
    }
    assert len({policy["digest"]["sha256"] for policy in honest.predicate["verifier"]["policies"]}) == 3


def test_there_is_no_svr_about_a_denial(gate: Gate) -> None:
    gate.lay(generate.Case(why="", change=generate.failed("the tests are red")))
    gate.recompute()
    done = gate.attest(kind="svr")
    assert (done.code, gate.written) == (12, False)
    assert "no way to say that something failed" in done.err


def test_there_is_no_test_result_when_nothing_was_run(honest: Gate) -> None:
    done = honest.attest(kind="test-result")
    assert (done.code, honest.written) == (4, False)
    assert "no test was run again" in done.err


@pytest.fixture
def bubblewrap() -> None:
    level = probe().level
    if level != "bubblewrap":
        pytest.skip(f"needs bubblewrap, this machine's sandbox is {level}")


def with_commands(gate: Gate, *items: generate.Json) -> Gate:
    return gate.lay(generate.Case(why="", change=generate.claims(*items)))


def test_what_ran_again_is_a_test_result(gate: Gate, bubblewrap: None) -> None:
    with_commands(gate, generate.command_item(), generate.file_item())
    gate.recompute(*SIGNED, *ROOT, *COMMANDS)
    assert gate.attest(kind="test-result").code == 0
    name = f"greets[0] {shlex.join(generate.ARGV)}"
    assert gate.predicate["result"] == "PASSED"
    assert (gate.predicate["passedTests"], gate.predicate["failedTests"]) == ([name], [])
    assert gate.predicate["configuration"][1:] == [generate.file("tests/check.sh", generate.CHECK)]


def test_what_ran_in_a_sandbox_is_a_level(gate: Gate, bubblewrap: None) -> None:
    with_commands(gate, generate.command_item(), generate.file_item())
    gate.recompute(*SIGNED, *ROOT, *COMMANDS)
    gate.attest("--policy-out", "judged-by.json")
    assert "DONE_RECEIPT_SANDBOX_BUBBLEWRAP" in gate.predicate["verifiedLevels"]
    judged_by = json.loads((gate.folder / "judged-by.json").read_bytes())
    assert judged_by["allowedCommands"] == [{"argv": generate.ARGV}]


def test_a_command_that_fails_now_is_a_failed_test(gate: Gate, bubblewrap: None) -> None:
    gate.lay(
        generate.Case(
            why="",
            change=generate.claims(generate.command_item(["/bin/sh", "-c", "exit 1"]), generate.file_item()),
        )
    )
    gate.recompute(*SIGNED, *ROOT, "--recheck-commands", "--allow-command", "/bin/sh -c 'exit 1'")
    assert gate.attest(kind="test-result").code == 11
    assert gate.predicate["result"] == "FAILED"
    assert gate.predicate["failedTests"] == ["greets[0] /bin/sh -c 'exit 1'"]


def test_a_command_that_nobody_could_run_is_a_warning(gate: Gate, bubblewrap: None) -> None:
    with_commands(gate, generate.command_item(), generate.command_item(["/bin/false"]))
    gate.recompute(*SIGNED, *ROOT, *COMMANDS)
    assert gate.attest(kind="test-result").code == 12
    assert gate.predicate["result"] == "WARNED"
    assert gate.predicate["warnedTests"] == ["greets[1] /bin/false"]


def test_protocol_buffers_read_a_vsa(honest: Gate) -> None:
    honest.attest()
    statement = json_format.Parse(honest.payload, Message())
    assert statement.subject[0].digest["sha256"] == generate.sha256(generate.GREETING)
    # In 0.9.3 verifiedLevels is one string; SLSA's text has a list, which is what its consumers read and we write.
    assert not VerificationSummary.DESCRIPTOR.fields_by_name["verified_levels"].is_repeated
    (level, *_) = honest.predicate["verifiedLevels"]
    tree = honest.predicate | {"verifiedLevels": level}
    vsa = json_format.ParseDict(tree, VerificationSummary(), ignore_unknown_fields=True)  # verifier.version
    assert vsa.verification_result == "PASSED"
    assert vsa.policy.digest == honest.predicate["policy"]["digest"]
    assert len(vsa.input_attestations) == 3


def test_protocol_buffers_read_a_test_result(gate: Gate, bubblewrap: None) -> None:
    with_commands(gate, generate.command_item(), generate.file_item())
    gate.recompute(*SIGNED, *ROOT, *COMMANDS)
    gate.attest(kind="test-result")
    found = json_format.ParseDict(gate.predicate, ResultOfTests())
    assert found.result == "PASSED"
    assert len(found.passed_tests) == 1
    assert found.configuration[1].name == "tests/check.sh"


def test_it_says_as_json_what_it_signed(honest: Gate) -> None:
    done = honest.attest("--json")
    said = json.loads(done.out)
    assert said["allow"] is True
    assert said["payloadSha256"] == hashlib.sha256(honest.payload).hexdigest()


def test_the_output_is_no_input(honest: Gate) -> None:
    done = honest.attest("--policy-out", "result.json")
    assert done.code == 2
    assert "is a file that this command reads" in done.err


def test_a_policy_input_does_not_say_what_it_is_about(honest: Gate, cli: Cli) -> None:
    cli("admit", "result.json", "--output", "policy-input=input.json")
    (honest.folder / "input.json").replace(honest.folder / "result.json")
    done = honest.attest()
    assert done.code == 3
    assert "is a policy input" in done.err


def test_several_results_are_not_signed_at_once(honest: Gate) -> None:
    line = json.dumps(json.loads((honest.folder / "result.json").read_bytes()))
    (honest.folder / "result.json").write_text(f"{line}\n{line}\n")
    done = honest.attest()
    assert done.code == 3
    assert "holds 2 results, expected one" in done.err


def test_what_recompute_was_loosened_by_reaches_the_decision(gate: Gate, cli: Cli) -> None:
    gate.lay(generate.Case(why=""))
    gate.recompute(*SIGNED, *ROOT, "--override", "freshness.maxAge")
    seen = cli("admit", "result.json", "--json")
    assert json.loads(seen.out)["decision"]["overrides"] == ["freshness.maxAge"]


SLSA = {
    "--subject-digest": f"sha256:{generate.sha256(generate.GREETING)}",
    "--verifier-id": "https://w3id.org/done-receipt/verifier",
    "--resource-uri": URI,
    "--verified-level": "DONE_RECEIPT_FULLY_RECHECKED",
}
OTHERS = {
    "another subject": {"--subject-digest": "sha256:" + "a" * 64},
    "another level": {"--verified-level": "DONE_RECEIPT_COLLECTION_CI"},
    "a level of SLSA": {"--verified-level": "SLSA_BUILD_LEVEL_1"},
    "another verifier": {"--verifier-id": "https://example.com/other"},
    "another resource": {"--resource-uri": "git+https://example.com/other"},
}


def slsa(gate: Gate, program: Path, changed: dict[str, str] | None = None, key: str = "gate.pub") -> tuple[int, str]:
    envelope = json.loads((gate.folder / "out.json").read_bytes())
    flags = SLSA | (changed or {}) | {"--public-key-path": key, "--public-key-id": envelope["signatures"][0]["keyid"]}
    words = [str(program), "verify-vsa", "--attestation-path", "out.json"]
    words += [word for flag in flags.items() for word in flag]
    done = subprocess.run(words, cwd=gate.folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.splitlines()[-1]


@pytest.mark.integration
def test_slsa_verifier_accepts_a_pass(honest: Gate, tool: Callable[[str], Path]) -> None:
    honest.attest()
    assert slsa(honest, tool("slsa-verifier")) == (0, "PASSED: SLSA verification passed")


@pytest.mark.integration
@pytest.mark.parametrize("changed", OTHERS.values(), ids=OTHERS)
def test_slsa_verifier_refuses_it_for_anything_else(
    honest: Gate, tool: Callable[[str], Path], changed: dict[str, str]
) -> None:
    honest.attest()
    code, said = slsa(honest, tool("slsa-verifier"), changed)
    assert code != 0
    assert said.startswith("FAILED: ")


@pytest.mark.integration
def test_slsa_verifier_refuses_another_key_and_a_denial(gate: Gate, cli: Cli, tool: Callable[[str], Path]) -> None:
    gate.lay(generate.Case(why="", change=generate.failed("the tests are red")))
    gate.recompute()
    gate.attest()
    code, said = slsa(gate, tool("slsa-verifier"))
    assert code != 0
    assert "verificationResult is not PASSED" in said
    cli("keygen", "--out", "other", "--algorithm", "ecdsa-p256")
    code, said = slsa(gate, tool("slsa-verifier"), key="other.pub")
    assert code != 0
    assert "no valid signature" in said


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["vsa", "svr"])
def test_cosign_verifies_the_signature_of_a_bundle(honest: Gate, tool: Callable[[str], Path], kind: str) -> None:
    honest.attest("--bundle", kind=kind)
    type_ = honest.statement["predicateType"]
    words = [str(tool("cosign")), "verify-blob-attestation", "--bundle", "out.json", "--key", "gate.pub"]
    words += ["--insecure-ignore-tlog", "--type", type_]
    codes = []
    for artifact in ("workspace/greeting.txt", "workspace/tests/check.sh"):
        done = subprocess.run([*words, artifact], cwd=honest.folder, capture_output=True, text=True, check=False)
        codes.append(done.returncode)
    assert codes == [0, 1]
