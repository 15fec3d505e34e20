"""Calls to signing services: bounded in time, tries and size; every failure is one error that names the service.

Written here because the clients of sigstore 4.5 wait for Fulcio and Rekor without end, drop what these say of a
refusal, and go on without a timestamp. HTTP/1.1 by the standard library: proxies are the environment's (never for
loopback), certificate authorities OpenSSL's (`SSL_CERT_FILE`). Redirects are not followed.
"""

import contextlib
import http.client
import ipaddress
import json
import re
import socket
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from in_toto_done_receipt.errors import ConfigurationError, ProducerError
from in_toto_done_receipt.version import VERSION
from in_toto_done_receipt.wire.value import Value

TRIES: Final = 3
TRY_SECONDS: Final = 30.0  # Rekor v2 answers once a checkpoint covers the entry; its clients have to wait 20 s or more
PAUSE_SECONDS: Final = 0.5  # before the second try, twice as long before the third
ANSWER_BYTES: Final = 4 << 20
SHOWN_CHARACTERS: Final = 200  # of what a service says of a refusal

_PASSING: Final = frozenset({429, 500, 502, 503, 504})  # worth another try
_TOKEN: Final = re.compile(r"ey[A-Za-z0-9_-]{8,}[A-Za-z0-9_.-]*")  # what could be a JWT, also a piece of one
_AGAIN_SECONDS: Final = 0.05  # between two attempts to cut off a connection


class Service(Value, kw_only=True):
    """One service: what it is called in messages, and its URL, with nothing behind the path."""

    name: str
    url: str

    @property
    def named(self) -> str:
        """Name and URL, for messages."""
        return f"{self.name} at {self.url}"

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine."""
        return _is_loopback(urlsplit(self.url).hostname or "")


class Request(Value, kw_only=True):
    """What to ask. `accepted` are the statuses that are an answer; a path is appended to the service's URL."""

    path: str = ""
    body: bytes | None = None
    headers: Mapping[str, str]
    accepted: tuple[int, ...] = (200, 201)


class Answer(Value, kw_only=True):
    """What the service said. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Deadline:
    """A moment that no call goes beyond, counted from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds that are left, never less than 0."""
        return max(0.0, self._end - time.monotonic())


def service(name: str, url: str) -> Service:
    """The service at a URL of a signing configuration. Raises ConfigurationError for anything but http and https."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the port, or an address in brackets
        usable = False
    if not usable or not url.isascii() or not url.isprintable() or " " in url:
        raise ConfigurationError(f"{name}: not a URL that can be called: {url!a}")
    return Service(name=name, url=url.partition("?")[0].partition("#")[0].rstrip("/"))


def call(at: Service, request: Request, deadline: Deadline) -> Answer:
    """The service's answer: POST with a body, GET without one.

    Tries again after a broken connection, silence, and statuses that pass; at most 3 times, never beyond the deadline.
    Raises ProducerError that names the service and what was wrong last.
    """
    fault, tries = "", 0
    while tries < TRIES and deadline.remaining:
        if tries:
            time.sleep(min(PAUSE_SECONDS * 2 ** (tries - 1), deadline.remaining))
        seconds = min(TRY_SECONDS, deadline.remaining)
        if not seconds:
            break
        tries += 1
        try:
            answer = _once(urlsplit(at.url + request.path), request, seconds)
        except ssl.SSLCertVerificationError as error:
            raise _uncertified(at, error) from None
        except (OSError, http.client.HTTPException) as error:
            fault = _spoken(error, seconds)
            continue
        if answer.status in request.accepted:
            return answer
        fault = _refusal(answer)
        if answer.status not in _PASSING:
            raise ProducerError(f"{at.named}: {fault}")
    raise _given_up(at, fault, tries, deadline)


def _given_up(at: Service, fault: str, tries: int, deadline: Deadline) -> ProducerError:
    if deadline.remaining:
        return ProducerError(f"{at.named}: {fault}, tried {tries} times", hint="try again later")
    over = f"the {deadline.seconds:g} s for all services are over"
    return ProducerError(f"{at.named}: {fault + ', ' if fault else ''}{over}", hint="--timeout SECONDS gives them more")


def _uncertified(at: Service, error: ssl.SSLCertVerificationError) -> ProducerError:
    return ProducerError(
        f"{at.named}: its certificate is not trusted: {error.verify_message}",
        hint="SSL_CERT_FILE names the file of certificate authorities, if it is not the system's",
    )


def _spoken(error: Exception, seconds: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {seconds:.3g} s"
    if isinstance(error, socket.gaierror):
        return "no such host"
    if isinstance(error, OSError) and error.strerror:
        return str(error.strerror).lower()
    text = str(error).partition("\n")[0][:SHOWN_CHARACTERS]
    return f"not an answer in HTTP: {text or type(error).__name__}"


def _refusal(answer: Answer) -> str:
    """The status, and what the service said, without any token that it repeats. Nothing of it is trusted."""
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = "unknown"
    try:
        tree = json.loads(answer.body)
        said = tree.get("message", "") if isinstance(tree, dict) else ""
    except (ValueError, RecursionError):
        said = answer.body[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace").strip().partition("\n")[0]
    status = f"HTTP status {answer.status} ({phrase})"
    return f"{status}: {_TOKEN.sub('…', str(said))[:SHOWN_CHARACTERS]}" if said else status


def _once(url: SplitResult, request: Request, seconds: float) -> Answer:
    """One try. Raises TimeoutError when it takes longer than `seconds`, however slowly the bytes trickle."""
    connection, target, headers = _connection(url, seconds)
    watch = _Watch(connection, seconds)
    try:
        connection.connect()
        watch.sock = connection.sock  # which the connection forgets when the answer ends with it
        method = "GET" if request.body is None else "POST"
        connection.request(method, target, request.body, {"User-Agent": _AGENT, **headers, **request.headers})
        response = connection.getresponse()
        body = _body(response)
    except (OSError, http.client.HTTPException):
        if watch.late:
            raise TimeoutError from None
        raise
    finally:
        watch.end()
        connection.close()
    if watch.late:
        raise TimeoutError  # without a length a cut answer looks whole
    found = {name.lower(): value for name, value in response.getheaders()}
    return Answer(status=response.status, headers=found, body=body)


def _body(response: http.client.HTTPResponse) -> bytes:
    body = response.read(ANSWER_BYTES + 1)
    if len(body) > ANSWER_BYTES:
        raise http.client.HTTPException(f"more than {ANSWER_BYTES} bytes")
    if response.length:
        raise http.client.HTTPException("the connection ended within the answer")
    return body


_AGENT: Final = f"in-toto-done-receipt/{VERSION}"


class _Watch:
    """Ends a connection after some seconds: timeouts of a socket count from byte to byte, and bytes can trickle.

    `late` says whether it had to; `sock` is the connection's socket as soon as there is one.
    """

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        self.late = False
        self.sock: socket.socket | None = None
        self._connection, self._seconds = connection, seconds
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="call-watch", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """The call is over; afterwards no thread is left."""
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        pause = self._seconds
        while not self._done.wait(pause):
            self.late = True
            sock = self.sock or self._connection.sock
            if sock is not None:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
            pause = _AGAIN_SECONDS


def _connection(url: SplitResult, seconds: float) -> tuple[http.client.HTTPConnection, str, dict[str, str]]:
    """A connection, what to ask of it, and headers for a proxy."""
    host, secure = url.hostname or "", url.scheme == "https"
    target = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
    proxy = _proxy(url.scheme, host)
    if proxy is None:
        if secure:
            return http.client.HTTPSConnection(host, url.port, timeout=seconds, context=_tls()), target, {}
        return http.client.HTTPConnection(host, url.port, timeout=seconds), target, {}
    headers = _proxy_headers(proxy)
    at, port = proxy.hostname or "", proxy.port or (443 if proxy.scheme == "https" else 80)
    if secure:
        tunnel = http.client.HTTPSConnection(at, port, timeout=seconds, context=_tls())
        tunnel.set_tunnel(host, url.port or 443, headers)
        return tunnel, target, {}
    place = f"http://{url.netloc}{target}"
    return http.client.HTTPConnection(at, port, timeout=seconds), place, headers


def _proxy(scheme: str, host: str) -> SplitResult | None:
    text = getproxies().get(scheme)
    if not text or _is_loopback(host) or proxy_bypass(host):
        return None
    proxy = urlsplit(text if "://" in text else f"http://{text}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ConfigurationError(f"{scheme}_proxy: only http proxies can be used, got {proxy.scheme}://…")
    return proxy


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(user.encode()).decode()}"}


def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
