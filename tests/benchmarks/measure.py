"""How things are measured: ours and a peer in turn, in the same run; the best of each, and the ratio is what counts."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The least that one of several runs took: seconds of wall clock and of processor, peak memory in MiB."""

    wall: float
    cpu: float
    peak: float

    def least(self, other: "Cost") -> "Cost":
        return Cost(wall=min(self.wall, other.wall), cpu=min(self.cpu, other.cpu), peak=min(self.peak, other.peak))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. `target` is the highest ratio ours/peer that design/performance.md allows, or None."""

    what: str
    ours: float  # seconds, or as `unit` says
    peer: str
    theirs: float | None
    target: float | None = None
    memory: float | None = None  # MiB, ours
    note: str = ""
    unit: str = "s"

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's."""
        return None if not self.theirs else self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        return None if self.target is None or self.ratio is None else self.ratio <= self.target

    def tree(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"ratio": self.ratio, "met": self.met}


class Failed(Exception):
    """A measured command ended with another code than expected: its time means nothing."""


# Starts the measured command from a small process: the kernel counts the starter's memory as the command's own peak.
_LAUNCH = """
import os, sys, time
begin = time.perf_counter()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - begin
print(os.waitstatus_to_exitcode(status), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr)
"""


def once(argv: Sequence[Any], *, cwd: Path, expected: int = 0) -> Cost:
    """The cost of one whole process."""
    words = [sys.executable, "-I", "-S", "-c", _LAUNCH, *map(str, argv)]
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    said, _, last = done.stderr.rstrip("\n").rpartition("\n")
    code, wall, cpu, peak = last.split()
    if int(code) != expected:
        raise Failed(f"{argv[0]} ended with {code}: {said[-500:]}")
    return Cost(wall=float(wall), cpu=float(cpu), peak=int(peak) / 1024)


def in_turn(commands: Mapping[str, tuple[Sequence[Any], int]], *, cwd: Path, rounds: int) -> dict[str, Cost]:
    """The least cost of each command (argv, expected exit code); A B A B …, after one round that does not count."""
    best: dict[str, Cost] = {}
    for number in range(rounds + 1):
        for name, (argv, expected) in commands.items():
            cost = once(argv, cwd=cwd, expected=expected)
            if number:
                best[name] = cost if name not in best else best[name].least(cost)
    return best


def warm(works: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """The least seconds of one call of each, in turn, after one call that does not count."""
    best = dict.fromkeys(works, float("inf"))
    for number in range(rounds + 1):
        for name, work in works.items():
            begin = time.perf_counter()
            work()
            if number:
                best[name] = min(best[name], time.perf_counter() - begin)
    return best
