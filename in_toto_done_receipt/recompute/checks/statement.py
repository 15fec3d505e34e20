"""What the statement says agrees with itself, is of an allowed type and is the payload that was expected."""

from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import twin_key
from in_toto_done_receipt.wire.statement import STATEMENT_V0_1, Statement


def of_any(statement: Statement, payload_sha256: str, context: RecomputeContext) -> tuple[Finding, ...]:
    """What holds for a statement of any predicate type."""
    found: list[Finding] = []
    if context.expected_payload is not None and context.expected_payload != payload_sha256:
        message = f"payload is {payload_sha256}, the verifier expects {context.expected_payload}"
        found.append(
            finding(
                "fail",
                "statement.payload_digest",
                message,
                expected=context.expected_payload,
                observed=payload_sha256,
            )
        )
    if statement.type == STATEMENT_V0_1:
        found.append(finding("pass", "statement.old_version", "the statement is of version 0.1", pointer="/_type"))
    allowed = context.settings.predicate_types
    if statement.predicate_type not in allowed:
        message = f"predicate type is {escape(statement.predicate_type)}, allowed: {', '.join(allowed)}"
        found.append(finding("fail", "statement.type_not_allowed", message, pointer="/predicateType"))
    return tuple(found)


def no_handler(statement: Statement, handlers: tuple[str, ...]) -> Finding:
    """The finding for a predicate type that nobody here can examine."""
    message = f"no handler for predicate type {escape(statement.predicate_type)}, registered: {', '.join(handlers)}"
    return finding("not_checked", "statement.no_handler", message, pointer="/predicateType")


def run(case: Case) -> tuple[Finding, ...]:
    """Coherence of a done-receipt, one finding for each rule it breaks, and names that look alike."""
    faults = tuple(
        finding("fail", fault.reason, fault.message, pointer=fault.pointer)
        for fault in coherence_faults(case.receipt, case.statement)
    )
    before = any(found.check == "statement" and found.status == "fail" for found in case.earlier)
    return faults + _twins(case) + _imported(case) + _counters(case) + (() if faults or before else (_coherent(),))


def _coherent() -> Finding:
    return finding("pass", "statement.coherent", "what the receipt says agrees with itself")


def _imported(case: Case) -> tuple[Finding, ...]:
    """A remark on a statement that somebody made from an old receipt: its signer saw the old file, not the run."""
    harness = case.receipt.agent.harness
    said = None if harness is None or harness.annotations is None else harness.annotations.get("importedFrom")
    if said is None or case.context.own_file is not None:
        return ()
    schema = escape(said) if isinstance(said, str) else "an old format"
    message = f"imported from a file of {schema}: a signature attests the import, not the run"
    return (finding("pass", "statement.imported", message, pointer="/predicate/agent/harness/annotations"),)


def _counters(case: Case) -> tuple[Finding, ...]:
    """A remark on a run that did not complete and says that it did nothing at all: some harnesses forget to count."""
    if not counters_unknown(case.receipt):
        return ()
    message = f"outcome is {case.receipt.run.outcome}, and iterations, tool calls and tokens are all 0"
    return (finding("pass", "statement.counters_zero", message, pointer="/predicate/run"),)


def counters_unknown(receipt: DoneReceipt) -> bool:
    """Whether the run did not complete and every counter that there is reads zero, tool calls among them."""
    run = receipt.run
    tokens = (0, 0) if run.usage is None else (run.usage.input_tokens, run.usage.output_tokens)
    return run.outcome != "completed" and run.tool_calls == 0 and run.iterations in (None, 0) and tokens == (0, 0)


def _twins(case: Case) -> tuple[Finding, ...]:
    """Sealed paths that differ only by case or normalisation: one of them may hide behind the other."""
    seen: dict[str, str] = {}
    found: list[Finding] = []
    names = [file.name for file in case.receipt.contract.sealed] + list(case.receipt.contract.absent)
    for name in names:
        other = seen.setdefault(twin_key(name), name)
        if other != name:
            message = f"{escape(other)} and {escape(name)} differ only by case or normalisation"
            found.append(finding("pass", "statement.twin_names", message, path=name))
    return tuple(found)
