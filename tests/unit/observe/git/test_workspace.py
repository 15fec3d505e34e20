"""A tree of git objects answers as a directory does."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ObservationError, ProducerError
from in_toto_done_receipt.observe.git.manifest import tree_manifest
from in_toto_done_receipt.observe.git.process import Git
from in_toto_done_receipt.observe.git.repository import open_repository
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.observe.globs import expand
from in_toto_done_receipt.observe.look import find_text, hash_file, path_type
from in_toto_done_receipt.observe.manifest.model import ManifestLimits
from in_toto_done_receipt.observe.manifest.scan import scan
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace, Workspace
from tests.repositories.build import Repo

LARGE = b"line\n" * (1 << 20)


@pytest.fixture
def both(repo: Repo, git: Git) -> Iterator[tuple[Workspace, Workspace]]:
    """(the tree, a checkout of it)"""
    repo.write({"a.txt": "hello\n", "d/e/f": "deep", "d/g": "", "large": LARGE, "é.txt": "x"})
    (repo.path / "link").symlink_to("a.txt")
    (repo.path / "folder_link").symlink_to("d")
    repo.commit()
    with open_repository(repo.path, git=git) as opened, DirectoryWorkspace(repo.path) as directory:
        commit, _ = opened.commit_id("HEAD")
        yield GitWorkspace(opened, opened.tree_of(commit)), directory


@pytest.mark.parametrize("path", ["", "a.txt", "d", "d/e", "d/e/f", "link", "none", "a.txt/x", "d/none"])
def test_type_of(both: tuple[Workspace, Workspace], path: str) -> None:
    tree, directory = both
    assert path_type(tree, path) == path_type(directory, path)


@pytest.mark.parametrize("path", ["a.txt", "d/e/f", "d/g", "large", "é.txt"])
def test_hash_file(both: tuple[Workspace, Workspace], path: str) -> None:
    tree, directory = both
    assert hash_file(tree, path) == hash_file(directory, path)


def test_find_text(both: tuple[Workspace, Workspace]) -> None:
    tree, directory = both
    assert find_text(tree, "large", "line\nline") == find_text(directory, "large", "line\nline")


@pytest.mark.parametrize("path", ["link", "d", "none", "folder_link/g", "../x", "/abs", "a//b", "a.txt/x"])
def test_open_file_of_what_is_none(both: tuple[Workspace, Workspace], path: str) -> None:
    kinds = []
    for workspace in both:
        with pytest.raises(ObservationError) as refused:
            hash_file(workspace, path)
        kinds.append(refused.value.kind)
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("path", ["d", "d/e"])
def test_entries(both: tuple[Workspace, Workspace], path: str) -> None:
    tree, directory = both
    assert tree.entries(path) == directory.entries(path)


@pytest.mark.parametrize("pattern", ["**", "d/**", "*.txt", "**/f"])
def test_expand(both: tuple[Workspace, Workspace], pattern: str) -> None:
    tree, directory = both
    assert expand(tree, pattern) == [path for path in expand(directory, pattern) if not path.startswith(".git/")]


def test_a_blob_that_lies_cannot_be_looked_at(repo: Repo, git: Git) -> None:
    repo.commit({"a": "1", "b": "2"})
    repo.loose("blob", b"other", id=repo.git("rev-parse", "HEAD:a"))
    with open_repository(repo.path, git=git) as opened:
        commit, _ = opened.commit_id("HEAD")
        tree = GitWorkspace(opened, opened.tree_of(commit))
        with pytest.raises(ObservationError, match="other content"):
            hash_file(tree, "a")


def test_a_large_blob_that_lies_cannot_be_looked_at(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({"a": LARGE})
    repo.loose("blob", LARGE[:-1] + b"x", id=repo.git("rev-parse", "HEAD:a"))
    with open_repository(repo.path, git=git) as opened:
        commit, _ = opened.commit_id("HEAD")
        tree = GitWorkspace(opened, opened.tree_of(commit))
        with pytest.raises(ObservationError, match="other content"):
            hash_file(tree, "a")


def test_the_manifest_is_that_of_a_checkout(repo: Repo, git: Git) -> None:
    repo.write({"a.txt": "hello\n", "d/e/f": "deep", "d.x": "1", "d-x": "", "large": LARGE, "é.txt": "x", "A.txt": "y"})
    (repo.path / "d-x").chmod(0o755)
    repo.commit()
    with open_repository(repo.path, git=git) as opened:
        commit, _ = opened.commit_id("HEAD")
        listing = opened.listing(opened.tree_of(commit))
        ours = tree_manifest(opened, listing, exclude=frozenset({"d.x"}), limits=ManifestLimits())
    shutil.rmtree(repo.git_dir)
    scanned = scan(repo.path, exclude=frozenset({"d.x"}), exclude_defaults=False)
    assert (ours.canonical(), ours.notes) == (scanned.canonical(), scanned.notes)


@pytest.mark.parametrize("mode", ["120000", "160000"])
def test_a_manifest_refuses_what_it_cannot_hold(repo: Repo, git: Git, mode: str) -> None:
    tree = repo.loose_tree([(mode, b"x", repo.loose("blob", b"target"))])
    with (
        open_repository(repo.path, git=git) as opened,
        pytest.raises(ProducerError, match="which a manifest cannot hold"),
    ):
        tree_manifest(opened, opened.listing(tree), exclude=frozenset(), limits=ManifestLimits())


def test_progress_is_in_files_and_bytes(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({"large": LARGE, **{f"z{number:03}": f"{number:03}" for number in range(200)}})
    written: list[tuple[int, int]] = []
    read: list[tuple[int, int]] = []
    with open_repository(repo.path, git=git) as opened:
        commit, _ = opened.commit_id("HEAD")
        listing = opened.listing(opened.tree_of(commit))
        opened.write(listing.files, tmp_path / "out", progress=lambda *so_far: written.append(so_far))
        tree_manifest(
            opened,
            listing,
            exclude=frozenset(),
            limits=ManifestLimits(),
            progress=lambda *so_far: read.append(so_far),
        )
    assert written == read == [(0, len(LARGE)), (100, len(LARGE) + 300), (200, len(LARGE) + 600)]
