"""Random small repositories: our tree, differences, merge bases and merge tree are git's own; a store that lies makes
nothing false believed."""

import random
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.process import find_git
from in_toto_done_receipt.observe.git.repository import Repository, open_repository
from tests.repositories.build import Repo, all_files

GIT = find_git()
NAMES = ["a", "b", "d/a", "d/b", "d/e/c", "é", "A", "x y", "d.x", "d-x"]


def random_history(repo: Repo, random: random.Random, commits: int) -> list[str]:
    """Commits with random parents and trees; dates in no order."""
    ids: list[str] = []
    trees = []
    for _ in range(commits):
        files = {name: f"{random.randrange(4)}\n" * 5 for name in NAMES if random.random() < 0.6}
        files = {n: c for n, c in files.items() if not any(o.startswith(n + "/") for o in files)}
        rows = "".join(f"100644 blob {repo.loose('blob', c.encode())}\t{n}\n" for n, c in files.items())
        index = {"GIT_INDEX_FILE": str(repo.path / "index")}
        (repo.path / "index").unlink(missing_ok=True)
        repo.git("update-index", "--index-info", data=rows.encode(), env=index)
        trees.append(repo.git("write-tree", env=index))
        parents = tuple(random.sample(ids, min(len(ids), random.choice([1, 1, 1, 2])))) if ids else ()
        ids.append(repo.loose_commit(trees[-1], parents, date=random.randrange(1_700_000_000, 1_800_000_000)))
    return ids


def gits_differences(repo: Repo, one: str, other: str) -> dict[str, str]:
    words = {"A": "added", "D": "deleted", "M": "modified", "T": "type"}
    fields = repo.git_bytes("diff-tree", "-r", "-z", "--no-renames", "--name-status", one, other).split(b"\0")
    return {path.decode(): words[kind.decode()] for kind, path in zip(fields[::2], fields[1::2], strict=False)}


def agree(repo: Repo, opened: Repository, one: str, other: str, out: Path) -> None:
    """Hold ours against git's, for two commits."""
    trees = [opened.tree_of(commit) for commit in (one, other)]
    assert trees == [repo.tree(commit) for commit in (one, other)]
    ours = {change.path.decode(): change.kind for change in opened.differences(*trees)}
    assert ours == gits_differences(repo, one, other)
    listed = repo.git_bytes("ls-tree", "-r", "-z", "--name-only", one).split(b"\0")[:-1]
    assert list(opened.listing(trees[0]).files) == listed or set(opened.listing(trees[0]).files) == set(listed)
    try:
        bases = repo.git("merge-base", "--all", one, other).split()
    except subprocess.CalledProcessError:
        bases = []
    assert sorted(opened.merge_bases(one, other)) == sorted(bases)
    opened.write(opened.listing(trees[0]).files, out)
    contents = {path.decode(): repo.git_bytes("cat-file", "blob", f"{one}:{path.decode()}") for path in listed}
    assert all_files(out) == contents
    if len(bases) == 1:
        merge(repo, opened, one, other)


def merge(repo: Repo, opened: Repository, one: str, other: str) -> None:
    command = ["merge-tree", "--write-tree", one, other]
    try:
        wanted = repo.git(*command).splitlines()[0]
    except subprocess.CalledProcessError:
        with pytest.raises(RepositoryRefused, match="conflicts"):
            opened.merged_tree(one, other)
    else:
        assert opened.merged_tree(one, other) == wanted


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), algorithm=st.sampled_from(["sha1", "sha256"]))
def test_ours_is_gits(seed: int, algorithm: str) -> None:
    choice = random.Random(seed)  # noqa: S311  (not for secrets)
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(Path(folder) / "repo", algorithm=algorithm)
        ids = random_history(repo, choice, 7)
        with open_repository(repo.path, git=GIT) as opened:
            for number in range(2):
                one, other = choice.sample(ids, 2)
                agree(repo, opened, one, other, Path(folder) / f"out{number}")


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_nothing_false_is_believed(seed: int) -> None:
    """One damaged file in the store: what is written is either what was committed, or refused."""
    choice = random.Random(seed)  # noqa: S311  (not for secrets)
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(Path(folder) / "repo")
        head = random_history(repo, choice, 3)[-1]
        honest = {
            path.decode(): repo.git_bytes("cat-file", "blob", f"{head}:{path.decode()}")
            for path in repo.git_bytes("ls-tree", "-r", "-z", "--name-only", head).split(b"\0")[:-1]
        }
        if choice.random() < 0.5:
            repo.git("update-ref", "refs/heads/main", head)
            repo.git("gc", "-q", "--prune=now")
        _damage(repo, choice)
        out = Path(folder) / "out"
        try:
            with open_repository(repo.path, git=GIT) as opened:
                opened.write(opened.listing(opened.tree_of(head)).files, out)
        except RepositoryRefused:
            return
        assert all_files(out) == honest


def _damage(repo: Repo, choice: random.Random) -> None:
    store = repo.git_dir / "objects"
    files = sorted(path for path in store.rglob("*") if path.is_file())
    victim, other = choice.choice(files), choice.choice(files)
    victim.chmod(0o644)
    data = bytearray(victim.read_bytes())
    if choice.random() < 0.4:
        victim.write_bytes(other.read_bytes())
    else:
        for _ in range(choice.randrange(1, 4)):
            data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
        victim.write_bytes(bytes(data[: len(data) - choice.choice([0, 0, 1, 20])]))
