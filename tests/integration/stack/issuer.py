"""Two issuers of identity tokens, one for people and one that Fulcio takes for GitHub Actions.

Fulcio reaches their https names through this server as its proxy: CONNECT is answered here, with a TLS certificate of
our own authority. So issuers do not depend on a port, and certificates carry the true issuer of GitHub Actions. Only a
Fulcio that was started with this proxy believes it, and only under its own root.
"""

import contextlib
import http.server
import json
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.integration.stack.certificates import Certified, write_chain, write_key

HOST: Final = "127.0.0.1"
AUDIENCE: Final = "sigstore"
EMAIL_ISSUER: Final = "https://accounts.example.org"
ACTIONS_ISSUER: Final = "https://token.actions.githubusercontent.com"
TOKEN_SECONDS: Final = 600

# What a job of GitHub Actions asks for its token, as its variables ACTIONS_ID_TOKEN_REQUEST_{URL,TOKEN} say.
REQUEST_PATH: Final = "/request-token"
REQUEST_TOKEN: Final = "a-secret-of-the-job"  # noqa: S105 - of a job that does not exist

REPOSITORY: Final = "octo/repo"
REF: Final = "refs/heads/main"
COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
WORKFLOW: Final = f"{REPOSITORY}/.github/workflows/receipt.yml@{REF}"
ACTIONS_CLAIMS: Final[Mapping[str, str]] = {
    "sub": f"repo:{REPOSITORY}:ref:{REF}",
    "event_name": "workflow_dispatch",
    "workflow": "receipt",
    "sha": COMMIT,
    "ref": REF,
    "repository": REPOSITORY,
    "repository_id": "1001",
    "repository_visibility": "public",
    "repository_owner": "octo",
    "repository_owner_id": "2002",
    "workflow_ref": WORKFLOW,
    "workflow_sha": COMMIT,
    "job_workflow_ref": WORKFLOW,
    "job_workflow_sha": COMMIT,
    "runner_environment": "github-hosted",
    "run_id": "3003",
    "run_attempt": "1",
}


class Issuer(http.server.ThreadingHTTPServer):
    """Both issuers, and the proxy that leads to them. `ca_file` certifies their https names."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__((HOST, 0), _Handler)
        self.url = f"http://{HOST}:{self.server_address[1]}"
        self.issuers = {issuer.removeprefix("https://"): issuer for issuer in (EMAIL_ISSUER, ACTIONS_ISSUER)}
        authority = Certified.root("tls-root")
        own = authority.leaf("issuer", ExtendedKeyUsageOID.SERVER_AUTH, self.issuers)
        self.ca_file = write_chain(folder / "tls-root.pem", authority.certificate)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        chain = write_chain(folder / "tls.pem", own.certificate)
        self.tls.load_cert_chain(chain, write_key(folder / "tls-key.pem", own.key))
        self._key = ec.generate_private_key(ec.SECP256R1())
        public = jwt.algorithms.ECAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        self.jwks = {"keys": [{**public, "kid": "local", "use": "sig", "alg": "ES256"}]}

    def token(self, kind: str, **claims: Any) -> str:
        """A fresh token of kind "email" or "actions" with these claims; a claim that is None is left out."""
        now = int(time.time())
        found: dict[str, Any] = {"aud": AUDIENCE, "iat": now, "exp": now + TOKEN_SECONDS}
        if kind == "email":
            email = claims.get("email", "alice@example.com")
            found |= {"iss": EMAIL_ISSUER, "sub": f"local|{email}", "email": email, "email_verified": True}
        elif kind == "actions":
            found |= {"iss": ACTIONS_ISSUER, **ACTIONS_CLAIMS}
        else:
            raise ValueError(f"no issuer of kind {kind}")
        found = {name: value for name, value in (found | claims).items() if value is not None}
        return jwt.encode(found, self._key, "ES256", headers={"kid": "local"})


@contextlib.contextmanager
def running_issuer(folder: Path) -> Iterator[Issuer]:
    """The issuers, served for the length of the `with` block; their files are in `folder`."""
    with Issuer(folder) as issuer:
        thread = threading.Thread(target=issuer.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield issuer
        finally:
            issuer.shutdown()
            thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Issuer
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds without a word on a connection

    def do_CONNECT(self) -> None:
        if self.path.removesuffix(":443") not in self.server.issuers:
            self.send_error(403)  # Fulcio has no other business outside
            return
        self.send_response(200)
        self.end_headers()
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def do_GET(self) -> None:
        issuer = self.server.issuers.get(self.headers.get("Host", ""))
        at = urlsplit(self.path)
        if issuer and at.path == "/.well-known/openid-configuration":
            # Fulcio's library accepts RS256 alone if the algorithms are not said.
            algorithms = {"id_token_signing_alg_values_supported": ["ES256"]}
            self._answer({"issuer": issuer, "jwks_uri": f"{issuer}/keys", **algorithms})
        elif issuer and at.path == "/keys":
            self._answer(self.server.jwks)
        elif at.path == REQUEST_PATH and self.headers.get("Authorization", "").lower() == f"bearer {REQUEST_TOKEN}":
            (audience,) = parse_qs(at.query)["audience"]
            self._answer({"count": 1, "value": self.server.token("actions", aud=audience)})
        else:
            self.send_error(404)

    def _answer(self, tree: Mapping[str, Any]) -> None:
        text = json.dumps(tree).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def log_message(self, *arguments: Any) -> None:
        pass
