"""Honest: the target gained commits since the run.
Answer: `stale` with exit code 12, which is no breach; merged onto the new target, the change is admitted.
"""

from testdata.receipts.generate_changes import FLAGS, Case
from tests.threats.conftest import Desk

TARGET = ["--repo", "{repo}", "--target-ref", "main", "--head", "work", "--profile", "base:acceptance.toml"]
MOVED = {"name": "moved", "branch": "main", "from": "base", "files": {"README.md": "# moved on\n"}}


def test_threat_47_stale_and_no_breach(desk: Desk) -> None:
    laid = desk.lay_change(Case(why="", commits=(MOVED,), flags=TARGET))
    seen = desk.look(laid)
    assert (seen.code, seen.violations, seen.result["contract"]["state"]) == (12, {"freshness.time"}, "held")
    assert "freshness.stale" in seen.reasons
    assert seen.said_of("freshness.stale")[None] == (
        f"refs/heads/main is {laid.ids['moved']}, base is {laid.ids['base']}"
    )


def test_threat_47_merged_onto_what_the_target_is_now(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", commits=(MOVED,), flags=[*TARGET, "--merge-onto", "main"]))
    assert (seen.code, "freshness.stale" in seen.reasons) == (0, False)


def test_threat_47_merged_onto_something_else_is_still_stale(desk: Desk) -> None:
    seen = desk.verify_change(Case(why="", commits=(MOVED,), flags=[*TARGET, "--merge-onto", "{base}"]))
    assert (seen.code, "freshness.stale" in seen.reasons) == (12, True)


def test_threat_47_a_base_that_the_verifier_names_need_not_be_a_tip(desk: Desk) -> None:
    assert desk.verify_change(Case(why="", commits=(MOVED,), flags=FLAGS)).code == 0
