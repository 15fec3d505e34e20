"""A verifier under attack: a process of its own that holds a secret in every place it can, and runs what it is told.

Arguments: the folder of the stage, a descriptor to read requests from, one to write answers to. Its standard input is
the terminal that it belongs to. A request is one line of JSON: a program's source, the level, limits, facts for it.
"""

import ctypes
import fcntl
import json
import os
import sys
import tempfile
import termios
from pathlib import Path
from typing import Any

from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.observe.sandbox.run import run

PYTHON, PREFIX = Path(sys.executable).resolve(), Path(sys.base_prefix).resolve()
SECRET = os.environ["SECRET"].encode()
HELD = ctypes.create_string_buffer(SECRET)
KEYCTL_JOIN, ADD_KEY, KEYCTL = 1, 248, 250


def is_held(place: Path) -> bool:
    """Does a process of the command's still hold the lock?"""
    if not place.is_file():
        return False
    with place.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def remains(key: int) -> bool:
    """Is there a segment of shared memory with this key? It is removed."""
    libc = ctypes.CDLL(None)
    segment = libc.shmget(key, 0, 0)
    return bool(segment >= 0 and libc.shmctl(segment, 0, None) == 0)


def attack(request: dict[str, Any], facts: dict[str, Any], tool: Path) -> dict[str, Any]:
    """What became of the program, and of what it could reach in here."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder, "copy")
        copy.mkdir()
        options = dict(request.get("options", {}))
        outcome = run(
            [str(PYTHON), "-I", "-S", "-c", request["source"], json.dumps(facts | request["facts"])],
            copy=copy,
            level=request["level"],
            limits=CommandLimits(**request["limits"]),
            read_only=(PREFIX, tool),
            excerpt_bytes=10_000,
            **options,
        )
        return {
            "exit_code": outcome.exit_code,
            "failure": outcome.failure,
            "detail": outcome.detail,
            "output": (outcome.stdout_data + outcome.stderr.excerpt).decode("utf-8", "backslashreplace"),
            "held": is_held(copy / "held"),
            "remains": remains(facts["key"]),
            "duration_ms": outcome.duration_ms,
        }


def main(folder: Path, requests: int, answers: int) -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    libc = ctypes.CDLL(None)
    libc.syscall(KEYCTL, KEYCTL_JOIN, b"verifier")
    libc.syscall(ADD_KEY, b"user", b"secret", SECRET, len(SECRET), -3)
    descriptor = os.open(folder / "secret", os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    facts = {
        "verifier": os.getpid(),
        "address": ctypes.addressof(HELD),
        "length": len(SECRET),
        "descriptor": descriptor,
        "terminal": os.ttyname(0),
        "key": int.from_bytes(os.urandom(3), "big") + 1,
    }
    with os.fdopen(requests) as lines, os.fdopen(answers, "w") as out:
        for line in lines:
            try:
                answer = attack(json.loads(line), facts, folder / "tool")
            except Exception as fault:  # noqa: BLE001  (the test fails with it)
                answer = {"error": f"{type(fault).__name__}: {fault}"}
            print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
