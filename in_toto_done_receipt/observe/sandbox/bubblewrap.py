"""Level bubblewrap: where `bwrap` may come from, and what it is told."""

import re
import subprocess
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.sandbox.executable import resolve_guarded
from in_toto_done_receipt.observe.sandbox.places import CONFIGURATION, OWN_CONFIGURATION, SYSTEM, USER
from in_toto_done_receipt.wire.value import Value

PLACES: Final = (Path("/usr/bin/bwrap"), Path("/bin/bwrap"), Path("/usr/local/bin/bwrap"))
VERSION_SECONDS: Final = 5.0
TMP_BYTES: Final = 256 * 2**20  # /tmp and /dev/shm are memory; HOME and TMPDIR are on disk

ALWAYS: Final = (
    *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
    *("--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox"),
)


class Bubblewrap(Value, kw_only=True):
    """A `bwrap` that only root can have put there."""

    path: Path
    version: tuple[int, int]


class View(Value, kw_only=True):
    """What the sandbox shows: these paths read-only, these writable, and a folder that holds our own files of /etc.

    `mounts` are folders shown read-only in the place of others.
    """

    read_only: tuple[Path, ...]
    writable: tuple[Path, ...]
    configuration: Path
    mounts: tuple[tuple[Path, Path], ...] = ()


def find_bubblewrap(places: tuple[Path, ...] = PLACES) -> Bubblewrap:
    """The first of three fixed paths that holds a `bwrap`; PATH is never asked.

    Raises ObservationError if there is none (missing), or if somebody else than root could have changed the first one
    (writable_by_others). Not checked: that it works, see `probe`.
    """
    path = next((place for place in places if place.exists()), None)
    if path is None:
        raise ObservationError(f"no bwrap at {', '.join(map(str, places))}", kind="missing", hint="install bubblewrap")
    resolve_guarded(path, owners=frozenset({0}))
    try:
        answer = subprocess.run(
            [str(path), "--version"], env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise ObservationError(f"{path}: does not start: {fault}", kind="not_executable") from fault
    match = re.search(rb"(\d{1,4})\.(\d{1,4})", answer.stdout)
    return Bubblewrap(path=path, version=(int(match[1]), int(match[2])) if match else (0, 0))


def arguments(bubblewrap: Bubblewrap, view: View, *, info: int) -> list[str]:
    """The command line up to the command; `info` is the descriptor that gets the id of the sandbox's first process."""
    args = [str(bubblewrap.path), *ALWAYS, "--info-fd", str(info)]
    if bubblewrap.version >= (0, 8):
        args.append("--disable-userns")
    for name in SYSTEM:
        if Path(name).is_symlink():
            args += ["--symlink", str(Path(name).readlink()), name]
        elif Path(name).is_dir():
            args += ["--ro-bind", name, name]
    args += ["--proc", "/proc", "--dev", "/dev"]
    for place in ("/tmp", "/dev/shm"):  # noqa: S108  (the sandbox's own)
        if bubblewrap.version >= (0, 7):
            args += ["--size", str(TMP_BYTES)]
        args += ["--tmpfs", place]
    for name in CONFIGURATION:
        args += ["--ro-bind-try", name, name]
    for name in OWN_CONFIGURATION:
        args += ["--ro-bind", str(view.configuration / name), f"/etc/{name}"]
    for path in view.read_only:
        args += ["--ro-bind", str(path), str(path)]
    for path in view.writable:
        args += ["--bind", str(path), str(path)]
    for source, target in view.mounts:
        args += ["--ro-bind", str(source), str(target)]
    # /proc too: bwrap leaves /proc/sys writable, and what root owns there can be written without any capability.
    for place in ("/", "/dev", "/proc"):
        args += ["--remount-ro", place]
    return [*args, "--chdir", "/", "--"]
