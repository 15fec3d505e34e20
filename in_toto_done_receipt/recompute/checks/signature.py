"""Who signed, and whether those signers may speak for this agent, model, repository and predicate type."""

from typing import Any

from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.trust.model import VerifiedStatement
from in_toto_done_receipt.trust.scope import in_scope, only_in_scope, scope_faults


def run(verified: VerifiedStatement, receipt: DoneReceipt | None) -> tuple[VerifiedStatement, tuple[Finding, ...]]:
    """The statement with the signers that count for what it says, and the findings on them.

    `verified` is what `trust` accepted; the receipt is None for a foreign predicate. When too few signers are in scope
    all of them stay, beside a finding for each fault.
    """
    if verified.trust.mode == "unsigned":
        return verified, (finding("not_checked", "signature.unsigned", "the verifier asked for no signature"),)
    says: dict[str, Any] = {
        "agent": None if receipt is None else receipt.agent.id,
        "model": None if receipt is None else receipt.agent.model,
        "repository": None if receipt is None or receipt.source is None else receipt.source.repository,
        "predicate_type": verified.statement.predicate_type,
    }
    faults = scope_faults(verified, **says)
    if faults:
        return verified, tuple(finding("fail", "signature.out_of_scope", fault) for fault in faults)
    counting = only_in_scope(verified, in_scope(verified, **says))
    who = ", ".join(sorted({signer.principal for signer in counting.signers}))
    return counting, (finding("pass", "signature.verified", f"signed by {who}"),)
