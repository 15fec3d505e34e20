"""An OPA server is asked and not believed: every fault of a server is a denial of its own, or no engine at all."""

import ipaddress
import json
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from in_toto_done_receipt.admission import opa_server
from in_toto_done_receipt.admission.opa_server import OpaServerEngine
from in_toto_done_receipt.errors import ConfigurationError, EngineError, EngineUnavailable
from tests.unit.admission.faulty_server import (
    DIGEST,
    Reply,
    Server,
    dripping,
    endless,
    http,
    says,
    sends,
    serving,
    silent,
    tree,
)

pytestmark = pytest.mark.loopback
HOUR: Final = timedelta(hours=1)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(says(tree())) as made:
        yield made


@pytest.fixture
def engine(server: Server) -> Iterator[OpaServerEngine]:
    made = OpaServerEngine(server.url, policy_digest=DIGEST)
    yield made
    made.close()


def test_it_gives_what_the_server_says(server: Server, engine: OpaServerEngine) -> None:
    server.reply = says(tree(result={"allow": True, "more": [1]}))
    assert engine.decide(b'{"a": 1}', 5.0) == {"allow": True, "more": [1]}
    assert (engine.name, engine.version, engine.policy_digest) == ("opa-server", "OPA 1.22.3", DIGEST)


def test_it_asks_for_the_decision_strictly_and_for_its_origin(server: Server, engine: OpaServerEngine) -> None:
    engine.decide(b'{"a":1}', 5.0)
    head, _, body = server.questions[-1].partition(b"\r\n\r\n")
    path = b"/v1/data/done_receipt/admission/decision?strict-builtin-errors=true&provenance=true"
    assert head.startswith(b"POST " + path + b" HTTP/1.1\r\n")
    assert body == b'{"input":{"a":1}}'


def test_a_server_can_lie_below_a_path(server: Server) -> None:
    OpaServerEngine(server.url + "/opa/", policy_digest=DIGEST).close()
    assert server.questions[-1].startswith(b"POST /opa/v1/data/done_receipt/admission/decision?")


def test_the_connection_is_kept(server: Server, engine: OpaServerEngine) -> None:
    for _ in range(5):
        engine.decide(b"{}", 5.0)
    assert (server.connections, len(server.questions)) == (1, 6)


def test_a_connection_that_was_closed_meanwhile_is_opened_again(server: Server, engine: OpaServerEngine) -> None:
    server.hang_up()
    assert engine.decide(b"{}", 5.0) == {"allow": False}
    assert server.connections == 2


def test_a_connection_that_is_said_to_close_is_not_kept(server: Server, engine: OpaServerEngine) -> None:
    server.reply = sends(http(json.dumps(tree()).encode(), headers="Connection: close\r\n"), close=True)
    assert [engine.decide(b"{}", 5.0) for _ in range(2)] == [{"allow": False}] * 2


def test_an_older_server_names_its_one_revision(server: Server, engine: OpaServerEngine) -> None:
    server.reply = says(tree(provenance={"revision": DIGEST}))
    assert engine.decide(b"{}", 5.0) == {"allow": False}


PROVENANCE = {"version": "1"}
OK = b"HTTP/1.1 200 OK\r\n"
FAULTS: dict[str, tuple[Reply, str, str]] = {
    "undefined": (
        says({name: part for name, part in tree().items() if name != "result"}),
        "engine.undefined",
        "no dec",
    ),
    "404": (sends(http(b"{}", "404 Not Found")), "engine.status", "answers 404"),
    "500": (sends(http(b'{"code": "internal_error"}', "500 Oops")), "engine.status", "answers 500: .*internal_error"),
    "201": (sends(http(b"{}", "201 Created")), "engine.status", "answers 201"),
    "204": (sends(b"HTTP/1.1 204 No Content\r\n\r\n"), "engine.status", "answers 204"),
    "redirect": (
        sends(http(b"", "307 Temporary Redirect", "Location: http://127.0.0.1:1/\r\n")),
        "engine.redirect",
        r"redirects \(307\), to http://127\.0\.0\.1:1/",
    ),
    "redirect to nowhere": (sends(http(b"", "302 Found")), "engine.redirect", "nowhere"),
    "warning": (
        says(tree(warning={"code": "api_usage_warning", "message": "'input' key missing from the request"})),
        "engine.usage",
        "api_usage_warning: 'input' key missing",
    ),
    "another warning": (says(tree(warning=None)), "engine.usage", "without a word"),
    "no provenance": (says({"result": {"allow": True}}), "engine.policy", "does not say which policy"),
    "no bundle": (says(tree(provenance=PROVENANCE)), "engine.policy", "does not say which policy"),
    "no revision": (says(tree(provenance={"bundles": {"b": {}}})), "engine.policy", f"is None, wanted is {DIGEST}"),
    "another revision": (
        says(tree(provenance={"bundles": {"b": {"revision": "e" * 64}}})),
        "engine.policy",
        f"server's policy is {'e' * 64}, wanted is {DIGEST}",
    ),
    "no bundles": (says(tree(provenance={"bundles": {}})), "engine.policy", "is none, wanted"),
    "no JSON": (says(b"<html>"), "engine.body", "answer"),
    "nothing": (says(b""), "engine.body", "answer"),
    "a list": (says([tree()]), "engine.body", "is no object"),
    "a member twice": (says(b'{"result": 1, "result": 2}'), "engine.body", "duplicate"),
    "no UTF-8": (says(b'{"result": "\xff"}'), "engine.body", "UTF-8"),
    "compressed": (sends(http(b"x", headers="Content-Encoding: gzip\r\n")), "engine.body", "compressed"),
    "no HTTP": (sends(b"SSH-2.0-OpenSSH\r\n\r\n", close=True), "engine.body", "no HTTP"),
    "cut off": (sends(http(b'{"res', length=500), close=True), "engine.body", "broke off"),
    "a bad length": (
        sends(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", close=True),
        "engine.body",
        "broke off",
    ),
    "a long header": (
        sends(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", close=True),
        "engine.body",
        "HTTP",
    ),
    "many headers": (sends(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n", close=True), "engine.body", "HTTP"),
}


@pytest.mark.parametrize(("reply", "code", "text"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_server_is_a_denial(
    server: Server, engine: OpaServerEngine, reply: Reply, code: str, text: str
) -> None:
    server.reply = reply
    with pytest.raises(EngineError, match=text) as caught:
        engine.decide(b"{}", 5.0)
    assert caught.value.code == code


@pytest.mark.parametrize(("reply", "code", "text"), FAULTS.values(), ids=FAULTS)
def test_the_same_fault_at_the_start_is_no_engine(server: Server, reply: Reply, code: str, text: str) -> None:
    server.reply = reply
    if code == "engine.undefined":  # the policy has no decision for an empty input; that is for each decision to say
        OpaServerEngine(server.url, policy_digest=DIGEST).close()
        return
    with pytest.raises(EngineUnavailable, match=f"{server.url}: .*{text}"):
        OpaServerEngine(server.url, policy_digest=DIGEST)


@pytest.mark.parametrize("reply", [silent, dripping], ids=["silent", "dripping"])
def test_too_slow_is_a_timeout_however_it_drips(server: Server, engine: OpaServerEngine, reply: Reply) -> None:
    server.reply = reply
    begin = time.monotonic()
    with pytest.raises(EngineError, match=r"no decision within 0\.2 s") as caught:
        engine.decide(b"{}", 0.2)
    assert caught.value.code == "engine.timeout"
    assert time.monotonic() - begin < 3


def test_too_slow_at_the_start_is_no_engine(server: Server) -> None:
    server.reply = silent
    with pytest.raises(EngineUnavailable, match=r"no decision within 0\.1 s"):
        OpaServerEngine(server.url, policy_digest=DIGEST, seconds=0.1)


@pytest.mark.parametrize("reply", [endless, sends(http(b"x" * 300_000))], ids=["endless", "large"])
def test_too_much_is_a_denial(
    server: Server, engine: OpaServerEngine, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opa_server, "MAX_OUTPUT", 200_000)
    server.reply = reply
    with pytest.raises(EngineError, match="more than 200000 bytes") as caught:
        engine.decide(b"{}", 5.0)
    assert caught.value.code == "engine.output"


def test_after_a_fault_it_goes_on(server: Server, engine: OpaServerEngine) -> None:
    for reply in (sends(http(b"{}", "500 Oops")), says(b"<html>"), sends(b"x", close=True)):
        server.reply = reply
        with pytest.raises(EngineError):
            engine.decide(b"{}", 5.0)
        server.reply = says(tree())
        assert engine.decide(b"{}", 5.0) == {"allow": False}


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(EngineUnavailable, match=r"cannot be reached: .*refused"):
        OpaServerEngine(f"http://127.0.0.1:{port}", policy_digest=DIGEST)


def test_a_server_that_went_away_is_unavailable(server: Server, engine: OpaServerEngine) -> None:
    server.stop()
    with pytest.raises(EngineUnavailable, match="cannot be reached"):
        engine.decide(b"{}", 5.0)


def test_a_server_that_hangs_up_at_once_is_unavailable(server: Server, engine: OpaServerEngine) -> None:
    server.reply = lambda connection, question: False
    with pytest.raises(EngineUnavailable, match="cannot be reached"):
        engine.decide(b"{}", 5.0)


def test_a_proxy_of_the_environment_is_not_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    OpaServerEngine(server.url, policy_digest=DIGEST).close()


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1, signed by itself, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + HOUR)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = made.add_extension(address, critical=False).sign(key, hashes.SHA256())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + signed.public_bytes(Encoding.PEM)
    (folder / "tls.pem").write_bytes(pem)
    return folder / "tls.pem"


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A server over TLS, and the file that it is known by."""
    pem = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with serving(says(tree()), tls=context) as made:
        yield made, pem


def test_a_server_over_tls(tls: tuple[Server, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    server, pem = tls
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))  # how OpenSSL is told of an authority of one's own
    engine = OpaServerEngine(server.url.replace("http://", "https://"), policy_digest=DIGEST)
    assert [engine.decide(b"{}", 5.0) for _ in range(3)] == [{"allow": False}] * 3
    assert server.connections == 1
    engine.close()


def test_a_certificate_that_nobody_vouches_for_is_unavailable(tls: tuple[Server, Path]) -> None:
    with pytest.raises(EngineUnavailable, match=r"cannot be reached: .*certificate verify failed"):
        OpaServerEngine(tls[0].url.replace("http://", "https://"), policy_digest=DIGEST)


def test_plain_http_where_tls_is_wanted_is_unavailable(server: Server) -> None:
    with pytest.raises(EngineUnavailable, match=r"cannot be reached|no decision within"):
        OpaServerEngine(server.url.replace("http://", "https://"), policy_digest=DIGEST, seconds=0.3)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "is no http"),
        ("127.0.0.1:8181", "is no http"),
        ("ftp://127.0.0.1/", "is no http"),
        ("file:///etc/passwd", "is no http"),
        ("http://", "is no http"),
        ("http://127.0.0.1:0", "is no http"),
        ("http://127.0.0.1:99999", "Port out of range"),
        ("http://127.0.0.1:x", "Port could not be cast"),
        ("http://[::1", "Invalid IPv6"),
        ("http://127.0.0.1/a b", "is no http"),
        ("http://127.0.0.1/\r\nX: y", "is no http"),
        ("http://user:secret@127.0.0.1/", "no user"),
        ("http://127.0.0.1/?q=1", "query"),
        ("http://127.0.0.1/#f", "fragment"),
        ("http://192.0.2.1:8181", "plain http to another machine"),
        ("http://opa.example.com", "plain http to another machine"),
        ("http://localhost.example.com", "plain http to another machine"),
        ("http://127.0.0.1.example.com", "plain http to another machine"),
        ("http://0.0.0.0:8181", "plain http to another machine"),
    ],
)
def test_another_address_is_refused(url: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        OpaServerEngine(url, policy_digest=DIGEST)


def test_threads_share_it(server: Server, engine: OpaServerEngine) -> None:
    def echo(connection: socket.socket, question: bytes) -> bool:
        asked: Any = json.loads(question.partition(b"\r\n\r\n")[2])["input"]
        return says(tree(result=asked))(connection, question)

    server.reply = echo
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: engine.decide(json.dumps({"n": number}).encode(), 10.0), range(100)))
    assert answers == [{"n": number} for number in range(100)]
