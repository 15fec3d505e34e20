"""Attack: a base in which the tests are weak already, base = head, refs and grafts of the agent's own repository.
Answer: the base is the verifier's: a full id or the merge base with its target, an ancestor of head and not head.
"""

import pytest

from testdata.receipts.generate_changes import TEST, WORK, Case
from tests.threats.conftest import Desk

WEAK = TEST.replace("assert greet()", "assert True")


def test_threat_06_the_receipts_own_base_decides_nothing(desk: Desk) -> None:
    """The agent weakens the tests in one commit, and says that its work started there."""
    seen = desk.verify_change(
        Case(
            why="",
            work={"tests/test_greet.py": WEAK},
            commits=({"name": "done", "branch": "work", "from": "work", "files": WORK},),
            source=("work", "done"),
            sealed_at="work",
            subjects=("src/greet.py", "tests/test_greet.py"),
        )
    )
    assert seen.code == 11
    assert {"contract-seals.not_at_base", "freshness.other_base"} <= seen.reasons


@pytest.mark.parametrize("base", ["main", "refs/heads/main", "HEAD", "HEAD~1", "{base:.12}", "main^{{commit}}", ""])
def test_threat_06_a_base_is_a_full_id(desk: Desk, base: str) -> None:
    flags = ["--repo", "{repo}", "--base", base, "--head", "work", "--profile", "base:acceptance.toml"]
    seen = desk.verify_change(Case(why="", flags=flags))
    assert (seen.code, "base is" in seen.out) == (4, True), seen.out


@pytest.mark.parametrize(
    ("base", "fact"), [("{work}", "base and head are both"), ("{side}", "is no ancestor of head"), ("1" * 40, "111")]
)
def test_threat_06_a_base_is_an_ancestor_and_not_head(desk: Desk, base: str, fact: str) -> None:
    flags = ["--repo", "{repo}", "--base", base, "--head", "work", "--profile", "base:acceptance.toml"]
    side = {"name": "side", "branch": "side", "from": "base", "files": {"README.md": "# side\n"}}
    seen = desk.verify_change(Case(why="", flags=flags, commits=(side,)))
    assert (seen.code, fact in seen.out) == (4, True), seen.out


def test_threat_06_grafts_and_replacements_make_no_ancestor(desk: Desk) -> None:
    flags = ["--repo", "{repo}", "--base", "{side}", "--head", "work", "--profile", "base:acceptance.toml"]
    side = {"name": "side", "branch": "side", "from": "base", "files": {"README.md": "# side\n"}}
    laid = desk.lay_change(Case(why="", flags=flags, commits=(side,)))
    grafted = f"{laid.ids['work']} {laid.ids['side']}\n"
    (laid.repo.git_dir / "info" / "grafts").write_text(grafted)
    laid.repo.git("replace", "--graft", laid.ids["work"], laid.ids["side"])
    seen = desk.look(laid)
    assert (seen.code, "is no ancestor of head" in seen.out) == (4, True), seen.out


def test_threat_06_without_a_base_nothing_is_held_against_one(desk: Desk) -> None:
    """Not checked, and so denied by what the profile demands."""
    laid = desk.lay_change(Case(why=""))
    profile = desk.write("acceptance.toml", Case(why="").profile)
    flags = ["--repo", "{repo}", "--head", "work", "--profile", str(profile)]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, {"change.base", "contract.coverage"} <= seen.violations) == (12, True)
