"""What a confined command finds out about itself: one line `name value` for each thing. Run by `probe`.

Arguments: the verifier's process id, a file in a folder outside of everything shown. What it tries changes nothing but
that folder, even where nothing is confined. It leaves a daemon behind on purpose, which holds a lock on `held`.
"""

import _socket
import errno
import fcntl
import os
import resource
import sys
import time
from collections.abc import Callable

MANY = 16  # more processes than the probe allows
MEMORY = 32 * 2**20  # bytes
FILES, FILE_BYTES = 8, 256 * 2**10
TYPE_INTO_TERMINAL = 0x5412  # TIOCSTI, which has another error where no filter forbids it
VSOCK = 40  # sockets to the hypervisor, which no namespace separates
LOOK_SECONDS = 3.0


def outcome(attempt: Callable[[], object]) -> str:
    """`done`, or the name of the error."""
    try:
        attempt()
    except OSError as fault:
        return errno.errorcode.get(fault.errno or 0, "error")
    return "done"


def connect(kind: int, host: str) -> None:
    socket = _socket.socket(_socket.AF_INET, kind)
    try:
        socket.connect((host, 9))
    finally:
        socket.close()


def read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123  (pathlib would double the start-up time)
        return file.read(65536)


def write(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def is_read_only(path: str) -> str:
    return str(bool(os.statvfs(path).f_flag & os.ST_RDONLY))


def leave_a_daemon() -> None:
    """Forks twice into a session of its own, all descriptors closed but the lock, and returns when it is held."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            lock = os.open("held", os.O_WRONLY | os.O_CREAT, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.dup2(lock, 0)
            os.closerange(1, 256)
            time.sleep(60)
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    os.wait()


def start_many() -> tuple[int, int]:
    """How many processes can be started at once, at most MANY, and the descriptor at whose end they end."""
    reading, writing = os.pipe()
    count = 0
    while count < MANY:
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
        count += 1
    os.close(reading)
    return count, writing


def use_much() -> str:
    """Holds processes, memory and files until the verifier has looked; how many processes there were."""
    count, writing = start_many()
    held = b"x" * MEMORY
    for number in range(FILES):
        with open(f"file-{number}", "wb") as file:  # noqa: PTH123
            file.write(held[:FILE_BYTES])
    write("look")
    end = time.monotonic() + LOOK_SECONDS
    while not os.path.exists("looked") and time.monotonic() < end:  # noqa: PTH110
        time.sleep(0.005)
    os.close(writing)
    for _ in range(count):
        os.wait()
    return str(count)


def main(parent: str, outside: str) -> None:
    facts = {}
    for name in ("net", "pid", "mnt", "ipc"):
        facts["ns-" + name] = os.readlink("/proc/self/ns/" + name)  # noqa: PTH115
    lines = read("/proc/net/dev").decode().splitlines()[2:]
    facts["interfaces"] = ",".join(sorted(line.partition(":")[0].strip() for line in lines))
    for line in read("/proc/self/status").decode().splitlines():
        name, _, value = line.partition(":")
        if name in ("NoNewPrivs", "CapEff", "CapPrm"):
            facts[name] = value.strip()
    facts["udp"] = outcome(lambda: connect(_socket.SOCK_DGRAM, "192.0.2.1"))  # a test network; nothing is sent
    facts["tcp"] = outcome(lambda: connect(_socket.SOCK_STREAM, "127.0.0.1"))
    facts["vsock"] = outcome(lambda: _socket.socket(VSOCK, _socket.SOCK_STREAM).close())
    facts["type"] = outcome(lambda: fcntl.ioctl(0, TYPE_INTO_TERMINAL, b"x"))
    facts["signal"] = outcome(lambda: os.kill(int(parent), 0))
    facts["environ"] = outcome(lambda: read(f"/proc/{parent}/environ"))
    facts["read"] = outcome(lambda: read(outside))
    outcome(lambda: write(outside.rpartition("/")[0] + "/written"))  # the verifier looks whether it is there
    outcome(lambda: os.truncate(outside, 0))
    facts["write-here"] = outcome(lambda: write("written"))
    facts["read-only"] = is_read_only("/") + is_read_only("/usr")
    for name in ("CPU", "AS", "FSIZE", "NOFILE", "CORE"):
        facts["limit-" + name] = str(resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1])
    facts["processes"] = use_much()
    leave_a_daemon()
    sys.stdout.write("".join(f"{name} {value}\n" for name, value in facts.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
