"""Read a result document back, believing nothing that its items do not give. For `admit`, which did not look itself."""

from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.results.findings import Status, worst
from in_toto_done_receipt.results.model import RESULT_SCHEMA, EvidenceResult, VerificationResult
from in_toto_done_receipt.results.reasons import REASONS
from in_toto_done_receipt.results.states import ItemState, assurance, claim_state, coverage
from in_toto_done_receipt.wire.record import convert
from in_toto_done_receipt.wire.strict_json import loads

_STATUS_OF_STATE: Final[dict[ItemState, Status]] = {
    "confirmed": "pass",
    "refuted": "fail",
    "stale": "fail",
    "blocked": "not_checked",
    "reported": "not_checked",
    "error": "error",
}


def read_result(data: bytes, *, what: str, max_bytes: int) -> VerificationResult:
    """The result in these bytes, with states, coverage, assurance and statuses computed again and compared.

    Raises MalformedInput naming the first contradiction. Does not check who wrote the file: take it through a trusted
    channel, or compare its digest.
    """
    return result_of(loads(data, what=what, max_bytes=max_bytes), what=what)


def result_of(tree: Any, *, what: str) -> VerificationResult:
    """The result that this tree is, checked as `read_result` does. Raises MalformedInput."""
    if not isinstance(tree, dict) or tree.get("schema") != RESULT_SCHEMA:
        raise MalformedInput(f"{what}: is not a result document of schema {RESULT_SCHEMA}")
    result: VerificationResult = convert(tree, VerificationResult, what=what)
    _check_checks(result, what)
    _check_claims(result, what)
    items = [claim.evidence for claim in result.claims]
    _same(what, "coverage", coverage(items), result.coverage)
    _same(what, "assurance", assurance(items), result.assurance)
    _same(what, "attesterNames", tuple(sorted({s.principal for s in result.signers})), result.attester_names)
    _check_tests(result, what)
    if result.signers and result.trust.mode == "unsigned":
        raise MalformedInput(f"{what}: names signers although nobody asked for a signature")
    return result


def _check_tests(result: VerificationResult, what: str) -> None:
    """Tests that were run again have runs to show, and each run adds up."""
    for run in () if result.tests is None else result.tests.runs:
        ended = (run.passed, run.failed, run.errored, run.skipped, run.xfailed, run.xpassed)
        _same(what, f"collected of run {run.name}", sum(ended), run.collected)
    for claim in () if result.tests is not None else result.claims:
        for item in claim.evidence:
            if item.kind == "tests" and item.state in ("confirmed", "refuted"):
                raise MalformedInput(f"{what}: claim {claim.id}[{item.index}]: tests ran again, and there is no run")


def _check_checks(result: VerificationResult, what: str) -> None:
    seen: set[str] = set()
    for check in result.checks:
        if check.id in seen:
            raise MalformedInput(f"{what}: check {check.id} stands there twice")
        seen.add(check.id)
        _same(what, f"status of {check.id}", worst(check.findings), check.status)
        for finding in check.findings:
            if finding.check != check.id:
                raise MalformedInput(f"{what}: check {check.id} has a finding of {finding.check}")
            reason = REASONS.get(finding.reason)
            if finding.status == "fail" and reason is not None and reason.weight == "neutral":
                raise MalformedInput(f"{what}: {finding.reason} is never a failure")


def _check_claims(result: VerificationResult, what: str) -> None:
    statuses = {
        (finding.claim, finding.evidence): finding.status
        for check in result.checks
        for finding in check.findings
        if finding.claim is not None and finding.evidence is not None
    }
    for claim in result.claims:
        _same(what, f"state of claim {claim.id}", claim_state(claim.evidence), claim.state)
        for position, item in enumerate(claim.evidence):
            _check_item(item, position, statuses.get((claim.id, position)), f"{what}: claim {claim.id}[{position}]")


def _check_item(item: EvidenceResult, position: int, status: Status | None, where: str) -> None:
    if item.index != position:
        raise MalformedInput(f"{where}: its index is {item.index}")
    if status != _STATUS_OF_STATE[item.state]:
        raise MalformedInput(f"{where}: state is {item.state}, its finding has status {status or 'none'}")


def _same(what: str, name: str, computed: object, stated: object) -> None:
    if computed != stated:
        raise MalformedInput(f"{what}: {name} is {stated}, its items give {computed}")
