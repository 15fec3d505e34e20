"""harness.receipt.v1: read as its original reads it, and stricter; said as a done receipt.

Stricter: the schema is compared, members are exactly the format's, paths that are one part by part are refused. A file
that the original finds intact all the same is refused under a reason code of its own.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from msgspec.structs import replace

from in_toto_done_receipt.errors import MalformedStatement
from in_toto_done_receipt.importers import harness_format as form
from in_toto_done_receipt.importers.harness_format import HarnessReceipt
from in_toto_done_receipt.importers.model import OldReceipt, mapped_statement, origin, place_by_prefix
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.pointer import join, named
from in_toto_done_receipt.wire.rfc3339 import format_time

OWN_NAME: Final = "harness-receipt.json"  # how a statement calls the receipt's own file
STRICTER: Final = "statement.stricter_than_original"

_MAX_INTEGER: Final = 2**64 - 1  # what the JSON reader lets through; the format's own ranges are narrower
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_PLACES: Final = place_by_prefix(
    {
        "/predicate/task": "task",
        "/predicate/agent/model": "model",
        "/predicate/run": "finished_ms",
        "/predicate/run/outcome": "reason",
        "/predicate/run/auditLog": "audit_request",
        "/predicate/contract": "contract.entries",
        "/predicate/contract/breach": "seal_breach",
        "/predicate/verdict": "reason",
    }
)


def read_harness_receipt(data: bytes, *, what: str = "receipt") -> HarnessReceipt:
    """The receipt's members, exactly as the format has them.

    Raises MalformedJson, or MalformedStatement with pointer and reason; the reason is
    `statement.stricter_than_original` when the original would read the file and find it intact. Compares no digest.
    """
    tree = strict_json.loads(data, what=what, max_integer=_MAX_INTEGER)
    fault = form.first_fault(tree)
    if fault is None:
        return form.receipt_of(tree)
    message = f"{what}: {named(fault.pointer)}: {fault.fact}"
    if not form.intact_for_the_original(tree):
        raise MalformedStatement(message, pointer=fault.pointer, reason=fault.reason)
    raise MalformedStatement(
        f"{message} (intact by its own digest, but stricter here)", pointer=fault.pointer, reason=STRICTER
    )


def read(data: bytes, *, what: str) -> OldReceipt:
    """The receipt in terms of the new form. Raises as `read_harness_receipt`.

    A digest that is not the content's, and each null entry of the contract, are findings, for whoever looks at the
    result. There is no signature to verify: the digest has no key.
    """
    receipt = read_harness_receipt(data, what=what)
    mapped = _mapped(receipt, data)
    said = mapped if _moment(receipt.finished_ms) is not None else _without_time(mapped, receipt.finished_ms)
    return OldReceipt(
        schema=form.SCHEMA,
        media_type=form.MEDIA_TYPE,
        data=data,
        receipt=mapped,
        statement=mapped_statement([(OWN_NAME, sha256_hex(data))], said),
        old_place=_PLACES,
        findings=(*_digest_findings(receipt), *_null_seals(receipt)),
    )


def _digest_findings(receipt: HarnessReceipt) -> tuple[Finding, ...]:
    computed = form.content_digest(receipt)
    if receipt.digest == computed:
        return ()
    finding = Finding(
        check="statement",
        status="fail",
        reason="statement.content_digest",
        message=f"content digest is {computed}, receipt says {escape(receipt.digest[:200])}",
        pointer="/digest",
        expected=computed,
        observed=receipt.digest,
    )
    return (finding,)


def _null_seals(receipt: HarnessReceipt) -> tuple[Finding, ...]:
    """The original writes null for what is absent, for a directory and for what it could not read."""
    return tuple(
        Finding(
            check="contract-seals",
            status="pass",
            reason="contract-seals.null_seal",
            message=f"{escape(path)} is sealed as null, which is absent, a directory or unreadable",
            pointer=join("/contract/entries", path),
            path=path,
        )
        for path, digest in sorted(receipt.entries.items())
        if digest is None
    )


def _mapped(receipt: HarnessReceipt, data: bytes) -> model.DoneReceipt:
    def utf8(path: str) -> bytes:
        return path.encode("utf-8", "surrogatepass")

    entries = sorted(receipt.entries.items(), key=lambda entry: utf8(entry[0]))
    request = receipt.audit_request
    usage = model.Usage(input_tokens=receipt.input_tokens, output_tokens=receipt.output_tokens)
    task_digest = model.Digests(sha256=sha256_hex(receipt.task.encode()))
    return model.DoneReceipt(
        task=model.Task(description=receipt.task, digest=task_digest),
        agent=model.Agent(id=form.SCHEMA, model=receipt.model, harness=origin(form.SCHEMA, form.MEDIA_TYPE, data)),
        run=model.Run(
            outcome=_outcome(receipt),
            finished_on=_time(receipt.finished_ms),
            iterations=receipt.iters,
            tool_calls=receipt.tools_called,
            usage=usage,
            audit_log=None if request is None else model.AuditLog(request_id=request),
        ),
        contract=model.Contract(
            sealed=tuple(
                model.File(name=path, digest=model.Digests(sha256=digest))
                for path, digest in entries
                if digest is not None
            ),
            absent=tuple(path for path, digest in entries if digest is None),
            breach=receipt.seal_breach,
        ),
        verdict=model.Verdict(checked=receipt.checked, passed=receipt.passed, reason=receipt.reason),
        claims=(),
    )


def _outcome(receipt: HarnessReceipt) -> Literal["completed", "budgetExhausted", "failed"]:
    """From the two reasons that the original writes for a run that did not complete."""
    outcomes: dict[str, Any] = {form.BUDGET_REASON: "budgetExhausted", form.FAILED_REASON: "failed"}
    found: Literal["completed", "budgetExhausted", "failed"] = outcomes.get(receipt.reason, "completed")
    return found


def _moment(milliseconds: int) -> datetime | None:
    """The moment, None outside of the years 1 to 9999."""
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def _time(milliseconds: int) -> str:
    """The time, or the nearest one that can be said: a receipt of another age is judged, and never imported."""
    moment = _moment(milliseconds)
    if moment is None:
        moment = datetime.max.replace(tzinfo=UTC) if milliseconds > 0 else datetime.min.replace(tzinfo=UTC)
    text = format_time(moment)
    return text if milliseconds % 1000 == 0 or "." in text else f"{text[:-1]}.000Z"


def _without_time(receipt: model.DoneReceipt, milliseconds: int) -> model.DoneReceipt:
    """What cannot be said stands in the statement as it is, so that nobody takes the nearest time for it."""
    run = replace(receipt.run, finished_on=f"{milliseconds} ms since 1970")
    return replace(receipt, run=run)
