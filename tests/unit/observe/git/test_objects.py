"""Every id again, before a byte is used; git is never given the examined repository."""

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.process import Git
from in_toto_done_receipt.observe.git.repository import open_repository
from tests.repositories.build import Content, Repo, all_files


def written(
    repo: Repo, git: Git, out: Path, revision: str = "HEAD", limits: GitLimits | None = None
) -> dict[str, bytes]:
    """Head's tree, written out."""
    with open_repository(repo.path, git=git, limits=limits) as opened:
        commit, _ = opened.commit_id(revision)
        opened.write(opened.listing(opened.tree_of(commit)).files, out)
    return all_files(out)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
@pytest.mark.parametrize("packed", [False, True])
def test_write_gives_the_bytes_that_git_has(tmp_path: Path, git: Git, algorithm: str, packed: bool) -> None:
    repo = Repo(tmp_path / "repo", algorithm=algorithm)
    files: dict[str, Content] = {
        "a": b"1\n",
        "d/b": b"\0\xff",
        "d/e/c": b"",
        "large": b"x" * (3 << 20),
        "e": b"text\r\n",
    }
    repo.commit(files)
    if packed:
        repo.git("gc", "-q")
    assert written(repo, git, tmp_path / "out") == files


def test_attributes_change_no_byte(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({"a.txt": "one $Id$\n", "gone": "x"})
    repo.commit({".gitattributes": "* text eol=crlf ident\ngone export-ignore\n"})
    found = written(repo, git, tmp_path / "out")
    assert (found["a.txt"], found["gone"]) == (b"one $Id$\n", b"x")


def test_a_submodule_becomes_an_empty_folder(repo: Repo, git: Git, tmp_path: Path) -> None:
    commit = repo.commit({"a": "1"})
    tree = repo.loose_tree([("100644", b"a", repo.git("rev-parse", "HEAD:a")), ("160000", b"sub", commit)])
    head = repo.loose_commit(tree)
    written(repo, git, tmp_path / "out", head)
    assert list((tmp_path / "out" / "sub").iterdir()) == []


@pytest.mark.parametrize("kind", ["blob", "tree", "commit"])
def test_a_loose_object_that_lies_is_not_believed(repo: Repo, git: Git, tmp_path: Path, kind: str) -> None:
    repo.commit({"a": "honest"})
    other = repo.commit({"a": "other", "b": "2"})
    victims = {"blob": repo.git("rev-parse", "HEAD:a"), "tree": repo.tree(), "commit": other}
    data = repo.git_bytes(
        "cat-file", kind, "HEAD~1:a" if kind == "blob" else f"HEAD~1{'^{tree}' if kind == 'tree' else ''}"
    )
    repo.loose(kind, data, id=victims[kind])
    with pytest.raises(RepositoryRefused, match="other content than its id says") as refused:
        written(repo, git, tmp_path / "out")
    assert refused.value.kind == "object_lies"


def test_a_loose_object_longer_than_it_says_is_not_believed(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({"a": "3\n"})
    blob = repo.git("rev-parse", "HEAD:a")
    repo.loose("blob", b"3\n" + b"x" * 5_000_000, id=blob, size=2)
    with pytest.raises(RepositoryRefused):
        written(repo, git, tmp_path / "out")


@pytest.mark.parametrize("how", ["truncated", "empty", "wrong_type", "gone"])
def test_an_object_that_cannot_be_read(repo: Repo, git: Git, tmp_path: Path, how: str) -> None:
    repo.commit({"a": "honest"})
    blob = repo.git("rev-parse", "HEAD:a")
    path = repo.git_dir / "objects" / blob[:2] / blob[2:]
    data = path.read_bytes()
    path.unlink()
    if how in ("truncated", "empty"):
        path.write_bytes(data[: len(data) // 2] if how == "truncated" else b"")
    elif how == "wrong_type":
        repo.loose("tree", b"", id=blob)
    with pytest.raises(RepositoryRefused) as refused:
        written(repo, git, tmp_path / "out")
    assert refused.value.kind in {"object_unreadable", "object_missing", "wrong_type"}


def test_an_index_that_lies_is_not_believed(repo: Repo, git: Git, tmp_path: Path) -> None:
    """The pack's index says that the honest blob lies where another one does."""
    repo.commit({"a": "honest", "b": "evil"})
    repo.git("gc", "-q")
    blobs = [repo.git("rev-parse", f"HEAD:{name}") for name in "ab"]
    (index,) = (repo.git_dir / "objects" / "pack").glob("*.idx")
    data = bytearray(index.read_bytes())
    names = sorted(line.split()[1] for line in repo.git("show-index", data=bytes(data)).splitlines())
    offsets_at = 8 + 256 * 4 + len(names) * 24
    honest, evil = (offsets_at + 4 * names.index(blob) for blob in blobs)
    data[honest : honest + 4] = data[evil : evil + 4]
    data[-20:] = hashlib.sha1(bytes(data[:-20])).digest()  # noqa: S324  (git's own format)
    index.chmod(0o644)
    index.write_bytes(data)
    with pytest.raises(RepositoryRefused):
        written(repo, git, tmp_path / "out")


def test_two_deltas_on_each_other_end(repo: Repo, git: Git, tmp_path: Path) -> None:
    """git allocates until it is stopped: by the allocation limit, not by the machine."""
    first, second = "1" * 40, "2" * 40
    delta = zlib.compress(bytes([1, 1, 1, 65]))
    repo.commit({"a": "x"})
    entries = [bytes([7 << 4 | 4]) + bytes.fromhex(base) + delta for base in (second, first)]
    pack = repo.pack(entries)
    head = len(b"PACK") + 8
    offsets = {first: head, second: head + len(entries[0])}
    pack.with_suffix(".idx").write_bytes(index_of(offsets, pack))
    commit = repo.loose_commit(repo.loose_tree([("100644", b"a", first)]))
    with pytest.raises(RepositoryRefused):
        written(repo, git, tmp_path / "out", commit, GitLimits(seconds=20, allocation=16 << 20))


def index_of(offsets: dict[str, int], pack: Path) -> bytes:
    """A version 2 index for these objects of a pack."""
    names = sorted(offsets)
    fan = b"".join(sum(int(n[:2], 16) <= byte for n in names).to_bytes(4, "big") for byte in range(256))
    body = b"\xfftOc\0\0\0\2" + fan + b"".join(map(bytes.fromhex, names)) + b"\0\0\0\0" * len(names)
    body += b"".join(offsets[name].to_bytes(4, "big") for name in names) + pack.read_bytes()[-20:]
    return body + hashlib.sha1(body).digest()  # noqa: S324  (git's own format)


def test_a_huge_object_is_refused_by_its_size(repo: Repo, git: Git, tmp_path: Path) -> None:
    """Six gigabytes of zeros in a few megabytes; sizes are asked first."""
    blob = "4" * 40
    path = repo.git_dir / "objects" / blob[:2] / blob[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"blob %d\0" % (6 << 30) + bytes(1 << 20)))
    commit = repo.loose_commit(repo.loose_tree([("100644", b"a", blob)]))
    with pytest.raises(RepositoryRefused, match="limit is") as refused:
        written(repo, git, tmp_path / "out", commit)
    assert refused.value.kind == "too_large"


def test_one_blob_many_times_is_counted_each_time(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({f"f{number}": "x" * 1000 for number in range(50)})
    with pytest.raises(RepositoryRefused, match="the tree has 50000 bytes, limit is 20000"):
        written(repo, git, tmp_path / "out", limits=GitLimits(total_bytes=20_000))


def test_a_sparse_index_ends(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    repo.git("gc", "-q")
    (index,) = (repo.git_dir / "objects" / "pack").glob("*.idx")
    index.chmod(0o644)
    with index.open("r+b") as file:
        file.truncate(1 << 40)
    with pytest.raises(RepositoryRefused):
        written(repo, git, tmp_path / "out")


def test_nothing_is_fetched(repo: Repo, git: Git, tmp_path: Path, bystander: Callable[[], bool]) -> None:
    """A promisor remote whose transport is a command: plain git would run it for a missing object."""
    repo.commit({"a": "1"})
    blob = repo.git("rev-parse", "HEAD:a")
    (repo.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
    script = bystander.script  # type: ignore[attr-defined]
    for key, value in {
        "extensions.partialClone": "o",
        "core.repositoryFormatVersion": "1",
        "remote.o.url": "ssh://host.invalid/x",
        "remote.o.promisor": "true",
        "core.sshCommand": str(script),
        "core.fsmonitor": str(script),
        "core.hooksPath": str(script.parent),
        "diff.external": str(script),
        "core.alternateRefsCommand": str(script),
    }.items():
        repo.git("config", key, value)
    with pytest.raises(RepositoryRefused, match="not in the repository") as refused:
        written(repo, git, tmp_path / "out")
    assert (refused.value.hint, bystander()) == ("nothing is fetched from here", False)


def test_a_shallow_repository_says_so(repo: Repo, git: Git, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit({"a": str(number)})
    bases = repo.git("rev-list", "HEAD").splitlines()
    shallow = Repo(tmp_path / "shallow")
    shallow.git("fetch", "-q", "--depth=1", str(repo.path), "main")
    head = shallow.git("rev-parse", "FETCH_HEAD")
    with (
        open_repository(shallow.path, git=git) as opened,
        pytest.raises(RepositoryRefused, match="not in the repository") as refused,
    ):
        opened.is_ancestor(bases[-1], head)
    assert refused.value.hint == "the repository is shallow: fetch its full history"


def test_replace_refs_and_grafts_are_not_seen(repo: Repo, git: Git, tmp_path: Path) -> None:
    first = repo.commit({"a": "1"})
    second = repo.commit({"a": "2"})
    repo.git("replace", second, first)
    (repo.git_dir / "info" / "grafts").write_text(f"{second}\n")
    with open_repository(repo.path, git=git) as opened:
        assert opened.is_ancestor(first, second)
        assert opened.tree_of(second) != opened.tree_of(first)


def test_a_commit_graph_that_lies_is_not_read(repo: Repo, git: Git, tmp_path: Path) -> None:
    ids = [repo.commit({"a": str(number)}) for number in range(3)]
    graph = repo.git_dir / "objects" / "info" / "commit-graph"
    graph.write_bytes(b"CGPH" + bytes(2000))
    with open_repository(repo.path, git=git) as opened:
        assert opened.is_ancestor(ids[0], ids[2])


def test_our_environment_steers_nothing(
    repo: Repo, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bystander: Callable[[], bool]
) -> None:
    repo.commit({"a": "1"})
    script = str(bystander.script)  # type: ignore[attr-defined]
    for name, value in {
        "GIT_DIR": "/nonexistent",
        "GIT_EXEC_PATH": "/nonexistent",
        "GIT_OBJECT_DIRECTORY": "/nonexistent",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": script,
        "GIT_EXTERNAL_DIFF": script,
        "GIT_TRACE": str(tmp_path / "trace"),
        "PATH": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    assert (written(repo, git, tmp_path / "out"), bystander(), (tmp_path / "trace").exists()) == (
        {"a": b"1"},
        False,
        False,
    )


def test_a_quarantine_is_read_when_it_is_named(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    quarantine = tmp_path / "incoming"
    (quarantine / "pack").mkdir(parents=True)
    env = {"GIT_OBJECT_DIRECTORY": str(quarantine), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo.git_dir / "objects")}
    blob = repo.git("hash-object", "-w", "--stdin", data=b"pushed", env=env)
    tree = repo.git("mktree", data=f"100644 blob {blob}\ta\n".encode(), env=env)
    commit = repo.git("commit-tree", tree, "-p", "HEAD", "-m", "pushed", env=env)
    with open_repository(repo.path, git=git) as opened, pytest.raises(RepositoryRefused, match="not in the repository"):
        opened.commit_id(commit)
    with open_repository(repo.path, git=git, object_dirs=(quarantine,)) as opened:
        assert opened.tree_of(commit) == tree


def test_ids_of_two_algorithms_do_not_mix(repo: Repo, git: Git) -> None:
    head = repo.commit({"a": "1"})
    with open_repository(repo.path, git=git) as opened, pytest.raises(RepositoryRefused, match="is an id of sha256"):
        opened.tree_of(head)
        opened.tree_of("a" * 64)


def test_git_that_takes_too_long_is_stopped(repo: Repo, git: Git) -> None:
    """A FIFO that is put into the store after it was looked at."""
    import os

    head = repo.commit({"a": "1"})
    limits = GitLimits(seconds=1)
    with (
        open_repository(repo.path, git=git, limits=limits) as opened,
        pytest.raises(RepositoryRefused, match="took longer than 1 s") as refused,
    ):
        opened.tree_of(head)
        blob = "5" * 40
        (repo.git_dir / "objects" / head[:2] / blob[2:]).touch()
        path = repo.git_dir / "objects" / head[:2] / ("6" * 38)
        os.mkfifo(path)
        opened.objects.sizes([head[:2] + "6" * 38])
    assert refused.value.kind == "deadline"


@pytest.mark.parametrize("confined", [True, False])
def test_with_and_without_bubblewrap(repo: Repo, git: Git, tmp_path: Path, confined: bool) -> None:
    from msgspec.structs import replace

    repo.commit({"a": "1"})
    chosen = git if confined else replace(git, bubblewrap=None)
    assert written(repo, chosen, tmp_path / "out") == {"a": b"1"}


def test_no_process_and_no_scratch_is_left(
    repo: Repo, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    repo.commit({"a": "1"})
    with open_repository(repo.path, git=git) as opened:
        opened.commit_id("HEAD")
        process = opened.objects._process
    assert (list(place.iterdir()), process.poll() is not None) == ([], True)
