"""Evidence of kind output: the artifact is a subject, and step 4 matched that subject to bytes the verifier read."""

from in_toto_done_receipt.predicates.done_receipt.model import OutputEvidence
from in_toto_done_receipt.recompute.case import Case, Item, items_of
from in_toto_done_receipt.recompute.checks.subjects import read_subjects
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.digests import digests_match
from in_toto_done_receipt.wire.escape import escape


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item."""
    read = read_subjects(case)
    return tuple(_recheck(case, item, read) for item in items_of(case.receipt, "output"))


def _recheck(case: Case, item: Item, read: frozenset[str]) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, OutputEvidence)  # noqa: S101 - the reader made it from this kind
    name = evidence.artifact.name
    digests = evidence.artifact.digest.as_map()
    if not any(s.name == name and digests_match(s.digest, digests) for s in case.statement.subjects):
        message = f"{escape(name)} with these digests is not a subject"
        return item.finding("fail", "evidence-output.differs", message, path=name)
    if name not in read:
        message = f"{escape(name)} is a subject, and the verifier did not read its bytes"
        return item.finding("not_checked", "evidence-output.subject_not_read", message, path=name)
    return item.finding("pass", "evidence-output.confirmed", f"{escape(name)} is a matched subject", path=name)
