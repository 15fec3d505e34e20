"""Names, modes and bombs: what a tree may say, and what is counted before it is listed."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.names import collisions, hazards, unremarkable
from in_toto_done_receipt.observe.git.process import Git
from in_toto_done_receipt.observe.git.repository import open_repository
from in_toto_done_receipt.observe.git.trees import EXECUTABLE, FILE, FOLDER, Listing
from tests.repositories.build import Repo


def listing(repo: Repo, git: Git, tree: str, limits: GitLimits | None = None) -> Listing:
    with open_repository(repo.path, git=git, limits=limits) as opened:
        return opened.listing(tree)


def blob(repo: Repo, text: bytes = b"x") -> str:
    return repo.loose("blob", text)


DOT_GIT = [".git", ".GIT", ".git ", ".git.", "git~1", "GIT~1", ".git::$INDEX_ALLOCATION", ".g\u200cit", "\ufeff.git"]


@pytest.mark.parametrize("name", [*DOT_GIT, "a\\.git", "x:.git"])
def test_hazards_of_a_spelling_of_dot_git(name: str) -> None:
    assert "dot_git" in hazards(name.encode())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"\xff", "not_utf8"),
        (b"a\nb", "control"),
        ("\u202e".encode(), "control"),
        (b"a\\b", "backslash"),
        (b"a:b", "colon"),
        (b"a.", "trailing"),
        (b"a ", "trailing"),
        (b"-rf", "option_like"),
        (b"CON", "device"),
        (b"nul.txt", "device"),
        (b"x" * 256, "long"),
        (b".GITmodules", "git_file_alias"),
        (b"gitmod~1", "git_file_alias"),
    ],
)
def test_hazards_of_a_name(name: bytes, code: str) -> None:
    assert code in hazards(name)


@pytest.mark.parametrize("name", [b"README.md", b".gitignore", b"a b.txt", "é.txt".encode(), b"contact.py", b".github"])
def test_hazards_of_an_honest_name(name: bytes) -> None:
    assert hazards(name) == ()


@pytest.mark.parametrize(
    "names",
    [["A", "a"], ["é", "e\u0301"], ["ß", "SS"], ["a", "a."], ["a", "a\u200d"]],
    ids=["case", "form", "ss", "dot", "zwj"],
)
def test_collisions(names: list[str]) -> None:
    raw = [name.encode() for name in names]
    assert sorted(collisions([*raw, b"other"])) == sorted(raw)


def test_listing_names_what_is_odd(repo: Repo, git: Git) -> None:
    one = blob(repo)
    inner = repo.loose_tree([("100644", b"A", one), ("100644", b"a", one)])
    tree = repo.loose_tree([("40000", b"d", inner), ("100664", b"old", one)])
    odd = listing(repo, git, tree).odd
    assert set(odd) == {(b"d/A", "collides"), (b"d/a", "collides"), (b"old", "mode_100664")}


def test_listing_reads_old_modes_as_git_does(repo: Repo, git: Git) -> None:
    one = blob(repo)
    inner = repo.loose_tree([("100644", b"x", one)])
    tree = repo.loose_tree([("100664", b"a", one), ("100775", b"b", one), ("040000", b"c", inner)])
    found = listing(repo, git, tree).files
    assert {path: entry.mode for path, entry in found.items()} == {b"a": FILE, b"b": EXECUTABLE, b"c/x": FILE}


@pytest.mark.parametrize(
    "rows",
    [
        [("100644", b"..", "")],
        [("100644", b".", "")],
        [("100644", b"", "")],
        [("100644", b"a/b", "")],
        [("100644", b"b", ""), ("100644", b"a", "")],
        [("100644", b"a", ""), ("100644", b"a", "")],
        [("100644", b"a", ""), ("40000", b"a", "")],
        [("070000", b"a", "")],
        [("1006440", b"a", "")],
        [("x", b"a", "")],
    ],
    ids=["up", "dot", "empty", "slash", "order", "twice", "both", "kind", "long_mode", "no_mode"],
)
def test_listing_of_a_malformed_tree(repo: Repo, git: Git, rows: list[tuple[str, bytes, str]]) -> None:
    tree = repo.loose_tree([(mode, name, blob(repo)) for mode, name, _ in rows])
    with pytest.raises(RepositoryRefused) as refused:
        listing(repo, git, tree)
    assert refused.value.kind == "tree_malformed"


@pytest.mark.parametrize("name", DOT_GIT)
def test_write_refuses_dot_git(repo: Repo, git: Git, tmp_path: Path, name: str) -> None:
    tree = repo.loose_tree([("100644", name.encode(), blob(repo))])
    with (
        open_repository(repo.path, git=git) as opened,
        pytest.raises(RepositoryRefused, match=r"is a spelling of \.git"),
    ):
        opened.write(opened.listing(tree).files, tmp_path / "out")


@pytest.mark.parametrize("target", [b"/etc/passwd", b"../../outside", b"inside"])
def test_write_makes_links_and_follows_none(repo: Repo, git: Git, tmp_path: Path, target: bytes) -> None:
    tree = repo.loose_tree([("120000", b"link", blob(repo, target))])
    with open_repository(repo.path, git=git) as opened:
        done = opened.write(opened.listing(tree).files, tmp_path / "out")
    assert ((tmp_path / "out" / "link").readlink(), bool(done.links_out)) == (
        Path(target.decode()),
        target != b"inside",
    )


@pytest.mark.parametrize("target", [b"", b"a\0b", b"x" * 5000])
def test_write_of_a_link_without_a_usable_target(repo: Repo, git: Git, tmp_path: Path, target: bytes) -> None:
    tree = repo.loose_tree([("120000", b"link", blob(repo, target))])
    with open_repository(repo.path, git=git) as opened, pytest.raises(RepositoryRefused) as refused:
        opened.write(opened.listing(tree).files, tmp_path / "out")
    assert refused.value.kind == "output"


def test_write_into_a_folder_that_is_not_empty(repo: Repo, git: Git, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "there").touch()
    tree = repo.loose_tree([("100644", b"a", blob(repo))])
    with open_repository(repo.path, git=git) as opened, pytest.raises(RepositoryRefused, match="is not empty"):
        opened.write(opened.listing(tree).files, tmp_path / "out")


def test_write_names_lfs_pointers(repo: Repo, git: Git, tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    tree = repo.loose_tree([("100644", b"a", blob(repo, pointer))])
    with open_repository(repo.path, git=git) as opened:
        assert opened.write(opened.listing(tree).files, tmp_path / "out").lfs == (b"a",)


@pytest.mark.parametrize(("levels", "width"), [(5, 32), (60, 10)], ids=["34_million", "10_to_the_60"])
def test_a_git_bomb_is_refused_before_it_is_listed(repo: Repo, git: Git, levels: int, width: int) -> None:
    below, mode = blob(repo), "100644"
    for _ in range(levels):
        below = repo.loose_tree([(mode, b"%02d" % number, below) for number in range(width)])
        mode = FOLDER
    before = time.perf_counter()
    with pytest.raises(RepositoryRefused, match="limit is 1000000") as refused:
        listing(repo, git, below)
    assert refused.value.kind == "too_large"
    assert time.perf_counter() - before < 30  # it would never end otherwise


def test_depth_by_levels_is_not_depth(repo: Repo, git: Git) -> None:
    """A chain, each part of which is also listed at the top: read level by level it is only two deep."""
    chain = [repo.loose_tree([("100644", b"x", blob(repo))])]
    for _ in range(200):
        chain.append(repo.loose_tree([("40000", b"d", chain[-1])]))
    top = repo.loose_tree([("40000", b"%03d" % number, id) for number, id in enumerate(chain)])
    with pytest.raises(RepositoryRefused, match="more than 64 folders deep"):
        listing(repo, git, top)


def test_a_long_path_is_refused(repo: Repo, git: Git) -> None:
    below = repo.loose_tree([("100644", b"x", blob(repo))])
    for _ in range(30):
        below = repo.loose_tree([("40000", b"n" * 200, below)])
    with pytest.raises(RepositoryRefused, match="a path of 60"):
        listing(repo, git, below)


def test_one_flat_tree_of_too_many_names(repo: Repo, git: Git) -> None:
    one = blob(repo)
    tree = repo.loose_tree([("100644", b"%07d" % number, one) for number in range(1_001)])
    with pytest.raises(RepositoryRefused, match="1001 entries, limit is 1000"):
        listing(repo, git, tree, GitLimits(entries=1_000))


def test_metadata_has_a_limit(repo: Repo, git: Git) -> None:
    tree = repo.loose_tree([("100644", b"%07d" % number, blob(repo)) for number in range(1_000)])
    with pytest.raises(RepositoryRefused, match="commits and trees hold more than 10000 bytes"):
        listing(repo, git, tree, GitLimits(metadata_bytes=10_000))


def test_a_blob_where_a_tree_has_to_be(repo: Repo, git: Git) -> None:
    tree = repo.loose_tree([("40000", b"d", blob(repo))])
    with pytest.raises(RepositoryRefused, match="is a blob, expected"):
        listing(repo, git, tree)


def test_a_tree_where_a_blob_has_to_be(repo: Repo, git: Git, tmp_path: Path) -> None:
    inner = repo.loose_tree([("100644", b"x", blob(repo))])
    tree = repo.loose_tree([("100644", b"a", inner)])
    with (
        open_repository(repo.path, git=git) as opened,
        pytest.raises(RepositoryRefused, match="is a tree, expected a blob"),
    ):
        opened.write(opened.listing(tree).files, tmp_path / "out")


def test_listing_after_a_difference_reads_what_that_left_out(repo: Repo, git: Git) -> None:
    base = repo.commit({"d/e/a": "1", "d/f/b": "1"})
    head = repo.commit({"d/e/a": "2"})
    with open_repository(repo.path, git=git) as opened:
        trees = [opened.tree_of(opened.commit_id(id)[0]) for id in (base, head)]
        opened.differences(*trees)
        assert set(opened.listing(trees[1]).files) == {b"d/e/a", b"d/f/b"}


# --- the quick look at all names of a folder -------------------------------------------------------------------------

PIECES = [b"a", b"B", b"b", b".", b"con", b"AUX.txt", b" ", b"-x", b"\xc3\xa9", b"\xff", b":", b"\\", b"git~1", b".git"]
PIECES += [b"_", b"+", b"\n", b"x" * 250, b"\x7f", b"com1"]


@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map(b"".join), max_size=5, unique=True))
def test_unremarkable_names_have_neither_hazards_nor_collisions(names: list[bytes]) -> None:
    if unremarkable(names):
        assert [hazards(name) for name in names] == [()] * len(names)
        assert collisions(names) == []


def test_unremarkable_is_what_names_usually_are() -> None:
    assert unremarkable([b"README.md", b"__init__.py", b"src", b"a-b_c@1.2+x"])
    assert unremarkable([])


@pytest.mark.parametrize(
    "names", [[b"a\n"], [b"a", b"A"], [b"nul.txt"], [b".git"], [b"x" * 256], [b"a."], [b"\xc3\xa9"]]
)
def test_unremarkable_leaves_the_rest_to_a_closer_look(names: list[bytes]) -> None:
    assert not unremarkable(names)


@pytest.mark.parametrize("name", [b"a" * 1_000_000 + b"\n", b".".join([b"a"] * 250) + b" "], ids=["long", "dotted"])
def test_unremarkable_goes_over_a_name_once(name: bytes) -> None:
    began = time.monotonic()
    assert not unremarkable([name] * 10)
    assert time.monotonic() - began < 1
