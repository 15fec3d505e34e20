"""Where a confined command may look: the system's folders, the few files of /etc, our own interpreter."""

import os
import sys
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.value import Value

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")

# Nothing secret, nothing about the machine's users or network that a build needs not have.
CONFIGURATION: Final = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/os-release",
    "/etc/protocols",
    "/etc/services",
    "/etc/mime.types",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/ca-certificates",
)

# At level landlock there is no /etc, /proc and /dev of our own. /proc shows the command lines of other processes; their
# memory and environment are closed by Landlock itself. /sys/devices/system tells the number of processors.
HOST_CONFIGURATION: Final = ("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf")
HOST_KERNEL: Final = ("/proc", "/sys/devices/system", "/dev/urandom", "/dev/random", "/dev/full")
HOST_DEVICES: Final = ("/dev/null", "/dev/zero")

# What /etc says at level bubblewrap about the one user there is.
USER: Final = 1000  # not 65534, which is also what the kernel shows for every owner from outside
OWN_CONFIGURATION: Final = {
    "passwd": f"root:x:0:0:root:/:/bin/false\nwork:x:{USER}:{USER}:work:/:/bin/sh\n",
    "group": f"root:x:0:\nwork:x:{USER}:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
}


class Interpreter(Value, kw_only=True):
    """The Python that runs the supervisor, and the folder that it needs to see."""

    executable: Path
    prefix: Path


def interpreter() -> Interpreter:
    """The interpreter we run on, free of links and of any virtual environment."""
    if not sys.executable:
        raise ConfigurationError("the path of the running Python is not known, so no command can be supervised")
    return Interpreter(executable=Path(sys.executable).resolve(), prefix=Path(sys.base_prefix).resolve())


def checked_read_only(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The paths and, where they are links, what they point to.

    Raises ConfigurationError for a relative or a missing one.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_absolute():
            raise ConfigurationError(f"read-only path {path} is not absolute")
        try:
            real = path.resolve(strict=True)
        except OSError as fault:
            raise ConfigurationError(f"read-only path {path}: {fault.strerror}") from fault
        found += [real] if real == Path(os.path.normpath(path)) else [path, real]
    return tuple(dict.fromkeys(found))


def hidden(executable: str, places: tuple[Path, ...]) -> str | None:
    """The first of this path and what it points to that is below neither the system's folders nor the places.

    None too if there is no such file: the attempt to execute it will say so.
    """
    if not os.path.exists(executable):  # noqa: PTH110  (pathlib raises where a name is too long)
        return None
    roots = [*map(Path, SYSTEM), *places]
    for path in (os.path.normpath(executable), os.path.realpath(executable)):
        if not any(Path(path).is_relative_to(root) for root in roots):
            return path
    return None
