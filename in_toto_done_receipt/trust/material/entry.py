"""A log entry: that a log of the trusted root promised it, and that it is in the log's tree.

Sigstore client specification, "Verification", and rekor-tiles' CLIENTS.md. What the entry says of the signature is
`body`'s question.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from in_toto_done_receipt.trust.material.anchors import Anchors, Log
from in_toto_done_receipt.trust.material.checkpoint import demand_signed, read_checkpoint
from in_toto_done_receipt.trust.material.guard import does_not_verify, unsupported
from in_toto_done_receipt.trust.material.merkle import leaf_hash, root_of
from in_toto_done_receipt.trust.material.model import LogEntry, Proof
from in_toto_done_receipt.trust.material.pairs import signed_by
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.value import Value

KINDS: Final = ("dsse/0.0.1", "intoto/0.0.2", "hashedrekord/0.0.2")
_PROMISING: Final = ("dsse/0.0.1", "intoto/0.0.2", "hashedrekord/0.0.1")  # of Rekor v1; v2 promises nothing
_LAST_SECOND: Final = 253402300799  # of the year 9999


class Logged(Value, kw_only=True):
    """What a verified entry shows: the log's time if it promised one, and the index that the log vouches for."""

    index: int
    time: datetime | None


def demand_supported(entries: Sequence[LogEntry]) -> None:
    """Raises SignatureNotTrusted (unsupported) for entries that nothing here can verify, before any is called wrong."""
    if len(entries) > 1:
        raise unsupported(f"it has {len(entries)} transparency log entries, exactly one is read")
    for entry in entries:
        if entry.kind not in KINDS:
            raise unsupported(
                f"its log entry is of kind {quote(entry.kind)}", hint=f"kinds {', '.join(KINDS)} can be verified"
            )


def promised_time(entry: LogEntry) -> datetime | None:
    """The time in the entry's promise, which `verify_entry` has yet to verify; None without a promise."""
    if not entry.promise:
        return None
    if not 0 < entry.time <= _LAST_SECOND:
        raise does_not_verify("its log entry has a promise, and no integratedTime that it could be of")
    return datetime.fromtimestamp(entry.time, tz=UTC)


def demand_form(entry: LogEntry, version: str) -> None:
    """Raises SignatureNotTrusted unless the entry has what its bundle's version says it has (sigstore_bundle.proto).

    0.1: a promise; a proof without a checkpoint is ignored. 0.2 and 0.3: a proof with a checkpoint.
    """
    if version == "0.1" and not entry.promise:
        raise does_not_verify("its log entry has no inclusionPromise, which a bundle 0.1 must have")
    if version != "0.1" and (entry.proof is None or not entry.proof.checkpoint):
        missing = "inclusionProof" if entry.proof is None else "inclusionProof.checkpoint"
        raise does_not_verify(f"its log entry has no {missing}, which a bundle {version} must have")
    if entry.promise and entry.kind not in _PROMISING:
        raise does_not_verify(f"its log entry is of kind {entry.kind}, for which no log gives a promise")


def verify_entry(entry: LogEntry, anchors: Anchors, *, otherwise: Sequence[datetime]) -> Logged:
    """What a log of the root says of the entry; everything that is there must be right.

    `otherwise` are the times at which the log must have been valid when it promised none itself. Raises
    SignatureNotTrusted. Does not look at what the body says, nor at the form (`demand_form`).
    """
    time = promised_time(entry)
    log = _log_of(entry, anchors, [time] if time is not None else otherwise)
    index = None
    if time is not None:
        _demand_promise(entry, log)
        index = entry.index
    if entry.proof is not None and entry.proof.checkpoint:
        _demand_included(entry.body, entry.proof, log)
        index = entry.proof.index
    if index is None:
        raise does_not_verify("its log entry has neither inclusionPromise nor inclusionProof")
    return Logged(index=index, time=time)


def _log_of(entry: LogEntry, anchors: Anchors, moments: Sequence[datetime]) -> Log:
    known = [log for log in anchors.logs if log.log_id == entry.log_id]
    if not known:
        raise does_not_verify(
            f"its log {quote(entry.log_id.hex())} is not in the trusted root",
            hint="the trusted root may be another instance's, or from another time",
        )
    valid = [log for log in known if all(log.valid.covers(moment) for moment in moments)]
    if not valid:
        outside = next(moment for moment in moments if not known[0].valid.covers(moment))
        raise does_not_verify(
            f"its log {known[0].where} is valid {known[0].valid}, the entry is of {format_time(outside)}"
        )
    if valid[0].public is None:
        raise unsupported(f"the key of its log {valid[0].where} is of kind {quote(valid[0].details)}")
    return valid[0]


def _demand_promise(entry: LogEntry, log: Log) -> None:
    """The signed entry timestamp (Rekor v1): a signature over body, time, log and index as canonical JSON."""
    promised = {
        "body": b64encode(entry.body).decode(),
        "integratedTime": entry.time,
        "logID": entry.log_id.hex(),
        "logIndex": entry.index,
    }
    # Canonical as RFC 8785 has it: members in order, whole numbers, nothing but ASCII.
    if not signed_by(log.public, entry.promise, json.dumps(promised, separators=(",", ":")).encode()):
        raise does_not_verify(f"the promise of {log.where} is not for its log entry")


def _demand_included(body: bytes, proof: Proof, log: Log) -> None:
    checkpoint = read_checkpoint(proof.checkpoint)
    demand_signed(checkpoint, log)
    if (checkpoint.size, checkpoint.root) != (proof.size, proof.root):
        raise does_not_verify("its inclusion proof is for another tree than its checkpoint")
    if root_of(leaf_hash(body), index=proof.index, size=proof.size, hashes=proof.hashes) != proof.root:
        raise does_not_verify("its inclusion proof is not for its log entry")
