"""A whole Sigstore on 127.0.0.1: the real servers, without containers or a database.

    with running(folder, Path(".tools/bin")) as stack:
        token = stack.fetch_token("email", email="alice@example.com")

Fulcio with an authority in files, TesseraCT as its log of certificates, Rekor v2 on files, the timestamp authority; the
issuers of identity tokens are threads of this process. Every run makes new keys. `folder` has `trusted_root.json`,
`signing_config.json`, `trust_config.json` and the servers' logs. docs/adr/0009-a-real-sigstore.md says why so.
"""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.integration.stack.certificates import Certified, write_chain, write_key, write_public
from tests.integration.stack.documents import Addresses, PublicKeys, fulcio_config, write_documents, write_json
from tests.integration.stack.issuer import ACTIONS_ISSUER, EMAIL_ISSUER, HOST, Issuer, running_issuer
from tests.integration.stack.servers import ServerEnded, Servers

PROGRAMS: Final = ("fulcio", "tesseract", "rekor-server", "timestamp-server")
ATTEMPTS: Final = 3  # when somebody else takes a port between its choice and its use
PORTS: Final = ("fulcio", "fulcio-grpc", "fulcio-metrics", "ctlog", "rekor", "rekor-grpc", "rekor-metrics", "tsa")
ChoosePorts = Callable[[int], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SigstoreStack:
    """A stack that runs."""

    folder: Path
    at: Addresses
    issuer: Issuer
    servers: Servers
    start_seconds: float
    email_issuer: str = EMAIL_ISSUER
    actions_issuer: str = ACTIONS_ISSUER

    @property
    def trusted_root(self) -> Path:
        return self.folder / "trusted_root.json"

    @property
    def signing_config(self) -> Path:
        return self.folder / "signing_config.json"

    @property
    def trust_config(self) -> Path:
        return self.folder / "trust_config.json"

    def fetch_token(self, kind: str, **claims: Any) -> str:
        """A fresh identity token of kind "email" or "actions" with these claims; one that is None is left out."""
        return self.issuer.token(kind, **claims)


def free_ports(count: int) -> list[int]:
    """Ports that are free at this moment; no server here tells which one it chose."""
    with contextlib.ExitStack() as probes:
        opened = [probes.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [probe.getsockname()[1] for probe in opened]


@contextlib.contextmanager
def running(folder: Path, programs: Path, *, choose_ports: ChoosePorts = free_ports) -> Iterator[SigstoreStack]:
    """A stack for the length of the `with` block, by a thread that outlives it.

    `folder` is made, each attempt has one of its own below it. Raises ServerEnded with the end of a server's log.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as cleanup:
        for attempt in range(ATTEMPTS):
            try:
                stack = cleanup.enter_context(_attempt(folder / str(attempt), programs, choose_ports))
                break
            except ServerEnded as ended:
                if not ended.address_in_use or attempt + 1 == ATTEMPTS:
                    raise
        yield stack


@contextlib.contextmanager
def _attempt(folder: Path, programs: Path, choose_ports: ChoosePorts) -> Iterator[SigstoreStack]:
    began = time.monotonic()
    folder.mkdir()
    ports = dict(zip(PORTS, choose_ports(len(PORTS)), strict=True))
    at = Addresses(**{name: f"http://{HOST}:{ports[name]}" for name in ("fulcio", "ctlog", "rekor", "tsa")})
    with contextlib.ExitStack() as cleanup:
        issuer = cleanup.enter_context(running_issuer(folder))
        servers = Servers(folder, programs)
        cleanup.callback(servers.stop)
        write_documents(folder, at, _write_keys(folder))
        _start_ctlog(servers, ports)
        _start_rekor(servers, ports)
        _start_tsa(servers, ports)
        _start_fulcio(servers, ports, at, issuer)
        for url in (f"{at.ctlog}/healthz", f"{at.rekor}/healthz", f"{at.tsa}/ping", f"{at.fulcio}/healthz"):
            servers.wait_for(url)
        seconds = time.monotonic() - began
        yield SigstoreStack(folder=folder, at=at, issuer=issuer, servers=servers, start_seconds=seconds)


def _write_keys(folder: Path) -> PublicKeys:
    """New keys and certificates, in the files that the servers read, and those that they would hand out."""
    root = Certified.root("fulcio-root")
    authority = root.intermediate("fulcio-intermediate", ExtendedKeyUsageOID.CODE_SIGNING)
    tsa_root = Certified.root("tsa-root")
    tsa = tsa_root.leaf("tsa", ExtendedKeyUsageOID.TIME_STAMPING)
    ctlog = ec.generate_private_key(ec.SECP256R1())
    rekor = ed25519.Ed25519PrivateKey.generate()
    fulcio_chain, tsa_chain = (authority.certificate, root.certificate), (tsa.certificate, tsa_root.certificate)
    write_chain(folder / "fulcio-root.pem", root.certificate)
    write_chain(folder / "fulcio-chain.pem", *fulcio_chain)
    write_key(folder / "fulcio-key.pem", authority.key)
    write_chain(folder / "tsa-chain.pem", *tsa_chain)
    write_key(folder / "tsa-key.pem", tsa.key)
    write_key(folder / "ctlog-key.pem", ctlog, PrivateFormat.TraditionalOpenSSL)  # it reads "EC PRIVATE KEY" only
    write_key(folder / "rekor-key.pem", rekor)
    write_public(folder / "ctlog.pub", ctlog.public_key())
    write_public(folder / "rekor.pub", rekor.public_key())
    write_json(folder / "fulcio-config.json", fulcio_config())
    return PublicKeys(fulcio=fulcio_chain, tsa=tsa_chain, ctlog=ctlog.public_key(), rekor=rekor.public_key())


# Paths are relative to the stack's folder, in which the servers work: Fulcio's socket would exceed 107 bytes otherwise.


def _start_ctlog(servers: Servers, ports: dict[str, int]) -> None:
    servers.start(
        "tesseract",
        f"-http_endpoint={HOST}:{ports['ctlog']}",
        "-storage_dir=ctlog",
        f"-origin={HOST}",  # with a port it is refused: no colon in the first part
        "-roots_pem_file=fulcio-root.pem",
        "-ext_key_usages=CodeSigning",
        "-private_key=ctlog-key.pem",
        "-enable_publication_awaiter=false",  # answer once the entry has its index: 0.02 s instead of 1.9 s
        "-batch_max_age=10ms",
    )


def _start_rekor(servers: Servers, ports: dict[str, int]) -> None:
    servers.start(
        "rekor-server",
        "serve",
        f"--http-address={HOST}",
        f"--http-port={ports['rekor']}",
        f"--grpc-address={HOST}",
        f"--grpc-port={ports['rekor-grpc']}",
        f"--http-metrics-port={ports['rekor-metrics']}",
        f"--hostname={HOST}",  # the origin of checkpoints: the host, without port, of the log's baseUrl
        "--storage-dir=rekor",
        "--signer-filepath=rekor-key.pem",
        "--checkpoint-interval=100ms",  # the least; 10 s, the default, delay every entry by as much
        "--batch-max-age=10ms",
    )


def _start_tsa(servers: Servers, ports: dict[str, int]) -> None:
    servers.start("timestamp-server", HOST, str(ports["tsa"]), "tsa-key.pem", "tsa-chain.pem")


def _start_fulcio(servers: Servers, ports: dict[str, int], at: Addresses, issuer: Issuer) -> None:
    servers.start(
        "fulcio",
        "serve",
        f"--host={HOST}",
        f"--port={ports['fulcio']}",
        f"--grpc-host={HOST}",
        f"--grpc-port={ports['fulcio-grpc']}",
        f"--metrics-port={ports['fulcio-metrics']}",
        "--legacy-unix-domain-socket=fulcio.sock",  # the default is one for the whole machine
        f"--ct-log-url={at.ctlog}",
        "--config-path=fulcio-config.json",
        "--ca=fileca",
        "--fileca-cert=fulcio-chain.pem",
        "--fileca-key=fulcio-key.pem",
        "--fileca-key-passwd=",  # has to be given for a plain key too
        "--fileca-watch=false",
        environment={"HTTPS_PROXY": issuer.url, "SSL_CERT_FILE": str(issuer.ca_file)},
    )
