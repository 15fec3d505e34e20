"""Ancestors, merge bases, merges and differences, against what git itself says; what the verifier may ask for."""

from pathlib import Path

import pytest

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.change import Asked, GitChange, open_change
from in_toto_done_receipt.observe.git.compose import put_back
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.process import Git
from in_toto_done_receipt.observe.git.repository import open_repository
from in_toto_done_receipt.observe.git.trees import FILE, Entry
from tests.repositories.build import Repo, all_files


def opened(repo: Repo, git: Git, **asked: str) -> GitChange:
    with open_repository(repo.path, git=git) as repository:
        return open_change(repository, Asked(**asked))


def paths(change: GitChange) -> dict[str, str]:
    return {one.path.decode(): one.kind for one in change.changes}


def test_a_change_names_every_path(repo: Repo, git: Git) -> None:
    base = repo.commit({"kept": "1", "changed": "1", "gone": "1", "mode": "1", "kind": "1"})
    repo.write({"changed": "2", "gone": None, "new/file": "1"})
    (repo.path / "mode").chmod(0o755)
    (repo.path / "kind").unlink()
    (repo.path / "kind").symlink_to("kept")
    head = repo.commit()
    change = opened(repo, git, base=base, head=head)
    assert paths(change) == {
        "changed": "modified",
        "gone": "deleted",
        "kind": "type",
        "mode": "modified",
        "new/file": "added",
    }
    assert [one.path for one in change.changes if one.mode_changed] == [b"kind", b"mode"]


def test_a_folder_that_becomes_a_file(repo: Repo, git: Git) -> None:
    base = repo.commit({"d/a": "1", "d/b": "2"})
    head = repo.commit({"d/a": None, "d/b": None} | {})
    (repo.path / "d").rmdir() if (repo.path / "d").exists() else None
    head = repo.commit({"d": "file"})
    assert paths(opened(repo, git, base=base, head=head)) == {"d": "added", "d/a": "deleted", "d/b": "deleted"}


def test_exact_renames_are_paired_once(repo: Repo, git: Git) -> None:
    base = repo.commit({"a": "same", "b": "same", "c": "other", "empty": ""})
    repo.write({"a": None, "b": None, "c": None, "empty": None, "x": "same", "y": "same", "z": "same", "void": ""})
    head = repo.commit()
    assert opened(repo, git, base=base, head=head).renames == {b"x": b"a", b"y": b"b"}


def test_base_is_a_full_id(repo: Repo, git: Git) -> None:
    repo.commit({"a": "1"})
    repo.git("branch", "old")
    head = repo.commit({"a": "2"})
    with pytest.raises(RepositoryRefused, match="expected a full id"):
        opened(repo, git, base="old", head=head)


def test_base_is_not_head(repo: Repo, git: Git) -> None:
    head = repo.commit({"a": "1"})
    with pytest.raises(RepositoryRefused, match="base and head are both"):
        opened(repo, git, base=head, head="HEAD")


def test_base_is_an_ancestor(repo: Repo, git: Git) -> None:
    repo.commit({"a": "1"})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit({"b": "1"})
    repo.git("checkout", "-q", "main")
    head = repo.commit({"c": "1"})
    with pytest.raises(RepositoryRefused, match="is no ancestor of head"):
        opened(repo, git, base=side, head=head)


def test_without_a_base_nothing_is_compared(repo: Repo, git: Git) -> None:
    head = repo.commit({"a": "1"})
    change = opened(repo, git, head=head)
    assert (change.base, change.baseline, change.changes) == (None, None, ())


def test_the_merge_base_with_a_target_is_the_base(repo: Repo, git: Git) -> None:
    base = repo.commit({"a": "1"})
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"b": "1"})
    repo.git("checkout", "-q", "main")
    tip = repo.commit({"c": "1"})
    change = opened(repo, git, head="work", target_ref="main")
    assert (change.base, change.target_tip, change.target_moved, paths(change)) == (base, tip, True, {"b": "added"})


def test_head_that_is_a_tag_of_a_tag(repo: Repo, git: Git) -> None:
    base = repo.commit({"a": "1"})
    head = repo.commit({"a": "2"})
    repo.git("tag", "-a", "-m", "one", "one")
    repo.git("tag", "-a", "-m", "two", "two", "one")
    assert opened(repo, git, base=base, head="two").head == head


def test_head_that_is_a_tag_of_a_tree(repo: Repo, git: Git) -> None:
    base = repo.commit({"a": "1"})
    repo.git("tag", "-a", "-m", "t", "t", repo.tree())
    with pytest.raises(RepositoryRefused) as refused:
        opened(repo, git, base=base, head="t")
    assert refused.value.kind == "wrong_type"


def diverged(repo: Repo, ours: dict[str, str | None], theirs: dict[str, str | None]) -> tuple[str, str, str]:
    """(base, main, work)"""
    base = repo.commit({"a": "1\n2\n3\n4\n5\n6\n7\n", "b": "b\n", "d/one": "1\n", "d/two": "2\n"})
    repo.git("checkout", "-q", "-b", "work")
    work = repo.commit(theirs)
    repo.git("checkout", "-q", "main")
    return base, repo.commit(ours), work


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_merge_gives_gits_own_tree(tmp_path: Path, git: Git, algorithm: str) -> None:
    repo = Repo(tmp_path / "repo", algorithm=algorithm)
    base, main, work = diverged(repo, {"a": "0\n2\n3\n4\n5\n6\n7\n"}, {"a": "1\n2\n3\n4\n5\n6\n8\n", "new": "n\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    with open_repository(repo.path, git=git) as repository:
        change = open_change(repository, Asked(base=base, head=work, onto=main))
        repository.write(change.listing.files, tmp_path / "out")
    assert (change.tree, paths(change)) == (repo.tree(), {"a": "modified", "new": "added"})
    assert all_files(tmp_path / "out")["a"] == b"0\n2\n3\n4\n5\n6\n8\n"


def test_a_merge_with_a_large_file(tmp_path: Path, git: Git, repo: Repo) -> None:
    large = "x\n" * (1 << 20)
    base, main, work = diverged(repo, {"b": "c\n"}, {"large": large})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    assert opened(repo, git, base=base, head=work, onto=main).tree == repo.tree()


def test_a_conflict_is_a_refusal_that_names_the_paths(repo: Repo, git: Git) -> None:
    base, main, work = diverged(repo, {"b": "ours\n"}, {"b": "theirs\n"})
    with pytest.raises(RepositoryRefused, match="the merge conflicts in b") as refused:
        opened(repo, git, base=base, head=work, onto=main)
    assert refused.value.kind == "merge"


def test_a_union_attribute_joins_nothing(repo: Repo, git: Git) -> None:
    """Attributes and drivers of the repository have no say in the merge."""
    attributes = ".gitattributes"
    repo.commit({attributes: "* merge=union\n"})
    base, main, work = diverged(repo, {"b": "ours\n"}, {"b": "theirs\n"})
    with pytest.raises(RepositoryRefused, match="the merge conflicts in b"):
        opened(repo, git, base=base, head=work, onto=main)


def test_several_merge_bases_are_refused(repo: Repo, git: Git) -> None:
    base, main, work = diverged(repo, {"b": "c\n"}, {"new": "n\n"})
    one = repo.loose_commit(repo.tree(main), (main, work))
    other = repo.loose_commit(repo.tree(work), (work, main), date=1_780_009_999)
    with pytest.raises(RepositoryRefused, match="have 2 merge bases"):
        opened(repo, git, base=base, head=one, onto=other)


def test_merge_blobs_that_lie_are_not_believed(repo: Repo, git: Git) -> None:
    base, main, work = diverged(repo, {"b": "c\n"}, {"a": "8\n"})
    repo.loose("blob", b"evil\n", id=repo.git("rev-parse", f"{base}:a"))
    with pytest.raises(RepositoryRefused, match="other content than its id says"):
        opened(repo, git, base=base, head=work, onto=main)


def test_merge_is_held_against_a_limit(repo: Repo, git: Git) -> None:
    base, main, work = diverged(repo, {"b": "c\n"}, {"a": "8\n" * 1000})
    limits = GitLimits(blob_bytes=500)
    with (
        open_repository(repo.path, git=git, limits=limits) as repository,
        pytest.raises(RepositoryRefused, match="the merge would read"),
    ):
        open_change(repository, Asked(base=base, head=work, onto=main))


def entry(text: str) -> Entry:
    return Entry(FILE, text)


def test_put_back_takes_base_and_removes_what_is_heads_only() -> None:
    head = {b"src": entry("1"), b"tests/a": entry("2"), b"tests/new": entry("3")}
    base = {b"src": entry("0"), b"tests/a": entry("1"), b"tests/old": entry("1")}
    done = put_back(head, base, lambda path: path.startswith(b"tests/"))
    assert done.files == {b"src": entry("1"), b"tests/a": entry("1"), b"tests/old": entry("1")}
    assert (done.restored, done.removed) == ((b"tests/a", b"tests/old"), (b"tests/new",))


def test_put_back_clears_what_stands_in_the_way() -> None:
    head = {b"tests": Entry("120000", "link"), b"x/y": entry("1"), b"z": entry("1")}
    base = {b"tests/a": entry("1"), b"x": entry("2")}
    done = put_back(head, base, lambda path: path in {b"tests/a", b"x"})
    assert (done.files, done.displaced) == (
        {b"tests/a": entry("1"), b"x": entry("2"), b"z": entry("1")},
        (b"tests", b"x/y"),
    )
