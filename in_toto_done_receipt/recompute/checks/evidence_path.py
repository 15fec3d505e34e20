"""Evidence of kind path: look again at what a path is. Weak: the existence of a name raises no assurance."""

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.look import path_type
from in_toto_done_receipt.observe.workspace import Workspace
from in_toto_done_receipt.predicates.done_receipt.model import ErrorForm, PathEvidence
from in_toto_done_receipt.recompute.case import Case, Item, items_of
from in_toto_done_receipt.recompute.lost_file import of_merge
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item."""
    return tuple(_recheck(case, item) for item in items_of(case.receipt, "path"))


def _recheck(case: Case, item: Item) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, PathEvidence)  # noqa: S101 - the reader made it from this kind
    path = evidence.path
    if case.context.workspace is None:
        return item.finding("not_checked", "evidence-path.no_workspace", "the verifier gave no workspace", path=path)
    return of_merge(case, lambda workspace: _look(case, item, workspace), stale="evidence-path.stale")


def _look(case: Case, item: Item, workspace: Workspace) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, PathEvidence)  # noqa: S101 - _recheck looked
    path = evidence.path
    case.time_left()
    try:
        seen = path_type(workspace, path)
    except ObservationError as error:
        if isinstance(evidence.observed, ErrorForm):
            return item.finding("pass", "evidence-path.confirmed", f"cannot be looked at: {error.message}", path=path)
        if error.kind == "symlink":  # a link on the way: the path leads somewhere else than the receipt says
            return item.finding("fail", "evidence-path.differs", error.message, path=path)
        return item.finding("error", "evidence-path.unreadable", error.message, path=path)
    said = evidence.observed.error if isinstance(evidence.observed, ErrorForm) else evidence.observed.type
    if seen == said:
        return item.finding("pass", "evidence-path.confirmed", f"{escape(path)} is {seen}", path=path, observed=seen)
    message = f"{escape(path)} is {seen}, receipt says {escape(said)}"
    return item.finding("fail", "evidence-path.differs", message, path=path, expected=said, observed=seen)
