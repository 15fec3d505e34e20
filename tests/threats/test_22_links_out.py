"""Attack: a link in head that leads elsewhere, so that what is written through it lands there.
Answer: trees are written once, no link is followed; a link that leads out is a finding, one on the way of a seal too.
"""

from collections.abc import Callable

import pytest

from testdata.receipts.generate_changes import FLAGS, PROFILE, WORK, Case
from tests.threats.conftest import Desk

TARGETS = ("/etc", "../..", "src/../../x", "/", "src/./../..")


@pytest.mark.parametrize("target", TARGETS)
def test_threat_22_a_link_out_is_named(desk: Desk, target: str) -> None:
    seen = desk.verify_change(Case(why="", links={"elsewhere": target}))
    assert (seen.code, "elsewhere" in seen.said_of("change-scope.link_out")) == (12, True)


def test_threat_22_a_link_in_the_place_of_the_tests(desk: Desk) -> None:
    work: dict[str, str | None] = {**WORK, "tests/test_greet.py": None}
    victim = desk.write("victim/test_greet.py", "untouched\n")
    laid = desk.lay_change(Case(why="", work=work, links={"tests": str(victim.parent)}))
    seen = desk.look(laid)
    assert (seen.code, seen.result["contract"]["state"]) == (11, "moved")
    assert {"tests"} == set(seen.said_of("change-scope.link_out"))


def test_threat_22_a_large_file_beside_it_hides_no_link(desk: Desk) -> None:
    laid = desk.lay_change(Case(why=""))
    repo = laid.repo
    repo.git("checkout", "-q", "work")
    (repo.path / "out").symlink_to("/etc")
    for number in range(70):
        (repo.path / f"src/large{number}").write_bytes(bytes([number]) * ((1 << 20) - 1))
    repo.commit()
    seen = desk.look(laid)
    assert {"change-scope.unreadable", "change-scope.link_out"} <= seen.reasons


@pytest.mark.usefixtures("bubblewrap")
def test_threat_22_writing_the_tree_writes_nowhere_else(desk: Desk, commands: Callable[..., list[str]]) -> None:
    """A command that writes through the link in its own copy reaches nothing of ours."""
    victim = desk.write("victim/file", "untouched\n")
    argv = "/bin/sh tests/check.sh"
    profile = PROFILE + '\n[[command]]\nargv = ["/bin/sh", "tests/check.sh"]\n'
    laid = desk.lay_change(
        Case(
            why="",
            base={"tests/check.sh": "echo evil > elsewhere/file; true\n"},
            links={"elsewhere": str(victim.parent)},
            sealed=("tests/check.sh", "tests/test_greet.py"),
            profile=profile,
            flags=[*FLAGS, *commands(argv)],
        )
    )
    seen = desk.look(laid)
    assert (seen.code, victim.read_text()) == (12, "untouched\n")
