"""Honest: in a pre-receive hook the pushed objects lie in a quarantine that only git's own variables name.
Answer: `--object-dir`, given by the hook; the variables of our environment steer nothing.
"""

import hashlib
import zlib
from pathlib import Path

import pytest

from testdata.receipts.generate_changes import FLAGS, GREET, TEST, Case
from tests.threats.conftest import Desk


def pushed(desk: Desk) -> tuple[list[str], Path]:
    """The words of verify for a head whose objects lie in a quarantine only, and that folder."""
    laid = desk.lay_change(Case(why=""))
    repo, ids = laid.repo, laid.ids
    quarantine = desk.folder / "incoming"
    moved = repo.git("rev-list", "--objects", "work", "^main").split("\n")
    repo.git("checkout", "-q", "--detach", ids["base"])
    repo.git("update-ref", "-d", "refs/heads/work")
    for id in (line.split()[0] for line in moved):
        place = quarantine / id[:2] / id[2:]
        place.parent.mkdir(parents=True, exist_ok=True)
        (repo.git_dir / "objects" / id[:2] / id[2:]).rename(place)
    flags = [ids["work"] if word == "work" else word for word in FLAGS]
    return laid.with_flags(flags), quarantine


def test_threat_46_a_quarantine_that_is_named_is_read(desk: Desk) -> None:
    words, quarantine = pushed(desk)
    seen = desk.run("verify", *words, "--object-dir", quarantine, "--json")
    assert (seen.code, seen.change["stores"]) == (0, [str(quarantine)])


def test_threat_46_without_it_the_objects_are_missing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    words, quarantine = pushed(desk)
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(quarantine))
    monkeypatch.setenv("GIT_QUARANTINE_PATH", str(quarantine))
    seen = desk.run("verify", *words, "--json")
    assert (seen.code, "is not in the repository" in seen.out) == (4, True), seen.out


def test_threat_46_a_quarantine_is_believed_no_more_than_a_store(desk: Desk) -> None:
    words, quarantine = pushed(desk)
    data = GREET.replace("hello", "hello, world").encode()
    id = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()  # noqa: S324  (git's own ids)
    (quarantine / id[:2] / id[2:]).chmod(0o644)
    (quarantine / id[:2] / id[2:]).write_bytes(zlib.compress(b"blob %d\0" % len(TEST) + TEST.encode()))
    seen = desk.run("verify", *words, "--object-dir", quarantine, "--json")
    assert (seen.code, f"{id} has other content than its id says" in seen.out) == (4, True), seen.out


def test_threat_46_a_quarantine_that_is_none(desk: Desk) -> None:
    words, quarantine = pushed(desk)
    seen = desk.run("verify", *words, "--object-dir", quarantine / "absent", "--json")
    assert (seen.code, "absent is no folder" in seen.out) == (4, True), seen.out
