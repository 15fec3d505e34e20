"""Nothing that a command starts lives on, whatever it does; nor does an interrupted verifier leave anything."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run_in_place
from in_toto_done_receipt.results.model import SandboxLevel

Inside = Callable[..., CommandOutcome]

# A daemon by the book: two forks, a session of its own, no descriptor left but a lock, which tells whether it lives.
DAEMON = """
import fcntl, os, signal, sys, time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        lock = os.open("held", os.O_WRONLY | os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_EX)
        keep = int(sys.argv[1])
        if not keep:
            os.closerange(0, 3)
        os.close(writing)
        time.sleep(60)
    os._exit(0)
os.close(writing)
os.read(reading, 1)
"""


def is_dead(lock: Path) -> bool:
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize("keep", ["0", "1"], ids=["closed", "holding the pipes"])
def test_daemon_is_killed(level: SandboxLevel, python: Inside, copy: Path, keep: str) -> None:
    began = time.monotonic()
    outcome = python(level, DAEMON, keep)
    assert is_dead(copy / "held")
    assert (outcome.exit_code, outcome.failure, outcome.left_behind) == (0, None, True)
    assert time.monotonic() - began < 3


def test_daemon_is_killed_after_a_timeout(level: SandboxLevel, python: Inside, copy: Path) -> None:
    outcome = python(level, DAEMON + "time.sleep(60)", "1", limits=CommandLimits(seconds=0.5))
    assert outcome.failure == "timeout"
    assert is_dead(copy / "held")


def test_daemon_is_killed_after_too_much_output(level: SandboxLevel, python: Inside, copy: Path) -> None:
    outcome = python(level, DAEMON + "print('x' * 10**6)", "1")
    assert outcome.failure == "output"
    assert is_dead(copy / "held")


def test_bubblewrap_kills_even_without_its_supervisor(bubblewrap: SandboxLevel, python: Inside, copy: Path) -> None:
    outcome = python(bubblewrap, DAEMON + "os.kill(os.getppid(), 9)", "0")
    assert outcome.failure == "sandbox"
    assert is_dead(copy / "held")


def test_daemon_in_place_is_killed(tmp_path: Path) -> None:
    outcome = run_in_place([str(Path(sys.executable).resolve()), "-I", "-S", "-c", DAEMON, "1"], root=tmp_path)
    assert outcome.exit_code == 0
    assert is_dead(tmp_path / "held")


def test_many_children_are_killed(level: SandboxLevel, python: Inside, copy: Path) -> None:
    source = """
import fcntl, os, time
lock = os.open("held", os.O_WRONLY | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
for _ in range(50):
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, 3)
        time.sleep(60)
"""
    outcome = python(level, source)
    assert (outcome.exit_code, outcome.left_behind) == (0, True)
    assert is_dead(copy / "held")


VERIFIER = """
import sys
from pathlib import Path
from in_toto_done_receipt.observe.sandbox.run import run
try:
    run(sys.argv[3:], copy=Path(sys.argv[2]), level=sys.argv[1], read_only=(Path(sys.base_prefix).resolve(),))
except KeyboardInterrupt:
    sys.exit(42)
"""


def interrupted(level: SandboxLevel, copy: Path, how: signal.Signals) -> tuple[int, list[str]]:
    """The exit code of a verifier that gets a signal while its command runs, and what is left of its scratch."""
    scratch = copy.parent / "scratch"
    scratch.mkdir()
    argv = [str(Path(sys.executable).resolve()), "-I", "-S", "-c", DAEMON + "time.sleep(60)", "0"]
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", VERIFIER, level, str(copy), *argv], env=environment) as verifier:
        held, end = copy / "held", time.monotonic() + 10
        while (not held.exists() or is_dead(held)) and time.monotonic() < end:
            time.sleep(0.02)
        verifier.send_signal(how)
        code = verifier.wait(10)
    return code, [path.name for path in scratch.iterdir()]


def test_ctrl_c_leaves_neither_process_nor_scratch(level: SandboxLevel, copy: Path) -> None:
    assert interrupted(level, copy, signal.SIGINT) == (42, [])
    assert is_dead(copy / "held")


def test_killed_verifier_leaves_no_process(level: SandboxLevel, copy: Path) -> None:
    code, _ = interrupted(level, copy, signal.SIGKILL)
    end = time.monotonic() + 5
    while not is_dead(copy / "held") and time.monotonic() < end:
        time.sleep(0.02)
    assert code == -9
    assert is_dead(copy / "held")
