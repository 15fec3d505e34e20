"""Evidence of kind tests: read, and not run again by this version; it stays what the receipt reports."""

from in_toto_done_receipt.recompute.case import Case, items_of
from in_toto_done_receipt.results.findings import Finding

_MESSAGE = "tests are not run again by this version"


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item, always not_checked."""
    return tuple(
        item.finding("not_checked", "evidence-tests.not_rerun", _MESSAGE) for item in items_of(case.receipt, "tests")
    )
