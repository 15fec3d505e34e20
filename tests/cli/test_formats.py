"""`--format gh`, `github` and `policy-input`: what others read, of what was verified and of nothing else."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from tests.cli.conftest import Cli, Ended
from tests.forge.keys import pem
from tests.forge.sigstore import Forge

SIGNED = ["--trusted-key", "worker=worker.pub"]
ROOT = ["--root", "workspace"]
IDENTITY, ISSUER = "dev@example.org", "https://accounts.example.org"
KEYLESS = ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER, "--trusted-root", "root.json"]
RESULT_TYPE = "application/vnd.dev.sigstore.verificationresult+json;version=0.1"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An honest receipt, its work and its key, in the current directory."""
    for path, text in generate.Case(why="").files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8", newline="")
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lay(place: Path, *changes: generate.Change) -> None:
    statement = generate.base()
    for change in changes:
        change(statement, statement["predicate"])
    (place / "receipt.json").write_text(generate.pretty(generate.envelope(generate.payload_of(statement))))


def keyless(place: Path, **changes: Any) -> Any:
    forge = Forge.of()
    (place / "root.json").write_text(json.dumps(forge.trusted_root()))
    bundle = forge.bundle(generate.payload_of(generate.base()), identity=IDENTITY, issuer=ISSUER, **changes)
    (place / "receipt.json").write_text(json.dumps(bundle))
    return bundle


def gh(cli: Cli, *flags: str) -> Any:
    done = cli("verify", "receipt.json", *flags, "--format", "gh")
    assert done.code == 0, done.err
    return json.loads(done.out)


# --- gh -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rekor", ["v1", "v2"])
def test_gh_has_the_bundle_and_what_was_verified_of_it(cli: Cli, place: Path, rekor: str) -> None:
    claims = {"sourceRepositoryURI": "https://forge.example.org/o/r", "githubWorkflowSHA": "a" * 40}
    bundle = keyless(place, rekor=rekor, claims=claims)
    (found,) = gh(cli, *KEYLESS, *ROOT)
    assert found["attestation"]["bundle"] == bundle
    result = found["verificationResult"]
    assert result["mediaType"] == RESULT_TYPE
    assert result["statement"] == generate.base()
    certificate = result["signature"]["certificate"]
    assert (certificate["subjectAlternativeName"], certificate["issuer"]) == (IDENTITY, ISSUER)
    assert {name: certificate[name] for name in claims} == claims
    assert certificate["certificateIssuer"].startswith("CN=")
    assert result["verifiedIdentity"] == {
        "subjectAlternativeName": {"subjectAlternativeName": IDENTITY, "regexp": ""},
        "issuer": {"issuer": ISSUER, "regexp": ""},
    }


@pytest.mark.parametrize(("rekor", "type_", "uri"), [("v1", "Tlog", "baseUrl"), ("v2", "TimestampAuthority", "uri")])
def test_gh_names_times_and_who_vouches_for_them(cli: Cli, place: Path, rekor: str, type_: str, uri: str) -> None:
    keyless(place, rekor=rekor)
    (found,) = gh(cli, *KEYLESS, *ROOT)
    (time,) = found["verificationResult"]["verifiedTimestamps"]
    root = Forge.of().trusted_root()
    known = {entry.get(uri) for entry in (*root["tlogs"], *root["timestampAuthorities"])}
    assert time["type"] == type_
    assert time["uri"] in known - {None}
    assert time["timestamp"].endswith("Z")


def test_gh_names_no_authority_where_there_are_two(cli: Cli, place: Path) -> None:
    keyless(place, rekor="v2")
    root = Forge.of().trusted_root()
    root["timestampAuthorities"] += Forge.of("other").trusted_root()["timestampAuthorities"]
    (place / "root.json").write_text(json.dumps(root))
    (found,) = gh(cli, *KEYLESS, *ROOT)
    assert [time["uri"] for time in found["verificationResult"]["verifiedTimestamps"]] == [""]


def test_gh_of_an_envelope_says_that_it_is_no_bundle(cli: Cli, place: Path) -> None:
    (found,) = gh(cli, *SIGNED, *ROOT)
    bundle = found["attestation"]["bundle"]
    assert bundle["mediaType"] == "application/vnd.dsse.envelope.v1+json"
    assert base64.b64decode(bundle["dsseEnvelope"]["payload"]) == generate.payload_of(generate.base())
    fingerprint = base64.b64decode(found["verificationResult"]["signature"]["publicKeyId"]).decode()
    signer = json.loads(cli("verify", "receipt.json", *SIGNED, *ROOT, "--json").out)["result"]["signers"][0]
    assert signer["keyFingerprint"] == f"sha256:{fingerprint}"
    assert "verifiedIdentity" not in found["verificationResult"]


def test_gh_of_a_bundle_by_a_key(cli: Cli, place: Path) -> None:
    forge = Forge.of()
    key = forge.key("managed")
    bundle = forge.managed(generate.payload_of(generate.base()), key)
    (place / "receipt.json").write_text(json.dumps(bundle))
    (place / "managed.pub").write_bytes(pem(key.public_key()))
    (found,) = gh(cli, "--trusted-key", "managed=managed.pub", *ROOT)
    assert found["attestation"]["bundle"]["verificationMaterial"] == bundle["verificationMaterial"]
    assert set(found["verificationResult"]["signature"]) == {"publicKeyId"}


def test_gh_has_an_element_for_each_attestation_that_was_verified(cli: Cli, place: Path) -> None:
    payload = generate.payload_of(generate.base())
    lines = [json.dumps(generate.envelope(payload, signers=(name,))) for name in ("worker", "stranger", "second")]
    (place / "receipt.json").write_text("\n".join(lines))
    (place / "second.pub").write_text(generate.public_pem("second"))
    found = gh(cli, *SIGNED, "--trusted-key", "second=second.pub", *ROOT)
    keyids = [one["attestation"]["bundle"]["dsseEnvelope"]["signatures"][0]["keyid"] for one in found]
    assert keyids == ["worker", "second"]


def test_gh_shows_only_the_payload_that_was_admitted(cli: Cli, place: Path) -> None:
    other = generate.base()
    other["predicate"]["verdict"] = {"checked": True, "passed": False, "reason": "red"}
    lines = [json.dumps(generate.envelope(generate.payload_of(tree))) for tree in (other, generate.base())]
    (place / "receipt.json").write_text("\n".join(lines))
    (found,) = gh(cli, *SIGNED, *ROOT)
    assert found["verificationResult"]["statement"] == generate.base()


NOT_ADMITTED: dict[str, tuple[list[str], int]] = {
    "denied": (SIGNED, 12),
    "another signer": (["--trusted-key", "worker=second.pub", *ROOT], 10),
    "another payload": ([*SIGNED, *ROOT, "--expected-digest", "a" * 64], 11),
    "no such root": ([*SIGNED, "--root", "nowhere"], 4),
}


@pytest.mark.parametrize(("flags", "code"), NOT_ADMITTED.values(), ids=NOT_ADMITTED)
def test_gh_is_empty_for_what_was_not_admitted(cli: Cli, place: Path, flags: list[str], code: int) -> None:
    (place / "second.pub").write_text(generate.public_pem("second"))
    done = cli("verify", "receipt.json", *flags, "--format", "gh")
    assert (done.code, json.loads(done.out)) == (code, [])


def test_gh_is_empty_for_a_file_that_cannot_be_read(cli: Cli, place: Path) -> None:
    (place / "receipt.json").write_text("{")
    done = cli("verify", "receipt.json", *SIGNED, *ROOT, "--format", "gh")
    assert (done.code, json.loads(done.out)) == (3, [])


def test_gh_is_empty_for_what_nobody_signed(cli: Cli, place: Path) -> None:
    (place / "receipt.json").write_bytes(generate.payload_of(generate.base()))
    done = cli("verify", "receipt.json", "--unsigned", *ROOT, "--format", "gh")
    assert (done.code, json.loads(done.out)) == (0, [])


def test_gh_of_several_receipts_is_an_array_a_line(cli: Cli, place: Path) -> None:
    (place / "broken.json").write_text("{")
    done = cli("verify", "receipt.json", "broken.json", "receipt.json", *SIGNED, *ROOT, "--format", "gh")
    assert done.code == 3
    assert [len(json.loads(line)) for line in done.out.splitlines()] == [1, 0, 1]


def test_admit_has_no_attestation_to_print(cli: Cli, place: Path) -> None:
    cli("recompute", "receipt.json", *SIGNED, *ROOT, "--out", "result.json")
    for flags in (["--format", "gh"], ["--output", "gh=out.json"]):
        done = cli("admit", "result.json", *flags)
        assert done.code == 2
        assert "admit has only what was found out" in done.err


# --- policy-input ---------------------------------------------------------------------------------------------------


def digest_of_input(seen: Ended) -> Any:
    return json.loads(seen.out)["decision"]["digests"]["input"]


@pytest.mark.parametrize("words", ["plain", "caf\u00e9 \u2014 \U0001f600\x7f##[error] \u2028"], ids=["ascii", "others"])
def test_the_policy_input_is_the_bytes_that_the_engine_got(cli: Cli, place: Path, words: str) -> None:
    lay(place, lambda _statement, predicate: predicate["claims"][0].update(statement=words))
    line = ["verify", "receipt.json", *SIGNED, *ROOT, "--at", generate.NOW]
    seen = cli(*line, "--format", "policy-input", "--output", "policy-input=input.json", "--output", "json=both.json")
    data = (place / "input.json").read_bytes()
    assert data.decode() == seen.out
    assert hashlib.sha256(data).hexdigest() == digest_of_input(cli(*line, "--json"))
    assert json.loads(data)["result"]["claims"][0]["statement"] == words
    assert data.isascii()


def test_the_policy_input_of_admit_is_what_the_engine_got(cli: Cli, place: Path) -> None:
    cli("recompute", "receipt.json", *SIGNED, *ROOT, "--out", "result.json")
    line = ["admit", "result.json", "--at", generate.NOW]
    seen = cli(*line, "--format", "policy-input")
    assert hashlib.sha256(seen.out.encode()).hexdigest() == digest_of_input(cli(*line, "--json"))


# --- github ---------------------------------------------------------------------------------------------------------


def test_github_prints_annotations_and_writes_a_summary(cli: Cli, place: Path) -> None:
    done = cli("verify", "receipt.json", *SIGNED, *ROOT, "--format", "github", "--output", "github=summary.md")
    assert done.code == 0
    assert done.out.startswith("::notice title=ADMITTED::2 of 2 item(s) confirmed")
    assert (place / "summary.md").read_text().startswith("### ADMITTED\n")


def test_github_on_standard_output_is_annotations_whichever_flag_says_so(cli: Cli, place: Path) -> None:
    done = cli("verify", "receipt.json", *SIGNED, "--output", "github=-", "--quiet")
    assert done.code == 12
    assert all(line.startswith("::error ") for line in done.out.splitlines())


def test_the_summary_file_is_not_written_by_itself(cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "step").write_text("mine\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place / "step"))
    cli("verify", "receipt.json", *SIGNED, *ROOT, "--format", "github")
    assert (place / "step").read_text() == "mine\n"


def test_github_says_an_error_as_an_annotation(cli: Cli, place: Path) -> None:
    done = cli("verify", "nowhere.json", *SIGNED, *ROOT, "--format", "github")
    assert done.code == 3
    assert done.out.startswith("::error title=done-receipt::receipt nowhere.json")


def test_github_summaries_of_several_receipts_follow_each_other(cli: Cli, place: Path) -> None:
    done = cli("verify", "receipt.json", "receipt.json", *SIGNED, *ROOT, "--output", "github=summary.md")
    assert done.code == 0
    assert (place / "summary.md").read_text().count("### ADMITTED\n") == 2


def test_github_works_for_admit(cli: Cli, place: Path) -> None:
    cli("recompute", "receipt.json", *SIGNED, *ROOT, "--out", "result.json")
    assert cli("admit", "result.json", "--format", "github").out.startswith("::notice title=ADMITTED::")


def test_the_summary_has_the_receipt_that_could_not_be_verified(cli: Cli, place: Path) -> None:
    (place / "broken.json").write_text("{")
    receipts = ["receipt.json", "broken.json", "receipt.json"]
    done = cli(
        "verify", *receipts, *SIGNED, *ROOT, "--output", "github=summary.md", "--output", "gh=gh.jsonl", "--quiet"
    )
    assert done.code == 3
    headings = [line for line in (place / "summary.md").read_text().splitlines() if line.startswith("### ")]
    assert headings == ["### ADMITTED", "### NOT VERIFIED", "### ADMITTED"]
    assert [len(json.loads(line)) for line in (place / "gh.jsonl").read_text().splitlines()] == [1, 0, 1]
