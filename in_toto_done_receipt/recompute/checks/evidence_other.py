"""Evidence of a kind that nobody here knows: it stays what the receipt reports."""

from in_toto_done_receipt.recompute.case import Case, items_of
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.states import EVIDENCE_CLASSES
from in_toto_done_receipt.wire.escape import escape


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item, always not_checked."""
    return tuple(
        item.finding(
            "not_checked",
            "evidence-other.unknown_kind",
            f"no check is registered for kind {escape(item.evidence.kind)}",
        )
        for item in items_of(case.receipt)
        if item.evidence.kind not in EVIDENCE_CLASSES
    )
