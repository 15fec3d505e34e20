"""What this machine can confine: a command that looks around, run exactly as evidence would be, at the best level."""

import ctypes
import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import DoneReceiptError
from in_toto_done_receipt.observe.sandbox.bubblewrap import Bubblewrap, find_bubblewrap
from in_toto_done_receipt.observe.sandbox.launch import inline
from in_toto_done_receipt.observe.sandbox.model import CommandLimits, SandboxFacts
from in_toto_done_receipt.observe.sandbox.places import interpreter
from in_toto_done_receipt.observe.sandbox.run import run
from in_toto_done_receipt.observe.sandbox.scratch import scratch
from in_toto_done_receipt.observe.sandbox.seccomp import LIBRARY, filter_program
from in_toto_done_receipt.results.model import SANDBOX_LEVELS, Layer, SandboxLevel

PROCESSES: Final = 8
LIMITS: Final = CommandLimits(
    seconds=10, memory=2**30, file_bytes=2**20, open_files=128, processes=PROCESSES, disk_bytes=16 * 2**20
)
MANY, MEMORY, FILES, FILE_BYTES = 16, 32 * 2**20, 8, 256 * 2**10  # what the self-test uses all at once
REFUSED: Final = frozenset({"EACCES", "EPERM", "ENOENT"})
LANDLOCK_CREATE: Final = 444  # landlock_create_ruleset, which also tells the version
LOOKED_AT: Final = "looked at ten times a second, for all processes together"
NO_CAPABILITY: Final = "0000000000000000"

Facts = Mapping[str, str]


def probe(*, highest: SandboxLevel = "bubblewrap") -> SandboxFacts:
    """The best level up to `highest` that passes its self-test, and each layer of a run at that level.

    A level is offered only if everything holds that its name promises: bubblewrap: no network, own processes, only the
    named files visible; landlock: only the named files readable and writable. Raises OutputError without a scratch
    folder. Not covered by any layer: at level landlock UDP and socket files.
    """
    faults: dict[SandboxLevel, str] = {}
    with scratch() as base:
        for level in reversed(SANDBOX_LEVELS[: SANDBOX_LEVELS.index(highest) + 1]):
            facts, fault = _try(base / level, level)
            fault = fault or _fault(level, facts)
            if not fault or level == "rlimits":
                break
            faults[level] = fault
    return SandboxFacts(level=level, layers=_layers(level, facts, faults))


def _try(base: Path, level: SandboxLevel) -> tuple[Facts, str]:
    """What the self-test found at this level, or why there is nothing."""
    base.mkdir(mode=0o700)
    outside, copy = base / "elsewhere" / "secret", base / "copy"
    copy.mkdir()
    outside.parent.mkdir()
    outside.write_text("not to be seen", encoding="utf-8")
    try:
        python = interpreter()
        argv = [str(python.executable), "-I", "-S", "-E", "-c", inline("selftest"), str(os.getpid()), str(outside)]
        outcome = run(
            argv,
            copy=copy,
            level=level,
            limits=LIMITS,
            read_only=(python.prefix,),
            excerpt_bytes=300,
            on_look=_Looking(copy),
        )
    except DoneReceiptError as fault:
        return {}, fault.message
    if outcome.exit_code != 0:
        last = outcome.stderr.excerpt.decode("utf-8", "replace").strip()
        return {}, outcome.detail or f"the self-test ended with {outcome.exit_code}: {last!a}"
    pairs = (line.partition(" ") for line in outcome.stdout_data.decode().splitlines())
    daemon = "dead" if outcome.left_behind and _is_free(copy / "held") else "alive"
    intact = outside.stat().st_size > 0 and not (outside.parent / "written").exists()
    used = {name: str(getattr(outcome.used, name)) for name in ("processes", "memory", "disk_bytes", "disk_files")}
    return {name: value for name, _, value in pairs} | {"used-" + name: value for name, value in used.items()} | {
        "daemon": daemon,
        "outside": "intact" if intact else "written",
    }, ""


class _Looking:
    """Tells the self-test that there was a whole look since it asked for one: it may let go of what it uses."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        self._asked = False

    def __call__(self) -> None:
        if self._asked:
            (self._copy / "looked").touch()
        self._asked = (self._copy / "look").exists()


def _is_free(path: Path) -> bool:
    """Does nobody hold the lock that the self-test's daemon took?"""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def _fault(level: SandboxLevel, facts: Facts) -> str:
    """What the level promises and the self-test did not find, or nothing."""
    if level == "rlimits":
        return ""
    promised = {"no-network": _no_network, "processes": _processes, "read-only-system": _read_only}
    needed = {} if level == "landlock" else promised
    needed = needed | {"files": _files, "no-new-privileges": _no_privileges, "kill-all": _kill_all}
    missing = [name for name, holds in needed.items() if not holds(facts)]
    return f"the self-test found no {', '.join(missing)}" if missing else ""


def _no_network(facts: Facts) -> bool:
    alone = _is_own("net", facts) and facts["interfaces"] == "lo" and facts["udp"] == "ENETUNREACH"
    return alone and facts["vsock"] != "done"


def _processes(facts: Facts) -> bool:
    return _is_own("pid", facts) and _is_own("ipc", facts)


def _read_only(facts: Facts) -> bool:
    return _is_own("mnt", facts) and facts["read-only"] == "TrueTrue"


def _is_own(name: str, facts: Facts) -> bool:
    return facts["ns-" + name] != os.readlink(f"/proc/self/ns/{name}")  # noqa: PTH115  (not a path)


def _files(facts: Facts) -> bool:
    return facts["read"] in REFUSED and facts["outside"] == "intact" and facts["write-here"] == "done"


def _no_privileges(facts: Facts) -> bool:
    return facts["NoNewPrivs"] == "1" and {facts["CapEff"], facts["CapPrm"]} == {NO_CAPABILITY}


def _kill_all(facts: Facts) -> bool:
    return facts["daemon"] == "dead"


def _limits(facts: Facts) -> bool:
    asked = {"AS": LIMITS.memory, "FSIZE": LIMITS.file_bytes, "NOFILE": LIMITS.open_files, "CORE": 0}
    return all(int(facts["limit-" + name]) <= (value or 0) for name, value in asked.items())


def _kernel_counts(facts: Facts) -> bool:
    return int(facts["processes"]) < MANY


def _process_limit(facts: Facts) -> bool:
    """A look is enough only where all processes can be ended in one go: elsewhere they may outrun us."""
    return _kernel_counts(facts) or (_processes(facts) and int(facts["used-processes"]) > PROCESSES)


def _process_limiter(facts: Facts) -> str:
    if _kernel_counts(facts):
        return "by the kernel"
    return LOOKED_AT if _process_limit(facts) else "the kernel does not limit root without a control group"


def _disk_limit(facts: Facts) -> bool:
    return int(facts["used-disk_bytes"]) >= FILES * FILE_BYTES and int(facts["used-disk_files"]) >= FILES


def _filtered(facts: Facts) -> bool:
    return facts["type"] == "EPERM"


def _no_filter() -> str:
    return f"no {LIBRARY}" if filter_program(alone=True) is None else "the kernel does not filter"


def _layers(level: SandboxLevel, facts: Facts, faults: Mapping[SandboxLevel, str]) -> tuple[Layer, ...]:
    """Each layer, found or not; without facts none is."""
    confined = level == "bubblewrap"
    landlock = level == "landlock"
    reasons = {name: faults.get(name, f"not used at level {level}") for name in SANDBOX_LEVELS}
    files = "nothing else is there" if confined else "nothing else can be opened" if landlock else "every file is open"
    own = _processes(facts) if facts else False
    rows = [
        ("bubblewrap", confined, _version() if confined else reasons["bubblewrap"]),
        ("landlock", landlock, f"ABI {_landlock_abi()}" if landlock else reasons["landlock"]),
    ]
    if facts:
        rows += [
            ("no-network", _no_network(facts), "a loopback of its own, nothing else" if confined else "UDP is open"),
            ("no-tcp", _no_network(facts) or facts["tcp"] == "EACCES", ""),
            ("files", _files(facts), files),
            ("processes", own, "a process namespace of its own" if own else "other processes are visible"),
            ("signals", own or facts["signal"] == "EPERM", ""),
            ("kill-all", _kill_all(facts), "by the namespace" if own else "by a supervisor that adopts orphans"),
            ("limits", _limits(facts), "processor time, memory, file size, open files, no core file"),
            ("process-limit", _process_limit(facts), _process_limiter(facts)),
            ("memory-limit", int(facts["used-memory"]) >= MEMORY, LOOKED_AT),
            ("disk-limit", _disk_limit(facts), LOOKED_AT),
            ("seccomp", _filtered(facts), "system calls that no test needs" if _filtered(facts) else _no_filter()),
            ("no-new-privileges", _no_privileges(facts), "no capability either"),
            ("parent-closed", own or facts["environ"] in REFUSED, "memory and environment of the verifier"),
        ]
    return tuple(Layer(name=name, active=active, detail=detail) for name, active, detail in rows)


def _landlock_abi() -> int:
    return int(ctypes.CDLL(None).syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1))


def _version() -> str:
    bubblewrap: Bubblewrap = find_bubblewrap()
    return f"{'.'.join(map(str, bubblewrap.version))} at {bubblewrap.path}"
