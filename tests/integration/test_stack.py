"""The stack itself: quick to start, nothing left when it ends, another try when a port is taken."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.stack.issuer import HOST
from tests.integration.stack.servers import ServerEnded
from tests.integration.stack.sigstore import PORTS, PROGRAMS, ChoosePorts, SigstoreStack, free_ports, running

pytestmark = [pytest.mark.integration, pytest.mark.loopback]


def test_a_stack_starts_within_five_seconds(sigstore_stack: SigstoreStack) -> None:
    assert sigstore_stack.start_seconds < 5


def test_a_stack_that_ended_left_no_process_and_no_thread(programs: Path, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with running(tmp_path / "stack", programs) as stack:
        processes = [process.pid for process in stack.servers.running.values()]
        assert len(processes) == len(PROGRAMS)
    assert set(threading.enumerate()) - before == set()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


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
