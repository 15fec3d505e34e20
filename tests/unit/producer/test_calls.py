"""Calls to services: bounded in time, tries and size; every failure names the service, its URL and what was wrong."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from in_toto_done_receipt.errors import ConfigurationError, ProducerError
from in_toto_done_receipt.producer import calls
from in_toto_done_receipt.producer.calls import ANSWER_BYTES, Deadline, Request, Service, call, service
from tests.forge.servers import (
    Fault,
    Serving,
    cutting,
    hanging_up,
    in_turn,
    saying,
    serving,
    silent,
    status,
    trickling,
)
from tests.forge.sigstore import Forge
from tests.integration.stack.certificates import Certified, write_chain, write_key

pytestmark = pytest.mark.loopback


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    monkeypatch.setattr(calls, "PAUSE_SECONDS", 0.01)
    with serving(Forge.of()) as found:
        yield found


@pytest.fixture
def rekor(at: Serving) -> Service:
    return service("Rekor", at.url)


ASK = Request(path="/api/v2/log/entries", body=b"{}", headers={})


def test_an_answer(at: Serving, rekor: Service) -> None:
    at.faults["rekor"] = status(201, "fine", X_Log="7")
    answer = call(rekor, ASK, Deadline(5))
    assert (answer.status, answer.headers["x-log"]) == (201, "7")
    assert b"fine" in answer.body


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_status_that_passes_is_tried_again(at: Serving, rekor: Service, code: int) -> None:
    at.faults["rekor"] = in_turn(status(code), status(code), status(201))
    assert call(rekor, ASK, Deadline(5)).status == 201
    assert at.asked == ["rekor"] * 3


@pytest.mark.parametrize("fault", [hanging_up, cutting], ids=["hangs-up", "cuts"])
def test_a_broken_connection_is_tried_again(at: Serving, rekor: Service, fault: Fault) -> None:
    at.faults["rekor"] = in_turn(fault, status(201))
    assert call(rekor, ASK, Deadline(5)).status == 201


def test_three_tries_and_no_more(at: Serving, rekor: Service) -> None:
    at.faults["rekor"] = status(503, "too busy")
    with pytest.raises(ProducerError) as caught:
        call(rekor, ASK, Deadline(5))
    assert caught.value.message == (
        f"Rekor at {at.url}: HTTP status 503 (Service Unavailable): too busy, tried 3 times"
    )
    assert at.asked == ["rekor"] * 3


@pytest.mark.parametrize("code", [301, 302, 400, 401, 403, 404, 418, 599])
def test_another_status_is_final(at: Serving, rekor: Service, code: int) -> None:
    at.faults["rekor"] = status(code, "no", Location="http://192.0.2.1/")
    with pytest.raises(ProducerError, match=rf"Rekor at {at.url}: HTTP status {code} .*: no"):
        call(rekor, ASK, Deadline(5))
    assert at.asked == ["rekor"]


@pytest.mark.parametrize("fault", [silent, trickling], ids=["silent", "trickling"])
def test_a_slow_service_is_cut_off(at: Serving, rekor: Service, fault: Fault) -> None:
    at.faults["rekor"] = fault
    began = time.monotonic()
    with pytest.raises(ProducerError, match=rf"Rekor at {at.url}: no answer within 0\.\d+ s, the 0\.4 s for all"):
        call(rekor, ASK, Deadline(0.4))
    assert time.monotonic() - began < 2
    assert [thread.name for thread in threading.enumerate() if thread.name == "call-watch"] == []


def test_a_slow_body_is_cut_off(at: Serving, rekor: Service) -> None:
    def dribbling(handler: BaseHTTPRequestHandler, serving: Serving) -> None:
        handler.wfile.write(b"HTTP/1.1 201 Created\r\n\r\n")  # no length: a cut answer looks whole
        while not serving.over.wait(0.05):
            handler.wfile.write(b"x")

    at.faults["rekor"] = dribbling
    with pytest.raises(ProducerError, match="no answer within"):
        call(rekor, ASK, Deadline(0.3))


def test_one_try_has_its_own_limit(at: Serving, rekor: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "TRY_SECONDS", 0.2)
    at.faults["rekor"] = in_turn(silent, status(201))
    assert call(rekor, ASK, Deadline(10)).status == 201


def test_a_deadline_that_is_over_asks_nobody(at: Serving, rekor: Service) -> None:
    with pytest.raises(ProducerError, match="the 0 s for all services are over"):
        call(rekor, ASK, Deadline(0))
    assert at.asked == []


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(ProducerError, match=rf"Rekor at http://127.0.0.1:{port}: connection refused, tried 3 times"):
        call(service("Rekor", f"http://127.0.0.1:{port}"), ASK, Deadline(5))


def test_too_much_is_not_read(at: Serving, rekor: Service) -> None:
    at.faults["rekor"] = saying(b"x" * (ANSWER_BYTES + 1))
    with pytest.raises(ProducerError, match=f"more than {ANSWER_BYTES} bytes"):
        call(rekor, ASK, Deadline(10))


def test_no_http(at: Serving, rekor: Service) -> None:
    def greeting(handler: BaseHTTPRequestHandler, _at: Serving) -> None:
        handler.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")

    at.faults["rekor"] = greeting
    with pytest.raises(ProducerError, match=r"not an answer in HTTP: SSH-2\.0"):
        call(rekor, ASK, Deadline(5))


@pytest.mark.parametrize("body", [b"<html>\nno", b"[" * 100_000, b"\xff\xfe", b'{"message": 7}', b"7"], ids=repr)
def test_what_a_refusal_says_need_not_be_json(at: Serving, rekor: Service, body: bytes) -> None:
    at.faults["rekor"] = saying(body, 400)
    with pytest.raises(ProducerError, match="HTTP status 400") as caught:
        call(rekor, ASK, Deadline(5))
    assert len(caught.value.message) < 400
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "url",
    [
        "",
        "rekor",
        "ftp://host/",
        "https://",
        "https://host:0/",
        "https://host:x/",
        "http://h ost",
        "https://é.org",
        "file:///etc",
        "http://[::1",
        "https://a\nb/",
    ],
)
def test_what_is_no_url_of_a_service(url: str) -> None:
    with pytest.raises(ConfigurationError, match="Rekor: not a URL that can be called"):
        service("Rekor", url)


def test_a_url_is_taken_up_to_its_path() -> None:
    assert service("Rekor", "https://host/log/?x=1#y").url == "https://host/log"


# --- proxies and TLS ------------------------------------------------------------------------------------------------


class Proxy(BaseHTTPRequestHandler):
    """Answers as a proxy would, and remembers what it was asked."""

    seen: list[str]

    def do_POST(self) -> None:
        type(self).seen.append(f"{self.command} {self.path} {self.headers.get('Proxy-Authorization')}")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_CONNECT(self) -> None:
        type(self).seen.append(f"{self.command} {self.path} {self.headers.get('Proxy-Authorization')}")
        self.send_error(403)

    def log_message(self, *_args: object) -> None:
        """Quiet."""


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    Proxy.seen = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"127.0.0.1:{server.server_port}", Proxy.seen
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_the_proxy_of_the_environment(proxy: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://me:pass%20word@{proxy[0]}")
    call(service("TSA", "http://tsa.example.org/stamp"), Request(body=b"x", headers={}), Deadline(5))
    assert proxy[1] == ["POST http://tsa.example.org/stamp Basic bWU6cGFzcyB3b3Jk"]


def test_a_tunnel_for_https(proxy: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "PAUSE_SECONDS", 0.01)
    monkeypatch.setenv("https_proxy", proxy[0])
    with pytest.raises(ProducerError, match=r"https://rekor\.example\.org: .*403"):
        call(service("Rekor", "https://rekor.example.org"), ASK, Deadline(5))
    assert proxy[1][0] == "CONNECT rekor.example.org:443 None"


def test_loopback_goes_to_no_proxy(
    proxy: tuple[str, list[str]], at: Serving, rekor: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://{proxy[0]}")
    at.faults["rekor"] = status(201)
    assert call(rekor, ASK, Deadline(5)).status == 201
    assert proxy[1] == []


def test_another_kind_of_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://user:sesame@127.0.0.1:9")
    with pytest.raises(ConfigurationError, match="only http proxies can be used, got socks5") as caught:
        call(service("Rekor", "https://rekor.example.org"), ASK, Deadline(5))
    assert "sesame" not in caught.value.message


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[Service, Path]]:
    """A service by HTTPS, and the certificate authority that vouches for it."""
    root = Certified.root("tls-root")
    leaf = root.leaf("tls", ExtendedKeyUsageOID.SERVER_AUTH, ("localhost",))
    write_chain(tmp_path / "root.pem", root.certificate)
    write_chain(tmp_path / "leaf.pem", leaf.certificate)
    write_key(tmp_path / "leaf-key.pem", leaf.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "leaf.pem", tmp_path / "leaf-key.pem")
    Proxy.seen = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield service("Fulcio", f"https://localhost:{server.server_port}"), tmp_path / "root.pem"
        server.shutdown()
        thread.join()


def test_https_with_the_authority_of_the_environment(
    secure: tuple[Service, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(secure[1]))
    assert call(secure[0], ASK, Deadline(5)).status == 201


def test_https_with_an_unknown_authority(secure: tuple[Service, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(ProducerError, match="its certificate is not trusted") as caught:
        call(secure[0], ASK, Deadline(5))
    assert "SSL_CERT_FILE" in str(caught.value.hint)
    assert Proxy.seen == []


def test_https_under_another_name(secure: tuple[Service, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(secure[1]))
    with pytest.raises(ProducerError, match="its certificate is not trusted: IP address mismatch"):
        call(service("Fulcio", secure[0].url.replace("localhost", "127.0.0.1")), ASK, Deadline(5))
