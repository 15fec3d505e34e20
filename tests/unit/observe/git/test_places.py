"""Where a repository keeps itself; nothing of its configuration is read, nothing can hang."""

import os
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.places import find_places, find_stores
from in_toto_done_receipt.observe.git.view import make_view
from tests.repositories.build import Repo

LIMITS = GitLimits()


def stores(path: Path, *given: Path, inside_only: bool = False) -> tuple[Path, ...]:
    return find_stores(find_places(path), given, LIMITS, inside_only=inside_only)


def test_find_places_of_a_work_tree(repo: Repo) -> None:
    assert find_places(repo.path).git_dir == repo.git_dir


def test_find_places_of_a_bare_repository(tmp_path: Path) -> None:
    bare = Repo(tmp_path / "bare", bare=True)
    assert find_places(bare.path).common == bare.path


def test_find_places_of_a_linked_work_tree(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    places = find_places(tmp_path / "linked")
    assert (places.git_dir.parent.name, places.common) == ("worktrees", repo.git_dir)


@pytest.mark.parametrize("text", [b"gitdir: .\n", b"gitdir: /etc\n", b"gitdir: a\0b\n", b"gitdir: \n", b"x" * 5000])
def test_find_places_of_a_pointer_to_nothing(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".git").write_bytes(text)
    with pytest.raises(RepositoryRefused):
        find_places(tmp_path)


def test_find_places_of_a_pointer_that_is_a_fifo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    with pytest.raises(RepositoryRefused, match="not a plain file"):
        find_places(tmp_path)


def test_find_places_of_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / ".git").symlink_to(".git")
    with pytest.raises(RepositoryRefused):
        find_places(tmp_path)


def test_find_places_does_not_open_the_configuration(repo: Repo) -> None:
    repo.commit({"a": "1"})
    (repo.git_dir / "config").unlink()
    os.mkfifo(repo.git_dir / "config")
    assert stores(repo.path) == (repo.git_dir / "objects",)


def test_find_stores_follows_alternates(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    (repo.git_dir / "objects" / "info" / "alternates").write_text(f"{other.git_dir}/objects\n# no\n\n")
    assert stores(repo.path) == (repo.git_dir / "objects", other.git_dir / "objects")


def test_find_stores_inside_only_refuses_borrowed_ones(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    (repo.git_dir / "objects" / "info" / "alternates").write_text(f"{other.git_dir}/objects\n")
    with pytest.raises(RepositoryRefused, match="outside the repository"):
        stores(repo.path, inside_only=True)


def test_find_stores_inside_only_takes_a_given_one(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    assert len(stores(repo.path, other.git_dir / "objects", inside_only=True)) == 2


def test_find_stores_inside_only_refuses_a_linked_work_tree(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    with pytest.raises(RepositoryRefused, match="outside the repository"):
        stores(tmp_path / "linked", inside_only=True)


@pytest.mark.parametrize("line", ["/", "/dev", "/etc/shadow", "/nonexistent", "../../.."])
def test_find_stores_of_alternates_that_are_none(repo: Repo, line: str) -> None:
    """What is a folder is listed, what is none is left out; neither is opened."""
    (repo.git_dir / "objects" / "info" / "alternates").write_text(line + "\n")
    assert stores(repo.path)[0] == repo.git_dir / "objects"


def test_find_stores_of_itself_ends(repo: Repo) -> None:
    (repo.git_dir / "objects" / "info" / "alternates").write_text(f"{repo.git_dir}/objects\n.\n")
    assert stores(repo.path) == (repo.git_dir / "objects",)


def test_find_stores_of_a_long_chain(repo: Repo, tmp_path: Path) -> None:
    before = repo.git_dir / "objects"
    for number in range(40):
        store = tmp_path / f"store{number}"
        (store / "info").mkdir(parents=True)
        (before / "info" / "alternates").write_text(f"{store}\n")
        before = store
    with pytest.raises(RepositoryRefused, match="too many object stores"):
        stores(repo.path)


@pytest.mark.parametrize("how", ["fifo", "device", "large", "quoted", "nul"])
def test_find_stores_of_alternates_that_cannot_be_read(repo: Repo, how: str) -> None:
    path = repo.git_dir / "objects" / "info" / "alternates"
    if how == "fifo":
        os.mkfifo(path)
    elif how == "device":
        path.symlink_to("/dev/zero")
    elif how == "large":
        with path.open("wb") as file:
            file.truncate(8 << 30)
    else:
        path.write_bytes(b'"/quoted"\n' if how == "quoted" else b"/a\0b\n")
    with pytest.raises(RepositoryRefused):
        stores(repo.path)


def test_find_stores_of_a_given_one_that_is_no_folder(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(RepositoryRefused, match="is no folder"):
        stores(repo.path, tmp_path / "absent")


@pytest.mark.parametrize("what", ["pack/x.idx", "pack/x.pack", "ab/cd", "ab"])
@pytest.mark.parametrize("how", ["fifo", "link"])
def test_make_view_of_what_is_no_plain_file(tmp_path: Path, what: str, how: str) -> None:
    store = tmp_path / "store"
    (store / "pack").mkdir(parents=True)
    for name in ("x.idx", "x.pack"):
        (store / "pack" / name).touch()
    path = store / what
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    if how == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/etc/hostname")
    with pytest.raises(RepositoryRefused, match="is not what it has to be"):
        make_view(store, tmp_path / "view", LIMITS)


def test_make_view_of_too_many_packs(tmp_path: Path) -> None:
    (tmp_path / "store" / "pack").mkdir(parents=True)
    for number in range(5):
        (tmp_path / "store" / "pack" / f"{number}.idx").touch()
        (tmp_path / "store" / "pack" / f"{number}.pack").touch()
    with pytest.raises(RepositoryRefused, match="5 packs, limit is 4"):
        make_view(tmp_path / "store", tmp_path / "view", GitLimits(packs=4))


def test_make_view_shows_nothing_else(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    repo.git("gc", "-q")
    repo.git("commit-graph", "write")
    repo.git("multi-pack-index", "write")
    make_view(repo.git_dir / "objects", tmp_path / "view", LIMITS)
    found = {path.suffix for path in (tmp_path / "view" / "pack").iterdir()}
    assert found == {".idx", ".pack"}
    assert not (tmp_path / "view" / "info").exists()
