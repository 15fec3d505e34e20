"""Run one allowed command again: in a fresh copy of the tree, in the sandbox, within what is left of the time."""

from pathlib import Path

from in_toto_done_receipt.observe.sandbox.copytree import copy_tree
from in_toto_done_receipt.observe.sandbox.executable import check_executable
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run
from in_toto_done_receipt.observe.sandbox.scratch import scratch
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.profile.model import CommandEntry
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.limits import command_limits, copy_limits

_EXCERPT_BYTES = 4096  # of each stream, enough for the first screen of a failure


def rerun(case: Case, entry: CommandEntry) -> tuple[CommandOutcome, str]:
    """How the command ended, and the sha256 of its executable. The context has a workspace and a sandbox.

    Raises ObservationError for an executable that must not be run or a tree that cannot be copied, LimitExceeded.
    """
    context, settings = case.context, case.context.settings
    if context.workspace is None or context.sandbox is None:
        raise ValueError("a command is run again in a workspace and a sandbox")
    executable = check_executable(entry.argv[0], outside=context.workspace.root)
    seconds = min(float(entry.timeout or settings.limits["command-seconds"]), case.time_left())
    with scratch() as place:
        copy = place / "work"
        if isinstance(context.workspace, DirectoryWorkspace):
            copy_tree(context.workspace.root, copy, limits=copy_limits(settings))
        else:
            with context.watched("writing the tree", "written") as step:
                context.workspace.repository.write(context.workspace.listing.files, copy, progress=step)
        outcome = run(
            entry.argv,
            copy=copy,
            level=context.sandbox.level,
            limits=command_limits(settings, seconds=seconds, stream_bytes=settings.limits["command-stream-bytes"]),
            variables=settings.variables,
            read_only=tuple(map(Path, settings.read_only)),
            excerpt_bytes=_EXCERPT_BYTES if context.on_output is not None else 0,
        )
    if context.on_output is not None:
        context.on_output(entry.argv, outcome)
    return outcome, executable.sha256
