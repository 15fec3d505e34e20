"""observe/workspace.py"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file").write_bytes(b"12")
    (root / "outside").symlink_to("/etc")
    (root / "linked").symlink_to("sub")
    (root / "sub" / "link").symlink_to("file")
    os.mkfifo(root / "fifo")
    return root


@pytest.fixture
def ws(tree: Path) -> Iterator[DirectoryWorkspace]:
    with DirectoryWorkspace(tree) as workspace:
        yield workspace


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("sub", "directory"),
        ("sub/file", "file"),
        ("sub/link", "symlink"),
        ("linked", "symlink"),
        ("fifo", "other"),
        ("nothing", "absent"),
        ("sub/file/below", "absent"),
        ("nothing/below", "absent"),
        ("n" * 300, "absent"),
    ],
)
def test_type_of(ws: DirectoryWorkspace, path: str, kind: str) -> None:
    assert ws.type_of(path) == kind


@pytest.mark.parametrize("path", ["outside/passwd", "linked/file"])
def test_no_link_is_followed_on_the_way(ws: DirectoryWorkspace, path: str) -> None:
    with pytest.raises(ObservationError, match="symbolic link") as caught:
        ws.type_of(path)
    assert caught.value.kind == "symlink"


@pytest.mark.parametrize("path", ["/etc/passwd", "../root", "sub/..", "./sub", "sub//file", "sub/", "a\0b", "\ud800"])
def test_a_path_that_is_not_relative_and_normal_is_refused(ws: DirectoryWorkspace, path: str) -> None:
    with pytest.raises(ObservationError) as caught:
        ws.type_of(path)
    assert caught.value.kind == "other"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("nothing", "missing"),
        ("sub", "directory"),
        ("sub/link", "symlink"),
        ("linked/file", "symlink"),
        ("fifo", "special"),
        ("sub/file/below", "missing"),
    ],
)
def test_open_file_refuses(ws: DirectoryWorkspace, path: str, kind: str) -> None:
    with pytest.raises(ObservationError) as caught, ws.open_file(path):
        pass
    assert caught.value.kind == kind


def test_open_file_exchanged_between_look_and_open_is_changed(
    ws: DirectoryWorkspace, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def exchanging(path: object, flags: int, *rest: object, **named: object) -> int:
        if path == b"file":
            (tree / "sub" / "new").write_bytes(b"34")
            (tree / "sub" / "new").rename(tree / "sub" / "file")
        return real(path, flags, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", exchanging)
    with pytest.raises(ObservationError, match="exchanged") as caught, ws.open_file("sub/file"):
        pass
    assert caught.value.kind == "changed"


def test_open_file_that_became_a_fifo_does_not_hang(
    ws: DirectoryWorkspace, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def exchanging(path: object, flags: int, *rest: object, **named: object) -> int:
        if path == b"file":
            (tree / "sub" / "file").unlink()
            os.mkfifo(tree / "sub" / "file")
        return real(path, flags, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", exchanging)
    with pytest.raises(ObservationError, match="FIFO") as caught, ws.open_file("sub/file"):
        pass
    assert caught.value.kind == "special"


@pytest.mark.parametrize("after", [b"", b"1", b"123"], ids=["emptied", "shorter", "longer"])
def test_a_file_that_changes_while_it_is_read_is_changed(ws: DirectoryWorkspace, tree: Path, after: bytes) -> None:
    with pytest.raises(ObservationError) as caught, ws.open_file("sub/file") as view:
        (tree / "sub" / "file").write_bytes(after)
        while view.readinto(memoryview(bytearray(10))):
            pass
    assert caught.value.kind == "changed"


def test_a_file_overwritten_after_it_was_read_is_changed(ws: DirectoryWorkspace, tree: Path) -> None:
    os.utime(tree / "sub" / "file", (0, 0))
    with pytest.raises(ObservationError) as caught, ws.open_file("sub/file") as view:
        while view.readinto(memoryview(bytearray(10))):
            pass
        (tree / "sub" / "file").write_bytes(b"21")
    assert caught.value.kind == "changed"


def test_entries_are_sorted_and_typed(ws: DirectoryWorkspace) -> None:
    assert ws.entries("") == [("fifo", "other"), ("linked", "symlink"), ("outside", "symlink"), ("sub", "directory")]
    assert ws.entries("sub") == [("file", "file"), ("link", "symlink")]


def test_entries_of_a_link_are_refused(ws: DirectoryWorkspace) -> None:
    with pytest.raises(ObservationError, match="linked"):
        ws.entries("linked")


def test_entry_that_is_not_utf8_can_be_opened_again(ws: DirectoryWorkspace, tree: Path) -> None:
    (tree / os.fsdecode(b"caf\xe9")).write_bytes(b"")
    assert ("caf\udce9", "file") in ws.entries("")
    assert ws.type_of("caf\udce9") == "file"


def test_the_root_stays_the_directory_that_was_opened(tree: Path) -> None:
    with DirectoryWorkspace(tree) as workspace:
        tree.rename(tree.with_name("moved"))
        tree.mkdir()
        assert workspace.type_of("sub/file") == "file"


def test_a_linked_root_is_resolved_once(tree: Path) -> None:
    link = tree.with_name("link")
    link.symlink_to(tree)
    with DirectoryWorkspace(link) as workspace:
        link.unlink()
        assert workspace.type_of("sub/file") == "file"


@pytest.mark.parametrize(("name", "kind"), [("nothing", "missing"), ("file", "other"), ("a\0b", "other")])
def test_a_root_that_is_no_directory_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ObservationError) as caught:
        DirectoryWorkspace(tmp_path / name)
    assert caught.value.kind == kind


def test_no_descriptor_is_left_open(ws: DirectoryWorkspace) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a snapshot, not a walk
    for path in ("sub/file", "sub/link", "fifo", "nothing", "linked/file", "sub/file/x"):
        for look in (ws.type_of, ws.entries):
            try:
                look(path)
            except ObservationError:
                continue
        try:
            with ws.open_file(path):
                pass
        except ObservationError:
            continue
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
