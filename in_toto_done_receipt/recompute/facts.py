"""What a receipt says of itself, as far as the result repeats it, and what the findings say of the contract."""

from in_toto_done_receipt.predicates.done_receipt.model import (
    CommandEvidence,
    DoneReceipt,
    Evidence,
    FileEvidence,
    OutputEvidence,
    PathEvidence,
    TestsEvidence,
    TextEvidence,
)
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.recompute.clean_room.obstacle import NotRun
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import Check, Contract, ContractState, Movement, RunFacts, Sandbox, Verdict
from in_toto_done_receipt.results.reasons import REASONS
from in_toto_done_receipt.wire.value import Value


class ItemFacts(Value, kw_only=True):
    """One evidence item as its author saw it, and what it is about."""

    kind: str
    ok: bool
    path: str | None = None
    argv: tuple[str, ...] | None = None


class ClaimFacts(Value, kw_only=True):
    """One claim in the agent's words."""

    id: str
    statement: str
    items: tuple[ItemFacts, ...]


class ReceiptFacts(Value, kw_only=True):
    """What one done-receipt says, in plain values."""

    claims: tuple[ClaimFacts, ...]
    sealed: int
    absent: int
    breach: str | None
    checked: bool
    passed: bool
    reason: str
    summary: str
    run: RunFacts

    @staticmethod
    def of(receipt: DoneReceipt) -> "ReceiptFacts":
        """The facts of this receipt."""
        return ReceiptFacts(
            claims=tuple(
                ClaimFacts(id=claim.id, statement=claim.statement, items=tuple(_item(e) for e in claim.evidence))
                for claim in receipt.claims
            ),
            sealed=len(receipt.contract.sealed),
            absent=len(receipt.contract.absent),
            breach=receipt.contract.breach,
            checked=receipt.verdict.checked,
            passed=receipt.verdict.passed,
            reason=receipt.verdict.reason,
            summary=summary_line(receipt),
            run=_run(receipt),
        )

    @staticmethod
    def run_of(facts: "ReceiptFacts | None") -> RunFacts:
        """The run, or nothing about it."""
        return RunFacts() if facts is None else facts.run

    @staticmethod
    def verdict_of(facts: "ReceiptFacts | None", checks: tuple[Check, ...]) -> Verdict | None:
        """The receipt's verdict; coherent unless the check `statement` refuted something."""
        if facts is None:
            return None
        refuted = any(
            finding.status == "fail" and REASONS[finding.reason].weight == "refuted"
            for check in checks
            if check.id == "statement"
            for finding in check.findings
        )
        return Verdict(
            checked=facts.checked,
            passed=facts.passed,
            reason=facts.reason,
            coherent=not refuted,
            summary=facts.summary,
        )


def _item(evidence: Evidence) -> ItemFacts:
    path: str | None = None
    argv: tuple[str, ...] | None = None
    if isinstance(evidence, PathEvidence | FileEvidence | TextEvidence):
        path = evidence.path
    elif isinstance(evidence, OutputEvidence):
        path = evidence.artifact.name
    elif isinstance(evidence, CommandEvidence | TestsEvidence):
        argv = evidence.argv
    return ItemFacts(kind=evidence.kind, ok=evidence.ok, path=path, argv=argv)


def _run(receipt: DoneReceipt) -> RunFacts:
    usage = receipt.run.usage
    return RunFacts(
        agent=receipt.agent.id,
        model=receipt.agent.model,
        outcome=receipt.run.outcome,
        finished_on=receipt.run.finished_on,
        input_tokens=None if usage is None else usage.input_tokens,
        output_tokens=None if usage is None else usage.output_tokens,
        iterations=receipt.run.iterations,
        tool_calls=receipt.run.tool_calls,
    )


def contract_of(facts: ReceiptFacts | None, findings: tuple[Finding, ...]) -> Contract:
    """The contract's state, from the findings of the check `contract-seals` alone."""
    seals = [finding for finding in findings if finding.check == "contract-seals"]
    moved = tuple(
        Movement(path=finding.path or "", change=finding.reason.partition(".")[2])
        for finding in seals
        if finding.status == "fail"
    )
    return Contract(
        state=_state(seals),
        sealed=0 if facts is None else facts.sealed,
        absent=0 if facts is None else facts.absent,
        moved=moved,
        breach=None if facts is None else facts.breach,
    )


def _state(seals: list[Finding]) -> ContractState:
    if any(finding.status == "fail" for finding in seals):
        return "moved"
    if not seals or any(finding.status != "pass" for finding in seals):
        return "not_checked"
    states: dict[str, ContractState] = {
        "contract-seals.held": "held",
        "contract-seals.held_as_reported": "held_as_reported",
        "contract-seals.nothing_sealed": "nothing_sealed",
    }
    return states.get(seals[-1].reason, "not_checked")


def sandbox_of(context: RecomputeContext, findings: tuple[Finding, ...]) -> Sandbox:
    """The sandbox, and `none` as its level unless a command or test ran in it."""
    outcome = context.clean_room.so_far
    ran = outcome is not None and not isinstance(outcome, NotRun)
    ran |= any(finding.check == "evidence-command" and finding.status in ("pass", "fail") for finding in findings)
    facts = context.sandbox
    return Sandbox(
        level=facts.level if facts is not None and ran else "none",
        required=context.settings.sandbox_required,
        layers=() if facts is None else facts.layers,
    )
