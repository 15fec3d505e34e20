"""git, started so that nothing of the examined repository or of our environment can steer it.

It gets a scratch repository made here by hand, sees object stores through views only, and runs under limits and,
where there is one, inside bubblewrap with no network and nothing else of the machine to read.
"""

import re
import subprocess
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ObservationError, RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.sandbox.bubblewrap import ALWAYS, find_bubblewrap
from in_toto_done_receipt.observe.sandbox.executable import resolve_guarded
from in_toto_done_receipt.observe.sandbox.places import SYSTEM
from in_toto_done_receipt.wire.value import Value

_PLACES: Final = (Path("/usr/bin/git"), Path("/usr/local/bin/git"), Path("/bin/git"))
OLDEST: Final = (2, 36)  # cat-file --batch-command
OLDEST_MERGE: Final = (2, 38)  # merge-tree --write-tree
_PIPE: Final = 1 << 20  # bytes: a lot of requests fits into it while git is still answering the one before
_ANSWER_SECONDS: Final = 10.0
STDERR_BYTES: Final = 1 << 20

_CONFIGURATION: Final = """[core]
 repositoryformatversion = {version}
 bare = true
 commitGraph = false
 multiPackIndex = false
 packedGitWindowSize = 32m
 packedGitLimit = 512m
 deltaBaseCacheLimit = 64m
 bigFileThreshold = 16m
 attributesFile = /dev/null
 hooksPath = /dev/null
 fsmonitor = false
[gc]
 auto = 0
[protocol]
 allow = never
"""
_SHA256: Final = "[extensions]\n objectFormat = sha256\n"

_ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


class Git(Value, kw_only=True):
    """A git that only root can have put there. `bubblewrap` is None where there is none that works."""

    path: Path
    version: tuple[int, int]
    bubblewrap: Path | None


def find_git(places: tuple[Path, ...] = _PLACES) -> Git:
    """The git at the first of a few fixed paths; PATH is never asked.

    Raises RepositoryRefused (git): there is none, it is too old, somebody else than root could have changed it.
    """
    path = next((place for place in places if place.exists()), None)
    if path is None:
        raise RepositoryRefused(f"no git at {', '.join(map(str, places))}", kind="git", hint="install git")
    try:
        resolve_guarded(path, owners=frozenset({0}))
    except ObservationError as fault:
        raise RepositoryRefused(fault.message, kind="git", hint=fault.hint) from None
    bubblewrap = _bubblewrap()
    answer = None if bubblewrap is None else _version([*_confined(bubblewrap, (), None), str(path)])
    if answer is None:
        bubblewrap, answer = None, _version([str(path)])
    if answer is None:
        raise RepositoryRefused(f"{path} does not say its version", kind="git")
    if answer < OLDEST:
        found, wanted = (".".join(map(str, version)) for version in (answer, OLDEST))
        raise RepositoryRefused(f"git is {found}, at least {wanted} is wanted", kind="git", hint="install a newer git")
    return Git(path=path, version=answer, bubblewrap=bubblewrap)


def _bubblewrap() -> Path | None:
    try:
        return find_bubblewrap().path
    except ObservationError:
        return None


def _version(command: list[str]) -> tuple[int, int] | None:
    try:
        answer = subprocess.run(
            [*command, "--version"],
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(rb"git version (\d{1,4})\.(\d{1,4})", answer.stdout)
    return (int(match[1]), int(match[2])) if match else None


def make_scratch(scratch: Path, algorithm: str) -> None:
    """A bare repository made by hand: no template, no hook, HEAD points to nothing."""
    for folder in ("objects/info", "objects/pack", "refs/heads"):
        (scratch / folder).mkdir(parents=True)
    (scratch / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    text = _CONFIGURATION.format(version=int(algorithm != "sha1"))
    (scratch / "config").write_text(text + (_SHA256 if algorithm != "sha1" else ""), encoding="ascii")


class Start(Value, kw_only=True):
    """How to start one git: in which scratch repository, with which views and the stores behind them, how limited.

    `written` is how many bytes the largest file may have that it writes; 0 for one that writes nothing but messages.
    """

    git: Git
    scratch: Path
    views: tuple[Path, ...] = ()
    stores: tuple[Path, ...] = ()
    written: int = 0
    limits: GitLimits


def start(arguments: list[str], how: Start, stderr: int) -> "subprocess.Popen[bytes]":
    """A running git with pipes for standard input and output, in a session of its own. Raises RepositoryRefused."""
    place = str(how.scratch)
    environment = _ENVIRONMENT | {"HOME": place, "XDG_CONFIG_HOME": place, "GIT_DIR": place}
    environment["GIT_ALLOC_LIMIT"] = str(how.limits.allocation)
    environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = ":".join(map(str, how.views))
    confined = [] if how.git.bubblewrap is None else _confined(how.git.bubblewrap, how.stores, how)
    command = [*confined, "/bin/sh", "-c", _limited(how), "git", str(how.git.path), *arguments]
    try:
        return subprocess.Popen(
            command,
            env=environment,
            cwd=place,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            bufsize=1 << 17,
            pipesize=_PIPE,
        )
    except OSError as fault:
        raise RepositoryRefused(f"{how.git.path} cannot be started: {fault.strerror}", kind="git") from None


def _limited(how: Start) -> str:
    """The shell's own limits, set before it becomes git: inside bubblewrap nobody outside could set them in time."""
    written = -(-max(how.written, STDERR_BYTES) // 512)
    seconds = max(1, int(how.limits.seconds))
    return f'ulimit -c 0; ulimit -t {seconds}; ulimit -f {written}; ulimit -v {how.limits.memory >> 10}; exec "$@"'


def _confined(bubblewrap: Path, stores: tuple[Path, ...], how: Start | None) -> list[str]:
    """bubblewrap's command line: the system and the stores to read, the scratch repository, nothing else."""
    # The environment is ours already, and git may not lose it.
    arguments = [str(bubblewrap), *(word for word in ALWAYS if word != "--clearenv")]
    for name in SYSTEM:
        if Path(name).is_symlink():
            arguments += ["--symlink", str(Path(name).readlink()), name]
        elif Path(name).is_dir():
            arguments += ["--ro-bind", name, name]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for store in stores:
        arguments += ["--ro-bind", str(store), str(store)]
    if how is not None:
        bind = "--bind" if how.written else "--ro-bind"
        arguments += [bind, str(how.scratch), str(how.scratch), "--chdir", str(how.scratch)]
    return [*arguments, "--remount-ro", "/", "--"]
