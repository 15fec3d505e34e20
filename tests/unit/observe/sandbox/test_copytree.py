"""Copying a tree: faithful where it is honest, refused by name where it is not."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import LimitExceeded, ObservationError, OutputError, UsageError
from in_toto_done_receipt.observe.sandbox.copytree import copy_tree
from in_toto_done_receipt.observe.sandbox.model import CopyLimits


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "README").write_text("hello")
    (root / "src" / "run.sh").write_text("#!/bin/sh\n")
    (root / "src" / "run.sh").chmod(0o755)
    return root


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "copy"


def test_bytes_modes_and_times_are_kept(tree: Path, dest: Path) -> None:
    os.utime(tree / "README", ns=(1, 1_500_000_000_123_456_789))
    (tree / "src").chmod(0o555)
    copy_tree(tree, dest)
    assert (dest / "README").read_text() == "hello"
    assert (dest / "README").stat().st_mtime_ns == 1_500_000_000_123_456_789
    assert stat.S_IMODE((dest / "src" / "run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((dest / "src").stat().st_mode) == 0o555
    assert (dest / "src" / "deep").is_dir()


def test_set_user_id_and_sticky_bits_are_dropped(tree: Path, dest: Path) -> None:
    (tree / "src" / "run.sh").chmod(0o6755)
    (tree / "src" / "deep").chmod(0o1777)
    copy_tree(tree, dest)
    assert stat.S_IMODE((dest / "src" / "run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((dest / "src" / "deep").stat().st_mode) == 0o777


def test_large_file_is_copied(tree: Path, dest: Path) -> None:
    data = os.urandom(3 * 2**20 + 17)
    (tree / "large").write_bytes(data)
    copy_tree(tree, dest)
    assert (dest / "large").read_bytes() == data


@pytest.mark.parametrize(
    "name", [b"\xff\xfe", b"line\nbreak", b"-rf", b"\xc3\xbc"], ids=["bytes", "newline", "option", "u"]
)
def test_any_name_is_copied(tree: Path, dest: Path, name: bytes) -> None:
    Path(os.fsdecode(os.fsencode(tree) + b"/" + name)).write_text("x")
    copy_tree(tree, dest)
    assert name in [os.fsencode(path.name) for path in dest.iterdir()]


def test_only_the_roots_own_git_folder_is_left_out(tree: Path, dest: Path) -> None:
    (tree / ".git").mkdir()
    (tree / "src" / ".git").mkdir()
    copy_tree(tree, dest)
    assert sorted(path.name for path in dest.iterdir()) == ["README", "src"]
    assert (dest / "src" / ".git").is_dir()


def test_hard_links_become_files_of_their_own(tree: Path, dest: Path) -> None:
    os.link(tree / "README", tree / "twin")
    copy_tree(tree, dest)
    assert ((dest / "twin").read_text(), (dest / "twin").stat().st_nlink) == ("hello", 1)


def test_root_may_be_a_link_of_the_verifiers(tree: Path, dest: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tree)
    copy_tree(tmp_path / "link", dest)
    assert (dest / "README").exists()


@pytest.mark.parametrize("target", ["README", "./README", "src//run.sh", "nowhere", "src/deep/", "x" * 300])
def test_link_that_stays_inside_is_copied_as_it_is(tree: Path, dest: Path, target: str) -> None:
    (tree / "link").symlink_to(target)
    copy_tree(tree, dest)
    assert os.fspath((dest / "link").readlink()) == os.fspath(Path(target))


def test_link_up_to_the_root_is_copied(tree: Path, dest: Path) -> None:
    (tree / "src" / "deep" / "link").symlink_to("../../README")
    copy_tree(tree, dest)
    assert (dest / "src" / "deep" / "link").read_text() == "hello"


@pytest.mark.parametrize(
    ("place", "target", "fact"),
    [
        ("link", "/etc/passwd", "is absolute"),
        ("link", "..", "may leave the tree"),
        ("link", "../tree/README", "may leave the tree"),
        ("src/link", "../../x", "may leave the tree"),
        ("link", "src/../..", "may leave the tree"),
        ("link", "src/deep/../run.sh", "may leave the tree"),
        ("link", "././../x", "may leave the tree"),
    ],
)
def test_other_link_is_refused_by_name(tree: Path, dest: Path, place: str, target: str, fact: str) -> None:
    (tree / place).symlink_to(target)
    with pytest.raises(ObservationError, match=f"^{place} is a link to .*{fact}") as caught:
        copy_tree(tree, dest)
    assert caught.value.kind == "symlink"


def test_two_links_cannot_leave_the_tree_together(tree: Path, dest: Path) -> None:
    (tree / "src" / "deep" / "up").symlink_to("../..")
    (tree / "out").symlink_to("src/deep/up/../escaped")  # lexically src/deep/escaped, really ../escaped
    with pytest.raises(ObservationError, match=r"^out is a link"):
        copy_tree(tree, dest)


def make_socket(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)  # a socket's path may have 107 bytes only
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


@pytest.mark.parametrize("make", [os.mkfifo, make_socket], ids=["fifo", "socket"])
def test_special_file_is_refused_by_name(tree: Path, dest: Path, make: Callable[[Path], None]) -> None:
    make(tree / "src" / "special")
    with pytest.raises(ObservationError, match=r"^src/special is not a file, folder or link") as caught:
        copy_tree(tree, dest)
    assert caught.value.kind == "special"


def test_message_shows_a_hostile_name_harmlessly(tree: Path, dest: Path) -> None:
    os.mkfifo(tree / "a\x1b[31m\nok")
    with pytest.raises(ObservationError) as caught:
        copy_tree(tree, dest)
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (CopyLimits(entries=3), "copy-entries"),
        (CopyLimits(depth=1), "copy-depth"),
        (CopyLimits(total_bytes=6), "copy-bytes"),
    ],
    ids=["entries", "depth", "bytes"],
)
def test_limit_is_named(tree: Path, dest: Path, limits: CopyLimits, name: str) -> None:
    with pytest.raises(LimitExceeded, match=f"limit {name} is"):
        copy_tree(tree, dest, limits=limits)


def test_size_is_refused_before_anything_is_read(tree: Path, dest: Path) -> None:
    with (tree / "huge").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(LimitExceeded, match="huge: limit copy-bytes"):
        copy_tree(tree, dest)


def test_copy_inside_the_tree_is_refused(tree: Path) -> None:
    with pytest.raises(UsageError, match="would lie inside"):
        copy_tree(tree, tree / "src" / "copy")


def test_copy_onto_something_is_refused(tree: Path, dest: Path) -> None:
    dest.mkdir()
    with pytest.raises(OutputError, match="File exists"):
        copy_tree(tree, dest)


def test_missing_root_is_named(tmp_path: Path, dest: Path) -> None:
    with pytest.raises(ObservationError, match="nothing: No such file") as caught:
        copy_tree(tmp_path / "nothing", dest)
    assert caught.value.kind == "missing"


def test_file_that_is_longer_than_it_says_is_refused(dest: Path) -> None:
    """Files of /proc have size 0 and are read as more, like one that grows."""
    with pytest.raises(ObservationError, match="changed while the tree was copied") as caught:
        copy_tree(Path("/proc/sys/kernel/random"), dest)
    assert caught.value.kind == "changed"


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_unreadable_file_is_named(tree: Path, dest: Path) -> None:
    (tree / "README").chmod(0)
    with pytest.raises(ObservationError, match="README: Permission denied") as caught:
        copy_tree(tree, dest)
    assert caught.value.kind == "denied"
