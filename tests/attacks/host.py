"""The rest of the machine, as far as attacks want to reach it: another process of the same user, with its servers.

Argument: the folder of the stage. Prints what attackers are told as one line of JSON, then serves until it is killed.
Each server hands out the secret. Without capabilities, so that the kernel lets others of the same user look at it.
"""

import contextlib
import ctypes
import json
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path

SECRET = os.environ["SECRET"].encode()


def hand_out(server: socket.socket) -> None:
    while True:
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(SECRET)


def answer(server: socket.socket) -> None:
    while True:
        _, sender = server.recvfrom(100)
        server.sendto(SECRET, sender)


def tell_whoever_listens(port: int) -> None:
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as there:
            there.sendall(SECRET)
        time.sleep(0.05)


def main(folder: Path) -> None:
    ctypes.CDLL(None).capset(struct.pack("Ii", 0x20080522, 0), bytes(24))
    abstract = os.urandom(8).hex()
    agent = folder / "agent.sock"
    by_path, by_name = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    by_path.bind(str(agent))
    by_name.bind("\0" + abstract)
    by_port = socket.create_server(("127.0.0.1", 0))
    for server in (by_path, by_name, by_port):
        server.listen()
        threading.Thread(target=hand_out, args=(server,), daemon=True).start()
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    threading.Thread(target=answer, args=(datagrams,), daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as unused:
        free = unused.getsockname()[1]
    threading.Thread(target=tell_whoever_listens, args=(free,), daemon=True).start()
    facts = {
        "other": os.getpid(),
        "agent": str(agent),
        "abstract": abstract,
        "tcp": by_port.getsockname()[1],
        "udp": datagrams.getsockname()[1],
        "free": free,
    }
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
