"""The stack itself: quick to start, nothing left when it ends, another try when a port is taken."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.stack.issuer import HOST
from tests.integration.stack.servers import ServerEnded
from tests.integration.stack.sigstore import PORTS, PROGRAMS, ChoosePorts, SigstoreStack, free_ports, running

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.integration, pytest.mark.loopback]


def test_a_stack_starts_within_five_seconds(sigstore_stack: SigstoreStack) -> None:
    assert sigstore_stack.start_seconds < 5


def test_a_stack_that_ended_left_no_process_and_no_thread(programs: Path, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with running(tmp_path / "stack", programs) as stack:
        processes = [process.pid for process in stack.servers.running.values()]
        assert len(processes) == len(PROGRAMS)
    # A server of another fixture may be answering somebody right now, in a daemon thread of its own.
    assert {one for one in threading.enumerate() if not one.daemon} - before == set()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


STARTED = """
import sys, time
from pathlib import Path
from tests.integration.stack.sigstore import running
with running(Path(sys.argv[1]), Path(sys.argv[2])) as stack:
    print(*(process.pid for process in stack.servers.running.values()), flush=True)
    time.sleep(60)
"""


def test_no_server_outlives_a_test_run_that_is_killed(programs: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [sys.executable, "-c", STARTED, tmp_path / "stack", programs]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pids = [int(pid) for pid in run.stdout.readline().split()]
        run.kill()
    assert len(pids) == len(PROGRAMS)
    end = time.monotonic() + 10
    while any(is_running(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.02)
    assert [pid for pid in pids if is_running(pid)] == []


def is_running(pid: int) -> bool:
    """Whether it does anything: one that waits for its parent to take notice has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_two_stacks_run_at_once_and_trust_is_not_shared(
    sigstore_stack: SigstoreStack, programs: Path, tmp_path: Path
) -> None:
    with running(tmp_path / "stack", programs) as other:
        other.servers.check()
        sigstore_stack.servers.check()
        assert other.trusted_root.read_bytes() != sigstore_stack.trusted_root.read_bytes()


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def taken_for(attempts: int, taken: int, program: str) -> ChoosePorts:
    """Ports of which `program`'s is taken in the first attempts."""
    counted = iter(range(100))

    def choose(count: int) -> list[int]:
        ports = free_ports(count)
        if next(counted) < attempts:
            ports[PORTS.index(program)] = taken
        return ports

    return choose


@pytest.mark.parametrize("program", ["fulcio", "ctlog", "rekor", "tsa"])
def test_a_port_that_is_taken_is_tried_again(program: str, taken: int, programs: Path, tmp_path: Path) -> None:
    with running(tmp_path, programs, choose_ports=taken_for(1, taken, program)) as stack:
        assert stack.folder.name == "1"


def test_a_port_that_stays_taken_is_an_error_that_shows_the_log(taken: int, programs: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(ServerEnded, match=r"(?s)^timestamp-server .*address already in use"),
        running(tmp_path, programs, choose_ports=taken_for(100, taken, "tsa")),
    ):
        pass
