"""Outputs when the machine, the disk or somebody else gets in the way: the old file or the new one, never half."""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from testdata.receipts import generate
from testdata.receipts.generate_changes import Case
from tests.cli.conftest import Cli
from tests.cli.killed import KILLED, Killer, killer
from tests.repositories.build import Repo
from tests.repositories.changes import Laid

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
KILLS: Final = 35  # of each of the six commands: 210 in all
FEWER: Final = 8
_LARGE: Final = 256 << 20  # bytes of a blob, which git and we read for more than half a second
BUILD = ["build", "--root", "workspace", "--agent", "a", "--finished-on", "2026-11-30T12:00:00Z", "--task"]
EVIDENCE = ["--claim", "c=it is there", "--file", "c=greeting.txt"]
VERIFY = ["verify", "receipt.json", "--trusted-key", "worker=../trust/worker.pub", "--root", "workspace", "--at"]

# What each command writes: the line that makes the old version, the line that makes the new one, the file.
WRITES: Final = {
    "seal": (
        ["seal", "--root", "workspace", "--path", "tests/**", "--out", "out/file"],
        ["seal", "--root", "workspace", "--path", "**", "--out", "out/file"],
    ),
    "build": (
        [*BUILD, "old", *EVIDENCE, "--out", "out/file"],
        [*BUILD, "new", *EVIDENCE, "--out", "out/file"],
    ),
    "sign": (
        ["sign", "old.json", "--key", "key.pem", "--out", "out/file"],
        ["sign", "new.json", "--key", "key.pem", "--out", "out/file"],
    ),
    "manifest": (
        ["manifest", "create", "--root", "workspace/tests", "--out", "out/file"],
        ["manifest", "create", "--root", "workspace", "--out", "out/file"],
    ),
    "verify": (
        [*VERIFY, "2026-11-30T13:00:00Z", "--output", "json=out/file"],
        [*VERIFY, "2026-11-30T13:00:01Z", "--output", "json=out/file"],
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An honest receipt with its workspace, two statements, a key and a folder for outputs."""
    folder = tmp_path_factory.mktemp("killed")
    shutil.copytree(CASES / "honest", folder / "honest")
    shutil.copytree(CASES / "trust", folder / "trust")
    place = folder / "honest"
    (place / "out").mkdir()
    for name in ("old", "new"):
        statement = generate.base()
        statement["predicate"]["task"]["description"] = name * 10_000
        (place / f"{name}.json").write_bytes(generate.payload_of(statement))
    return place


@pytest.fixture(scope="module")
def kill(place: Path) -> Iterator[Killer]:
    with killer(place) as running:
        assert running.run("keygen", "--out", "key") == 0
        yield running


def took(run: Callable[[], int]) -> float:
    began = time.monotonic()
    assert run() == 0
    return time.monotonic() - began


def killed_until(enough: int, duration: float, seed: str, once: Callable[[float], int]) -> int:
    """How many tries were killed before they had ended; stops when there are enough.

    Half of the moments lie anywhere in a command that takes so long, half near its end, where it writes. What a command
    takes changes with the load of the machine, so a try that ended by itself makes the next ones shorter.
    """
    random, kills = Random(seed), 0  # noqa: S311 - so that a failure can be repeated
    for number in range(20 * enough):
        share = random.uniform(0, 1) if number % 2 else random.uniform(0.7, 1.05)
        killed = once(share * duration) == KILLED
        duration *= 1.03 if killed else 0.9
        kills += killed
        if kills == enough:
            break
    return kills


@pytest.mark.parametrize("command", WRITES)
def test_killed_at_any_moment_the_old_file_or_the_new_one(kill: Killer, place: Path, command: str) -> None:
    old, new = WRITES[command]
    file = place / "out" / "file"
    versions = []
    for line in (old, new):
        assert kill.run(*line) == 0
        versions.append(file.read_bytes())
    duration = min(took(lambda: kill.run(*new)) for _ in range(3))

    def once(seconds: float) -> int:
        file.write_bytes(versions[0])
        code = kill.run(*new, seconds=seconds)
        assert file.read_bytes() in versions, "half a file"
        for left in file.parent.iterdir():  # at most a whole new file, and only beside an old one that was there
            assert left == file or (left.name.endswith(".tmp") and left.read_bytes() == versions[1])
            if left != file:
                left.unlink()
        return code

    assert versions[0] != versions[1]
    assert killed_until(KILLS, duration, command, once) == KILLS


@pytest.mark.parametrize("command", WRITES)
def test_killed_at_any_moment_the_new_file_or_none(kill: Killer, place: Path, command: str) -> None:
    """Where nothing was before there is not even a temporary file: a file has no name until it is whole."""
    _, new = WRITES[command]
    file = place / "out" / "file"
    duration = min(took(lambda: kill.run(*new)) for _ in range(2))
    whole = file.read_bytes()

    def once(seconds: float) -> int:
        file.unlink(missing_ok=True)
        code = kill.run(*new, seconds=seconds)
        assert [left.read_bytes() for left in file.parent.iterdir()] in ([], [whole])
        return code

    assert killed_until(FEWER, duration, command, once) == FEWER


def test_keygen_killed_at_any_moment_leaves_a_pair_or_no_secret(kill: Killer, place: Path) -> None:
    folder = place / "keys"
    folder.mkdir()
    duration = min(took(partial(kill.run, "keygen", "--out", f"keys/measured{number}")) for number in range(3))
    shutil.rmtree(folder)

    def once(seconds: float) -> int:
        folder.mkdir()
        code = kill.run("keygen", "--out", "keys/worker", seconds=seconds)
        left = {path.name: path for path in folder.iterdir()}
        assert left.keys() in ({"worker.pem", "worker.pub"}, {"worker.pub"}, set())
        if public := left.get("worker.pub"):
            load_pem_public_key(public.read_bytes())
        if private := left.get("worker.pem"):
            assert stat.S_IMODE(private.stat().st_mode) == 0o600
            key = load_pem_private_key(private.read_bytes(), None).public_key()
            assert key == load_pem_public_key(left["worker.pub"].read_bytes())
        shutil.rmtree(folder)
        return code

    assert killed_until(KILLS, duration, "keygen", once) == KILLS


# --- a disk that is full, a folder that is read-only, something else in the file's place ----------------------------


@pytest.fixture
def mounted(place: Path) -> Callable[..., tuple[int, str]]:
    """Runs a shell script in a mount namespace of its own, with a small or read-only disk at `disk`."""
    (place / "disk").mkdir(exist_ok=True)

    def run(options: str, script: str) -> tuple[int, str]:
        mount = f"mount -t tmpfs -o {options} none disk"
        own = ["unshare", "--user", "--map-root-user", "--mount"]
        if subprocess.run([*own, "sh", "-c", mount], cwd=place, capture_output=True, check=False).returncode:
            pytest.skip("this machine gives no mount namespace")
        command = f'receipt() {{ "{sys.executable}" -I -m in_toto_done_receipt "$@"; }}; {mount} && {script}'
        ended = subprocess.run(
            [*own, "sh", "-c", command],
            cwd=place,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return ended.returncode, ended.stdout

    return run


def quoted(command: str) -> str:
    """The line of a command, with its output on the small disk."""
    line = [part.replace("out/file", "disk/file") for part in WRITES[command][1]]
    return "receipt " + " ".join(f"'{part}'" for part in line)


FILL = "printf old > disk/file; head -c 1000000 /dev/zero > disk/filler 2> /dev/null;"


@pytest.mark.parametrize("command", WRITES)
def test_disk_full_keeps_the_old_file(mounted: Callable[..., tuple[int, str]], kill: Killer, command: str) -> None:
    code, said = mounted("size=64k", f"{FILL} {quoted(command)}; code=$?; ls -A disk; cat disk/file; exit $code")
    assert code == 4
    assert "error: disk/file cannot be written: no space left on device" in said
    assert said.endswith("file\nfiller\nold")


def test_disk_full_leaves_no_key(mounted: Callable[..., tuple[int, str]]) -> None:
    code, said = mounted("size=64k", f"{FILL} receipt keygen --out disk/key; code=$?; ls -A disk; exit $code")
    assert code == 4
    assert "cannot be written: no space left on device" in said
    assert said.endswith("file\nfiller\n")


@pytest.mark.parametrize("command", WRITES)
def test_read_only_folder_is_named(mounted: Callable[..., tuple[int, str]], kill: Killer, command: str) -> None:
    code, said = mounted("ro", quoted(command))
    assert code == 4
    assert "error: disk/file cannot be written: read-only file system" in said


@pytest.mark.parametrize("command", [*WRITES, "recompute"])
def test_full_standard_output_is_an_error(kill: Killer, place: Path, command: str) -> None:
    line = [part.removeprefix("json=").replace("out/file", "-") for part in WRITES.get(command, WRITES["verify"])[1]]
    line = [command, *line[1:-2]] if command == "recompute" else line
    line = [*line[:-2], "--json"] if command == "verify" else line
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-I", "-m", "in_toto_done_receipt", *line],
            cwd=place,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 4
    assert "error: standard output cannot be written: no space left on device" in ended.stderr


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        pytest.param(_link, "is a symbolic link, and is left alone", id="link"),
        pytest.param(os.mkfifo, "is a FIFO, and is left alone", id="fifo"),
        pytest.param(Path.mkdir, "is a directory, and is left alone", id="directory"),
    ],
)
@pytest.mark.parametrize("command", WRITES)
def test_something_else_in_the_place_is_left_alone(
    cli: Cli,
    kill: Killer,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    make: Callable[[Path], None],
    fault: str,
) -> None:
    monkeypatch.chdir(place)
    out = Path("out")
    shutil.rmtree(out)
    out.mkdir()
    make(out / "file")
    before = (out / "file").lstat()
    ended = cli(*WRITES[command][1])
    assert ended.code == 4
    assert f"error: out/file {fault}" in ended.err
    assert (out / "file").lstat() == before
    assert [path.name for path in out.iterdir()] == ["file"]
    shutil.rmtree(out)
    out.mkdir()


@pytest.mark.parametrize("command", WRITES)
def test_a_device_is_left_alone(
    cli: Cli, kill: Killer, place: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(place)
    ended = cli(*(part.replace("out/file", "/dev/null") for part in WRITES[command][1]))
    assert ended.code == 4
    assert "error: /dev/null is a character device, and is left alone" in ended.err


# --- several at once ------------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from in_toto_done_receipt.observe.files import write_atomic
path, mine = Path(sys.argv[1]), sys.argv[2].encode() * 300_000
for _ in range(50):
    write_atomic(path, mine)
"""


def test_of_two_writers_one_whole_version_wins(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole = {letter.encode() * 300_000 for letter in "ab"}
    path.write_bytes(b"a" * 300_000)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, letter]) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add(path.read_bytes())
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen | {path.read_bytes()} <= whole
    assert [left.name for left in tmp_path.iterdir()] == ["file"]


def test_of_several_key_makers_one_wins_with_both_halves(tmp_path: Path) -> None:
    line = [sys.executable, "-I", "-m", "in_toto_done_receipt", "keygen", "--out", str(tmp_path / "key")]
    makers = [subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    for maker in makers:
        maker.communicate()
    assert sorted(maker.returncode for maker in makers) == [0, 4, 4, 4]
    private = load_pem_private_key((tmp_path / "key.pem").read_bytes(), None)
    assert private.public_key() == load_pem_public_key((tmp_path / "key.pub").read_bytes())


# --- a verification that is stopped ---------------------------------------------------------------------------------


def _processes(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def _until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def _sleeping_receipt(folder: Path, seconds: str) -> None:
    statement = generate.base()
    item = generate.command_item(["/bin/sleep", seconds])
    statement["predicate"]["claims"][0]["evidence"].append(item)
    text = generate.pretty(generate.envelope(generate.payload_of(statement)))
    (folder / "sleeps.json").write_text(text)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_a_stopped_verification_leaves_neither_processes_nor_scratch(
    tmp_path: Path, place: Path, how: signal.Signals
) -> None:
    seconds = f"19.{how.value:02}{os.getpid()}"  # tells our command from anybody's
    _sleeping_receipt(place, seconds)
    (tmp_path / "scratch").mkdir()
    line = ["verify", "sleeps.json", *VERIFY[2:], generate.NOW, "--output", "json=stopped.json"]
    line += ["--recheck-commands", "--allow-command", f"/bin/sleep {seconds}", "--sandbox", "rlimits"]
    verification = subprocess.Popen(
        [sys.executable, "-I", "-m", "in_toto_done_receipt", *line],
        cwd=place,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert _until(lambda: len(_processes(f"sleep\0{seconds}")) > 0 or verification.poll() is not None)
    assert list((tmp_path / "scratch").iterdir()), verification.communicate()
    verification.send_signal(how)
    out, err = verification.communicate(timeout=30)
    assert (verification.returncode, out, err.strip()) == (130, "", "interrupted")
    assert _processes(f"sleep\0{seconds}") == []
    assert list((tmp_path / "scratch").iterdir()) == []
    assert not (place / "stopped.json").exists()


def _sleeping_change(folder: Path, seconds: str) -> list[str]:
    """The words of a verification of a change in git, which runs a command on the written tree."""
    case = Case(why="")
    laid = Laid(case, folder)
    statement = case.statement(laid.repo, laid.ids)
    statement["predicate"]["claims"][0]["evidence"].append(generate.command_item(["/bin/sleep", seconds]))
    text = generate.pretty(generate.envelope(generate.payload_of(statement)))
    (folder / "receipt.json").write_text(text)
    return ["verify", *laid.words("--recheck-commands", "--allow-command", f"/bin/sleep {seconds}")]


def _large_blob(folder: Path) -> list[str]:
    """The words of an inventory that reads a file for a good while."""
    repo = Repo(folder / "repo")
    packer, digest = zlib.compressobj(1), hashlib.sha1(b"blob %d\0" % _LARGE, usedforsecurity=False)
    data = packer.compress(b"blob %d\0" % _LARGE)
    for _ in range(_LARGE >> 20):
        digest.update(bytes(1 << 20))
        data += packer.compress(bytes(1 << 20))
    blob = digest.hexdigest()
    (repo.git_dir / "objects" / blob[:2]).mkdir()
    (repo.git_dir / "objects" / blob[:2] / blob[2:]).write_bytes(data + packer.flush())
    commit = repo.loose_commit(repo.loose_tree([("100644", b"large", blob)]))
    return ["manifest", "create", "--repo", str(repo.path), "--head", commit, "--out", str(folder / "out.json")]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
@pytest.mark.parametrize("doing", ["reading", "running"])
def test_a_stopped_look_at_a_repository_leaves_neither_git_nor_scratch(
    tmp_path: Path, doing: str, how: signal.Signals
) -> None:
    seconds = f"18.{how.value:02}{os.getpid()}"
    line = _large_blob(tmp_path) if doing == "reading" else _sleeping_change(tmp_path, seconds)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-c", "import sys; from in_toto_done_receipt.cli.main import main; main(sys.argv[1:])", *line],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    mark = f"sleep\0{seconds}" if doing == "running" else "cat-file\0--batch-command"
    assert _until(lambda: bool(set(_processes(mark)) & _family(running.pid)) or running.poll() is not None)
    assert list(scratch.iterdir()), running.communicate()
    before = _family(running.pid)
    running.send_signal(how)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err.strip()) == (130, "", "interrupted")
    assert len(before) > 1
    assert _until(lambda: not any((Path("/proc") / str(pid)).exists() for pid in before))
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "out.json").exists()


def _parents() -> dict[int, int]:
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return found


def _family(ancestor: int) -> set[int]:
    """The process and all that it started, and they."""
    parents, family = _parents(), {ancestor}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


# --- an output over an input ----------------------------------------------------------------------------------------

OVER: Final = {
    "sign over its key": (["sign", "new.json", "--key", "key.pem", "--out", "key.pem"], "key.pem"),
    "sign over its statement": (["sign", "new.json", "--key", "key.pem", "--out", "./new.json"], "new.json"),
    "build over what it looks at": (
        [*BUILD, "t", *EVIDENCE, "--out", "workspace/greeting.txt"],
        "workspace/greeting.txt",
    ),
    "verify over its receipt": ([*VERIFY, generate.NOW, "--output", "json=receipt.json"], "receipt.json"),
    "verify over its key": ([*VERIFY, generate.NOW, "--output", "json=../trust/worker.pub"], "../trust/worker.pub"),
    "recompute over its receipt": (
        ["recompute", *VERIFY[1:], generate.NOW, "--out", "receipt.json"],
        "receipt.json",
    ),
}


@pytest.mark.parametrize("case", OVER)
def test_an_output_never_replaces_what_its_command_reads(
    cli: Cli, kill: Killer, place: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.chdir(place)
    line, kept = OVER[case]
    before = Path(kept).read_bytes()
    ended = cli(*line)
    assert ended.code == 2
    assert "is a file that this command reads" in ended.err
    assert Path(kept).read_bytes() == before
