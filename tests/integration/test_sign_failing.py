"""A service that is down, slow, refuses or lies: one clear error in bounded time, and nothing is written.

Two services are those of a real Sigstore, one is in place of the third.
"""

import contextlib
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest

from in_toto_done_receipt.producer import calls
from tests.cli.conftest import Cli, Ended
from tests.forge.servers import Fault, cutting, hanging_up, saying, serving, silent, status, trickling
from tests.forge.sigstore import Forge
from tests.integration.made import PERSON, Made
from tests.integration.stack.issuer import HOST
from tests.integration.stack.servers import LOOPBACK
from tests.integration.stack.sigstore import SigstoreStack, free_ports, running

pytestmark = [pytest.mark.integration, pytest.mark.loopback]

OLD: Final = "what was here before\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """Signs in a folder of its own, where nothing may be left of what fails."""

    cli: Cli
    stack: SigstoreStack
    statement: Path
    folder: Path
    how: tuple[str | Path, ...] = ("--sigstore", "--identity-token", "-")

    def sign(self, config: dict[str, Any], *flags: str, seconds: float) -> tuple[Ended, str]:
        """How it ended, within so many seconds, and the token that was used."""
        token = self.stack.fetch_token("email", email=PERSON)
        (self.folder / "trust_config.json").write_text(json.dumps(config))
        (self.folder / "receipt.sigstore.json").write_text(OLD)
        before = sorted(self.folder.iterdir())
        files = ("--trust-config", self.folder / "trust_config.json", "--out", self.folder / "receipt.sigstore.json")
        began = time.monotonic()
        ended = self.cli("sign", self.statement, *self.how, *files, "--yes", *flags, stdin=token.encode())
        assert time.monotonic() - began < seconds
        assert sorted(self.folder.iterdir()) == before
        assert token not in ended.out + ended.err
        return ended, token

    def refused(self, config: dict[str, Any], *flags: str, seconds: float = 15) -> str:
        """The one error, with its hint, of a signing that has to fail; what was there before is as it was."""
        ended, _ = self.sign(config, *flags, seconds=seconds)
        assert (ended.code, ended.out) == (4, "")
        assert (self.folder / "receipt.sigstore.json").read_text() == OLD
        assert ended.err.count("error:") == 1
        return ended.err.partition("error: ")[2]


@pytest.fixture
def signing(cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, tmp_path: Path) -> Signing:
    return Signing(cli=cli, stack=sigstore_stack, statement=unsigned.statement, folder=tmp_path)


# Service: its member in a signing configuration, and how messages call it.
SERVICES: Final = {
    "fulcio": ("caUrls", "Fulcio"),
    "rekor": ("rekorTlogUrls", "Rekor"),
    "tsa": ("tsaUrls", "timestamp authority"),
}


def instead(stack: SigstoreStack, service: str, url: str) -> dict[str, Any]:
    """The client trust configuration of the stack, with another URL for one service."""
    tree: dict[str, Any] = json.loads(stack.trust_config.read_bytes())
    (entry,) = tree["signingConfig"][SERVICES[service][0]]
    entry["url"] = url
    return tree


@contextlib.contextmanager
def faulty(service: str, fault: Fault) -> Iterator[str]:
    """The URL of a service that does this."""
    with serving(Forge.of()) as at:
        at.faults[service] = fault
        yield f"{at.url}/api/v1/timestamp" if service == "tsa" else at.url


REFUSALS: Final[dict[str, tuple[Fault, str]]] = {
    "400": (status(400, "no such thing"), "HTTP status 400 (Bad Request): no such thing"),
    "a redirect": (status(307, Location="http://127.0.0.1:9/"), "HTTP status 307 (Temporary Redirect)"),
    "500": (status(500, "try again"), "HTTP status 500 (Internal Server Error): try again, tried 3 times"),
    "hanging up": (hanging_up, ", tried 3 times"),
    "cutting the answer": (cutting, ", tried 3 times"),
    "another document": (saying(b'{"hello": []}'), "the answer "),
    "garbage": (saying(b"\x00\xff<html>"), "the answer "),
    "an empty answer": (saying(b""), "the answer "),
    "an endless answer": (saying(b" " * (5 << 20)), "more than 4194304 bytes"),
}
QUICK: Final = ("400", "a redirect", "another document", "garbage", "an empty answer")
ROWS: Final = [
    *[("fulcio", fault) for fault in REFUSALS],
    *[(service, fault) for service in ("rekor", "tsa") for fault in (*QUICK, "500")],
]


@pytest.mark.parametrize(("service", "row"), ROWS, ids=[f"{service}-{row}" for service, row in ROWS])
def test_a_service_that_refuses_or_answers_nonsense(
    service: str, row: str, signing: Signing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "PAUSE_SECONDS", 0.01)
    fault, says = REFUSALS[row]
    with faulty(service, fault) as url:
        error = signing.refused(instead(signing.stack, service, url))
    assert error.startswith(f"{SERVICES[service][1]} at {url}: ")
    assert says in error


@pytest.mark.parametrize("service", ["rekor", "tsa"])
def test_a_service_that_refuses_what_a_key_signed(service: str, signing: Signing, unsigned: Made) -> None:
    with_key = replace(signing, how=("--key", unsigned.folder / "worker.pem", "--bundle"))
    with faulty(service, status(400, "no such thing")) as url:
        error = with_key.refused(instead(signing.stack, service, url))
    assert error.startswith(f"{SERVICES[service][1]} at {url}: HTTP status 400 (Bad Request): no such thing")


@pytest.mark.parametrize("fault", [silent, trickling], ids=["silent", "trickling"])
@pytest.mark.parametrize("service", SERVICES)
def test_a_slow_service_is_given_up(service: str, fault: Fault, signing: Signing) -> None:
    with faulty(service, fault) as url:
        error = signing.refused(instead(signing.stack, service, url), "--timeout", "1", seconds=6)
    assert error.startswith(f"{SERVICES[service][1]} at {url}: ")
    assert "the 1 s for all services are over" in error


def test_a_refusal_that_repeats_the_token_does_not_show_it(signing: Signing) -> None:
    def repeating(handler: BaseHTTPRequestHandler, _at: object) -> tuple[int, dict[str, str], bytes]:
        return 400, {}, json.dumps({"message": handler.headers["Authorization"]}).encode()

    with faulty("fulcio", repeating) as url:
        assert "Bearer …" in signing.refused(instead(signing.stack, "fulcio", url))


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_is_down(service: str, signing: Signing) -> None:
    url = f"http://{HOST}:{free_ports(1)[0]}"
    error = signing.refused(instead(signing.stack, service, url))
    assert error.startswith(f"{SERVICES[service][1]} at {url}: connection refused, tried 3 times")


# --- real servers that stop -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def own_stack(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigstoreStack]:
    """A stack of this module's own, whose servers can be stopped."""
    with running(tmp_path_factory.mktemp("own"), programs) as stack:
        yield stack


@pytest.mark.parametrize(
    ("program", "named"),
    [("fulcio", "Fulcio"), ("rekor-server", "Rekor"), ("timestamp-server", "timestamp authority")],
)
def test_a_real_server_that_hangs(
    program: str, named: str, own_stack: SigstoreStack, cli: Cli, unsigned: Made, tmp_path: Path
) -> None:
    signing = Signing(cli=cli, stack=own_stack, statement=unsigned.statement, folder=tmp_path)
    config = json.loads(own_stack.trust_config.read_bytes())
    with own_stack.servers.paused(program):
        error = signing.refused(config, "--timeout", "1", seconds=6)
    assert error.startswith(f"{named} at ")
    assert "the 1 s for all services are over" in error


def test_a_log_of_certificates_that_hangs_is_the_fault_of_fulcio(
    own_stack: SigstoreStack, cli: Cli, unsigned: Made, tmp_path: Path
) -> None:
    signing = Signing(cli=cli, stack=own_stack, statement=unsigned.statement, folder=tmp_path)
    config = json.loads(own_stack.trust_config.read_bytes())
    with own_stack.servers.paused("tesseract"):
        error = signing.refused(config, "--timeout", "1", seconds=6)
    assert error.startswith("Fulcio at ")


# --- services that lie ----------------------------------------------------------------------------------------------


class _Replaying(ThreadingHTTPServer):
    """Passes the first request on, and gives its answer to all others."""

    def __init__(self, url: str) -> None:
        super().__init__((HOST, 0), _Replay)
        self.url = url
        self.answer: bytes | None = None


class _Replay(BaseHTTPRequestHandler):
    server: _Replaying

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.answer is None:
            kept = ("Content-Type", "Accept", "Authorization")
            headers = {name: self.headers[name] for name in kept if name in self.headers}
            request = urllib.request.Request(self.server.url + self.path, body, headers)  # noqa: S310 - on loopback
            with LOOPBACK.open(request, timeout=10) as answer:
                self.server.answer = answer.read()
        self.send_response(201)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *arguments: Any) -> None:
        pass


@contextlib.contextmanager
def replaying(url: str) -> Iterator[str]:
    """The URL of a service that says again and again what the real one said once."""
    with _Replaying(url) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("service", "says"),
    [
        ("fulcio", "the certificate is for another key"),
        ("rekor", "what was signed does not verify with "),
        ("tsa", "the timestamp is not over this signature, or of another request"),
    ],
)
def test_an_old_answer_of_the_real_service_is_noticed(service: str, says: str, signing: Signing) -> None:
    at = signing.stack.at
    real = {"fulcio": at.fulcio, "rekor": at.rekor, "tsa": at.tsa}[service]
    with replaying(real) as url:
        config = instead(signing.stack, service, f"{url}/api/v1/timestamp" if service == "tsa" else url)
        first, _ = signing.sign(config, seconds=15)
        assert first.code == 0, first.err
        assert says in signing.refused(config)


def test_services_of_another_sigstore_than_the_root_are_noticed(own_stack: SigstoreStack, signing: Signing) -> None:
    config = json.loads(own_stack.trust_config.read_bytes())
    config["trustedRoot"] = json.loads(signing.stack.trusted_root.read_bytes())
    other = Signing(cli=signing.cli, stack=own_stack, statement=signing.statement, folder=signing.folder)
    assert "what was signed does not verify with " in other.refused(config)


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        pytest.param({"email_verified": False}, "Fulcio at ", id="an address that nobody verified"),
        pytest.param({"aud": "another"}, "for another audience than sigstore", id="another audience"),
        pytest.param({"exp": 1}, "has expired", id="expired"),
        pytest.param({"iss": "https://accounts.example.net"}, "Fulcio at ", id="an issuer that Fulcio does not know"),
    ],
)
def test_a_token_that_is_not_good(
    claims: dict[str, Any], says: str, cli: Cli, sigstore_stack: SigstoreStack, unsigned: Made, tmp_path: Path
) -> None:
    token = sigstore_stack.fetch_token("email", **claims)
    out = tmp_path / "out.json"
    flags = ("--sigstore", "--identity-token", "-", "--trust-config", sigstore_stack.trust_config, "--yes")
    ended = cli("sign", unsigned.statement, *flags, "--out", out, stdin=token.encode())
    assert ended.code == 4
    assert says in ended.err
    assert token not in ended.err
    assert not out.exists()
