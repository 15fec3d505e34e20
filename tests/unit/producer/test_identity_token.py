"""Identity tokens: what is wrong with one is said, the token itself never is."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.identity import AMBIENT_VARIABLES, ambient_identity
from in_toto_done_receipt.producer.identity_token import MAX_TOKEN_BYTES, Token, ambient_token, read_token
from tests.forge.servers import IDENTITY, ISSUER, Serving, serving, token
from tests.forge.sigstore import Forge


def test_a_token_names_somebody() -> None:
    raw = token()
    assert read_token(f"  {raw}\n".encode(), what="t") == Token(raw=raw, names=(IDENTITY,), issuer=ISSUER)


def test_a_mail_address_comes_first() -> None:
    found = read_token(token(email="a@example.org", email_verified=True, sub="local|a").encode(), what="t")
    assert found.names == ("a@example.org", "local|a")


def test_it_is_not_in_the_repr() -> None:
    raw = token()
    assert raw not in repr(read_token(raw.encode(), what="t"))


REFUSED: dict[str, tuple[Any, str]] = {
    "expired": ({"exp": 1_600_000_000, "iat": 1_600_000_000, "nbf": None}, "the identity token has expired"),
    "audience": ({"aud": "else"}, "for another audience than sigstore"),
    "no-audience": ({"aud": None}, "has no claim aud"),
    "no-issuer": ({"iss": None}, "has no claim iss"),
    "no-subject": ({"sub": None}, "has no claim sub"),
    "not-yet": ({"nbf": 4_000_000_000, "exp": 4_000_000_600}, "not within its validity period"),
    "future": ({"iat": 4_000_000_000, "exp": 4_000_000_600, "nbf": None}, "issued in the future|not valid yet"),
    "number": ({"exp": "soon"}, "not an identity token"),
    "google-without-mail": ({"iss": "https://accounts.google.com"}, "missing the required 'email' claim"),
    "federated": ({"federated_claims": "x"}, "federated_claims is not a dict"),
}


@pytest.mark.parametrize(("claims", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_with_it_is_said(claims: dict[str, Any], said: str) -> None:
    raw = token(**claims)
    with pytest.raises(ConfigurationError, match=f"--identity-token: .*({said})") as caught:
        read_token(raw.encode(), what="--identity-token")
    assert raw not in f"{caught.value.message}{caught.value.hint}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"sesame",
        b"a.b",
        b"a.b.c",
        "é.é.é".encode(),
        b"a b.c.d",
        b"\xff",
        b"x" * (MAX_TOKEN_BYTES + 1),
        b"bnVsbA.bnVsbA.bnVsbA",
        b"e30.WzFd.c2ln",
    ],
    ids=range(11),
)
def test_what_is_no_token(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match="t: not an identity token") as caught:
        read_token(data, what="t")
    assert "sesame" not in caught.value.message


# --- of the job -----------------------------------------------------------------------------------------------------

JOBS = ("GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "GOOGLE_SERVICE_ACCOUNT_NAME")


@pytest.fixture(autouse=True)
def no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*JOBS, *ambient_identity(os.environ)):
        monkeypatch.delenv(name, raising=False)


def test_outside_of_a_job_there_is_none() -> None:
    assert ambient_token() is None


def test_gitlab_gives_it_in_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = token(iss="https://gitlab.com")
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", raw)
    found = ambient_token()
    assert found is not None
    assert (found.raw, found.issuer) == (raw, "https://gitlab.com")


def test_gitlab_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITLAB_CI", "true")
    with pytest.raises(
        ConfigurationError, match=r"the job's identity token cannot be had: gitLab: .*SIGSTORE_ID_TOKEN"
    ):
        ambient_token()


def agent(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_buildkites_agent_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = token(iss="https://agent.buildkite.com")
    agent(tmp_path, "buildkite-agent", f'test "$*" = "oidc request-token --audience sigstore" && echo {raw}')
    monkeypatch.setenv("BUILDKITE", "true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = ambient_token()
    assert found is not None
    assert found.raw == raw


def test_buildkites_agent_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent(tmp_path, "buildkite-agent", "echo not for you; exit 1")
    monkeypatch.setenv("BUILDKITE", "true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(ConfigurationError, match="not for you"):
        ambient_token()


def test_github_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    with pytest.raises(ConfigurationError, match="insufficient OIDC token permissions") as caught:
        ambient_token()
    assert "id-token: write" in str(caught.value.hint)


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """A job on GitHub, whose tokens come from the log's address here: it is all the same to HTTP."""
    with serving(Forge.of()) as at:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "sesame")
        monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{at.url}/api/v1/log/entries/job?api-version=2")
        yield at


@pytest.mark.loopback
def test_github_is_asked(github: Serving) -> None:
    raw = token(iss="https://token.actions.githubusercontent.com", sub="repo:octo/repo:ref:refs/heads/main")
    github.entries["job"] = {"value": raw}
    found = ambient_token()
    assert found is not None
    assert (found.raw, found.names) == (raw, ("repo:octo/repo:ref:refs/heads/main",))


@pytest.mark.loopback
def test_github_that_refuses(github: Serving) -> None:
    with pytest.raises(ConfigurationError, match=r"token request failed .*404") as caught:
        ambient_token()
    assert "sesame" not in caught.value.message


@pytest.mark.loopback
@pytest.mark.parametrize("entry", [{}, {"value": 7}, {"value": "sesame"}], ids=json.dumps)
def test_github_that_answers_nonsense(github: Serving, entry: dict[str, Any]) -> None:
    github.entries["job"] = entry
    with pytest.raises(ConfigurationError, match="the job's identity token") as caught:
        ambient_token()
    assert "sesame" not in caught.value.message


def test_every_variable_that_the_library_reads_is_known() -> None:
    """What `id` asks the environment for is a signing identity, or says which service to ask for one."""
    import inspect
    import re

    from id._internal.oidc import ambient

    read = set(re.findall(r'os\.getenv\("([A-Z_]+)"\)', inspect.getsource(ambient)))
    assert read >= {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GOOGLE_SERVICE_ACCOUNT_NAME"}
    assert read - set(JOBS) <= set(AMBIENT_VARIABLES)
    assert "GOOGLE_SERVICE_ACCOUNT_NAME" in AMBIENT_VARIABLES
