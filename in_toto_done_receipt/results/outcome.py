"""From a result and a decision to one exit code, whatever the output format. Source: design, "Exit codes"."""

from collections.abc import Iterable

from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.reasons import REASONS

# The worst code of several receipts: the first of these that occurs.
WORST_ORDER = (1, 2, 4, 3, 10, 11, 12, 0)


def failures(result: VerificationResult) -> Iterable[Finding]:
    """Every finding with status fail, in the order of the checks."""
    return (finding for check in result.checks for finding in check.findings if finding.status == "fail")


def refutation_code(result: VerificationResult) -> int:
    """10 when a signature is not trusted, else 11 when something is refuted, else 0; an unknown reason refutes."""
    weights = {REASONS[f.reason].weight if f.reason in REASONS else "refuted" for f in failures(result)}
    if "untrusted" in weights:
        return 10
    return 11 if "refuted" in weights else 0


def exit_code(result: VerificationResult, decision: Decision) -> int:
    """0 iff the decision allows; otherwise 10, 11 or 12."""
    if decision.allow:
        return 0
    return refutation_code(result) or 12


def worst_code(codes: Iterable[int]) -> int:
    """The code of several verifications: the worst one."""
    present = set(codes)
    return next((code for code in WORST_ORDER if code in present), 1)
