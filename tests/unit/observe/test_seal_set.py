"""`SealSet`: sealed before a run, looked at after it; what the original never said is said here."""

import os
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.observe.seal_set import SealSet

PATTERNS = ("tests/**", "tests-extra/x", "conftest.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("tests/test_a.py", "tests/b/c", "tests-extra/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def seals(root: Path) -> SealSet:
    return SealSet.capture(root, PATTERNS)


def test_nothing_moved(root: Path, seals: SealSet) -> None:
    assert seals.changes(root) == ()
    assert seals.breach(root) is None


def test_entries_are_in_the_originals_order(seals: SealSet) -> None:
    assert list(seals.entries) == ["conftest.py", "tests/b/c", "tests/test_a.py", "tests-extra/x"]
    assert seals.entries["conftest.py"] is None
    assert seals.entries["tests/b/c"] is not None


def test_every_change_is_in_the_breach_in_that_order(root: Path, seals: SealSet) -> None:
    (root / "tests-extra/x").write_text("other")
    (root / "tests/test_a.py").unlink()
    (root / "conftest.py").write_text("import os")
    text = "conftest.py was created; tests/test_a.py was deleted; tests-extra/x was modified"
    assert seals.breach(root) == text


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_what_is_no_file_any_more_was_modified(root: Path, seals: SealSet, kind: str) -> None:
    path = root / "tests-extra/x"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(root / "tests/test_a.py")
    else:
        os.mkfifo(path)
    assert seals.breach(root) == "tests-extra/x was modified"


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_anything_at_an_absent_path_was_created(root: Path, seals: SealSet, kind: str) -> None:
    if kind == "folder":
        (root / "conftest.py").mkdir()
    else:
        (root / "conftest.py").symlink_to("nowhere")
    assert seals.breach(root) == "conftest.py was created"


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_a_seal_on_what_is_no_file_is_refused_by_name(root: Path, kind: str) -> None:
    path = root / "odd"
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("tests/test_a.py")
    else:
        os.mkfifo(path)
    with pytest.raises(ProducerError, match="odd"):
        SealSet.capture(root, ["odd"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused_then_and_later(root: Path, seals: SealSet) -> None:
    (root / "tests/test_a.py").chmod(0)
    with pytest.raises(ProducerError, match=r"tests/test_a\.py"):
        SealSet.capture(root, ["tests/test_a.py"])
    with pytest.raises(ProducerError, match=r"tests/test_a\.py"):
        seals.breach(root)


def test_a_glob_that_matches_nothing_is_refused(root: Path) -> None:
    with pytest.raises(ProducerError, match="matches nothing"):
        SealSet.capture(root, ["none/*.py"])


@pytest.mark.parametrize("missing", ["capture", "changes"])
def test_a_root_that_is_no_directory_is_an_error(root: Path, seals: SealSet, missing: str) -> None:
    with pytest.raises(ProducerError, match="does not exist"):
        SealSet.capture(root / "none", PATTERNS) if missing == "capture" else seals.changes(root / "none")


def test_entries_make_the_same_seals_again(root: Path, seals: SealSet) -> None:
    assert SealSet.of(seals.entries) == seals
