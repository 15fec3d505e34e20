"""Who signed, and whether those signers may speak for this agent, model, repository and predicate type."""

from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.trust.model import VerifiedStatement
from in_toto_done_receipt.trust.scope import scope_faults


def run(verified: VerifiedStatement, receipt: DoneReceipt | None) -> tuple[Finding, ...]:
    """Findings on the signers of a statement that `trust` accepted; the receipt is None for a foreign predicate."""
    if verified.trust.mode == "unsigned":
        return (finding("not_checked", "signature.unsigned", "the verifier asked for no signature"),)
    faults = scope_faults(
        verified,
        agent=None if receipt is None else receipt.agent.id,
        model=None if receipt is None else receipt.agent.model,
        repository=None if receipt is None or receipt.source is None else receipt.source.repository,
        predicate_type=verified.statement.predicate_type,
    )
    if faults:
        return tuple(finding("fail", "signature.out_of_scope", fault) for fault in faults)
    who = ", ".join(sorted({signer.principal for signer in verified.signers}))
    return (finding("pass", "signature.verified", f"signed by {who}"),)
