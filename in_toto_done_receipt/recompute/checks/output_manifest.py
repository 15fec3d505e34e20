"""The full inventory of the workspace, computed again by two scans that both read every byte."""

from typing import TYPE_CHECKING

from in_toto_done_receipt.errors import DoneReceiptError, ObservationError, ProducerError, RepositoryRefused, WorkMoved
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.predicates.done_receipt.model import File
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.recompute.limits import manifest_limits
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.manifest.model import Manifest

_POINTER = "/predicate/manifest/digest/sha256"
_MAX_NAMED = 100  # differing paths that get a finding each; the message counts the rest


def run(case: Case) -> tuple[Finding, ...]:
    """Whether the recomputed manifest is the receipt's; with the manifest at hand every difference is named."""
    claimed = case.receipt.manifest
    if claimed is None:
        return (finding("not_checked", "output-manifest.not_claimed", "the receipt names no manifest"),)
    given = case.context.manifest
    other: tuple[Finding, ...] = ()
    if given is not None and given.digest != claimed.digest.sha256:
        message = f"the manifest given has digest {given.digest}, the receipt names {claimed.digest.sha256}"
        other = (finding("fail", "output-manifest.other_file", message, pointer=_POINTER),)
        given = None
    if case.context.workspace is None:
        return (*other, finding("not_checked", "output-manifest.no_workspace", "the verifier gave no workspace"))
    return other + _scanned(case, claimed, given)


def _scanned(case: Case, claimed: File, given: "Manifest | None") -> tuple[Finding, ...]:
    case.time_left()
    try:
        seen = _seen(case)
    except WorkMoved as error:
        return (finding("error", "output-manifest.unreadable", error.message),)
    except RepositoryRefused as error:
        return (finding("error", "output-manifest.unreadable", error.message),)
    except (ProducerError, ObservationError) as error:
        return (_refusal(error),)
    if seen.digest == claimed.digest.sha256:
        message = f"{len(seen.files)} file(s) are the ones in the manifest"
        return (finding("pass", "output-manifest.matched", message, pointer=_POINTER),)
    summary = finding(
        "fail",
        "output-manifest.differs",
        f"manifest digest is {seen.digest}, receipt says {claimed.digest.sha256}",
        pointer=_POINTER,
        expected=claimed.digest.sha256,
        observed=seen.digest,
    )
    return (summary, *(_named(given, seen) if given is not None else ()))


def _seen(case: Case) -> "Manifest":
    """The manifest of the workspace; loaded only for a receipt that names one."""
    from in_toto_done_receipt.observe.manifest.scan import DEFAULT_EXCLUDES, scan

    workspace, limits = case.context.finished, manifest_limits(case.context.settings)
    assert workspace is not None  # noqa: S101 - run() looked
    exclude = frozenset({case.context.manifest_path} if case.context.manifest_path else ())
    with case.context.watched("manifest", "read") as step:
        if isinstance(workspace, DirectoryWorkspace):
            return scan(workspace, exclude=exclude, limits=limits, progress=step)
        from in_toto_done_receipt.observe.git.manifest import tree_manifest

        exclude |= DEFAULT_EXCLUDES
        repository, listing = workspace.repository, workspace.listing
        return tree_manifest(repository, listing, exclude=exclude, limits=limits, progress=step)


def _named(given: "Manifest", seen: "Manifest") -> tuple[Finding, ...]:
    from in_toto_done_receipt.observe.manifest.diff import diff

    found = diff(given, seen)
    rows = [(path, "is missing") for path in found.missing]
    rows += [(path, "is not in the manifest") for path in found.unexpected]
    rows += [(path, "has another content") for path in found.changed]
    rows.sort()
    named = [
        finding("fail", "output-manifest.differs", f"{escape(path)} {what}", path=path)
        for path, what in rows[:_MAX_NAMED]
    ]
    if len(rows) > _MAX_NAMED:
        named.append(finding("fail", "output-manifest.differs", f"and {len(rows) - _MAX_NAMED} more path(s)"))
    return tuple(named)


def _refusal(error: DoneReceiptError) -> Finding:
    return finding("fail", "output-manifest.refused", error.message)
