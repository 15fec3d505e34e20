"""Somebody else's answer to the browser: the library that we sign with must not take it."""

import json
import threading
import webbrowser
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from sigstore.oidc import IdentityError, Issuer

pytestmark = [
    pytest.mark.loopback,
    # The library leaves its socket to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Provider(ThreadingHTTPServer):
    """An OpenID provider that counts how often a code is redeemed; it has no token to give."""

    def __init__(self) -> None:
        self.redeemed = 0
        super().__init__(("127.0.0.1", 0), Answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    server: Provider

    def log_message(self, *arguments: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        places = {"authorization_endpoint": f"{self.server.url}/auth", "token_endpoint": f"{self.server.url}/token"}
        self.answer(200, places)

    def do_POST(self) -> None:
        self.server.redeemed += 1
        self.answer(400, {"error": "invalid_grant"})

    def answer(self, code: int, tree: dict[str, str]) -> None:
        body = json.dumps(tree).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def get(url: str) -> str:
    """One request; where it leads on to, if anywhere."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc)
    connection.request("GET", f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/")
    location = connection.getresponse().headers.get("Location", "")
    connection.close()
    return location


def answered(monkeypatch: pytest.MonkeyPatch, state: str | None) -> None:
    """A browser that brings this answer back; None for the state that was asked with."""

    def open_page(url: str, *_more: Any) -> bool:
        asked = parse_qs(urlsplit(get(url)).query)
        back = {"code": "somebody's", "state": asked["state"][0] if state is None else state}
        get(f"{asked['redirect_uri'][0]}?{urlencode(back)}")
        return True

    monkeypatch.setattr(webbrowser, "open", open_page)


def test_ghsa_hm8f_75xx_w2vr_an_answer_to_another_question_is_refused(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(monkeypatch, "00000000-0000-0000-0000-000000000000")
    with pytest.raises(IdentityError, match="state mismatch"):
        Issuer(provider.url).identity_token()
    assert provider.redeemed == 0


def test_ghsa_hm8f_75xx_w2vr_the_answer_to_the_own_question_is_redeemed(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(monkeypatch, None)
    with pytest.raises(IdentityError, match="400"):
        Issuer(provider.url).identity_token()
    assert provider.redeemed == 1
