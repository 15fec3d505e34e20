"""How to get a layer of the sandbox that this machine does not give."""

from pathlib import Path
from typing import Final

from in_toto_done_receipt.results.model import SANDBOX_LEVELS, Layer, SandboxLevel

INSTALL: Final = "install bubblewrap from the distribution's packages, so that only root can change it"
CONTAINERS: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
IN_CONTAINER: Final = (
    "the container's runtime must allow user namespaces and mounts, as with Docker's"
    " `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`; or verify outside of a container"
)

# Settings of the kernel that keep bwrap from working: the file, the value that does, what to do.
SETTINGS: Final = (
    ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "an AppArmor profile that lets bwrap use `userns`, or sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)

REMEDIES: Final = {
    "landlock": "Linux 6.2 or later, with `landlock` in /sys/kernel/security/lsm (boot option lsm=landlock,…)",
    "no-network": "level bubblewrap; with it libseccomp where the kernel has sockets to a hypervisor",
    "no-tcp": "level bubblewrap, or Linux 6.7 or later for level landlock",
    "files": "level bubblewrap or landlock",
    "processes": "level bubblewrap",
    "signals": "level bubblewrap, or Linux 6.12 or later for level landlock",
    "kill-all": "a /proc that shows all processes of the user",
    "limits": "let nothing outside raise the limits of resources again",
    "process-limit": "level bubblewrap, another user than root, or a control group `pids` to make groups in",
    "memory-limit": "a kernel with CONFIG_PROC_CHILDREN, and a /proc that shows all processes of the user",
    "disk-limit": "a folder for temporary files (TMPDIR) on a file system that tells its free space",
    "seccomp": "install libseccomp (Debian, Ubuntu: libseccomp2), and a kernel with CONFIG_SECCOMP_FILTER",
    "no-new-privileges": "a kernel with PR_SET_NO_NEW_PRIVS: Linux 3.5 or later",
    "parent-closed": "level bubblewrap or landlock, or a kernel that heeds PR_SET_DUMPABLE",
}


def remedy(layer: Layer, level: SandboxLevel, *, settings: Path = Path("/proc/sys")) -> str | None:
    """What to do to have this layer; None if it is active, or if the level already does all that it would."""
    if layer.active:
        return None
    if layer.name in SANDBOX_LEVELS and SANDBOX_LEVELS.index(level) > SANDBOX_LEVELS.index(layer.name):
        return None
    if layer.name == "bubblewrap":
        return _bubblewrap(layer.detail, settings)
    return REMEDIES[layer.name]


def _bubblewrap(fault: str, settings: Path) -> str:
    if fault.startswith("no bwrap at "):
        return INSTALL
    for name, bad, what in SETTINGS:
        try:
            value = (settings / name).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if value == bad:
            return what
    if any(place.exists() for place in CONTAINERS):
        return IN_CONTAINER
    return "try `bwrap --ro-bind / / --unshare-all true`, whose message says what is refused"
