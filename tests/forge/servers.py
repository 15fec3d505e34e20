"""The forge behind HTTP on loopback: Fulcio, Rekor v1 or v2, a timestamp authority and an issuer to log in at.

    with serving(Forge.of(), rekor="v2") as at:
        at.trust_config()
        at.faults["rekor"] = status(503)

A fault takes the place of a service's answer; `in_turn` makes it one of the first calls only. Tests that use it are
marked `loopback`.
"""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tests.forge.log import Logged, entry_body
from tests.forge.plan import Plan
from tests.forge.sigstore import Forge

IDENTITY: Final = "dev@example.org"
ISSUER: Final = "https://accounts.example.org"
_ALWAYS: Final = {"start": "2020-01-01T00:00:00Z"}
_PATHS: Final = {
    "/api/v2/signingCert": "fulcio",
    "/api/v1/log/entries": "rekor",
    "/api/v2/log/entries": "rekor",
    "/api/v1/timestamp": "tsa",
}
Answer = tuple[int, dict[str, str], bytes]
Fault = Callable[[BaseHTTPRequestHandler, "Serving"], Answer | None]


def token(**claims: Any) -> str:
    """An identity token that nobody signed; a claim that is None is left out."""
    now = int(datetime.now(UTC).timestamp())
    known = {"aud": "sigstore", "sub": IDENTITY, "iss": ISSUER, "iat": now, "nbf": now - 1, "exp": now + 600}
    kept = {name: value for name, value in (known | claims).items() if value is not None}
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, kept))
    return ".".join([*(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts), "c2ln"])


@dataclass(slots=True, kw_only=True)
class Serving:
    """What is being served. `asked` are the services in the order of calls, `plan` what their answers are made by."""

    forge: Forge
    rekor: Literal["v1", "v2"]
    url: str = ""
    plan: Plan = field(default_factory=Plan)
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)

    def signing_config(self, **changes: Any) -> dict[str, Any]:
        """The signing configuration; Rekor v2 comes with a timestamp authority."""

        def services(path: str = "", version: int = 1) -> list[dict[str, Any]]:
            service = {"url": f"{self.url}{path}", "majorApiVersion": version}
            return [service | {"validFor": _ALWAYS, "operator": "forge.example.org"}]

        return {
            "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
            "caUrls": services(),
            "oidcUrls": services("/oidc"),
            "rekorTlogUrls": services(version=1 if self.rekor == "v1" else 2),
            "rekorTlogConfig": {"selector": "ANY"},
            "tsaUrls": services("/api/v1/timestamp") if self.rekor == "v2" else [],
            "tsaConfig": {"selector": "ANY"},
        } | changes

    def trust_config(self, **changes: Any) -> dict[str, Any]:
        """The client trust configuration; `changes` are of the signing configuration."""
        return {
            "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
            "trustedRoot": self.forge.trusted_root(),
            "signingConfig": self.signing_config(**changes),
        }

    # --- the services -----------------------------------------------------------------------------------------------

    def now(self) -> Plan:
        """The plan, as of now."""
        return replace(self.plan, at=datetime.now(UTC).replace(microsecond=0), after=0, rekor=self.rekor, stamps=None)

    def fulcio(self, body: bytes, authorization: str) -> Any:
        """A certificate for the token's subject."""
        claims = json.loads(base64.urlsafe_b64decode(authorization.split()[1].split(".")[1] + "=="))
        request = x509.load_pem_x509_csr(base64.b64decode(json.loads(body)["certificateSigningRequest"]))
        plan = replace(self.now(), identity=claims.get("email", claims["sub"]), issuer=claims["iss"])
        public: Any = request.public_key()
        leaf = self.forge.authority.issue(public, plan, self.forge.certificate_log)
        chain = [c.public_bytes(serialization.Encoding.PEM).decode() for c in (leaf, *self.forge.authority.chain)]
        return {"signedCertificateEmbeddedSct": {"chain": {"certificates": chain}}}

    def rekor_v1(self, body: bytes) -> Any:
        """An entry of the envelope, in the form of v1: digests in hexadecimal, numbers as numbers."""
        proposed = json.loads(body)["spec"]["proposedContent"]
        envelope = json.loads(proposed["envelope"])
        pem = base64.b64decode(proposed["verifiers"][0])
        certified = b"CERTIFICATE" in pem
        signer: Any = x509.load_pem_x509_certificate(pem) if certified else load_pem_public_key(pem)
        logged = Logged(
            payload=base64.b64decode(envelope["payload"]),
            payload_type=envelope["payloadType"],
            signature=base64.b64decode(envelope["signatures"][0]["sig"]),
            signer=signer,
        )
        entry = self.forge.rekor_v1.entry(entry_body("dsse/0.0.1", logged), self.now())
        proof = entry["inclusionProof"]
        answer = {
            "body": entry["canonicalizedBody"],
            "integratedTime": int(entry["integratedTime"]),
            "logID": _hex(entry["logId"]["keyId"]),
            "logIndex": int(entry["logIndex"]),
            "verification": {
                "signedEntryTimestamp": entry["inclusionPromise"]["signedEntryTimestamp"],
                "inclusionProof": {
                    "checkpoint": proof["checkpoint"]["envelope"],
                    "hashes": [_hex(step) for step in proof["hashes"]],
                    "logIndex": int(proof["logIndex"]),
                    "rootHash": _hex(proof["rootHash"]),
                    "treeSize": int(proof["treeSize"]),
                },
            },
        }
        self.entries["f00d"] = {"f00d": answer}
        return self.entries["f00d"]

    def rekor_v2(self, body: bytes) -> Any:
        """An entry of the digest, as protobuf writes JSON."""
        asked = json.loads(body)["hashedRekordRequestV002"]
        sizes = {32: "SHA2_256", 48: "SHA2_384", 64: "SHA2_512"}
        data = {"algorithm": sizes[len(base64.b64decode(asked["digest"]))], "digest": asked["digest"]}
        spec = {"hashedRekordV002": {"data": data, "signature": asked["signature"]}}
        tree = {"apiVersion": "0.0.2", "kind": "hashedrekord", "spec": spec}
        body = json.dumps(tree, sort_keys=True, separators=(",", ":")).encode()
        return self.forge.rekor_v2.entry(body, self.now()) | {"integratedTime": "0", "inclusionPromise": None}

    def tsa(self, body: bytes) -> bytes:
        """A timestamp; the request is read as far as needed: a digest of 32 bytes, then the nonce."""
        place = body.index(b"\x04\x20") + 2
        digest, rest = body[place : place + 32], body[place + 32 :]
        nonce = int.from_bytes(rest[2 : 2 + rest[1]], "big") if rest[:1] == b"\x02" else None
        when = datetime.now(UTC).replace(microsecond=0)
        return self.forge.timestamps.answer(digest, when, number=len(self.asked) + 1, nonce=nonce)


def _hex(text: str) -> str:
    return base64.b64decode(text).hex()


# --- faults ---------------------------------------------------------------------------------------------------------


def status(code: int, message: str = "", **headers: str) -> Fault:
    """Refuse with this status, as services of Sigstore write it."""
    body = json.dumps({"code": 3, "message": message}).encode() if message else b""
    return lambda _handler, _at: (code, headers, body)


def saying(body: bytes, code: int = 201) -> Fault:
    """Answer with these bytes."""
    return lambda _handler, _at: (code, {}, body)


def silent(_handler: BaseHTTPRequestHandler, at: Serving) -> None:
    """Take the request and never answer."""
    at.over.wait(30)


def trickling(handler: BaseHTTPRequestHandler, at: Serving) -> None:
    """Answer one byte of the headers at a time, faster than any timeout of a single read."""
    handler.wfile.write(b"HTTP/1.1 201 Created\r\nX-Slow: ")
    while not at.over.wait(0.05):
        handler.wfile.write(b"x")


def hanging_up(handler: BaseHTTPRequestHandler, _at: Serving) -> None:
    """End the connection without an answer."""
    handler.close_connection = True


def cutting(handler: BaseHTTPRequestHandler, _at: Serving) -> None:
    """End the connection within the answer."""
    handler.wfile.write(b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n{")
    handler.close_connection = True


def in_turn(*faults: Fault) -> Fault:
    """One fault for each call; afterwards the service works."""
    left = list(faults)

    def act(handler: BaseHTTPRequestHandler, at: Serving) -> Answer | None:
        if not left:
            raise _WorksError
        return left.pop(0)(handler, at)

    return act


class _WorksError(Exception):
    """The service does what it should."""


# --- HTTP -----------------------------------------------------------------------------------------------------------


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        at, path = self.server.at, urlsplit(self.path).path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name = _PATHS.get(path, "")
        at.asked.append(name or path)
        at.bodies.append(body)
        fault = at.faults.get(name)
        if fault is not None:
            try:
                answer = fault(self, at)
            except _WorksError:
                pass
            else:
                if answer is not None:
                    self.answer(*answer)
                self.close_connection = True
                return
        self.answer(*self.regular(name, path, body))

    def regular(self, name: str, path: str, body: bytes) -> Answer:
        at = self.server.at
        if name == "fulcio":
            return 201, {}, json.dumps(at.fulcio(body, self.headers["Authorization"])).encode()
        if name == "rekor":
            tree = at.rekor_v1(body) if path == "/api/v1/log/entries" else at.rekor_v2(body)
            return 201, {}, json.dumps(tree).encode()
        if name == "tsa":
            return 201, {"Content-Type": "application/timestamp-reply"}, at.tsa(body)
        if path == "/oidc/token":
            return 200, {}, json.dumps({"access_token": token()}).encode()
        return 404, {}, b"{}"

    def do_GET(self) -> None:
        at, url = self.server.at, urlsplit(self.path)
        at.asked.append(url.path)
        if url.path == "/oidc/.well-known/openid-configuration":
            places = {f"{name}_endpoint": f"{at.url}/oidc/{name}" for name in ("authorization", "token")}
            return self.answer(200, {}, json.dumps(places).encode())
        if url.path == "/oidc/authorization":
            query = parse_qs(url.query)
            there = f"{query['redirect_uri'][0]}?{urlencode({'code': 'abc', 'state': query['state'][0]})}"
            return self.answer(302, {"Location": there}, b"")
        uuid = url.path.removeprefix("/api/v1/log/entries/")
        if uuid in at.entries:
            return self.answer(200, {}, json.dumps(at.entries[uuid]).encode())
        return self.answer(404, {}, b"{}")

    def answer(self, code: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")  # clients that keep it would keep the server from ending
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # joined at the end, so that no test leaves one
    at: Serving

    def handle_error(self, *_args: object) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def serving(forge: Forge, *, rekor: Literal["v1", "v2"] = "v2") -> Iterator[Serving]:
    """The services for the length of the `with` block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.at = Serving(forge=forge, rekor=rekor, url=f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.at
        finally:
            server.at.over.set()
            server.shutdown()
            thread.join()
