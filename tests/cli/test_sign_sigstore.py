"""`sign --sigstore`, and bundles with keys: who is told what before anything becomes public, and what comes out."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import signing
from in_toto_done_receipt.producer.identity import AMBIENT_VARIABLES
from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder
from tests.cli.terminal import on_a_terminal
from tests.forge.servers import IDENTITY, ISSUER, Serving, serving, silent, status, token
from tests.forge.sigstore import Forge

pytestmark = pytest.mark.loopback

Cli = Callable[..., Any]
NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nobody_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal, and no job that has an identity."""
    monkeypatch.setattr("in_toto_done_receipt.cli.consent.has_terminal", lambda: False)
    monkeypatch.setattr(signing, "has_terminal", lambda: False)
    for name in (*AMBIENT_VARIABLES, "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["v1", "v2"])
def at(request: pytest.FixtureRequest) -> Iterator[Serving]:
    with serving(Forge.of(), rekor=request.param) as found:
        yield found


@pytest.fixture
def v2() -> Iterator[Serving]:
    with serving(Forge.of(), rekor="v2") as found:
        yield found


@pytest.fixture
def statement(tmp_path: Path) -> Path:
    path = tmp_path / "statement.json"
    path.write_bytes(ReceiptBuilder(task="t", agent="a").subject("x", "a" * 64).finish(finished_on=NOW).build())
    return path


def files(tmp_path: Path, at: Serving) -> dict[str, Path]:
    """What the flags name."""
    trees = {
        "trust.json": at.trust_config(),
        "signing.json": at.signing_config(),
        "root.json": at.forge.trusted_root(),
    }
    for name, tree in trees.items():
        (tmp_path / name).write_text(json.dumps(tree))
    (tmp_path / "token").write_text(token())
    return {name: tmp_path / name for name in (*trees, "token")}


def flags(tmp_path: Path, at: Serving) -> list[str | Path]:
    found = files(tmp_path, at)
    return ["--sigstore", "--identity-token", found["token"], "--trust-config", found["trust.json"], "--yes"]


def verify(cli: Cli, tmp_path: Path, receipt: Path, *more: str) -> Any:
    trusted = ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER]
    return cli("verify", receipt, *trusted, "--trusted-root", tmp_path / "root.json", *more)


# --- what comes out -------------------------------------------------------------------------------------------------


def test_it_is_verified_by_verify(cli: Cli, tmp_path: Path, statement: Path, at: Serving) -> None:
    out = tmp_path / "receipt.sigstore.json"
    done = cli("sign", statement, *flags(tmp_path, at), "--out", out)
    assert done.code == 0, done.err
    result = json.loads(verify(cli, tmp_path, out, "--format", "json").out)["result"]
    assert (result["signers"][0]["identity"], result["signers"][0]["issuer"]) == (IDENTITY, ISSUER)


def test_it_prints_who_signed_and_where_it_is_logged(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    done = cli("sign", statement, *flags(tmp_path, v2), "--out", tmp_path / "r")
    assert done.out.splitlines()[1:] == [f"identity: {IDENTITY}", f"issuer: {ISSUER}", "log index: 4"]


def test_json_facts(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    done = cli("sign", statement, *flags(tmp_path, v2), "--out", tmp_path / "r", "--json")
    facts = json.loads(done.out)
    assert facts.keys() == {"payloadSha256", "identity", "issuer", "logIndex", "out"}
    assert (facts["identity"], facts["issuer"], facts["logIndex"]) == (IDENTITY, ISSUER, 4)


def test_the_bundle_goes_to_standard_output(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    done = cli("sign", statement, *flags(tmp_path, v2))
    assert json.loads(done.out)["mediaType"] == "application/vnd.dev.sigstore.bundle.v0.3+json"
    assert f"identity: {IDENTITY}" in done.err


def test_a_token_from_standard_input(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    given = [flag if flag != tmp_path / "token" else "-" for flag in flags(tmp_path, v2)]
    assert cli("sign", statement, *given, "--out", tmp_path / "r", stdin=token().encode() + b"\n").code == 0


def test_the_jobs_own_token(
    cli: Cli, tmp_path: Path, statement: Path, v2: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", token(iss="https://gitlab.com"))
    trust = files(tmp_path, v2)["trust.json"]
    done = cli("sign", statement, "--sigstore", "--trust-config", trust, "--yes", "--out", tmp_path / "r")
    assert (done.code, "issuer: https://gitlab.com" in done.out) == (0, True)


def test_two_files_instead_of_a_trust_config(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    found = files(tmp_path, v2)
    instance = ["--signing-config", found["signing.json"], "--trusted-root", found["root.json"]]
    done = cli("sign", statement, "--sigstore", "--identity-token", found["token"], *instance, "--yes")
    assert done.code == 0


def test_the_token_is_shown_nowhere(cli: Cli, tmp_path: Path, statement: Path, at: Serving) -> None:
    done = cli("sign", statement, *flags(tmp_path, at), "--out", tmp_path / "r", "--json")
    secret = (tmp_path / "token").read_text()
    assert secret not in done.out + done.err + (tmp_path / "r").read_text()


# --- told and asked -------------------------------------------------------------------------------------------------


def test_what_becomes_public_is_said(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    import hashlib

    done = cli("sign", statement, *flags(tmp_path, v2), "--out", tmp_path / "r")
    digest = hashlib.sha256(statement.read_bytes()).hexdigest()
    assert "signing makes this public, and nobody can take it back" in done.err
    for shown in (f"the identity {IDENTITY} of {ISSUER}", v2.url, f"the statement sha256:{digest}"):
        assert shown in done.err


def test_nobody_to_ask_and_nobody_said_yes(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    done = cli("sign", statement, *flags(tmp_path, v2)[:-1], "--out", tmp_path / "r")
    assert (done.code, "--yes is missing" in done.err, v2.asked) == (2, True, [])
    assert not (tmp_path / "r").exists()


def test_a_key_that_is_logged_wants_a_yes_too(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    cli("keygen", "--algorithm", "ecdsa-p256", "--out", tmp_path / "k")
    instance = ["--bundle", "--trust-config", files(tmp_path, v2)["trust.json"]]
    done = cli("sign", statement, "--key", tmp_path / "k.pem", *instance, "--out", tmp_path / "r")
    assert (done.code, v2.asked, (tmp_path / "r").exists()) == (2, [], False)


CONSENT = b"sign? [y/N]"


@pytest.mark.parametrize("answer", [b"y", b"YES"])
def test_somebody_says_yes(tmp_path: Path, statement: Path, v2: Serving, answer: bytes) -> None:
    out = tmp_path / "r"
    code, shown = on_a_terminal([(CONSENT, answer)], "sign", statement, *flags(tmp_path, v2)[:-1], "--out", out)
    assert code == 0, shown
    assert out.exists()


@pytest.mark.parametrize("answer", [b"n", b"", b"yes please"])
def test_somebody_says_anything_else(tmp_path: Path, statement: Path, v2: Serving, answer: bytes) -> None:
    out = tmp_path / "r"
    code, shown = on_a_terminal([(CONSENT, answer)], "sign", statement, *flags(tmp_path, v2)[:-1], "--out", out)
    assert (code, b"not signed: the answer was no" in shown) == (4, True)
    assert (v2.asked, out.exists()) == ([], False)


def test_somebody_is_asked_while_standard_input_is_the_statement(tmp_path: Path, statement: Path, v2: Serving) -> None:
    line = ["sign", "-", *flags(tmp_path, v2)[:-1], "--out", tmp_path / "r"]
    code, shown = on_a_terminal([(CONSENT, b"y")], *line, stdin=statement.read_bytes())
    assert code == 0, shown


# --- logging in -----------------------------------------------------------------------------------------------------

BROWSER = """#!{python}
import sys, urllib.request
urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open(sys.argv[1], timeout=10).read()
"""


def interactive(tmp_path: Path, at: Serving) -> list[str | Path]:
    return ["--sigstore", "--trust-config", files(tmp_path, at)["trust.json"], "--yes", "--out", tmp_path / "r"]


def test_somebody_logs_in_with_a_browser(tmp_path: Path, statement: Path, v2: Serving) -> None:
    browser = tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable))
    browser.chmod(0o755)
    environment = {"BROWSER": f"{browser} %s", "NO_PROXY": "127.0.0.1,localhost"}
    code, shown = on_a_terminal([], "sign", statement, *interactive(tmp_path, v2), environment=environment)
    assert code == 0, shown
    assert f"identity: {IDENTITY}".encode() in shown


def test_somebody_logs_in_with_a_code(tmp_path: Path, statement: Path, v2: Serving) -> None:
    environment = {"BROWSER": "/nowhere/browser %s", "PATH": "/nowhere", "NO_PROXY": "127.0.0.1,localhost"}
    line = ["sign", "-", *interactive(tmp_path, v2)]
    answers = [(b"verification code:", b"abc")]
    code, shown = on_a_terminal(answers, *line, stdin=statement.read_bytes(), environment=environment)
    assert code == 0, shown
    assert b"/oidc/authorization?" in shown


def test_an_issuer_that_is_down(tmp_path: Path, statement: Path, v2: Serving) -> None:
    trust = tmp_path / "trust.json"
    oidc = [v2.signing_config()["oidcUrls"][0] | {"url": f"{v2.url}/nowhere"}]
    trust.write_text(json.dumps(v2.trust_config(oidcUrls=oidc)))
    line = "sign", statement, "--sigstore", "--trust-config", trust, "--yes", "--out", tmp_path / "r"
    code, shown = on_a_terminal([], *line, environment={"NO_PROXY": "127.0.0.1"})
    assert (code, f"OIDC issuer at {v2.url}/nowhere: no identity token".encode() in shown) == (4, True)
    assert b"Traceback" not in shown


def test_nobody_to_log_in(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    trust = files(tmp_path, v2)["trust.json"]
    done = cli("sign", statement, "--sigstore", "--trust-config", trust, "--yes", "--out", tmp_path / "r")
    assert (done.code, "no identity token: none is given" in done.err, v2.asked) == (4, True, [])


# --- what fails -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fulcio", "tsa", "rekor"])
def test_a_service_that_fails_is_one_line(cli: Cli, tmp_path: Path, statement: Path, v2: Serving, name: str) -> None:
    v2.faults[name] = status(400, "no\nsuch ::thing\x1b[31m")
    out = tmp_path / "r"
    done = cli("sign", statement, *flags(tmp_path, v2), "--out", out)
    errors = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert (done.code, len(errors), v2.url in errors[0], "\x1b" in done.err) == (4, 1, True, False)
    assert (done.out, out.exists()) == ("", False)


def test_a_slow_service_ends_at_the_deadline(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    v2.faults["rekor"] = silent
    done = cli("sign", statement, *flags(tmp_path, v2), "--timeout", "1", "--out", tmp_path / "r")
    assert (done.code, "Rekor at" in done.err, "the 1 s for all services are over" in done.err) == (4, True, True)
    assert "hint: --timeout SECONDS gives them more" in done.err
    assert not (tmp_path / "r").exists()


def test_an_old_output_stays_when_signing_fails(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    v2.faults["rekor"] = status(400)
    (tmp_path / "r").write_text("before")
    cli("sign", statement, *flags(tmp_path, v2), "--out", tmp_path / "r")
    assert (tmp_path / "r").read_text() == "before"


@pytest.mark.parametrize("name", ["trust.json", "token"])
@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"[" * 9999], ids=repr)
def test_a_file_of_another_kind(cli: Cli, tmp_path: Path, statement: Path, v2: Serving, name: str, data: bytes) -> None:
    given = flags(tmp_path, v2)
    (tmp_path / name).write_bytes(data)
    done = cli("sign", statement, *given, "--out", tmp_path / "r")
    assert (done.code, v2.asked) == (4, [])


def test_a_token_that_has_expired(cli: Cli, tmp_path: Path, statement: Path, v2: Serving) -> None:
    given = flags(tmp_path, v2)
    (tmp_path / "token").write_text(token(exp=1_700_000_000, iat=1_700_000_000, nbf=None))
    done = cli("sign", statement, *given, "--out", tmp_path / "r")
    assert (done.code, "the identity token has expired" in done.err, v2.asked) == (4, True, [])


def test_the_public_instance_cannot_be_reached(
    cli: Cli, tmp_path: Path, statement: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not asked in a test: a proxy that is not there stands between."""
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    (tmp_path / "token").write_text(token())
    done = cli(
        "sign", statement, "--sigstore", "--identity-token", tmp_path / "token", "--yes", "--out", tmp_path / "r"
    )
    assert (done.code, "tuf-repo-cdn.sigstore.dev cannot be had" in done.err) == (4, True)
    assert "--trust-config" in done.err


# --- attest ---------------------------------------------------------------------------------------------------------


def attest(work: Path, tmp_path: Path) -> list[str | Path]:
    line = "attest", "--root", work, "--out", tmp_path / "r", "--task", "t", "--agent", "worker", "--claim", "c=done"
    return [*line, "--command", "c=touch ran", "--subject", "report.md"]


def test_attest_with_sigstore(cli: Cli, tmp_path: Path, work: Path, v2: Serving) -> None:
    done = cli(*attest(work, tmp_path), *flags(tmp_path, v2), "--json")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["identity"], facts["issuer"], facts["logIndex"]) == (IDENTITY, ISSUER, 4)
    assert (work / "ran").exists()


def test_a_token_is_read_after_evidence_ran(cli: Cli, tmp_path: Path, work: Path, v2: Serving) -> None:
    given = flags(tmp_path, v2)
    (tmp_path / "token").write_text("no token")
    done = cli(*attest(work, tmp_path), *given)
    assert (done.code, (work / "ran").exists(), (tmp_path / "r").exists()) == (4, True, False)


BEFORE = {
    "no-token-file": (lambda given: [*given, "--identity-token", "/nowhere/token"], 4),
    "no-yes": (lambda given: given[:-1], 2),
    "no-config": (lambda given: [*given, "--trust-config", "/nowhere/trust.json"], 4),
    "with-a-key": (lambda given: [*given, "--key", "k.pem"], 2),
}


@pytest.mark.parametrize(("change", "code"), BEFORE.values(), ids=BEFORE)
def test_what_is_wrong_anyway_is_noticed_before_evidence_runs(
    cli: Cli, tmp_path: Path, work: Path, v2: Serving, change: Callable[[list[Any]], list[Any]], code: int
) -> None:
    done = cli(*attest(work, tmp_path), *change(flags(tmp_path, v2)))
    assert (done.code, (work / "ran").exists(), v2.asked) == (code, False, [])


def test_the_jobs_own_token_stops_attest(
    cli: Cli, tmp_path: Path, work: Path, v2: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", token())
    trust = files(tmp_path, v2)["trust.json"]
    done = cli(*attest(work, tmp_path), "--sigstore", "--trust-config", trust, "--yes")
    assert (done.code, (work / "ran").exists()) == (4, False)
    assert "hint: run `done-receipt build`, then `done-receipt sign`" in done.err
    by_name = ["--override", "identity-near-evidence"]
    assert cli(*attest(work, tmp_path), "--sigstore", "--trust-config", trust, "--yes", *by_name).code == 0


def test_attest_does_not_ask_for_a_token_that_was_near_evidence(
    cli: Cli, tmp_path: Path, work: Path, v2: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job of Buildkite shows nothing in the variables that are refused; its agent would still hand out a token."""
    agent = tmp_path / "bin" / "buildkite-agent"
    agent.parent.mkdir()
    agent.write_text(f"#!/bin/sh\necho {token()}\n")
    agent.chmod(0o755)
    monkeypatch.setenv("BUILDKITE", "true")
    monkeypatch.setenv("PATH", f"{agent.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    trust = files(tmp_path, v2)["trust.json"]
    done = cli(*attest(work, tmp_path), "--sigstore", "--trust-config", trust, "--yes")
    assert (done.code, "no identity token" in done.err, v2.asked) == (4, True, [])
