"""The manifest beside a receipt."""

from pathlib import Path

import pytest

from in_toto_done_receipt.errors import MalformedInput, UsageError, WorkMoved
from in_toto_done_receipt.observe.manifest.scan import scan
from in_toto_done_receipt.producer.inventory import MAX_NAMED, demand_same, manifest_given, path_inside


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "x").write_text("1")
    return folder


def test_it_is_named_after_its_place(root: Path, tmp_path: Path) -> None:
    data = scan(root).canonical()
    inside = manifest_given(data, path=root / "sub" / "m.json", root=root, out=None)
    outside = manifest_given(data, path=tmp_path / "m.json", root=root, out=None)
    assert (inside.name, inside.exclude) == ("sub/m.json", frozenset({"sub/m.json"}))
    assert (outside.name, outside.exclude) == ("m.json", frozenset())


def test_it_must_be_the_roots(root: Path) -> None:
    given = manifest_given(scan(root).canonical(), path=root / "m.json", root=root, out=None)
    (root / "m.json").write_text("itself")
    demand_same(given, root)
    (root / "y").write_text("2")
    with pytest.raises(WorkMoved, match="unexpected: y"):
        demand_same(given, root)


def test_many_differences_are_counted(root: Path) -> None:
    given = manifest_given(scan(root).canonical(), path=root / "m.json", root=root, out=None)
    for number in range(MAX_NAMED + 5):
        (root / f"new{number:03}").write_text("")
    with pytest.raises(WorkMoved, match="and 5 more"):
        demand_same(given, root)


def test_it_is_read_strictly(root: Path) -> None:
    with pytest.raises(MalformedInput):
        manifest_given(b"{}", path=root / "m.json", root=root, out=None)


@pytest.mark.parametrize(("out", "fine"), [("receipt.json", True), ("m.json", True), ("s.json", False), ("../s", True)])
def test_where_a_receipt_may_go(root: Path, out: str, fine: bool) -> None:
    data = scan(root).canonical()
    if fine:
        manifest_given(data, path=root / "m.json", root=root, out=root / out)
        return
    with pytest.raises(UsageError, match="lies among the files"):
        manifest_given(data, path=root / "m.json", root=root, out=root / out)


def test_path_inside(root: Path) -> None:
    (root / "link").symlink_to("..")
    assert path_inside(root / "a" / "b", root) == "a/b"
    assert path_inside(root, root) is None
    assert path_inside(root / "link" / "x", root) is None
    assert path_inside(root / "a" / ".." / "b", root) == "b"
