"""The harness's audit log is unbroken, is the one the receipt pins, and tells of the run what the receipt tells.

Consistency only: the chain has no key, so whoever writes the receipt can write a log that agrees with it. It raises no
assurance (threat 41).
"""

from collections.abc import Iterator
from typing import Final

from in_toto_done_receipt.errors import UnreadableInput
from in_toto_done_receipt.observe.audit_chain.read import Chain, Damage, read_chain
from in_toto_done_receipt.observe.audit_chain.tally import RunTally
from in_toto_done_receipt.predicates.done_receipt.model import AuditLog, DoneReceipt
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.recompute.checks.statement import counters_unknown
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

_POINTER: Final = "/predicate/run/auditLog"
_REASONS: Final = {
    "empty": "audit-log.empty",
    "malformed": "audit-log.malformed",
    "unknown_member": "audit-log.unknown_member",
    "torn": "audit-log.torn",
    "sequence": "audit-log.sequence",
    "link": "audit-log.link",
    "edited": "audit-log.edited",
}


def run(case: Case) -> tuple[Finding, ...]:
    """The first damage of the chain; else one finding for each disagreement; else one that says it is consistent.

    Giving a log makes what it is compared with required: a receipt that leaves it out fails.
    """
    path = case.context.audit_log
    if path is None:
        return (finding("not_checked", "audit-log.not_demanded", "the verifier gave no audit log"),)
    said = case.receipt.run.audit_log
    if said is None:
        message = "the verifier gave an audit log, the receipt names none"
        return (finding("fail", "audit-log.missing", message, pointer="/predicate/run"),)
    limit = case.context.settings.limits["audit-line-bytes"]
    try:
        chain = read_chain(path, request=said.request_id, pin=said.records, limit=limit, tick=case.time_left)
    except UnreadableInput as error:
        return (finding("error", "audit-log.unreadable", error.message),)
    if chain.damage is not None:
        return (_damaged(chain.damage),)
    pin = tuple(_pinned(case, said, chain))
    if any(found.status == "fail" for found in pin):
        return pin  # another log: what it tells of the run says nothing
    found = (*pin, *_compared(case.receipt, said, chain.run))
    if any(one.status == "fail" for one in found):
        return found
    message = f"{chain.records} record(s) are an unbroken chain, {chain.run.records} of this run agree with the receipt"
    return (*found, finding("pass", "audit-log.consistent", message))


def _damaged(damage: Damage) -> Finding:
    return finding("fail", _REASONS[damage.kind], damage.detail, observed=damage.line)


def _pinned(case: Case, said: AuditLog, chain: Chain) -> Iterator[Finding]:
    if said.records is None or said.head is None:
        if case.context.own_file is not None:
            message = "this format pins no log: whether records are missing at the end cannot be seen"
            yield finding("pass", "audit-log.cannot_pin", message)
        else:
            message = "the receipt pins neither number of records nor head of the audit log"
            yield finding("fail", "audit-log.not_pinned", message, pointer=_POINTER)
    elif chain.records != said.records:
        goes_on = " (it goes on after the pinned record)" if chain.pinned == said.head else ""
        message = f"the audit log has {chain.records} record(s), receipt says {said.records}{goes_on}"
        where = f"{_POINTER}/records"
        yield finding("fail", "audit-log.count", message, pointer=where, expected=said.records, observed=chain.records)
    elif chain.head != said.head:
        message = f"the last record's hash is {chain.head}, receipt says {said.head}"
        yield finding(
            "fail", "audit-log.head", message, pointer=f"{_POINTER}/head", expected=said.head, observed=chain.head
        )


def _compared(receipt: DoneReceipt, said: AuditLog, tally: RunTally) -> Iterator[Finding]:
    if said.request_id is None and tally.first_request is not None:
        message = f"the receipt names no request, the audit log has {escape(tally.first_request)}"
        yield finding("fail", "audit-log.request", message, pointer=_POINTER)
        return
    if tally.records == 0:
        message = f"the audit log has no record of request {escape(said.request_id or '')}"
        yield finding("fail", "audit-log.request", message, pointer=f"{_POINTER}/requestId")
        return
    yield from _counters(receipt, tally)
    yield from _acceptance(receipt, tally)
    breached = receipt.contract.breach is not None
    if breached != tally.breached:
        words = {True: "a breach of the contract", False: "none"}
        message = f"the audit log has {words[tally.breached]}, receipt says {words[breached]}"
        yield finding("fail", "audit-log.breach", message, pointer="/predicate/contract/breach")


def _counters(receipt: DoneReceipt, tally: RunTally) -> Iterator[Finding]:
    run, usage = receipt.run, receipt.run.usage
    if counters_unknown(receipt):
        yield finding("pass", "audit-log.no_counters", "the run's counters are all zero, and were not compared")
        return
    tokens = (tally.input_tokens, tally.output_tokens)
    stated = None if usage is None else (usage.input_tokens, usage.output_tokens)
    if stated != tokens and (stated is not None or tally.responses):
        words = "nothing" if stated is None else f"{stated[0]} and {stated[1]}"
        message = f"tokens in the audit log are {tokens[0]} in and {tokens[1]} out, receipt says {words}"
        yield finding("fail", "audit-log.tokens", message, pointer="/predicate/run/usage")
    if run.tool_calls != tally.tool_calls and (run.tool_calls is not None or tally.tool_calls):
        words = "nothing" if run.tool_calls is None else str(run.tool_calls)
        message = f"the audit log has {tally.tool_calls} tool call(s), receipt says {words}"
        yield finding(
            "fail",
            "audit-log.tool_calls",
            message,
            pointer="/predicate/run/toolCalls",
            expected=run.tool_calls,
            observed=tally.tool_calls,
        )


def _acceptance(receipt: DoneReceipt, tally: RunTally) -> Iterator[Finding]:
    """A completed run is judged by its last acceptance, unless the contract was breached; nobody else's word counts."""
    verdict = receipt.verdict
    words = {None: "no acceptance", True: "a last acceptance that passed", False: "a last acceptance that failed"}
    if receipt.run.outcome != "completed":
        agrees = not verdict.passed
        stated = "passed"
    else:
        accepted = None if tally.accepted is None else tally.accepted and not tally.breached
        agrees = accepted == (verdict.passed if verdict.checked else None)
        stated = "that nobody checked" if not verdict.checked else "passed" if verdict.passed else "failed"
    if not agrees:
        message = f"the audit log has {words[tally.accepted]}, receipt says {stated}"
        yield finding("fail", "audit-log.acceptance", message, pointer="/predicate/verdict")
