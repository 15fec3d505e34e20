"""Evidence of kind file: hash again; the observed digest, the bytes and the expected digest must all agree."""

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.look import hash_file
from in_toto_done_receipt.observe.workspace import Workspace
from in_toto_done_receipt.predicates.done_receipt.model import ErrorForm, FileEvidence
from in_toto_done_receipt.recompute.case import Case, Item, items_of
from in_toto_done_receipt.recompute.lost_file import file_lost, in_own_manifest, of_merge
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item."""
    return tuple(_recheck(case, item) for item in items_of(case.receipt, "file"))


def _recheck(case: Case, item: Item) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, FileEvidence)  # noqa: S101 - the reader made it from this kind
    path = evidence.path
    if case.context.workspace is None:
        return item.finding("not_checked", "evidence-file.no_workspace", "the verifier gave no workspace", path=path)
    return of_merge(case, lambda workspace: _look(case, item, workspace), stale="evidence-file.stale")


def _look(case: Case, item: Item, workspace: Workspace) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, FileEvidence)  # noqa: S101 - _recheck looked
    path = evidence.path
    case.time_left()
    try:
        facts = hash_file(workspace, path)
    except ObservationError as error:
        return file_lost(item, error, path=path, check="evidence-file")
    if isinstance(evidence.observed, ErrorForm):
        message = f"{escape(path)} can be read, receipt says {escape(evidence.observed.error)}"
        return item.finding("fail", "evidence-file.now_readable", message, path=path)
    return _compare(case, item, evidence, facts.digests["sha256"], facts.bytes)


def _compare(case: Case, item: Item, evidence: FileEvidence, sha256: str, size: int) -> Finding:
    assert not isinstance(evidence.observed, ErrorForm)  # noqa: S101 - _recheck looked
    said, path = evidence.observed, evidence.path
    if sha256 != said.sha256 or size != said.bytes:
        stale = in_own_manifest(case, path, said.sha256, said.bytes)
        return item.finding(
            "fail",
            "evidence-file.stale" if stale else "evidence-file.differs",
            f"{escape(path)} has sha256 {sha256} and {size} bytes, receipt says {said.sha256} and {said.bytes}",
            path=path,
            expected=said.sha256,
            observed=sha256,
        )
    expected = evidence.expected_sha256
    if expected is not None and expected != sha256 and evidence.ok:
        message = f"{escape(path)} has sha256 {sha256}, expected was {expected}, receipt says ok"
        return item.finding("fail", "evidence-file.expectation", message, path=path, expected=expected, observed=sha256)
    return item.finding("pass", "evidence-file.confirmed", "digest and size agree", path=path, observed=sha256)
