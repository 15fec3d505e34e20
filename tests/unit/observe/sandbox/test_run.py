"""What a command gets, and how its end is told: the same at every level."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError, ObservationError
from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run, run_in_place
from in_toto_done_receipt.results.model import SandboxLevel

Inside = Callable[..., CommandOutcome]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 137", 137),
        ("kill -9 $$", -9),
        ("kill -TERM $$", -15),
        ("kill -SEGV $$", -11),
    ],
    ids=["success", "failure", "looks like a signal", "SIGKILL", "SIGTERM", "SIGSEGV"],
)
def test_exit_code_is_the_commands(level: SandboxLevel, shell: Inside, script: str, code: int) -> None:
    outcome = shell(level, script)
    assert (outcome.exit_code, outcome.failure) == (code, None)


def test_both_streams_are_captured(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, "printf out; printf error >&2")
    assert outcome.stdout_data == b"out"
    assert outcome.stdout.sha256 == hashlib.sha256(b"out").hexdigest()
    assert (outcome.stderr.bytes, outcome.stderr.excerpt) == (5, b"error")


def test_no_excerpt_is_kept_unless_asked_for(copy: Path) -> None:
    outcome = run(["/bin/echo", "secret"], copy=copy, level="rlimits")
    assert (outcome.stdout.bytes, outcome.stdout.excerpt) == (7, b"")


def test_environment_is_exactly_the_documented_one(
    level: SandboxLevel, python: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    outcome = python(level, "import os; print(*sorted(map('='.join, os.environ.items())), sep='\\n')")
    found = dict(line.split("=", 1) for line in outcome.stdout_data.decode().splitlines())
    assert set(found) == {"PATH", "LANG", "LC_ALL", "HOME", "TMPDIR"}
    assert (found["PATH"], found["LANG"], found["LC_ALL"]) == ("/usr/bin:/bin", "C.UTF-8", "C.UTF-8")


def test_home_and_tmpdir_can_be_written_and_are_gone_afterwards(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, 'echo x > "$HOME/a" && echo x > "$TMPDIR/b" && echo "$HOME" "$TMPDIR"')
    assert outcome.exit_code == 0
    assert [path for path in outcome.stdout_data.decode().split() if Path(path).exists()] == []


def test_named_variables_are_added(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, 'printf %s "$COLOUR"', variables={"COLOUR": "grün"})
    assert outcome.stdout_data == "grün".encode()


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_impossible_variable_is_refused(copy: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be set"):
        run(["/bin/true"], copy=copy, level="rlimits", variables={name: "x"})


def test_command_starts_in_the_copy_and_can_write_there(level: SandboxLevel, shell: Inside, copy: Path) -> None:
    (copy / "given").write_text("given")
    outcome = shell(level, "pwd -P; cat given; echo made > made")
    assert outcome.stdout_data.decode() == f"{copy.resolve()}\ngiven"
    assert (copy / "made").read_text() == "made\n"


def test_standard_input_is_closed(level: SandboxLevel, shell: Inside) -> None:
    assert shell(level, "cat; readlink /proc/self/fd/0").stdout_data == b"/dev/null\n"


def test_no_descriptor_is_inherited(level: SandboxLevel, python: Inside, tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        outcome = python(level, "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))")
    assert outcome.stdout_data == b"[0, 1, 2, 3]\n"  # 3 is the listing itself


def test_command_leads_a_session_of_its_own(level: SandboxLevel, python: Inside) -> None:
    assert python(level, "import os; print(os.getsid(0) == os.getpid())").stdout_data == b"True\n"


def test_signals_and_mask_are_the_usual_ones(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, "grep -E '^Sig(Blk|Ign)' /proc/self/status")
    # glibc's posix_spawn, which make uses, leaves its own signals 32 and 33 ignored; nobody can set them back.
    masks = [int(mask, 16) & ~(0b11 << 31) for mask in outcome.stdout_data.decode().split()[1::2]]
    assert masks == [0, 0]


def test_core_files_are_off(level: SandboxLevel, shell: Inside) -> None:
    assert shell(level, "ulimit -c").stdout_data == b"0\n"


def test_privileges_cannot_be_gained(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, "grep -E '^(NoNewPrivs|CapPrm|CapEff):' /proc/self/status")
    assert outcome.stdout_data.decode().split()[1::2] == [*["0000000000000000"] * 2, "1"]


def test_slow_command_is_killed(level: SandboxLevel, shell: Inside) -> None:
    began = time.monotonic()
    outcome = shell(level, "sleep 60", limits=CommandLimits(seconds=0.3))
    assert (outcome.failure, outcome.exit_code) == ("timeout", None)
    assert outcome.detail == "limit command-seconds is 0.3, got more"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("redirect", ["", ">&2"], ids=["stdout", "stderr"])
def test_endless_output_is_killed(level: SandboxLevel, shell: Inside, redirect: str) -> None:
    outcome = shell(level, f"exec yes {redirect}", limits=CommandLimits(stream_bytes=1000))
    assert (outcome.failure, outcome.exit_code) == ("output", None)
    assert 1000 in (outcome.stdout.bytes, outcome.stderr.bytes)


def test_output_up_to_the_limit_is_fine(level: SandboxLevel, shell: Inside) -> None:
    outcome = shell(level, "head -c 65536 /dev/zero")
    assert (outcome.exit_code, outcome.stdout.bytes) == (0, 65536)


def test_too_much_output_at_the_very_end_fails_too(level: SandboxLevel, shell: Inside) -> None:
    assert shell(level, "head -c 65537 /dev/zero").failure == "output"


def test_memory_is_bounded(level: SandboxLevel, python: Inside) -> None:
    outcome = python(level, "bytearray(300 << 20)", limits=CommandLimits(memory=200 << 20))
    assert outcome.exit_code == 1
    assert b"MemoryError" in outcome.stderr.excerpt


def test_file_size_is_bounded(level: SandboxLevel, shell: Inside, copy: Path) -> None:
    outcome = shell(level, "exec head -c 2000000 /dev/zero > big", limits=CommandLimits(file_bytes=1_000_000))
    assert outcome.exit_code == -25  # SIGXFSZ
    assert (copy / "big").stat().st_size == 1_000_000


def test_open_files_are_bounded(level: SandboxLevel, shell: Inside) -> None:
    assert shell(level, "ulimit -n", limits=CommandLimits(open_files=64)).stdout_data == b"64\n"


@pytest.mark.parametrize(
    ("argv", "detail"),
    [
        (["/usr/bin/no-such-thing"], "execute: No such file or directory"),
        (["/usr"], "execute: Permission denied"),
        (["sh", "-c", "true"], "executable 'sh' is not an absolute path"),
        (["/bin/echo", "a\0b"], "an argument holds a NUL"),
        (["/bin/echo", "\ud800"], "an argument holds half of a surrogate pair"),
        (["/" + "x" * 5000], "execute: File name too long"),
        (["/bin/echo", "x" * 200_000], "execute: Argument list too long"),
        ([], "no executable is named"),
    ],
    ids=["missing", "folder", "relative", "NUL", "surrogate", "long name", "long argument", "nothing"],
)
def test_what_cannot_start_says_why(level: SandboxLevel, copy: Path, argv: list[str], detail: str) -> None:
    outcome = run(argv, copy=copy, level=level)
    assert (outcome.failure, outcome.exit_code, outcome.detail) == ("not_started", None, detail)


def test_copy_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ObservationError, match="nothing is not a folder"):
        run(["/bin/true"], copy=tmp_path / "nothing", level="rlimits")


def test_file_without_a_loader_does_not_start(level: SandboxLevel, copy: Path) -> None:
    (copy / "junk").write_bytes(b"\0\1\2\3")
    (copy / "junk").chmod(0o755)
    outcome = run([str(copy / "junk")], copy=copy, level=level)
    assert (outcome.failure, outcome.detail) == ("not_started", "execute: Exec format error")


@pytest.mark.parametrize(
    ("path", "message"),
    [("relative", "is not absolute"), ("/no/such/place", "No such file or directory")],
    ids=["relative", "missing"],
)
def test_bad_read_only_path_is_refused(copy: Path, path: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        run(["/bin/true"], copy=copy, level="rlimits", read_only=(Path(path),))


def test_copy_can_be_shown_read_only(confined: SandboxLevel, shell: Inside, copy: Path) -> None:
    (copy / "given").write_text("given")
    attempts = "cat given; echo x > given; echo x > made; mkdir folder; rm given; chmod 777 .; ln -s / link"
    outcome = shell(confined, attempts, copy_read_only=True)
    assert outcome.stdout_data == b"given"
    assert [path.name for path in copy.iterdir()] == ["given"]
    assert (copy / "given").read_text() == "given"


def test_copy_cannot_be_shown_read_only_where_nothing_is_confined(shell: Inside, copy: Path) -> None:
    assert shell("rlimits", "echo x > made", copy_read_only=True).exit_code == 0
    assert (copy / "made").exists()


@pytest.mark.parametrize("read_only", [True, False])
def test_other_folders_can_be_written_and_stay(
    level: SandboxLevel, shell: Inside, tmp_path: Path, read_only: bool
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "link").symlink_to(work)
    for name in ("work", "link"):
        script = (
            f"mkdir {work}/{name}-made && echo x > {work}/{name}-made/file && mv {work}/{name}-made {work}/{name}-kept"
        )
        outcome = shell(level, script, writable=(tmp_path / name,), copy_read_only=read_only)
        assert (outcome.exit_code, (work / f"{name}-kept" / "file").exists()) == (0, True)


def test_folder_that_is_not_named_cannot_be_written(confined: SandboxLevel, shell: Inside, tmp_path: Path) -> None:
    for name in ("work", "other"):
        (tmp_path / name).mkdir()
    assert shell(confined, f": > {tmp_path}/other/x", writable=(tmp_path / "work",)).exit_code != 0


def test_writable_folder_below_a_read_only_one_can_be_written(
    confined: SandboxLevel, shell: Inside, tmp_path: Path
) -> None:
    inner = tmp_path / "tools" / "cache"
    inner.mkdir(parents=True)
    script = f"echo x > {inner}/made; echo x > {tmp_path}/tools/made; exit 0"
    outcome = shell(confined, script, read_only=(tmp_path / "tools",), writable=(inner,))
    assert outcome.exit_code == 0
    assert [path.name for path in (tmp_path / "tools").rglob("made")] == ["made"]
    assert (inner / "made").exists()


def test_writable_folder_must_be_one(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(ObservationError, match="nothing is not a folder"):
        run(["/bin/true"], copy=copy, level="rlimits", writable=(tmp_path / "nothing",))


@pytest.mark.parametrize("read_only", [True, False])
def test_command_can_start_below_the_copy(level: SandboxLevel, shell: Inside, copy: Path, read_only: bool) -> None:
    (copy / "a" / "b").mkdir(parents=True)
    outcome = shell(level, "pwd -P", cwd="a/b", copy_read_only=read_only)
    assert outcome.stdout_data.decode() == f"{copy.resolve()}/a/b\n"


@pytest.mark.parametrize(("cwd", "reason"), [("none", "No such file or directory"), ("file", "Not a directory")])
def test_folder_to_start_in_that_is_none_says_so(
    level: SandboxLevel, shell: Inside, copy: Path, cwd: str, reason: str
) -> None:
    (copy / "file").touch()
    outcome = shell(level, "exit 0", cwd=cwd)
    assert (outcome.failure, outcome.detail) == ("sandbox", f"chdir: {reason}")


def test_in_place_runs_in_the_work_with_a_scrubbed_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    outcome = run_in_place(["sh", "-c", "env; echo made > made"], root=tmp_path)
    assert b"hunter2" not in outcome.stdout_data
    assert (tmp_path / "made").exists()


def test_in_place_takes_names_from_the_system_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sh").write_text("#!/bin/sh\necho mine\n")
    (tmp_path / "sh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run_in_place(["sh", "-c", "echo theirs"], root=tmp_path).stdout_data == b"theirs\n"


def test_in_place_takes_a_path_from_the_root(tmp_path: Path) -> None:
    (tmp_path / "check.sh").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "check.sh").chmod(0o755)
    assert run_in_place(["./check.sh"], root=tmp_path).exit_code == 7
