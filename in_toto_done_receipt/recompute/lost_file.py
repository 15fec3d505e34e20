"""What evidence about a file comes to when the file is not what it was: shared by the kinds path, file and text."""

from collections.abc import Callable

from msgspec.structs import replace

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.workspace import Workspace
from in_toto_done_receipt.predicates.done_receipt.model import ErrorForm
from in_toto_done_receipt.recompute.case import Case, Item
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

NOT_A_FILE = ("symlink", "directory", "special")  # kinds of ObservationError


def file_lost(item: Item, error: ObservationError, *, path: str, check: str) -> Finding:
    """The finding for a file that cannot be read now. `check` is the check's id."""
    if isinstance(item.evidence.observed, ErrorForm):
        return item.finding("pass", f"{check}.confirmed", f"still cannot be read: {error.message}", path=path)
    if error.kind == "missing":
        return item.finding("fail", f"{check}.missing", f"{escape(path)} is not there", path=path)
    if error.kind in NOT_A_FILE:
        return item.finding("fail", f"{check}.not_a_file", error.message, path=path)
    return item.finding("error", f"{check}.unreadable", error.message, path=path)


def of_merge(case: Case, look: Callable[[Workspace], Finding], *, stale: str) -> Finding:
    """What looking at the workspace finds. Where that is a merge, a finding that fails and that head's own tree does
    not have is `stale`: the receipt told the truth about its own work, and the target changed the same file.
    """
    context = case.context
    assert context.workspace is not None  # noqa: S101 - the callers looked
    found = look(context.workspace)
    if found.status != "fail" or context.head is None or look(context.head).status != "pass":
        return found
    message = f"{found.message}; head has it as the receipt says, the merge has not"
    return replace(found, reason=stale, message=message)


def in_own_manifest(case: Case, path: str, sha256: str | None, size: int) -> bool:
    """Whether the receipt's own signed manifest, given by the verifier, has this path with these bytes.

    Then the receipt told the truth about its own tree, and the verifier looks at another one.
    """
    given, claimed = case.context.manifest, case.receipt.manifest
    if given is None or claimed is None or given.digest != claimed.digest.sha256:
        return False
    entry = given.entry(path)
    return entry is not None and entry.bytes == size and sha256 in (None, entry.sha256)
