"""Steps 5 and 6: run every check, then turn findings into states, coverage, assurance and the result document.

Only this module makes a VerificationResult. A handler, ours or anybody's, gives findings and nothing else.
"""

from typing import Any, Final

from msgspec.structs import replace

from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.checks.registry import CHECKS, DOCUMENT_ORDER
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.facts import ReceiptFacts, contract_of, sandbox_of
from in_toto_done_receipt.results.findings import Finding, worst
from in_toto_done_receipt.results.model import (
    RESULT_SCHEMA,
    AllowedCommand,
    Change,
    Check,
    ClaimResult,
    EvidenceResult,
    InputFacts,
    Tests,
    TrustFacts,
    Untrusted,
    VerificationResult,
    Verifier,
    Workspace,
)
from in_toto_done_receipt.results.states import Coverage, ItemState, assurance, claim_state, coverage
from in_toto_done_receipt.trust.model import VerifiedStatement
from in_toto_done_receipt.version import VERSION
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.statement import Statement
from in_toto_done_receipt.wire.value import Value

VERIFIER: Final = Verifier(id="https://w3id.org/done-receipt/verifier", version=VERSION)

# A not_checked finding with one of these reasons means that the verifier does not allow the recheck.
_BLOCKED: Final = frozenset(
    {
        "evidence-command.not_allowed",
        "evidence-command.relative_executable",
        "evidence-command.untrusted_executable",
        "evidence-command.sandbox",
        "evidence-tests.no_command",
        "evidence-tests.untrusted_executable",
        "evidence-tests.sandbox",
    }
)


class Examination(Value, kw_only=True):
    """What is known about one payload when the engine summarises it.

    `verified` is None when the signature was not trusted: then nothing of the statement was read. `facts` is what a
    done-receipt says of itself, None for a foreign predicate. `handlers` are the registered predicate types.
    """

    input: InputFacts
    trust: TrustFacts
    context: RecomputeContext
    findings: tuple[Finding, ...]
    handlers: tuple[str, ...]
    examined: bool
    verified: VerifiedStatement | None = None
    facts: ReceiptFacts | None = None
    unrecognized: tuple[str, ...] = ()


def run_checks(
    receipt: DoneReceipt, statement: Statement, context: RecomputeContext, *, earlier: tuple[Finding, ...] = ()
) -> tuple[Finding, ...]:
    """The findings of every check of a done-receipt, after `earlier` ones. Raises LimitExceeded when the time is up."""
    findings = earlier
    for _, run in CHECKS:
        case = Case(statement=statement, receipt=receipt, context=context, earlier=findings)
        findings += run(case)
    return findings


def summarise(examination: Examination) -> VerificationResult:
    """The result document of one payload."""
    claims = _claims(examination)
    items = [claim.evidence for claim in claims]
    checks = _checks(examination.findings)
    verified, context = examination.verified, examination.context
    signers = () if verified is None else verified.signers
    names = tuple(sorted({signer.principal for signer in signers}))
    contract = contract_of(examination.facts, examination.findings)
    covered = coverage(items)
    return VerificationResult(
        schema=RESULT_SCHEMA,
        evaluated_at=format_time(context.evaluated_at),
        verifier=VERIFIER,
        input=examination.input,
        trust=examination.trust,
        signers=signers,
        attester_names=names,
        examined=examination.examined,
        predicate_type=None if verified is None else verified.statement.predicate_type,
        matched_subjects=_matched(examination.findings),
        checks=checks,
        claims=claims,
        coverage=covered,
        assurance=assurance(items),
        contract=contract,
        sandbox=sandbox_of(context, examination.findings),
        run=ReceiptFacts.run_of(examination.facts),
        workspace=_workspace(context),
        change=_change(context),
        tests=_tests(context),
        verdict=ReceiptFacts.verdict_of(examination.facts, checks),
        summary=_summary(covered, contract.state, names, examination.trust),
        profile_digest=context.settings.digest,
        handlers=examination.handlers,
        unrecognized_fields=examination.unrecognized,
        untrusted=Untrusted(statement=None if verified is None else verified.statement.tree),
        backdated=context.settings.backdated,
        overrides=context.settings.overrides,
        allowed_commands=_allowed(context),
    )


def with_remarks(result: VerificationResult, remarks: tuple[Finding, ...]) -> VerificationResult:
    """The result with these findings at the end of their checks. Raises ValueError for one that is more than a remark:
    states, assurance and statuses stand already.
    """
    if any(remark.status != "pass" or remark.evidence is not None for remark in remarks):
        raise ValueError("a remark passes and is about no evidence item")
    checks = tuple(
        replace(check, findings=check.findings + tuple(remark for remark in remarks if remark.check == check.id))
        for check in result.checks
    )
    return replace(result, checks=checks)


def state_of(finding: Finding) -> ItemState:
    """The state of an evidence item, from its one finding."""
    if finding.status == "pass":
        return "confirmed"
    if finding.status == "error":
        return "error"
    if finding.status == "fail":
        return "stale" if finding.reason.endswith(".stale") else "refuted"
    return "blocked" if finding.reason in _BLOCKED else "reported"


def _claims(examination: Examination) -> tuple[ClaimResult, ...]:
    facts = examination.facts
    if facts is None:
        return ()
    found = {(f.claim, f.evidence): f for f in examination.findings if f.evidence is not None}
    results = []
    for claim in facts.claims:
        items = tuple(_item(index, item, found[claim.id, index]) for index, item in enumerate(claim.items))
        results.append(ClaimResult(id=claim.id, statement=claim.statement, state=claim_state(items), evidence=items))
    return tuple(results)


def _item(index: int, item: Any, finding: Finding) -> EvidenceResult:
    return EvidenceResult(
        index=index,
        kind=item.kind,
        ok=item.ok,
        state=state_of(finding),
        reason=finding.reason,
        message=finding.message,
        path=item.path,
        argv=item.argv,
        expected=finding.expected,
        observed=finding.observed,
    )


def _checks(findings: tuple[Finding, ...]) -> tuple[Check, ...]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.check, []).append(finding)
    known = [name for name in DOCUMENT_ORDER if name in groups]
    others = sorted(groups.keys() - set(DOCUMENT_ORDER))
    return tuple(
        Check(id=name, status=worst(tuple(groups[name])), findings=tuple(groups[name])) for name in known + others
    )


def _matched(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    return tuple(f.path for f in findings if f.reason == "subjects.matched" and f.path is not None)


def _allowed(context: RecomputeContext) -> tuple[AllowedCommand, ...]:
    """What could run: nothing, unless the verifier asked for commands."""
    entries = context.settings.commands if context.recheck_commands else ()
    return tuple(
        AllowedCommand(argv=entry.argv, exit_code=entry.exit_code, stdout_contains=entry.stdout_contains)
        for entry in entries
    )


def _workspace(context: RecomputeContext) -> Workspace | None:
    if context.workspace is None:
        return None
    return Workspace(kind=context.workspace.kind, root=str(context.workspace.root))


def _change(context: RecomputeContext) -> Change | None:
    change = context.change
    if change is None:
        return None
    kinds = [one.kind for one in change.changes]
    return Change(
        head=change.head,
        tree=change.tree,
        base=change.base,
        onto=change.onto,
        head_ref=change.head_ref,
        target_ref=change.target_ref,
        added=kinds.count("added"),
        changed=kinds.count("modified") + kinds.count("type"),
        deleted=kinds.count("deleted"),
        renamed=len(change.renames),
        stores=tuple(map(str, change.stores[1:])),
        look_alikes=change.look_alikes,
        confined=change.confined,
    )


def _tests(context: RecomputeContext) -> Tests | None:
    """What the clean room came to; nothing if it did not run."""
    outcome = context.clean_room.so_far
    if outcome is None or isinstance(outcome, NotRun):
        return None
    from in_toto_done_receipt.recompute.clean_room.facts import facts_of

    return facts_of(outcome)


def _summary(covered: Coverage, contract: str, principals: tuple[str, ...], trust: TrustFacts) -> str:
    nobody = "no signature asked for" if trust.mode == "unsigned" else "signed by nobody who is trusted"
    who = f"signed by {', '.join(principals)}" if principals else nobody
    return f"{covered.confirmed} of {covered.total} item(s) confirmed, contract {contract}, {who}"
