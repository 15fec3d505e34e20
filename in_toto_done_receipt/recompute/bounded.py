"""Findings in bounded numbers: a change of a million links must not be a million findings."""

from collections.abc import Iterator, Sequence
from typing import Final

from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.results.findings import Finding

SHOWN: Final = 100  # findings of one reason; the last one counts the rest


def bounded(found: Sequence[Finding], *, of: str) -> Iterator[Finding]:
    """At most so many of each reason, and one that counts the rest of them; `of` is the word for what is counted."""
    counts: dict[str, int] = {}
    for one in found:
        counts[one.reason] = counts.get(one.reason, 0) + 1
        if counts[one.reason] <= SHOWN:
            yield one
    for reason, count in counts.items():
        if count > SHOWN:
            status = next(one.status for one in found if one.reason == reason)
            yield finding(status, reason, f"and {count - SHOWN} more {of}")
