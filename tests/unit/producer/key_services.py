"""Vault's transit engine and AWS KMS on loopback, as far as signing needs them. Keys are made here, for each test."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

_SIZES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_GET(self) -> None:
        self._answer(self.server.service.read(self.path))

    def do_PUT(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        name = self.headers.get("X-Amz-Target", "").partition(".")[2] or self.path
        self._answer(self.server.service.write(name, body))

    def _answer(self, answer: tuple[int, dict[str, Any]]) -> None:
        data = json.dumps(answer[1]).encode()
        self.send_response(answer[0])
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    service: "Vault | Kms"


@contextmanager
def serving(service: "Vault | Kms") -> Iterator[str]:
    """The URL of the service, for the length of the `with` block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.service = service
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Vault:
    """A key `worker` with two versions, of which the second signs."""

    def __init__(self) -> None:
        self.keys = {number: ed25519.Ed25519PrivateKey.generate() for number in ("1", "2")}

    def public(self, version: str) -> bytes:
        return self.keys[version].public_key().public_bytes_raw()

    def read(self, path: str) -> tuple[int, dict[str, Any]]:
        if path != "/v1/transit/keys/worker":
            return 404, {"errors": []}
        found = {number: {"public_key": base64.b64encode(self.public(number)).decode()} for number in self.keys}
        return 200, {"data": {"keys": found}}

    def write(self, name: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not name.startswith("/v1/transit/sign/worker"):
            return 403, {"errors": ["permission denied"]}
        version = str(body.get("key_version") or 2)
        signature = self.keys[version].sign(base64.b64decode(body["input"]))
        return 200, {"data": {"signature": f"vault:v{version}:{base64.b64encode(signature).decode()}"}}


class Kms:
    """One key of AWS, ECDSA or RSA; `lies` has it sign with another."""

    def __init__(self, private: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
        self.private = private
        self.asked: list[str] = []

    def read(self, _path: str) -> tuple[int, dict[str, Any]]:
        return 404, {}

    def write(self, name: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append(name)
        if body["KeyId"] != "alias/worker":
            return 400, {"__type": "NotFoundException", "message": f"Invalid keyId {body['KeyId']}"}
        if name == "GetPublicKey":
            der = self.private.public_key().public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)
            return 200, {"PublicKey": base64.b64encode(der).decode(), "SigningAlgorithms": self._algorithms()}
        signature = self._sign(base64.b64decode(body["Message"]), body["SigningAlgorithm"])
        return 200, {"Signature": base64.b64encode(signature).decode()}

    def _algorithms(self) -> list[str]:
        if isinstance(self.private, rsa.RSAPrivateKey):
            return [f"{kind}_{size}" for kind in ("RSASSA_PKCS1_V1_5_SHA", "RSASSA_PSS_SHA") for size in _SIZES]
        return [f"ECDSA_SHA_{self.private.curve.key_size}"]

    def _sign(self, digest: bytes, algorithm: str) -> bytes:
        made = utils.Prehashed(_SIZES[algorithm[-3:]])
        if isinstance(self.private, ec.EllipticCurvePrivateKey):
            return self.private.sign(digest, ec.ECDSA(made))
        pkcs1 = "PKCS1" in algorithm
        scheme: Any = padding.PKCS1v15() if pkcs1 else padding.PSS(padding.MGF1(hashes.SHA256()), 32)
        return self.private.sign(digest, scheme, made)
