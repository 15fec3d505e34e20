"""Which executables may run: nobody but root and ourselves could have put them there, and not in the examined tree."""

import hashlib
import os
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.sandbox.executable import check_executable


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir(mode=0o755)
    path = folder / "tool"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def refused(argv0: str | Path, tree: Path) -> str:
    with pytest.raises(ObservationError) as caught:
        check_executable(str(argv0), outside=tree)
    return caught.value.kind


def test_system_executable_is_fine(tree: Path) -> None:
    facts = check_executable("/bin/sh", outside=tree)
    assert facts.path == Path("/bin/sh").resolve()
    assert facts.sha256 == hashlib.sha256(facts.path.read_bytes()).hexdigest()


def test_own_executable_is_fine(tool: Path, tree: Path) -> None:
    assert check_executable(str(tool), outside=tree).path == tool.resolve()


def test_link_of_our_own_is_followed(tool: Path, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("tools/../tools/tool")
    assert check_executable(f"{tmp_path}/link", outside=tree).path == tool.resolve()


@pytest.mark.parametrize("argv0", ["sh", "./sh", "bin/sh", "", "a\0b"])
def test_relative_path_is_refused(argv0: str, tree: Path) -> None:
    assert refused(argv0, tree) == "relative"


@pytest.mark.parametrize("argv0", ["/no/such/thing", "/bin/sh/x", "/usr/bin/no-such-thing", "/half/\ud800/x"])
def test_missing_executable_is_refused(argv0: str, tree: Path) -> None:
    assert refused(argv0, tree) == "missing"


def test_impossible_name_is_refused(tree: Path) -> None:
    assert refused("/" + "x" * 5000, tree) == "denied"


def test_message_shows_a_hostile_name_harmlessly(tree: Path) -> None:
    with pytest.raises(ObservationError) as caught:
        check_executable("/no\x1b[31m\n::error::", outside=tree)
    assert caught.value.message.isprintable()


def test_endless_link_is_refused(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert refused(tmp_path / "a", tree) == "missing"


@pytest.mark.parametrize("argv0", ["/usr", "/etc/passwd"], ids=["folder", "no right"])
def test_what_cannot_be_executed_is_refused(argv0: str, tree: Path) -> None:
    assert refused(argv0, tree) == "not_executable"


def test_fifo_is_refused(tree: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o700)
    assert refused(tmp_path / "fifo", tree) == "not_executable"


def test_executable_in_the_tree_is_refused(tool: Path) -> None:
    assert refused(tool, tool.parent) == "in_tree"


def test_link_out_of_the_tree_is_refused(tree: Path) -> None:
    (tree / "sh").symlink_to("/bin/sh")
    assert refused(tree / "sh", tree) == "in_tree"


def test_link_into_the_tree_is_refused(tool: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tool)
    assert refused(tmp_path / "link", tool.parent) == "in_tree"


def test_link_through_the_tree_is_refused(tree: Path, tmp_path: Path) -> None:
    (tree / "hop").symlink_to("/bin")
    (tmp_path / "link").symlink_to(tree / "hop" / "sh")
    assert refused(tmp_path / "link", tree) == "in_tree"


def test_tree_named_by_a_link_is_recognised(tool: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(tool.parent)
    assert refused(tool, tmp_path / "alias") == "in_tree"


@pytest.mark.parametrize("mode", [0o757, 0o777], ids=["others", "all"])
def test_file_that_others_can_write_is_refused(tool: Path, tree: Path, mode: int) -> None:
    tool.chmod(mode)
    assert refused(tool, tree) == "writable_by_others"


def test_folder_that_others_can_write_is_refused(tool: Path, tree: Path) -> None:
    tool.parent.chmod(0o777)
    assert refused(tool, tree) == "writable_by_others"


def test_shared_folder_with_the_sticky_bit_is_fine(tool: Path, tree: Path) -> None:
    tool.parent.chmod(0o1777)
    assert check_executable(str(tool), outside=tree).path == tool.resolve()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_executable_of_somebody_else_is_refused(tool: Path, tree: Path, what: str) -> None:
    os.chown(tool if what == "file" else tool.parent, 12345, 0)
    assert refused(tool, tree) == "writable_by_others"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_executable_that_a_group_can_write_is_refused(tool: Path, tree: Path, what: str) -> None:
    path = tool if what == "file" else tool.parent
    os.chown(path, 0, 12345)
    path.chmod(0o775)
    assert refused(tool, tree) == "writable_by_others"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_roots_group_may_write(tool: Path, tree: Path) -> None:
    tool.chmod(0o775)
    assert check_executable(str(tool), outside=tree).path == tool.resolve()
