"""A statement written as harness.receipt.v1, or a list of everything in it that this format cannot say."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from in_toto_done_receipt.errors import MalformedStatement
from in_toto_done_receipt.importers import harness_format as form
from in_toto_done_receipt.importers.harness_format import HarnessReceipt
from in_toto_done_receipt.importers.harness_receipt import read_harness_receipt
from in_toto_done_receipt.importers.model import IMPORTED_FROM
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.wire.components import components
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.statement import Statement

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_REASONS: Final = {"budgetExhausted": form.BUDGET_REASON, "failed": form.FAILED_REASON}


def export(statement: Statement, receipt: DoneReceipt, *, what: str) -> bytes:
    """The file, byte for byte as the original would write it, and read back.

    Left behind, because they take nothing away from what it says: the subjects, the digest of the task's text, the
    origin that an import wrote down. Members that this version does not know are not looked at. Raises
    MalformedStatement naming the first thing that the format cannot say, with the others as `faults`.
    """
    faults = tuple(_unsayable(statement, receipt))
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise MalformedStatement(
            f"{what}: {form.SCHEMA} cannot say it: {faults[0]}{more}",
            faults=faults[1:],
        )
    data = form.file_bytes(_old(receipt))
    read_harness_receipt(data, what="the written receipt")
    return data


def _old(receipt: DoneReceipt) -> HarnessReceipt:
    run, usage = receipt.run, receipt.run.usage
    entries: dict[str, str | None] = {file.name: file.digest.sha256 for file in receipt.contract.sealed}
    return HarnessReceipt(
        task=receipt.task.description,
        model=receipt.agent.model or "",
        finished_ms=_milliseconds(run.finished_on),
        iters=run.iterations or 0,
        tools_called=run.tool_calls or 0,
        input_tokens=0 if usage is None else usage.input_tokens,
        output_tokens=0 if usage is None else usage.output_tokens,
        passed=receipt.verdict.passed,
        checked=receipt.verdict.checked,
        reason=receipt.verdict.reason,
        entries=entries | dict.fromkeys(receipt.contract.absent),
        seal_breach=receipt.contract.breach,
        audit_request=None if run.audit_log is None else run.audit_log.request_id,
    )


def _milliseconds(time: str) -> int:
    return (parse_time(time) - _EPOCH) // timedelta(milliseconds=1)


def _unsayable(statement: Statement, receipt: DoneReceipt) -> Iterator[str]:
    """Everything in the receipt that the old format would lose or turn into something else."""
    for fault in coherence_faults(receipt, statement):
        yield f"it contradicts itself: {fault.message}"
    yield from _members(receipt)
    yield from _numbers(receipt)
    yield from _times(receipt)
    yield from _outcome(receipt)


def _members(receipt: DoneReceipt) -> Iterator[str]:
    if receipt.claims:
        yield f"/predicate/claims: {len(receipt.claims)} claim(s), the old format has none"
    for name, value in (("context", receipt.context), ("source", receipt.source), ("manifest", receipt.manifest)):
        if value is not None:
            yield f"/predicate/{name}: the old format has no place for it"
    if receipt.agent.model is None:
        yield "/predicate/agent/model: missing, the old format demands it"
    if receipt.task.uri is not None:
        yield "/predicate/task/uri: the old format has no place for it"
    log = receipt.run.audit_log
    if log is not None and log.head is not None:
        yield "/predicate/run/auditLog/head: the old format pins no log"
    for file in receipt.contract.sealed:
        if len(file.digest.as_map()) > 1:
            yield f"/predicate/contract/sealed: {quote(file.name)} has a digest other than sha256"
    if receipt.contract.sealed or receipt.contract.absent:
        names = [file.name for file in receipt.contract.sealed] + list(receipt.contract.absent)
        if len({components(name) for name in names}) != len(names):
            yield "/predicate/contract: two paths are one, part by part"
    if receipt.run.started_on is not None:
        yield "/predicate/run/startedOn: the old format has no place for it"
    harness = receipt.agent.harness
    origin = None if harness is None or harness.annotations is None else harness.annotations.get(IMPORTED_FROM)
    if harness is not None and origin != form.SCHEMA:
        yield "/predicate/agent/harness: the old format has no place for it"
    if receipt.agent.id != form.SCHEMA:
        yield f"/predicate/agent/id: {quote(receipt.agent.id)}, the old format names no agent"


def _numbers(receipt: DoneReceipt) -> Iterator[str]:
    run, usage = receipt.run, receipt.run.usage
    counts = {
        "iterations": run.iterations,
        "toolCalls": run.tool_calls,
        "usage/inputTokens": None if usage is None else usage.input_tokens,
        "usage/outputTokens": None if usage is None else usage.output_tokens,
    }
    for name, value in counts.items():
        if value is None:
            yield f"/predicate/run/{name}: missing, and the old format would say 0"
        elif value not in form.U32:
            yield f"/predicate/run/{name}: {value} is beyond {form.U32[-1]}"


def _times(receipt: DoneReceipt) -> Iterator[str]:
    time = receipt.run.finished_on
    if time[20:-1][3:].strip("0"):
        yield f"/predicate/run/finishedOn: {time} is finer than a millisecond"


def _outcome(receipt: DoneReceipt) -> Iterator[str]:
    """The old format says the outcome by one of two reasons, and by no other way."""
    outcome, reason = receipt.run.outcome, receipt.verdict.reason
    wanted = _REASONS.get(outcome)
    if wanted is not None and reason != wanted:
        said = f"said by the reason {quote(wanted)} alone, this one is {quote(reason)}"
        yield f"/predicate/run/outcome: {outcome} is {said}"
    if wanted is None and reason in _REASONS.values():
        yield f"/predicate/verdict/reason: {quote(reason)} would say that the run did not complete"
