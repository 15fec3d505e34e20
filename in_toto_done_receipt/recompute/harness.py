"""Which files of a change are tests and harness: built-in sets of the ecosystems in use, and what the profile adds."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from in_toto_done_receipt.errors import DoneReceiptError
from in_toto_done_receipt.profile.harness import Harness, in_use
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.manifest_keys import harness_part

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.git.change import GitChange
    from in_toto_done_receipt.observe.git.changes import Change

_READ_BYTES = 1 << 20  # of a manifest that is compared key by key


def harness_of(change: "GitChange", settings: Settings) -> Harness:
    """Tests and harness of the ecosystems that base or the examined tree uses, and of the profile."""
    listings = [change.listing] + ([change.base_listing] if change.base_listing is not None else [])
    paths = [path.decode("utf-8", "surrogateescape") for listing in listings for path in listing.files]
    return Harness(in_use(paths), more=settings.contract_protected)


def harness_keys(context: RecomputeContext, change: "Change") -> tuple[str, ...] | None:
    """The harness keys that differ in a file that is product and harness at once; None if it is only harness."""
    name = PurePosixPath(change.path.decode("utf-8", "surrogateescape")).name
    compare = harness_part(name)
    if compare is None or change.old is None or change.new is None or context.workspace is None:
        return None
    texts = [_text(context, side.id) for side in (change.old, change.new)]
    if texts[0] is None or texts[1] is None:
        return ("cannot be read",)
    return compare(texts[0], texts[1])


def _text(context: RecomputeContext, id: str) -> str | None:
    from in_toto_done_receipt.observe.git.workspace import GitWorkspace

    if not isinstance(context.workspace, GitWorkspace):
        return None
    objects = context.workspace.repository.objects
    sizes = objects.sizes([id])
    if sizes[id] > _READ_BYTES:
        return None
    try:
        ((_, data),) = objects.blobs([id], sizes)
        return data.decode("utf-8")
    except (DoneReceiptError, UnicodeDecodeError):
        return None
