"""What the verifier gives to a recheck: settings, a place to look at, expectations, a clock. Nothing from a receipt."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.clean_room.once import CleanRoom
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:  # a verification that runs no command does not load the sandbox
    from in_toto_done_receipt.observe.git.change import GitChange
    from in_toto_done_receipt.observe.git.workspace import GitWorkspace
    from in_toto_done_receipt.observe.manifest.model import Manifest
    from in_toto_done_receipt.observe.sandbox.model import CommandOutcome, SandboxFacts
    from in_toto_done_receipt.observe.seals import Contract
    from in_toto_done_receipt.observe.workspace import DirectoryWorkspace


Step = Callable[[int, int], None]  # files and bytes done so far


class Artifact(Value, kw_only=True):
    """A file of the verifier's, digested with every accepted algorithm."""

    name: str
    digests: Mapping[str, str]


class ExpectedContext(Value, kw_only=True):
    """The handoff that the verifier knows about: hex digests."""

    packet: str
    input_commit: str
    output_manifest: str


class RecomputeContext(Value, kw_only=True):
    """Everything a check may look at.

    `evaluated_at` is the verifier's now, in UTC. `change` is the change read from git, whose tree `workspace` then is,
    `base` the tree of its base revision, `head` that of head where the workspace is a merge with it; `tip_of` says
    which commit a ref names now. `manifest_path` is excluded from a scan when the manifest file lies in the
    workspace. `audit_log` is the run's log, which is read when its check runs. `deadline` is on `time.monotonic`'s
    clock, None for no end. `sandbox` is the self-tested sandbox, None unless commands are asked for. `signed_on` is
    the earliest time that somebody else than the signer vouches for, `signed_for` are the source repositories that
    the signers' certificates name; the pipeline sets both once the signature is verified. `on_output` is told how
    each command ended, with the start of what it printed; without it nothing is kept but digests. `on_progress`
    shows long work to somebody: what is done, and the word for it.

    `clean_room` runs the tests of the change when the first check asks, once for all receipts.

    For an old receipt examined in place: `own_file` is the receipt's own file, which may be its only subject; the
    pipeline sets it. `canonical_paths`, which the verifier sets, refuses a receipt that spells a path otherwise than
    it is.
    """

    evaluated_at: datetime
    settings: Settings
    workspace: "DirectoryWorkspace | GitWorkspace | None" = None
    change: "GitChange | None" = None
    base: "GitWorkspace | None" = None
    head: "GitWorkspace | None" = None
    tip_of: "Callable[[str], str | None] | None" = None
    artifacts: tuple[Artifact, ...] = ()
    contract: "Contract | None" = None
    manifest: "Manifest | None" = None
    manifest_path: str | None = None
    expected_context: ExpectedContext | None = None
    expected_payload: str | None = None
    audit_log: Path | None = None
    recheck_commands: bool = False
    sandbox: "SandboxFacts | None" = None
    deadline: float | None = None
    signed_on: datetime | None = None
    signed_for: tuple[str, ...] = ()
    own_file: Artifact | None = None
    canonical_paths: bool = False
    on_output: "Callable[[tuple[str, ...], CommandOutcome], None] | None" = None
    on_progress: Callable[[str, str], AbstractContextManager[Step | None]] | None = None
    clean_room: CleanRoom = msgspec.field(default_factory=CleanRoom)

    @property
    def finished(self) -> "DirectoryWorkspace | GitWorkspace | None":
        """The work as it was finished: what subjects and manifest are about, also where a merge is examined."""
        return self.head or self.workspace

    def watched(self, label: str, done: str) -> AbstractContextManager[Step | None]:
        """A function to call as long work goes on; None when nobody watches."""
        return nullcontext() if self.on_progress is None else self.on_progress(label, done)
