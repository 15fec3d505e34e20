"""Attack: a few kilobytes of objects that name thirty million paths, or unpack to gigabytes.
Answer: budgets are spent by arithmetic before anything is listed, and sizes are asked first.
"""

import time
import zlib

import pytest

from testdata.receipts.generate_changes import FLAGS, Case
from tests.repositories.build import Repo
from tests.threats.conftest import Desk, Seen

SECONDS = 5.0  # on a busy machine; each takes a fraction of one


def verified(desk: Desk, build: "object") -> tuple[Seen, float]:
    laid = desk.lay_change(Case(why=""))
    head = build(laid.repo, laid.ids["work"])  # type: ignore[operator]
    flags = [head if word == "work" else word for word in FLAGS]
    start = time.monotonic()
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    return seen, time.monotonic() - start


def wide(repo: Repo, parent: str, *, levels: int, width: int) -> str:
    id = repo.git("rev-parse", f"{parent}:README.md")
    mode = "100644"
    for _ in range(levels):
        id = repo.loose_tree([(mode, b"%04d" % number, id) for number in range(width)])
        mode = "40000"
    return repo.loose_commit(id, (parent,))


BOMBS = {
    "thirty million paths": lambda repo, parent: wide(repo, parent, levels=5, width=32),
    "ten to the sixtieth paths": lambda repo, parent: wide(repo, parent, levels=60, width=10),
    "two hundred folders deep": lambda repo, parent: wide(repo, parent, levels=200, width=1),
}


@pytest.mark.parametrize("build", BOMBS.values(), ids=BOMBS)
def test_threat_31_trees_are_counted_before_they_are_listed(desk: Desk, build: object) -> None:
    seen, seconds = verified(desk, build)
    assert (seen.code, seconds < SECONDS) == (4, True), seen.out
    assert "limit is" in seen.out or "folders deep" in seen.out or "more than" in seen.out


def zeros(repo: Repo, kind: bytes, size: int) -> str:
    """An object that is all zeros: a few megabytes that unpack to gigabytes."""
    id = "4" * 40
    path = repo.git_dir / "objects" / id[:2] / id[2:]
    path.parent.mkdir(exist_ok=True)
    squeeze = zlib.compressobj(9)
    data = squeeze.compress(b"%s %d\0" % (kind, size))
    path.write_bytes(data + squeeze.compress(bytes(64 << 20)) + squeeze.flush())
    return id


def test_threat_31_a_tree_of_gigabytes(desk: Desk) -> None:
    seen, seconds = verified(desk, lambda repo, parent: repo.loose_commit(zeros(repo, b"tree", 6 << 30), (parent,)))
    assert (seen.code, seconds < SECONDS) == (4, True), seen.out


def test_threat_31_a_file_of_gigabytes(desk: Desk) -> None:
    """It is said to be large; nobody reads it."""

    def build(repo: Repo, parent: str) -> str:
        blob = zeros(repo, b"blob", 6 << 30)
        return repo.loose_commit(repo.loose_tree([("100644", b"large", blob)]), (parent,))

    seen, seconds = verified(desk, build)
    assert (seen.code, seconds < SECONDS) == (11, True), seen.out
    assert "large is large" in seen.said_of("change-scope.binary")["large"]
