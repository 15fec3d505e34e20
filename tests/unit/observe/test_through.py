"""Paths that lead through a directory."""

from pathlib import Path

import pytest

from in_toto_done_receipt.observe.through import leads_through


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tree" / "folder").mkdir(parents=True)
    (tmp_path / "own").mkdir()
    for name in ("tree/file", "own/file", "trees"):
        (tmp_path / name).write_text("x")
    (tmp_path / "tree" / "out").symlink_to(tmp_path / "own")
    (tmp_path / "tree" / "out-file").symlink_to("../own/file")
    (tmp_path / "own" / "in").symlink_to(tmp_path / "tree" / "out")
    (tmp_path / "own" / "loop").symlink_to("loop")
    (tmp_path / "alias").symlink_to("tree")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        *("tree", "tree/file", "own/../tree/file", "alias/file", "tree/out-file", "tree/out/file", "own/in/file"),
        *("tree/missing", "tree/folder/../../own/file"),
    ],
)
@pytest.mark.parametrize("tree", ["tree", "alias", "own/../tree"])
def test_leads_through(place: Path, path: str, tree: str) -> None:
    assert leads_through(Path(path), Path(tree))
    assert leads_through(place / path, place / tree)


@pytest.mark.parametrize("path", ["own/file", "trees", "own/loop", "missing/x", "-", "own/\0"])
def test_leads_elsewhere(place: Path, path: str) -> None:
    assert not leads_through(Path(path), Path("tree"))
    assert not leads_through(place / path, place / "alias")
