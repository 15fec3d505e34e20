"""Plain values of the sandbox: limits, outcome of a command, facts about the machine and about an executable."""

from pathlib import Path
from typing import Literal

from in_toto_done_receipt.results.model import Layer, SandboxLevel
from in_toto_done_receipt.wire.value import Value

Failure = Literal[
    "timeout", "output", "memory", "processes", "disk", "not_started", "not_visible", "sandbox", "leftover", "stopped"
]
"""Why a command has no exit code.

    timeout      it ran longer than allowed
    output       it wrote more than allowed to one stream
    memory       all of its processes together used more memory than allowed
    processes    it had more processes and threads than allowed
    disk         it wrote more bytes or files than allowed
    not_started  the system refused to execute it
    not_visible  it lies where the sandbox does not let a command look
    sandbox      the confinement could not be set up, or its supervisor died
    leftover     something that it started could not be killed
    stopped      another thread of ours did not want it any more
"""


class CommandLimits(Value, kw_only=True):
    """Bounds of one command; None is no bound. `memory`, `data`, `file_bytes` and `open_files` hold for each process.

    `memory` is address space: programs that reserve much more than they use need a higher one or None, and `data`,
    which counts only what a process can write to and shares with nobody. The last four are of all
    processes together; they are looked at ten times a second, so a command may be over them for a moment.
    """

    seconds: float = 20.0  # wall clock, from the moment the sandbox stands
    stream_bytes: int = 65_536  # of standard output and of standard error
    memory: int | None = 4 * 2**30  # bytes
    data: int | None = None  # bytes
    file_bytes: int | None = 2**30  # bytes of the largest file it may write
    open_files: int | None = 1_024
    processes: int | None = 512  # and threads
    total_memory: int | None = 4 * 2**30  # bytes in use
    disk_bytes: int | None = 4 * 2**30  # in the copy, HOME, TMPDIR and whatever else it may write to
    disk_files: int | None = 200_000  # that it makes or changes there


class CopyLimits(Value, kw_only=True):
    """Bounds of one copied tree."""

    entries: int = 1_000_000
    depth: int = 64  # folders below the root, as in manifests
    total_bytes: int = 16 * 2**30  # bytes: what a scratch disk can be expected to hold


class Captured(Value, kw_only=True):
    """What one stream carried: at most `stream_bytes` of it, the digest of exactly these, and their first bytes."""

    sha256: str
    excerpt: bytes
    bytes: int


class Used(Value, kw_only=True):
    """The most that was seen at one look; nothing of a command that was over before the first one."""

    processes: int = 0
    memory: int = 0  # bytes; what is shared counts for each process
    disk_bytes: int = 0  # only where it was counted
    disk_files: int = 0


class CommandOutcome(Value, kw_only=True):
    """How a command ended.

    `exit_code` is None iff `failure` is not None; death by signal n is -n. `left_behind` says that processes were still
    alive when the command ended; they are dead now. `stdout_data` is all of the captured standard output.
    """

    exit_code: int | None
    stdout: Captured
    stderr: Captured
    stdout_data: bytes
    duration_ms: int
    failure: Failure | None = None
    detail: str = ""
    left_behind: bool = False
    used: Used = Used()


class SandboxFacts(Value, kw_only=True):
    """The best level this machine offers and, for commands run at that level, each layer after its self-test."""

    level: SandboxLevel
    layers: tuple[Layer, ...]


class ExecutableFacts(Value, kw_only=True):
    """An executable that may be run: its real path, free of links, and the digest of its bytes."""

    path: Path
    sha256: str
