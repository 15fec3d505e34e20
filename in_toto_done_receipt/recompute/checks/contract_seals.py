"""The acceptance contract stands: sealed files as they were sealed, absent paths still absent.

The sealed set is the verifier's own contract together with the receipt's list; leaving something out of the receipt
never helps.
"""

from in_toto_done_receipt.observe.look import path_type
from in_toto_done_receipt.observe.seals import Contract, SealChange, look_again
from in_toto_done_receipt.predicates.done_receipt.model import Contract as Reported
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

_REASONS = {
    "modified": "contract-seals.modified",
    "created": "contract-seals.created",
    "deleted": "contract-seals.deleted",
    "not_a_file": "contract-seals.not_a_file",
}


def run(case: Case) -> tuple[Finding, ...]:
    """One finding for each seal that does not hold, or one that says against what all of them hold."""
    reported, own = case.receipt.contract, case.context.contract
    disagreements = (() if own is None else _compared(reported, own)) + _at_base(case)
    if not any((reported.sealed, reported.absent, own and (own.sealed or own.absent))):
        message = "neither the receipt nor the verifier's contract seals anything"
        return (*disagreements, finding("pass", "contract-seals.nothing_sealed", message))
    if case.context.workspace is None:
        return (*disagreements, finding("not_checked", "contract-seals.no_workspace", "the verifier gave no workspace"))
    case.time_left()
    sealed, absent = _together(reported, own)
    null = {found.path for found in case.found("contract-seals.null_seal")} - _demanded(own)
    changes = look_again(case.context.workspace, sealed, absent)
    found = disagreements + tuple(_change(change, case, null) for change in changes)
    if any(one.status != "pass" for one in found):
        return found
    count = f"{len(sealed)} sealed file(s) and {len(absent)} absent path(s)"
    if own is not None and (own.sealed or own.absent):
        return (*found, finding("pass", "contract-seals.held", f"{count} are as the verifier's contract has them"))
    if case.context.base is not None:
        return (*found, finding("pass", "contract-seals.held", f"{count} are as the base revision has them"))
    return (
        *found,
        finding("pass", "contract-seals.held_as_reported", f"{count} are as the receipt's own list has them"),
    )


def _together(reported: Reported, own: Contract | None) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
    """(path -> digests, absent paths); where both speak of a path the verifier's contract is the one that counts."""
    sealed = {file.name: file.digest.as_map() for file in reported.sealed}
    absent = set(reported.absent)
    if own is not None:
        for path in own.absent:
            sealed.pop(path, None)
            absent.add(path)
        for file in own.sealed:
            absent.discard(file.name)
            sealed[file.name] = file.digest
    return sealed, tuple(sorted(absent, key=lambda path: path.encode()))


def _compared(reported: Reported, own: Contract) -> tuple[Finding, ...]:
    """Where the receipt's list says something else than the verifier's contract, or leaves something out."""
    said = {file.name: file.digest.sha256 for file in reported.sealed} | dict.fromkeys(reported.absent, "absent")
    demanded = {file.name: file.digest["sha256"] for file in own.sealed} | dict.fromkeys(own.absent, "absent")
    return tuple(
        finding(
            "fail",
            "contract-seals.other_contract",
            f"{escape(path)} is sealed as {value}, receipt says {said.get(path, 'nothing')}",
            path=path,
            expected=value,
            observed=said.get(path),
        )
        for path, value in sorted(demanded.items())
        if said.get(path) != value
    )


def _demanded(own: Contract | None) -> set[str | None]:
    """The paths of which the verifier's own contract says what they were."""
    return set() if own is None else {*own.absent, *own.digests()}


def _at_base(case: Case) -> tuple[Finding, ...]:
    """Where the receipt's seals are not what stood at the base revision: then it sealed what was already changed."""
    base, reported = case.context.base, case.receipt.contract
    if base is None:
        return ()
    sealed = {file.name: file.digest.as_map() for file in reported.sealed}
    return tuple(
        finding(
            "error" if change.change == "unreadable" else "fail",
            "contract-seals.unreadable" if change.change == "unreadable" else "contract-seals.not_at_base",
            f"{escape(change.path)} at the base revision: {change.detail}",
            path=change.path,
        )
        for change in look_again(base, sealed, reported.absent)
    )


def _is_targets(case: Case, path: str) -> bool:
    """Whether the examined tree has the path as the revision has it that the change is merged onto.

    Then the target changed it, which is not the change's doing: the contract is the target's to change.
    """
    change = case.context.change
    if change is None or change.onto is None or change.base_listing is None:
        return False
    raw = path.encode("utf-8", "surrogateescape")
    return change.base_listing.files.get(raw) == change.listing.files.get(raw)


def _change(change: SealChange, case: Case, null: set[str | None]) -> Finding:
    workspace = case.context.workspace
    assert workspace is not None  # noqa: S101 - the caller looked
    if _is_targets(case, change.path):
        message = f"{escape(change.path)} is not as it was sealed: the target has it so"
        return finding("pass", "contract-seals.changed_by_target", message, path=change.path)
    if change.change == "created" and change.path in null and path_type(workspace, change.path) == "directory":
        message = f"{escape(change.path)} is sealed as null and is a directory: nobody can say that it was one before"
        return finding("not_checked", "contract-seals.null_seal", message, path=change.path)
    reason = _REASONS.get(change.change)
    message = f"{escape(change.path)}: {change.detail}"
    if reason is None:
        return finding("error", "contract-seals.unreadable", message, path=change.path)
    return finding("fail", reason, message, path=change.path)
