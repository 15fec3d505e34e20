"""From a finding to a state, and from findings to the contract's state: what the engine makes of what checks say."""

import pytest

from in_toto_done_receipt.recompute.engine import state_of
from in_toto_done_receipt.recompute.facts import contract_of
from in_toto_done_receipt.results.findings import Finding, Status


def finding(status: Status, reason: str) -> Finding:
    return Finding(check=reason.partition(".")[0], status=status, reason=reason, message="m", path="a")


@pytest.mark.parametrize(
    ("status", "reason", "state"),
    [
        ("pass", "evidence-file.confirmed", "confirmed"),
        ("fail", "evidence-file.differs", "refuted"),
        ("fail", "evidence-file.stale", "stale"),
        ("error", "evidence-file.unreadable", "error"),
        ("not_checked", "evidence-file.no_workspace", "reported"),
        ("not_checked", "evidence-command.not_asked", "reported"),
        ("not_checked", "evidence-command.not_allowed", "blocked"),
        ("not_checked", "evidence-command.sandbox", "blocked"),
        ("not_checked", "acme-review.whatever", "reported"),
    ],
)
def test_the_state_of_an_item_follows_from_its_finding(status: Status, reason: str, state: str) -> None:
    assert state_of(finding(status, reason)) == state


@pytest.mark.parametrize(
    ("findings", "state"),
    [
        ((), "not_checked"),
        ((finding("pass", "contract-seals.held"),), "held"),
        ((finding("pass", "contract-seals.held_as_reported"),), "held_as_reported"),
        ((finding("pass", "contract-seals.nothing_sealed"),), "nothing_sealed"),
        ((finding("not_checked", "contract-seals.no_workspace"),), "not_checked"),
        ((finding("error", "contract-seals.unreadable"), finding("pass", "contract-seals.held")), "not_checked"),
        ((finding("fail", "contract-seals.modified"), finding("pass", "contract-seals.held")), "moved"),
        ((finding("pass", "acme.contract"),), "not_checked"),
    ],
)
def test_the_contract_s_state_follows_from_its_own_check(findings: tuple[Finding, ...], state: str) -> None:
    assert contract_of(None, findings).state == state


def test_what_moved_is_named() -> None:
    (moved,) = contract_of(None, (finding("fail", "contract-seals.modified"),)).moved
    assert (moved.path, moved.change) == ("a", "modified")
