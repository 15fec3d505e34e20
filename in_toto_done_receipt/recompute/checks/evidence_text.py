"""Evidence of kind text: search again, literally, in strict UTF-8."""

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.look import find_text
from in_toto_done_receipt.observe.workspace import Workspace
from in_toto_done_receipt.predicates.done_receipt.model import ErrorForm, TextEvidence
from in_toto_done_receipt.recompute.case import Case, Item, items_of
from in_toto_done_receipt.recompute.lost_file import file_lost, in_own_manifest, of_merge
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item."""
    return tuple(_recheck(case, item) for item in items_of(case.receipt, "text"))


def _recheck(case: Case, item: Item) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, TextEvidence)  # noqa: S101 - the reader made it from this kind
    path = evidence.path
    if case.context.workspace is None:
        return item.finding("not_checked", "evidence-text.no_workspace", "the verifier gave no workspace", path=path)
    return of_merge(case, lambda workspace: _look(case, item, workspace), stale="evidence-text.stale")


def _look(case: Case, item: Item, workspace: Workspace) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, TextEvidence)  # noqa: S101 - _recheck looked
    path = evidence.path
    case.time_left()
    try:
        seen = find_text(workspace, path, evidence.literal, limit=case.context.settings.limits["text-bytes"])
    except ObservationError as error:
        return file_lost(item, error, path=path, check="evidence-text")
    said = evidence.observed
    if isinstance(said, ErrorForm):
        message = f"{escape(path)} can be read, receipt says {escape(said.error)}"
        return item.finding("fail", "evidence-text.now_readable", message, path=path)
    if seen.matched == said.matched and seen.bytes == said.bytes:
        word = "found" if seen.matched else "not found"
        return item.finding("pass", "evidence-text.confirmed", f"the text is {word}, as observed", path=path)
    stale = in_own_manifest(case, path, None, said.bytes)
    return item.finding(
        "fail",
        "evidence-text.stale" if stale else "evidence-text.differs",
        f"{escape(path)}: matched is {seen.matched} in {seen.bytes} bytes, receipt says {said.matched} in {said.bytes}",
        path=path,
        expected=said.matched,
        observed=seen.matched,
    )
