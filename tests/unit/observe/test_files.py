"""observe/files.py"""

import os
import resource
import socket
import stat
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import LimitExceeded, OutputError, UnreadableInput
from in_toto_done_receipt.observe import files
from in_toto_done_receipt.observe.files import read_file, write_atomic


def test_read_file_gives_all_bytes(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(b"x" * 3_000_000)
    assert read_file(path, limit=3_000_000, what="receipt") == b"x" * 3_000_000


def test_read_file_follows_a_link_the_user_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    assert read_file(tmp_path / "link", limit=1, what="key") == b"1"


def test_read_file_over_the_limit_names_limit_and_size(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(b"12345")
    with pytest.raises(LimitExceeded, match=r"receipt\.json: limit payload-bytes is 4, got 5"):
        read_file(path, limit=4, what="receipt", limit_name="payload-bytes")


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _fifo_behind_link(path: Path) -> None:
    os.mkfifo(path.with_name("fifo"))
    path.symlink_to("fifo")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        pytest.param(lambda path: None, "no such file", id="missing"),
        pytest.param(Path.mkdir, "is a directory", id="directory"),
        pytest.param(_fifo, "is a FIFO", id="fifo"),
        pytest.param(_fifo_behind_link, "is a FIFO", id="link-to-fifo"),
        pytest.param(_socket, "is a socket", id="socket"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), "is a character device", id="endless-device"),
        pytest.param(lambda path: path.symlink_to(path), "symbolic links", id="link-to-itself"),
        pytest.param(lambda path: path.symlink_to("/proc/self/status"), "changed while", id="size-0-with-content"),
    ],
)
def test_read_file_refuses(tmp_path: Path, make: object, fault: str) -> None:
    path = tmp_path / "given"
    make(path)  # type: ignore[operator]
    with pytest.raises(UnreadableInput, match=fault):
        read_file(path, limit=1000, what="receipt")


def test_read_file_with_a_nul_in_its_name_is_unreadable() -> None:
    with pytest.raises(UnreadableInput, match="null"):
        read_file(Path("a\0b"), limit=1, what="receipt")


def test_read_file_escapes_the_name(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"a\\x1bb"):
        read_file(tmp_path / "a\x1bb", limit=1, what="receipt")


def test_read_file_growing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"12")
    read = os.read

    def read_and_grow(fd: int, size: int) -> bytes:
        with path.open("ab") as log:
            log.write(b"3")
        return read(fd, size)

    monkeypatch.setattr(os, "read", read_and_grow)
    with pytest.raises(UnreadableInput, match="changed while it was read: 2 bytes"):
        read_file(path, limit=1000, what="log")


def _listing(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_write_atomic_writes_with_mode_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_atomic(tmp_path / "key.pem", b"secret", mode=0o600)
    assert (tmp_path / "key.pem").read_bytes() == b"secret"
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600
    assert _listing(tmp_path) == ["key.pem"]


def test_write_atomic_replaces_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old and longer")
    with path.open("rb") as old:
        write_atomic(path, b"new")
        assert old.read() == b"old and longer"
    assert path.read_bytes() == b"new"


def test_write_atomic_takes_the_longest_name(tmp_path: Path) -> None:
    write_atomic(tmp_path / ("é" * 127), b"1")
    assert _listing(tmp_path) == ["é" * 127]


def test_write_atomic_without_replace_keeps_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(b"old")
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        write_atomic(path, b"new", replace=False)
    assert path.read_bytes() == b"old"
    assert _listing(tmp_path) == ["key.pem"]


def test_write_atomic_without_replace_loses_a_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key.pem"
    monkeypatch.setattr(files, "_check_target", lambda *given, **named: path.write_bytes(b"other"))
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        write_atomic(path, b"new", replace=False)
    assert path.read_bytes() == b"other"
    assert _listing(tmp_path) == ["key.pem"]


@pytest.mark.parametrize("replace", [True, False])
def test_write_atomic_works_without_unnamed_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replace: bool
) -> None:
    monkeypatch.setattr(files, "_open_unnamed", lambda folder, mode: None)
    write_atomic(tmp_path / "out", b"new", replace=replace)
    assert (tmp_path / "out").read_bytes() == b"new"
    assert _listing(tmp_path) == ["out"]


def test_write_atomic_says_when_a_file_would_be_too_large(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    (tmp_path / "out").write_bytes(b"old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with pytest.raises(OutputError, match="out cannot be written: file too large"):
            write_atomic(tmp_path / "out", b"x" * (1 << 17))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "out").read_bytes() == b"old"
    assert _listing(tmp_path) == ["out"]


def test_write_atomic_without_replace_works_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*given: object, **named: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_atomic(tmp_path / "key.pem", b"new", replace=False)
    assert (tmp_path / "key.pem").read_bytes() == b"new"
    assert _listing(tmp_path) == ["key.pem"]


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        pytest.param(lambda path: path.symlink_to("elsewhere"), "is a symbolic link", id="link"),
        pytest.param(Path.mkdir, "is a directory", id="directory"),
        pytest.param(_fifo, "is a FIFO", id="fifo"),
    ],
)
def test_write_atomic_refuses(tmp_path: Path, make: object, fault: str) -> None:
    path = tmp_path / "out"
    make(path)  # type: ignore[operator]
    with pytest.raises(OutputError, match=fault):
        write_atomic(path, b"1")
    assert _listing(tmp_path) == ["out"]


def test_write_atomic_refuses_a_device() -> None:
    with pytest.raises(OutputError, match="/dev/null is a character device"):
        write_atomic(Path("/dev/null"), b"1")


@pytest.mark.parametrize("name", ["missing/out", "..", "a\0b"], ids=["no-folder", "no-name", "nul"])
def test_write_atomic_to_nowhere_is_an_output_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError):
        write_atomic(tmp_path / name, b"1")


def test_write_atomic_that_fails_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="no space left on device"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert _listing(tmp_path) == ["out"]
