"""What the supervisor is told: the command, where it runs, what bounds it. `supervisor.read_orders` reads it."""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.observe.sandbox.places import (
    CONFIGURATION,
    HOST_CONFIGURATION,
    HOST_DEVICES,
    HOST_KERNEL,
    SYSTEM,
)
from in_toto_done_receipt.wire.value import Value

SEARCH_PATH: Final = "/usr/bin:/bin"


class Landlock(Value, kw_only=True):
    """Below `read` a command may read and execute, below `write` do anything."""

    read: tuple[Path, ...]
    write: tuple[Path, ...]


def environment(*, home: Path, tmp: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """All variables of a command: five fixed ones, and those that the verifier names, which win.

    Raises ConfigurationError for a name or value that no environment can hold.
    """
    for name, value in variables.items():
        if not name or "=" in name or "\0" in name + value:
            raise ConfigurationError(f"variable {name!r} cannot be set")
    fixed = {"PATH": SEARCH_PATH, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": str(home), "TMPDIR": str(tmp)}
    return fixed | dict(variables)


def limit_orders(limits: CommandLimits) -> list[tuple[str, str]]:
    """The resource limits as the supervisor reads them.

    Processor time is the wall clock times the processors: less would stop an honest program with many threads.
    """
    processors = os.cpu_count() or 1
    values = {
        "CORE": 0,
        "CPU": math.ceil(limits.seconds) * processors + 1,
        "FSIZE": limits.file_bytes,
        "NOFILE": limits.open_files,
        "NPROC": limits.processes,
        "DATA": limits.data,
        "AS": limits.memory,  # the last one: the supervisor's child needs memory for the others
    }
    return [("limit", f"{name}={value}") for name, value in values.items() if value is not None]


def landlock_orders(landlock: Landlock) -> list[tuple[str, str]]:
    """The rules of Landlock; paths of the system that do not exist are left out by the supervisor."""
    system = (*SYSTEM, *CONFIGURATION, *HOST_CONFIGURATION, *HOST_KERNEL)
    return [
        ("landlock", ""),
        *(("read", path) for path in system),
        *(("read", str(path)) for path in landlock.read),
        *(("device", path) for path in HOST_DEVICES),
        *(("write", str(path)) for path in landlock.write),
    ]


def write_orders(
    argv: list[str],
    *,
    cwd: Path,
    variables: Mapping[str, str],
    limits: CommandLimits,
    landlock: Landlock | None,
    drop_capabilities: bool,
    seccomp: bytes | None = None,
) -> bytes:
    """The bytes for the supervisor's standard input. No value may hold a NUL."""
    orders = [("cwd", str(cwd)), *(("argv", part) for part in argv), *limit_orders(limits)]
    orders += [("env", f"{name}={value}") for name, value in variables.items()]
    if landlock is not None:
        orders += landlock_orders(landlock)
    if drop_capabilities:
        orders.append(("drop", ""))
    if seccomp is not None:
        orders.append(("seccomp", seccomp.hex()))
    body = b"\0".join(os.fsencode(field) for order in orders for field in order)
    return len(body).to_bytes(8, "big") + body
