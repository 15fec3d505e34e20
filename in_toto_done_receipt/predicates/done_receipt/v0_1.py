"""The wire form v0.1: from a Statement to a DoneReceipt, or the first fault. Specification: `docs/done-receipt.md`."""

from itertools import chain, islice
from typing import Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedStatement
from in_toto_done_receipt.predicates.done_receipt.extra_rules import EXTRA_RULES, SCHEMA_RULES, count_faults
from in_toto_done_receipt.predicates.done_receipt.faults import Fault, fault
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.typed import FaultFound, read_tree, walk
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.statement import Statement

# An own, vendor-neutral identifier. Its redirect is not registered yet, and it is not a vetted in-toto predicate.
PREDICATE_TYPE: Final = "https://w3id.org/done-receipt/v0.1"

MAX_SEALS: Final = 10_000
MAX_FAULTS: Final = 20


def read_predicate(statement: Statement, *, max_seals: int = MAX_SEALS) -> DoneReceipt:
    """The receipt that a statement carries.

    Ensures types, limits, closedness of the context and the extra rules, also of the statement's subjects. Raises
    MalformedStatement at the first fault, with its reason of `faults.FAULT_REASONS` and pointer, and with up to 20
    others as `faults`; LimitExceeded for more than `max_seals` sealed and absent paths. Does not check coherence, nor
    anything outside the statement.
    """
    if statement.predicate_type != PREDICATE_TYPE:
        fact = f"expected {PREDICATE_TYPE}, got {quote(statement.predicate_type)}"
        raise _malformed(fault("statement.predicate_type", "/predicateType", fact))
    tree = statement.predicate or {}  # in-toto: unset is the same as empty
    if (found := next(count_faults(tree), None)) is not None:
        raise _malformed(found)
    _limit_seals(tree.get("contract"), max_seals)
    try:
        receipt = read_tree(tree)
    except FaultFound as refused:
        # jsonschema takes longer to import than a receipt to read, so only a refused one waits for it.
        from in_toto_done_receipt.predicates.done_receipt.schema_faults import schema_faults

        raise _malformed(refused.fault, schema_faults(tree, limit=MAX_FAULTS + 1)) from None
    rules = chain.from_iterable(rule(receipt, statement) for rule in (*SCHEMA_RULES, *EXTRA_RULES))
    faults = tuple(islice(rules, MAX_FAULTS + 1))
    if faults:
        raise _malformed(faults[0], faults[1:])
    return receipt


def unrecognized(receipt: DoneReceipt, statement: Statement) -> tuple[str, ...]:
    """JSON pointers into the statement of the predicate's members that this version does not know and ignored.

    The statement's own are in `Statement.unrecognized`.
    """
    found = walk(receipt, statement.predicate or {}, "/predicate")
    return tuple(pointer for what, pointer in found if what == "unknown")


def _limit_seals(contract: object, allowed: int) -> None:
    lists = [contract.get(name) for name in ("sealed", "absent")] if isinstance(contract, dict) else []
    count = sum(len(items) for items in lists if isinstance(items, list))
    if count > allowed:
        raise LimitExceeded("seals", allowed=allowed, value=count, where="statement: /predicate/contract")


def _malformed(first: Fault, others: tuple[Fault, ...] = ()) -> MalformedStatement:
    """The error for the first fault; of the others, those at another place."""
    messages = tuple(other.message for other in others if other.pointer != first.pointer)
    return MalformedStatement(first.message, pointer=first.pointer, reason=first.reason, faults=messages[:MAX_FAULTS])
