"""What all processes of a command use together is bounded, and honest use is no excess."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox.guard import Guard
from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.processes import below
from in_toto_done_receipt.observe.sandbox.run import run_in_place
from in_toto_done_receipt.observe.sandbox.space import Space
from in_toto_done_receipt.results.model import SandboxLevel

Inside = Callable[..., CommandOutcome]
MIB = 2**20

HOLD = """
import mmap, os, sys, time
def hold(size, flags):
    place = mmap.mmap(-1, size, flags=flags | mmap.MAP_ANONYMOUS)
    for start in range(0, size, 4096):
        place[start] = 1
    return place
"""
TOGETHER = """
for _ in range(4):
    if os.fork() == 0:
        kept = hold(48 << 20, mmap.MAP_PRIVATE)
        time.sleep(20)
        os._exit(0)
for _ in range(4):
    os.wait()
"""
SHARED = """
kept = hold(96 << 20, mmap.MAP_{kind})
for _ in range(8):
    if os.fork() == 0:
        assert all(kept[start] for start in range(0, len(kept), 4096))
        time.sleep(0.2)
        os._exit(0)
for _ in range(8):
    os.wait()
print("done")
"""


def test_memory_of_all_processes_is_bounded(level: SandboxLevel, python: Inside) -> None:
    outcome = python(level, HOLD + TOGETHER, limits=CommandLimits(total_memory=100 * MIB))
    assert (outcome.failure, outcome.exit_code) == ("memory", None)
    assert outcome.detail.startswith(f"limit command-memory-bytes is {100 * MIB}, got ")
    assert outcome.used.memory > 100 * MIB


@pytest.mark.parametrize("kind", ["PRIVATE", "SHARED"])
def test_memory_that_processes_share_counts_once(level: SandboxLevel, python: Inside, kind: str) -> None:
    outcome = python(level, HOLD + SHARED.format(kind=kind), limits=CommandLimits(total_memory=200 * MIB))
    assert (outcome.failure, outcome.stdout_data) == (None, b"done\n")
    assert outcome.used.memory > 200 * MIB  # each of them has it


def test_no_bound_is_none(python: Inside) -> None:
    free = CommandLimits(total_memory=None, disk_bytes=None, disk_files=None, processes=None)
    assert python("rlimits", HOLD + SHARED.format(kind="PRIVATE"), limits=free).exit_code == 0


def test_threads_count_as_processes(level: SandboxLevel, python: Inside) -> None:
    source = """
import threading, time
try:
    for _ in range(60):
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
except RuntimeError:
    print("no more")
"""
    outcome = python(level, source, limits=CommandLimits(processes=30))
    assert outcome.failure == "processes" or outcome.stdout_data == b"no more\n"


@pytest.mark.parametrize(
    ("level", "place"), [("bubblewrap", "."), ("landlock", "$HOME"), ("rlimits", "$TMPDIR")], indirect=["level"]
)
def test_bytes_on_disk_are_bounded(level: SandboxLevel, shell: Inside, place: str) -> None:
    script = f"cd {place}; for i in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > $i; done; sleep 5"
    outcome = shell(level, script, limits=CommandLimits(disk_bytes=4 * MIB))
    assert (outcome.failure, outcome.exit_code) == ("disk", None)
    assert outcome.detail.startswith(f"limit command-disk-bytes is {4 * MIB}, got ")


def test_what_lay_there_before_does_not_count(level: SandboxLevel, shell: Inside, copy: Path) -> None:
    (copy / "given").write_bytes(bytes(8 * MIB))
    time.sleep(0.1)
    outcome = shell(level, "cat given > /dev/null; echo made > made; sleep 0.3", limits=CommandLimits(disk_bytes=MIB))
    assert (outcome.failure, outcome.exit_code) == (None, 0)
    assert 0 < outcome.used.disk_bytes < MIB


def test_files_are_bounded_in_tmp_too(bubblewrap: SandboxLevel, python: Inside) -> None:
    source = "import os, time\nfor i in range(3000): os.mknod(f'/tmp/{i}')\ntime.sleep(5)"
    outcome = python(bubblewrap, source, limits=CommandLimits(disk_files=1000))
    assert (outcome.failure, outcome.detail[:33]) == ("disk", "limit command-disk-files is 1000,")


def test_a_folder_that_cannot_be_counted_is_an_excess(level: SandboxLevel, python: Inside) -> None:
    source = """
import os, time
for _ in range(400):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
time.sleep(5)
"""
    outcome = python(level, source, limits=CommandLimits(disk_bytes=MIB))
    assert (outcome.failure, outcome.detail) == ("disk", "what the command wrote cannot be counted: File name too long")


def test_removing_what_is_counted_is_no_fault(level: SandboxLevel, shell: Inside) -> None:
    script = 'rm -rf "$HOME"/* "$TMPDIR"; mkdir a; rmdir a; ln -s / b; sleep 0.3'
    outcome = shell(level, script, limits=CommandLimits(disk_bytes=MIB))
    assert (outcome.failure, outcome.exit_code) in ((None, 0), (None, 1))


@pytest.fixture
def tree(tmp_path: Path) -> Space:
    """A place with 3 entries and a link that leads to a folder with 3 others, all of them new."""
    for folder in ("place", "elsewhere"):
        (tmp_path / folder / "inner").mkdir(parents=True)
        (tmp_path / folder / "inner" / "file").write_bytes(bytes(8192))
    (tmp_path / "place" / "link").symlink_to(tmp_path / "elsewhere")
    return Space((tmp_path / "place",))


def counted(space: Space) -> tuple[int, int]:
    return next(found for found in space.count() if found is not None)


def test_links_are_not_followed(tree: Space) -> None:
    assert counted(tree)[1] == 3


def test_a_folder_that_becomes_a_link_is_not_followed(tree: Space, tmp_path: Path) -> None:
    """Between the look at its name and the look into it."""
    counting = tree._found()
    while next(counting).st_size >= 0:
        inner = tmp_path / "place" / "inner"
        if inner.is_dir() and not inner.is_symlink():
            inner.rename(tmp_path / "place" / "moved")
            inner.symlink_to(tmp_path / "elsewhere")
            break
    sizes = [status.st_size for status in counting]
    assert 8192 not in sizes


def test_a_place_that_becomes_a_link_is_not_followed(tree: Space, tmp_path: Path) -> None:
    (tmp_path / "place").rename(tmp_path / "moved")
    (tmp_path / "place").symlink_to(tmp_path / "elsewhere")
    assert counted(tree) == (0, 0)


def test_names_of_one_file_count_once(tree: Space, tmp_path: Path) -> None:
    before = counted(tree)
    os.link(tmp_path / "place" / "inner" / "file", tmp_path / "place" / "again")
    assert counted(tree) == before


def test_counting_leaves_no_descriptor_open(tree: Space) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    counting = tree._found()
    next(counting)
    counting.close()  # type: ignore[attr-defined]
    counted(tree)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_excess_ends_everything(level: SandboxLevel, python: Inside) -> None:
    began = time.monotonic()
    source = "import os, signal, time\n" + "open('big', 'wb').write(bytes(3 << 20))\n" + "os.fork()\ntime.sleep(60)"
    assert python(level, source, limits=CommandLimits(disk_bytes=MIB)).failure == "disk"
    assert time.monotonic() - began < 5


def test_in_place_is_guarded_too(tmp_path: Path) -> None:
    argv = [
        str(Path(sys.executable).resolve()),
        "-I",
        "-S",
        "-c",
        "import time; open('x','wb').write(bytes(9 << 20)); time.sleep(9)",
    ]
    assert run_in_place(argv, root=tmp_path, limits=CommandLimits(disk_bytes=MIB)).failure == "disk"


def test_a_look_costs_little(tmp_path: Path) -> None:
    guard = Guard(root=os.getpid(), depth=0, limits=CommandLimits(), space=Space((tmp_path,)))
    took = []
    for _ in range(5):
        began = time.process_time()
        assert guard.look() is None
        took.append(time.process_time() - began)
    assert min(took) < 0.01  # a tenth of the pause between two


def test_what_has_ended_is_no_process() -> None:
    assert below(2**22 + 1, most=10) == []


def test_free_space_is_asked_for_where_the_limit_is_large() -> None:
    """Also by what takes space without writing; in memory, where nobody else takes as much meanwhile."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        outcome = run_in_place(
            ["/bin/sh", "-c", "fallocate -l 90M big; sleep 9"],
            root=Path(folder),
            limits=CommandLimits(seconds=5, disk_bytes=70 * MIB),
        )
    assert outcome.failure == "disk"


def test_what_is_written_is_asked_for_too(level: SandboxLevel, shell: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may free as much space at the same time as a command takes."""
    monkeypatch.setattr(Space, "shrunk", lambda self: (0, 0))
    script = "for i in 1 2 3; do head -c 30000000 /dev/zero > $i; done; sleep 9"
    outcome = shell(level, script, limits=CommandLimits(seconds=5, disk_bytes=70 * MIB))
    assert outcome.failure == "disk"


def test_what_is_written_again_and_again_counts_once(level: SandboxLevel, shell: Inside) -> None:
    script = "for i in 1 2 3 4; do head -c 30000000 /dev/zero > same; done; sleep 0.3"
    outcome = shell(level, script, limits=CommandLimits(disk_bytes=70 * MIB))
    assert (outcome.failure, outcome.exit_code) == (None, 0)
