"""Attack: revisions that are options or look like something else; FIFOs where git would wait for ever.
Answer: our own reader of refs; full ids and exact names only; nothing but plain files is opened.
"""

import os

import pytest

from testdata.receipts.generate_changes import FLAGS, Case
from tests.threats.conftest import Desk

ODD = (
    *("-x", "--upload-pack=touch", "HEAD~1", "work^", "work@{{0}}", "@", "@{{-1}}", ":/work", "work..main", "work:src"),
    *("{work:.8}", "{work:.39}", "../work", "refs/heads/../work", "/etc/passwd", "", "wo rk", "work\n", "x" * 5000),
    *("HEAD.lock", "refs/heads/none", "nothing", "config", "objects", "WORK"),
)


@pytest.mark.parametrize("name", ODD)
def test_threat_43_a_name_that_is_none(desk: Desk, name: str) -> None:
    laid = desk.lay_change(Case(why=""))
    flags = [f"--head={name}" if word == "work" else word for word in FLAGS if word != "--head"]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert seen.code in (2, 4), seen.out


def test_threat_43_a_ref_that_is_called_like_an_id(desk: Desk) -> None:
    """The id is itself; that a ref is called so is said."""
    laid = desk.lay_change(Case(why=""))
    repo, ids = laid.repo, laid.ids
    (repo.git_dir / "refs" / "heads" / ids["work"]).write_text(ids["base"] + "\n")
    flags = [ids["work"] if word == "work" else word for word in FLAGS]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, seen.change["head"]) == (0, ids["work"])
    assert seen.change["lookAlikes"] == [f"refs/heads/{ids['work']}"]


def test_threat_43_a_tag_and_a_branch_of_one_name(desk: Desk) -> None:
    laid = desk.lay_change(Case(why=""))
    laid.repo.git("tag", "work", laid.ids["base"])
    seen = desk.look(laid)
    assert (seen.code, "is ambiguous: refs/heads/work, refs/tags/work" in seen.out) == (4, True)
    exact = ["refs/heads/work" if word == "work" else word for word in FLAGS]
    assert desk.run("verify", *laid.with_flags(exact), "--json").code == 0


PIPES = {
    "packed-refs": 4,
    "refs/heads/work": 4,
    "HEAD": 4,
    "objects/info/alternates": 4,
    "config": 0,
    "objects/info/commit-graph": 0,
    "objects/pack/multi-pack-index": 0,
    "shallow": 0,
    "info/grafts": 0,
}


@pytest.mark.parametrize(("place", "code"), PIPES.items(), ids=PIPES)
def test_threat_43_a_pipe_in_its_place_does_not_hang(desk: Desk, place: str, code: int) -> None:
    laid = desk.lay_change(Case(why=""))
    path = laid.repo.git_dir / place
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    head = [laid.ids["work"] if word == "work" and place != "refs/heads/work" else word for word in FLAGS]
    seen = desk.run("verify", *laid.with_flags(head), "--json")
    # A full id asks only whether a ref is called like it, for which packed-refs is read.
    assert seen.code == code, seen.out
