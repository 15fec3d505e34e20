"""Private folders, and removing whatever a command has made of them."""

import os
import stat
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import OutputError
from in_toto_done_receipt.observe.sandbox.scratch import remove_tree, scratch


def test_scratch_is_private_and_gone_at_the_end() -> None:
    with scratch() as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        (path / "file").write_text("x")
    assert not path.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_scratch_is_gone_after_an_exception(error: type[BaseException]) -> None:
    with pytest.raises(error), scratch() as path:
        raise error
    assert not path.exists()


def test_scratch_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/dev/null")
    with pytest.raises(OutputError, match="/dev/null: no scratch folder"), scratch():
        pass


def test_very_deep_tree_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deeper than Python recurses and than a path can be. In memory where possible: much faster."""
    if Path("/dev/shm").is_dir():  # noqa: S108
        monkeypatch.setattr("tempfile.tempdir", "/dev/shm")  # noqa: S108
    with scratch() as top:
        make_deep(top, 1200)
    assert not top.exists()


def make_deep(top: Path, depth: int) -> None:
    here = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 10, dir_fd=here)
        inner = os.open("d" * 10, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def test_folders_without_any_right_are_removed(tmp_path: Path) -> None:
    inner = tmp_path / "top" / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    for folder in (inner, inner.parent, inner.parent.parent):
        folder.chmod(0)
    remove_tree(tmp_path / "top")
    assert not (tmp_path / "top").exists()


def test_removing_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir(mode=0o755)
    (tmp_path / "precious" / "file").write_text("x")
    top = tmp_path / "top"
    (top / "a").mkdir(parents=True)
    for place in (top / "link", top / "a" / "link"):
        place.symlink_to(tmp_path / "precious")
    os.mkfifo(top / "a" / "fifo")
    remove_tree(top)
    assert not top.exists()
    assert (tmp_path / "precious" / "file").read_text() == "x"
    assert stat.S_IMODE((tmp_path / "precious").stat().st_mode) == 0o755


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    remove_tree(tmp_path / "nothing")
