"""Trusted receipts of one file that say different things of the same outputs: threat 36.

One payload must satisfy everything, and a file may hold several. That one of them failed is a remark on the one that
passed and no refusal: whoever put the file together could have left it out, and a second run may rightly succeed.
"""

from collections.abc import Sequence
from typing import Any, Final

from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.recompute.engine import with_remarks
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.outcome import refutation_code
from in_toto_done_receipt.wire.escape import escape

Output = tuple[str, str]

_MAX_NAMED: Final = 20  # contradicting receipts that get a remark each; the last one counts the rest


def with_contradictions(results: Sequence[VerificationResult]) -> tuple[VerificationResult, ...]:
    """The results, those that did not fail with a remark on each trusted one that failed and shares an output.

    An output is a name with a sha256. Only results whose statement was examined count.
    """
    if len(results) < 2:
        return tuple(results)
    failures = [(result, why, _outputs(result)) for result in results if (why := _failure(result))]
    return tuple(result if _failure(result) else with_remarks(result, _remarks(result, failures)) for result in results)


def _remarks(
    result: VerificationResult, failures: Sequence[tuple[VerificationResult, str, frozenset[Output]]]
) -> tuple[Finding, ...]:
    own = _outputs(result) if result.examined else frozenset()
    found = [_remark(other, why, min(own & outputs)[0]) for other, why, outputs in failures if own & outputs]
    if len(found) <= _MAX_NAMED:
        return tuple(found)
    rest = finding("pass", "statement.contradicted", f"and {len(found) - _MAX_NAMED} more receipt(s) that contradict")
    return (*found[:_MAX_NAMED], rest)


def _remark(other: VerificationResult, why: str, output: str) -> Finding:
    who = ", ".join(other.attester_names)
    message = (
        f"another receipt in the file, payload {other.input.payload_sha256}, signed by {escape(who) or 'nobody'}, "
        f"{why} and is about {escape(output)} too"
    )
    return finding("pass", "statement.contradicted", message, path=output)


def _failure(result: VerificationResult) -> str:
    """How this receipt failed, in words, or nothing."""
    verdict = result.verdict
    if not result.examined or verdict is None:
        return ""
    code = refutation_code(result)
    if code == 10:  # out of scope: not trusted for what it says
        return ""
    if code:
        return "is refuted"
    return "says that the work failed" if verdict.checked and not verdict.passed else ""


def _outputs(result: VerificationResult) -> frozenset[Output]:
    """(name, sha256) of each subject of the statement as signed, which was read as a statement before."""
    subjects: list[Any] = result.untrusted.statement["subject"]
    return frozenset((subject.get("name", ""), subject["digest"].get("sha256", "")) for subject in subjects)
