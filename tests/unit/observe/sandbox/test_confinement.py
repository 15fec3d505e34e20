"""What a command cannot reach: by level."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run
from in_toto_done_receipt.results.model import SandboxLevel

Inside = Callable[..., CommandOutcome]

CONNECT = """
import socket, sys
kind = getattr(socket, sys.argv[1])
with socket.socket(socket.AF_INET, kind) as s:
    try:
        s.connect((sys.argv[2], 9))
    except OSError as e:
        import errno
        print(errno.errorcode[e.errno])
    else:
        print("connected")
"""


def python_of(prefix_known: bool) -> tuple[list[str], tuple[Path, ...]]:
    executable = Path(sys.executable).resolve()
    return [str(executable), "-I", "-S", "-c", "print(1)"], (Path(sys.base_prefix).resolve(),) if prefix_known else ()


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"], ids=["TCP", "UDP"])
def test_bubblewrap_has_no_network(bubblewrap: SandboxLevel, python: Inside, kind: str) -> None:
    assert python(bubblewrap, CONNECT, kind, "192.0.2.1").stdout_data == b"ENETUNREACH\n"


def test_bubblewrap_has_a_loopback_of_its_own(bubblewrap: SandboxLevel, python: Inside) -> None:
    source = (
        "import socket\nwith socket.create_server(('127.0.0.1', 0)) as s:\n socket.create_connection(s.getsockname())"
    )
    assert python(bubblewrap, source).exit_code == 0


def test_landlock_has_no_tcp(confined: SandboxLevel, python: Inside) -> None:
    refused = {"landlock": b"EACCES\n", "bubblewrap": b"ECONNREFUSED\n"}[confined]  # by the sandbox's own loopback
    assert python(confined, CONNECT, "SOCK_STREAM", "127.0.0.1").stdout_data == refused


@pytest.mark.parametrize(
    "attack",
    [
        "echo x > {path}",
        "rm {path}",
        "mv {path} here",
        ": >> {path}",
        "ln -s /etc x; ln {path} here",
        "truncate -s 0 {path}",
    ],
    ids=["write", "remove", "move", "open", "hard link", "truncate"],
)
def test_nothing_outside_can_be_changed(confined: SandboxLevel, shell: Inside, tmp_path: Path, attack: str) -> None:
    outside = tmp_path / "elsewhere" / "precious"
    outside.parent.mkdir()
    outside.write_text("precious")
    assert shell(confined, attack.format(path=outside)).exit_code != 0
    assert (outside.read_text(), outside.stat().st_nlink) == ("precious", 1)


def test_nothing_outside_can_be_read(confined: SandboxLevel, shell: Inside, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    outcome = shell(confined, f"cat {tmp_path}/precious; ls {tmp_path} {tmp_path.parent}; cat /etc/shadow")
    assert outcome.exit_code != 0
    assert b"precious" not in outcome.stdout_data + outcome.stderr.excerpt.replace(b"/precious", b"")


def test_the_system_can_not_be_changed(confined: SandboxLevel, shell: Inside) -> None:
    outcome = shell(confined, "for d in / /usr /usr/bin /etc /root /var /proc; do : > $d/intruder && echo $d; done")
    assert outcome.stdout_data == b""


def test_named_folder_can_be_read_and_not_written(confined: SandboxLevel, shell: Inside, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "list").write_text("list")
    (tmp_path / "link").symlink_to("tools")
    for name in ("tools", "link"):
        outcome = shell(confined, f"cat {tmp_path}/{name}/list; : > {tmp_path}/{name}/x", read_only=(tmp_path / name,))
        assert outcome.stdout_data == b"list"
        assert outcome.exit_code != 0


def test_executable_elsewhere_runs_when_its_folder_is_named(confined: SandboxLevel, copy: Path, tmp_path: Path) -> None:
    tool = tmp_path / "toolchain" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho ran\n")
    tool.chmod(0o755)
    assert run([str(tool)], copy=copy, level=confined, read_only=(tool.parent,)).stdout_data == b"ran\n"
    assert run([str(tool)], copy=copy, level=confined).failure == "not_visible"


@pytest.mark.skipif(sys.base_prefix in ("/usr", "/usr/local"), reason="this Python belongs to the system")
def test_python_elsewhere_runs_when_its_prefix_is_named(confined: SandboxLevel, copy: Path) -> None:
    argv, read_only = python_of(True)
    assert run(argv, copy=copy, level=confined, read_only=read_only).stdout_data == b"1\n"


@pytest.mark.skipif(sys.base_prefix in ("/usr", "/usr/local"), reason="this Python belongs to the system")
def test_python_elsewhere_is_not_visible_by_itself(confined: SandboxLevel, copy: Path) -> None:
    argv, read_only = python_of(False)
    outcome = run(argv, copy=copy, level=confined, read_only=read_only)
    assert outcome.failure == "not_visible"
    assert outcome.detail == f"{argv[0]} is not shown at level {confined}: name a folder above it as read-only path"


def test_verifiers_memory_and_environment_are_closed(level: SandboxLevel, python: Inside) -> None:
    source = """
import sys
for name in ("environ", "mem", "maps", "fd", "cwd/x", "root/etc/passwd"):
    try:
        with open(f"/proc/{sys.argv[1]}/{name}", "rb") as file:
            print(name, file.read(10))
    except OSError:
        pass
"""
    assert python(level, source, str(os.getpid())).stdout_data == b""


def test_supervisor_is_closed_too(level: SandboxLevel, python: Inside) -> None:
    source = """
import os
for name in ("environ", "mem", "maps", "fd/0", "fd/1"):
    try:
        open(f"/proc/{os.getppid()}/{name}", "rb")
    except OSError:
        pass
    else:
        print(name)
"""
    assert python(level, source).stdout_data == b""


def test_bubblewrap_shows_its_own_processes_only(bubblewrap: SandboxLevel, python: Inside) -> None:
    source = "import os; print(max(int(name) for name in os.listdir('/proc') if name.isdigit()) < 10)"
    assert python(bubblewrap, source).stdout_data == b"True\n"


def test_verifier_cannot_be_signalled(confined: SandboxLevel, shell: Inside) -> None:
    outcome = shell(confined, f"kill -0 {os.getpid()} && [ ! -e /proc/1/root ] && echo reached")
    assert outcome.stdout_data == b""


def test_forged_end_is_none(level: SandboxLevel, python: Inside) -> None:
    """Whatever a command writes to descriptors that it can guess, its exit code stays its own."""
    source = """
import os, sys
for number in range(3, 64):
    for where in (number, f"/proc/{os.getppid()}/fd/{number}"):
        try:
            file = where if isinstance(where, int) else os.open(where, os.O_WRONLY)
            os.write(file, b"exited 0 0 0 0\\n")
        except OSError:
            pass
sys.exit(5)
"""
    assert python(level, source).exit_code == 5


def test_killing_the_supervisor_is_never_a_success(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, "kill -KILL $PPID; exit 0")
    if level == "landlock":  # it may not signal anybody outside
        assert outcome.exit_code == 0
    else:
        assert (outcome.exit_code, outcome.failure) == (None, "sandbox")


def test_stopping_the_supervisor_is_a_timeout(bubblewrap: SandboxLevel, shell: Inside) -> None:
    outcome = shell(bubblewrap, "kill -STOP $PPID; exit 0", limits=CommandLimits(seconds=0.3))
    assert (outcome.exit_code, outcome.failure) == (None, "timeout")
