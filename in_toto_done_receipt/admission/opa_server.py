"""A running OPA that serves our bundle (`policy bundle`), asked over HTTP.

Ensures: one deadline for the whole exchange and a cap on the answer; no redirect is followed, no proxy of the
environment is used; plain HTTP only to this machine; strict built-in errors; every answer comes from a bundle whose
revision is the digest of the policy that is wanted. Raises EngineUnavailable when the server cannot be reached,
EngineError for what it answers. Does not check who runs the server, beyond its certificate.
"""

import http.client
import io
import ipaddress
import socket
import ssl
import time
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from in_toto_done_receipt.admission.failures import ENGINE_CODES
from in_toto_done_receipt.admission.process import MAX_OUTPUT
from in_toto_done_receipt.admission.sources import ENTRYPOINT
from in_toto_done_receipt.errors import ConfigurationError, EngineError, EngineUnavailable, MalformedInput
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.escape import escape

START_SECONDS: Final = 10.0  # for the first question, which asks nothing
_CHUNK: Final = 2**16
_OK: Final = 200
_MOVED: Final = range(300, 400)
_HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
_SHOWN: Final = 200  # characters of what a server says


class OpaServerEngine:
    """Keeps its connections; threads may share it."""

    name = "opa-server"

    def __init__(self, url: str, *, policy_digest: str, seconds: float = START_SECONDS) -> None:
        self._at = _checked(url)
        self.policy_digest, self.origin = policy_digest, url
        self._path = self._at.path.rstrip("/") + f"/v1/data/{ENTRYPOINT}?strict-builtin-errors=true&provenance=true"
        self._idle: list[_Connection] = []
        try:
            answer = self._ask(b"{}", seconds)
        except EngineError as error:
            self.close()
            raise EngineUnavailable(f"{url}: {error.message}", hint=ENGINE_CODES.get(error.code)) from None
        self.version = f"OPA {escape(str(answer['provenance'].get('version', 'unknown')))}"

    def decide(self, raw: bytes, seconds: float) -> Any:
        """The decision for this policy input, as the server gives it, unchecked. Raises as above."""
        answer = self._ask(raw, seconds)
        if "result" not in answer:
            raise EngineError("the policy gave no decision", code="engine.undefined")
        return answer["result"]

    def close(self) -> None:
        """Close idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _ask(self, raw: bytes, seconds: float) -> dict[str, Any]:
        """The server's whole answer: an object, from our policy, without a warning."""
        tree = _object(self._exchanged(b'{"input":' + raw + b"}", time.monotonic() + seconds, seconds))
        if "warning" in tree:
            raise EngineError(f"the server warns: {_shown(tree['warning'])}", code="engine.usage")
        match tree:
            case {"provenance": {"bundles": dict(bundles)}}:
                revisions = [each.get("revision") for each in bundles.values() if isinstance(each, dict)]
            case {"provenance": {"revision": str(revision)}}:  # of the one bundle, as older servers say it
                revisions = [revision]
            case _:
                raise EngineError("the server does not say which policy it evaluated", code="engine.policy")
        if self.policy_digest not in revisions:
            said = ", ".join(escape(str(revision))[:_SHOWN] for revision in revisions) or "none"
            raise EngineError(f"the server's policy is {said}, wanted is {self.policy_digest}", code="engine.policy")
        return tree

    def _exchanged(self, body: bytes, due: float, seconds: float) -> bytes:
        """The body of the answer, on a kept connection if there is one; what it had closed meanwhile is tried again."""
        while True:
            kept = bool(self._idle)
            connection = self._idle.pop() if kept else _Connection(self._at)
            try:
                data, again = connection.exchange(self._path, body, due)
            except TimeoutError:
                connection.close()
                raise EngineError(f"no decision within {seconds:g} s", code="engine.timeout") from None
            except EngineError:
                connection.close()
                raise
            except (http.client.HTTPException, OSError, ValueError) as error:
                connection.close()
                if kept and isinstance(error, http.client.RemoteDisconnected | ConnectionError):
                    continue
                raise self._no_answer(error, connection.begun) from None
            if again:
                self._idle.append(connection)
            else:
                connection.close()
            return data

    def _no_answer(self, error: Exception, begun: bool) -> EngineError | EngineUnavailable:
        text = escape(str(error))[:_SHOWN] or type(error).__name__
        hung_up = isinstance(error, http.client.RemoteDisconnected | OSError)
        if begun or not hung_up:
            return EngineError(f"the server's answer is no HTTP, or broke off: {text}", code="engine.body")
        return EngineUnavailable(f"{self.origin}: cannot be reached: {text}")


class _Connection:
    """One connection; every wait on it ends when the exchange is due."""

    def __init__(self, at: SplitResult) -> None:
        self._at, self.begun, self.due = at, False, 0.0
        self._http: http.client.HTTPConnection | None = None

    def exchange(self, path: str, body: bytes, due: float) -> tuple[bytes, bool]:
        """The body of the answer, and whether the connection stays open. Raises EngineError for another status."""
        self.due, self.begun = due, False
        if self._http is None:
            self._http = self._connected()
        self._http.request("POST", path, body, _HEADERS)
        answer = self._http.getresponse()
        self.begun = True
        if answer.status in _MOVED:
            raise EngineError(f"the server redirects ({answer.status}), to {_header(answer)}", code="engine.redirect")
        if answer.status != _OK:
            said = escape(answer.read(_SHOWN).decode(errors="replace").strip())
            raise EngineError(f"the server answers {answer.status}: {said}", code="engine.status")
        if answer.getheader("Content-Encoding", "identity") != "identity":
            raise EngineError("the server's answer is compressed, and nobody asked for that", code="engine.body")
        return self._body(answer), not answer.will_close

    def close(self) -> None:
        """Hang up."""
        if self._http is not None:
            self._http.close()

    def _body(self, answer: http.client.HTTPResponse) -> bytes:
        data = bytearray()
        while chunk := answer.read(_CHUNK):
            data += chunk
            if len(data) > MAX_OUTPUT:
                raise EngineError(f"the server's answer has more than {MAX_OUTPUT} bytes", code="engine.output")
        if answer.length:  # http.client ends quietly when the server hangs up in the middle
            raise http.client.IncompleteRead(b"", answer.length)
        return bytes(data)

    def _connected(self) -> http.client.HTTPConnection:
        host, port = self._at.hostname or "", self._at.port or (443 if self._at.scheme == "https" else 80)
        plain = socket.create_connection((host, port), timeout=self.left())
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            wire = plain
            if self._at.scheme == "https":
                wire = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise
        made = http.client.HTTPConnection(host, port)
        made.auto_open = 0  # it would connect anew by itself, without our deadline
        made.sock = _Timed(wire, self)  # what http.client uses of a socket, timed
        return made

    def left(self) -> float:
        """Seconds until the exchange is due. Raises TimeoutError."""
        seconds = self.due - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds


class _Timed(io.RawIOBase):
    """A socket on which sending, and each wait for bytes, has only the time that is left of the whole exchange.

    A socket's own timeout starts anew with every byte: a server that drips would be waited for without end.
    """

    def __init__(self, wire: socket.socket, connection: _Connection) -> None:
        self._wire, self._connection = wire, connection

    def makefile(self, _mode: str) -> io.BufferedReader:
        """For http.client: one reader for each answer, which closes itself and not the connection."""
        return io.BufferedReader(_Reader(self))

    def sendall(self, data: Any) -> None:
        """All of it, in time."""
        self._wire.settimeout(self._connection.left())
        self._wire.sendall(data)

    def receive(self, buffer: Any) -> int:
        """Some bytes, in time."""
        self._wire.settimeout(self._connection.left())
        return self._wire.recv_into(buffer)

    def close(self) -> None:
        """Hang up."""
        self._wire.close()
        super().close()


class _Reader(io.RawIOBase):
    def __init__(self, source: _Timed) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._source.receive(buffer)


def _checked(url: str) -> SplitResult:
    """The address. Raises ConfigurationError for one that is none, or that would send the question in the clear."""
    try:
        at = urlsplit(url)
        port = at.port
    except ValueError as error:
        raise ConfigurationError(f"--engine opa-server={escape(url)}: {error}") from None
    plain = all("!" <= character <= "~" for character in url)
    if at.scheme not in ("http", "https") or not at.hostname or not plain or port == 0:
        raise ConfigurationError(f"--engine opa-server={escape(url)}: is no http:// or https:// address")
    if at.username is not None or at.query or at.fragment:
        raise ConfigurationError(f"--engine opa-server={escape(url)}: an address has no user, query or fragment here")
    if at.scheme == "http" and not _is_here(at.hostname):
        raise ConfigurationError(
            f"--engine opa-server={escape(url)}: plain http to another machine, where anybody on the way could decide",
            hint="use https, or run the server on this machine",
        )
    return at


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _object(data: bytes) -> dict[str, Any]:
    try:
        tree = strict_json.loads(data, what="the server's answer", max_bytes=MAX_OUTPUT)
    except MalformedInput as error:
        raise EngineError(error.message, code="engine.body") from None
    if not isinstance(tree, dict):
        raise EngineError("the server's answer is no object", code="engine.body")
    return tree


def _header(answer: http.client.HTTPResponse) -> str:
    return escape(answer.getheader("Location", "nowhere"))[:_SHOWN]


def _shown(warning: Any) -> str:
    match warning:
        case {"code": str(code), "message": str(message)}:
            return f"{escape(code)}: {escape(message)}"[:_SHOWN]
    return "without a word"
