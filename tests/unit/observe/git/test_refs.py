"""Revisions are read by us, as files: full ids, HEAD and exact names."""

import os
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.places import find_places
from in_toto_done_receipt.observe.git.refs import Refs
from tests.repositories.build import Repo


def refs(path: Path) -> Refs:
    return Refs(find_places(path), GitLimits())


@pytest.fixture
def made(repo: Repo) -> Repo:
    repo.commit({"a": "1"})
    repo.git("branch", "topic/one")
    repo.git("tag", "v1")
    return repo


@pytest.mark.parametrize("name", ["HEAD", "main", "topic/one", "v1", "refs/heads/main", "refs/tags/v1"])
def test_resolve_an_exact_name(made: Repo, name: str) -> None:
    assert refs(made.path).resolve(name).id == made.head()


def test_resolve_a_full_id_is_itself(made: Repo) -> None:
    assert refs(made.path).resolve(made.head()).id == made.head()


def test_resolve_packed(made: Repo) -> None:
    made.git("pack-refs", "--all")
    assert refs(made.path).resolve("topic/one").ref == "refs/heads/topic/one"


def test_resolve_loose_wins_over_packed(made: Repo) -> None:
    made.git("pack-refs", "--all")
    second = made.commit({"a": "2"})
    assert refs(made.path).resolve("main").id == second


def test_resolve_in_a_linked_work_tree(made: Repo, tmp_path: Path) -> None:
    made.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    assert refs(tmp_path / "linked").resolve("HEAD").ref == "HEAD"


@pytest.mark.parametrize(
    "name",
    [
        *("", "-x", "--help", "HEAD~1", "HEAD^", "main@{1}", "@", "a..b", "a b", "a\nb", "x.lock", "/abs", "a//b"),
        *(".hid", "refs/heads/../x", "HEAD^{tree}", ":/work", "main:a", "x" * 2000, "y" * 300, "a\\b", "a\0b"),
    ],
)
def test_resolve_an_expression_is_refused(made: Repo, name: str) -> None:
    with pytest.raises(RepositoryRefused, match="is not a full id"):
        refs(made.path).resolve(name)


def test_resolve_a_short_id_is_unknown(made: Repo) -> None:
    with pytest.raises(RepositoryRefused, match="is no branch, tag or full id"):
        refs(made.path).resolve(made.head()[:12])


def test_resolve_two_of_one_name_is_ambiguous(made: Repo) -> None:
    made.git("tag", "main")
    with pytest.raises(RepositoryRefused, match="is ambiguous: refs/heads/main, refs/tags/main"):
        refs(made.path).resolve("main")


def test_resolve_a_ref_that_is_called_like_an_id_is_named(made: Repo) -> None:
    head = made.head()
    (made.git_dir / "refs" / "heads" / head).write_text("1" * 40 + "\n")
    found = refs(made.path).resolve(head)
    assert (found.id, found.look_alikes) == (head, (f"refs/heads/{head}",))


def test_resolve_a_loop_of_refs_ends(made: Repo) -> None:
    (made.git_dir / "refs" / "heads" / "a").write_text("ref: refs/heads/b\n")
    (made.git_dir / "refs" / "heads" / "b").write_text("ref: refs/heads/a\n")
    with pytest.raises(RepositoryRefused, match="holds ref: refs/heads/"):
        refs(made.path).resolve("a")


def test_resolve_twice_in_packed_refs_is_refused(made: Repo) -> None:
    one, other = "1" * 40, "2" * 40
    (made.git_dir / "packed-refs").write_text(f"{one} refs/heads/twice\n{other} refs/heads/twice\n")
    with pytest.raises(RepositoryRefused, match="stands twice in packed-refs"):
        refs(made.path).resolve("twice")


def test_resolve_what_packed_refs_says_of_peeled_tags_is_not_read(made: Repo) -> None:
    head = made.head()
    (made.git_dir / "packed-refs").write_text(f"{head} refs/tags/t\n^{'3' * 40}\n")
    assert refs(made.path).resolve("t").id == head


@pytest.mark.parametrize("how", ["link", "fifo", "large", "text", "folder_link"])
def test_resolve_a_ref_that_is_no_plain_small_file_is_refused(made: Repo, how: str, tmp_path: Path) -> None:
    path = made.git_dir / "refs" / "heads" / "odd"
    if how == "link":
        path.symlink_to("/etc/hostname")
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "large":
        path.write_bytes(b"1" * 10_000)
    elif how == "text":
        path.write_text("not an id\n")
    else:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / "odd").write_text("1" * 40)
        (made.git_dir / "refs" / "remotes").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RepositoryRefused, match=r"ref|repository file"):
        refs(made.path).resolve("odd")


def test_resolve_a_ref_that_points_out_of_refs_is_refused(made: Repo) -> None:
    (made.git_dir / "refs" / "heads" / "out").write_text("ref: ../../secret\n")
    with pytest.raises(RepositoryRefused, match="holds ref:"):
        refs(made.path).resolve("out")


def test_resolve_endless_packed_refs_is_refused(made: Repo) -> None:
    with (made.git_dir / "packed-refs").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(RepositoryRefused, match="more than 67108864 bytes"):
        refs(made.path).resolve("nowhere")


def test_target_of_a_ref_that_is_not_there(made: Repo) -> None:
    assert refs(made.path).target("refs/heads/none") is None
