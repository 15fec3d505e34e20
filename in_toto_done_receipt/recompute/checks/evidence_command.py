"""Evidence of kind command: run again, each in a fresh copy of the tree, in the sandbox, if the verifier allows exactly
this argv. Success is exit 0 or what the verifier's own allow entry says, never what the receipt expected.
"""

from typing import TYPE_CHECKING

from in_toto_done_receipt.errors import LimitExceeded, ObservationError, RepositoryRefused
from in_toto_done_receipt.predicates.done_receipt.model import CommandEvidence
from in_toto_done_receipt.profile.model import CommandEntry
from in_toto_done_receipt.recompute.case import Case, Item, items_of
from in_toto_done_receipt.recompute.scripts import deciding_files
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import SANDBOX_LEVELS
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:  # the sandbox is loaded when a command is run, and not before
    from in_toto_done_receipt.observe.sandbox.model import CommandOutcome

# The command ran and did not succeed: it was ended for what it did.
_FAILED = ("timeout", "output", "memory", "processes", "disk", "leftover")

# The executable must not be run at all: that says nothing against the receipt.
_UNTRUSTED = ("relative", "in_tree", "writable_by_others")


def run(case: Case) -> tuple[Finding, ...]:
    """One finding an item, and a remark on each file of the tree that decided a confirmed one and is not sealed."""
    found: list[Finding] = []
    for item in items_of(case.receipt, "command"):
        found.append(_recheck(case, item))
        if found[-1].status == "pass":
            found += _unsealed(case, item)
    return tuple(found)


def _unsealed(case: Case, item: Item) -> tuple[Finding, ...]:
    """Remarks: the claim is named, the item is not, for an item has one finding only.

    The verifier's own contract says what is sealed; without one the receipt's does, and the contract's state says so.
    """
    evidence, workspace, own = item.evidence, case.context.workspace, case.context.contract
    assert isinstance(evidence, CommandEvidence)  # noqa: S101 - the reader made it from this kind
    assert workspace is not None  # noqa: S101 - the command ran
    sealed = {file.name for file in (own or case.receipt.contract).sealed}
    return tuple(
        Finding(
            check="evidence-command",
            status="pass",
            reason="evidence-command.unsealed_script",
            message=f"{escape(path)} decides how the command ends, and is not sealed",
            claim=item.claim,
            pointer=item.pointer,
            path=path,
        )
        for path in deciding_files(workspace, evidence.argv)
        if path not in sealed
    )


def _recheck(case: Case, item: Item) -> Finding:
    evidence = item.evidence
    assert isinstance(evidence, CommandEvidence)  # noqa: S101 - the reader made it from this kind
    entry = _permitted(case, item, evidence)
    if isinstance(entry, Finding):
        return entry
    from in_toto_done_receipt.recompute.rerun import rerun  # loads the sandbox

    try:
        outcome, executable = rerun(case, entry)
    except ObservationError as error:
        if error.kind in _UNTRUSTED:
            return item.finding("not_checked", "evidence-command.untrusted_executable", error.message)
        return item.finding("error", "evidence-command.not_run", error.message)
    except RepositoryRefused as error:
        return item.finding("error", "evidence-command.not_run", f"the tree is not written: {error.message}")
    except LimitExceeded as error:
        if not error.limit.startswith("copy-"):
            raise  # the time of the whole verification
        return item.finding("error", "evidence-command.not_run", f"the tree is not copied: {error.message}")
    if outcome.failure is not None and outcome.failure not in _FAILED:
        message = f"{escape(evidence.argv[0])} did not run: {outcome.detail or outcome.failure}"
        return item.finding("error", "evidence-command.not_run", message, duration_ms=outcome.duration_ms)
    return _compare(item, evidence, entry, outcome, executable)


def _permitted(case: Case, item: Item, evidence: CommandEvidence) -> CommandEntry | Finding:
    """The verifier's own entry for exactly this argv, or why it does not run this."""
    context = case.context
    if context.workspace is None:
        return item.finding("not_checked", "evidence-command.no_workspace", "the verifier gave no workspace")
    if not context.recheck_commands or context.sandbox is None:
        return item.finding("not_checked", "evidence-command.not_asked", "the verifier did not ask to run commands")
    name = escape(evidence.argv[0])
    if not evidence.argv[0].startswith("/"):
        return item.finding("not_checked", "evidence-command.relative_executable", f"{name} is not an absolute path")
    entry = next((entry for entry in context.settings.commands if entry.argv == evidence.argv), None)
    if entry is None:
        message = f"no allow entry for exactly this argv of {name}"
        return item.finding("not_checked", "evidence-command.not_allowed", message)
    required, level = context.settings.sandbox_required, context.sandbox.level
    if SANDBOX_LEVELS.index(level) < SANDBOX_LEVELS.index(required):
        message = f"this machine's sandbox is {level}, the verifier demands {required}"
        return item.finding("not_checked", "evidence-command.sandbox", message, expected=required, observed=level)
    return entry


def _compare(
    item: Item, evidence: CommandEvidence, entry: CommandEntry, outcome: "CommandOutcome", executable: str
) -> Finding:
    """Whether the run ended as the receipt says it did: both succeeded or both did not."""
    succeeded = outcome.exit_code == entry.exit_code and (
        entry.stdout_contains is None or entry.stdout_contains.encode() in outcome.stdout_data
    )
    how = f"exit code {outcome.exit_code}" if outcome.failure is None else f"{outcome.failure}: {outcome.detail}"
    agrees = succeeded == evidence.ok
    word = "succeeded" if succeeded else "did not succeed"
    message = f"{word}, {how}, executable sha256 {executable}"
    if not agrees:
        message += f", receipt says {'ok' if evidence.ok else 'not ok'}"
    return item.finding(
        "pass" if agrees else "fail",
        "evidence-command.confirmed" if agrees else "evidence-command.differs",
        message,
        expected=entry.exit_code,
        observed=outcome.exit_code,
        duration_ms=outcome.duration_ms,
    )
