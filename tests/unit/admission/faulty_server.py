"""A server on loopback that reads a question and answers with whatever bytes it is told to."""

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

DIGEST = "d" * 64
Reply = Callable[[socket.socket, bytes], bool]  # whether the connection stays open


class Server:
    """`reply` may be changed at any time; `questions` are the requests, `connections` how many were opened."""

    def __init__(self, reply: Reply, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.reply, self.questions, self.connections = reply, list[bytes](), 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        self._open: list[socket.socket] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            self._threads.append(threading.Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            wrapped = self._tls.wrap_socket(connection, server_side=True) if self._tls is not None else connection
            with wrapped:
                while question := _question(wrapped):
                    self.questions.append(question)
                    if not self.reply(wrapped, question):
                        return

    def hang_up(self) -> None:
        """Close every connection."""
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(10)


def _question(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return b""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextlib.contextmanager
def serving(reply: Reply, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(reply, tls)
    try:
        yield server
    finally:
        server.stop()


def http(body: bytes, status: str = "200 OK", headers: str = "", *, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{headers}\r\n".encode() + body


def tree(**members: Any) -> dict[str, Any]:
    """What an OPA with our bundle answers."""
    return {
        "provenance": {"version": "1.22.3", "bundles": {"b": {"revision": DIGEST}}},
        "result": {"allow": False},
    } | members


def says(document: Any) -> Reply:
    """Always this JSON."""
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return sends(http(raw))


def sends(raw: bytes, *, close: bool = False) -> Reply:
    """Always these bytes."""

    def reply(connection: socket.socket, _question: bytes) -> bool:
        connection.sendall(raw)
        return not close

    return reply


def silent(connection: socket.socket, _question: bytes) -> bool:
    """Nothing, until the other side hangs up."""
    connection.recv(1)
    return False


def dripping(connection: socket.socket, _question: bytes) -> bool:
    """A good answer, a byte every few milliseconds."""
    for byte in http(json.dumps(tree()).encode() + b" " * 10_000):
        connection.sendall(bytes([byte]))
        time.sleep(0.005)
    return True


def endless(connection: socket.socket, _question: bytes) -> bool:
    """A body that does not end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
