"""Attack: a loose object, a pack index or a commit-graph that serves other bytes than the id says.
Answer: every id is computed again before a byte is used.
"""

import hashlib

import pytest

from testdata.receipts.generate_changes import GREET, Case
from tests.threats.conftest import Desk

LIES = {
    "the work": ("blob", "work:src/greet.py", b"def greet():\n    return 'evil'\n"),
    "the profile": ("blob", "base:acceptance.toml", b"version = 1\n"),
    "the tests at base": ("blob", "base:tests/test_greet.py", b"def test_greet():\n    assert True\n"),
}


@pytest.mark.parametrize(("kind", "name", "data"), LIES.values(), ids=LIES)
def test_threat_21_a_loose_object_that_lies(desk: Desk, kind: str, name: str, data: bytes) -> None:
    laid = desk.lay_change(Case(why=""))
    commit, _, path = name.partition(":")
    victim = laid.repo.git("rev-parse", f"{laid.ids[commit]}:{path}")
    laid.repo.loose(kind, data, id=victim)
    seen = desk.look(laid)
    assert (seen.code, f"{victim} has other content than its id says" in seen.out) == (4, True), seen.out


@pytest.mark.parametrize("kind", ["tree", "commit"])
def test_threat_21_head_that_shows_no_change(desk: Desk, kind: str) -> None:
    """head's own tree or commit, with the bytes of base's."""
    laid = desk.lay_change(Case(why=""))
    repo, ids = laid.repo, laid.ids
    own = {"tree": repo.tree(ids["work"]), "commit": ids["work"]}[kind]
    other = {"tree": repo.tree(ids["base"]), "commit": ids["base"]}[kind]
    repo.loose(kind, repo.git_bytes("cat-file", kind, other), id=own)
    seen = desk.look(laid)
    assert (seen.code, f"{own} has other content than its id says" in seen.out) == (4, True), seen.out


def test_threat_21_a_pack_index_that_lies(desk: Desk) -> None:
    laid = desk.lay_change(Case(why="", work={"src/greet.py": GREET.replace("hello", "evil")}))
    repo = laid.repo
    blobs = [repo.git("rev-parse", f"{laid.ids[name]}:src/greet.py") for name in ("base", "work")]
    repo.git("gc", "-q")
    (index,) = (repo.git_dir / "objects" / "pack").glob("*.idx")
    data = bytearray(index.read_bytes())
    names = sorted(line.split()[1] for line in repo.git("show-index", data=bytes(data)).splitlines())
    at = 8 + 256 * 4 + len(names) * 24
    first, other = (at + 4 * names.index(blob) for blob in blobs)
    data[other : other + 4] = data[first : first + 4]
    data[-20:] = hashlib.sha1(bytes(data[:-20])).digest()  # noqa: S324  (git's own format)
    index.chmod(0o644)
    index.write_bytes(data)
    assert desk.look(laid).code == 4


def test_threat_21_a_commit_graph_is_not_asked(desk: Desk) -> None:
    laid = desk.lay_change(Case(why=""))
    (laid.repo.git_dir / "objects" / "info" / "commit-graph").write_bytes(b"CGPH" + bytes(2000))
    assert desk.look(laid).code == 0
