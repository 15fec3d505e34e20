"""Which files of a change are tests and harness: built-in sets of the ecosystems in use, and what the profile adds."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from in_toto_done_receipt.errors import DoneReceiptError, LimitExceeded
from in_toto_done_receipt.profile.harness import Harness, in_use
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.manifest_keys import harness_part

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.git.change import GitChange
    from in_toto_done_receipt.observe.git.changes import Change

_READ_BYTES = 1 << 20  # of a manifest that is compared key by key
_FILES = ("100644", "100755")


def harness_of(change: "GitChange", settings: Settings) -> Harness:
    """Tests and harness of the ecosystems that base or the examined tree uses, and of the profile."""
    listings = [change.listing] + ([change.base_listing] if change.base_listing is not None else [])
    paths = [path.decode("utf-8", "surrogateescape") for listing in listings for path in listing.files]
    return Harness(in_use(paths), more=settings.contract_protected)


def harness_keys(context: RecomputeContext, change: "Change") -> tuple[str, ...] | None:
    """The harness keys that differ in a file that is product and harness at once; None if it is only harness.

    A link or a submodule in the place of such a file is no such file.
    """
    name = PurePosixPath(change.path.decode("utf-8", "surrogateescape")).name
    sides = (change.old, change.new)
    compare = harness_part(name)
    if compare is None or any(side is not None and side.mode not in _FILES for side in sides):
        return None
    try:
        old, new = (None if side is None else _text(context, side.id) for side in sides)
    except (DoneReceiptError, UnicodeDecodeError):
        return ("cannot be read",)
    return compare(old, new)


def _text(context: RecomputeContext, id: str) -> str:
    from in_toto_done_receipt.observe.git.workspace import GitWorkspace

    assert isinstance(context.workspace, GitWorkspace)  # noqa: S101 - there is a change
    objects = context.workspace.repository.objects
    sizes = objects.sizes([id])
    if sizes[id] > _READ_BYTES:
        raise LimitExceeded("file-bytes", allowed=_READ_BYTES, value=sizes[id])
    ((_, data),) = objects.blobs([id], sizes)
    return data.decode("utf-8")
