"""A fault of a receipt, and the closed list of reasons for which a predicate is malformed (exit 3).

Faults of coherence use the same form with the `statement.*` codes of `results.reasons` (exit 11).
"""

from typing import Any, Final

from in_toto_done_receipt.wire.pointer import named, quote
from in_toto_done_receipt.wire.value import Value

FAULT_REASONS: Final[dict[str, str]] = {
    "statement.predicate_type": "the statement is of another predicate type",
    "statement.null": "a member is null; only contract.breach may be",
    "statement.type": "a member is of another JSON type; a number with fraction or exponent is never an integer",
    "statement.required": "a required member is missing",
    "statement.format": "a text is not of the demanded form, or a word is not one of the allowed ones",
    "statement.range": "a number, a text or an argument list is too small, too short, too large or too long",
    "statement.count": "more than 100 claims, 20 evidence items in a claim, or 200 in all",
    "statement.closed": "a member that is not known, in the context, where none may be",
    "statement.credentials": "the repository's address carries credentials",
    "statement.harness": "the harness has neither uri nor digest",
    "statement.audit_log": "the audit log is empty, or has only one of records and head",
    "statement.error_form": "an observed error stands beside other members, or beside ok: true",
    "statement.stdout_matched": "stdoutMatched is there without stdoutContains, or the other way round",
    "statement.junit": "{junit} does not stand in exactly one argument of a tests item",
    "statement.duplicate": "a claim id, a cited test or a name in the contract occurs twice",
    "statement.order": "sealed or absent is not sorted by the UTF-8 bytes of its names",
    "statement.subject_name": "a subject has no name, or its name is not a path",
    "statement.subject_digest": "a subject has no sha256",
    "statement.subject_twins": "two subjects' names are equal, perhaps only after NFC and case folding",
    "statement.manifest": "the manifest's digest is not a subject's, or not the context's output manifest",
}


_SHOWN_CHARACTERS: Final = 80  # of a text in a message; of a longer one its length says more


class Fault(Value, kw_only=True):
    """One fault: its reason code, one line for people, and a JSON pointer into the statement."""

    reason: str
    message: str
    pointer: str


def fault(reason: str, pointer: str, fact: str) -> Fault:
    """The fault at a pointer; its message names the place, then the fact."""
    return Fault(reason=reason, message=f"statement: {named(pointer)}: {fact}", pointer=pointer)


def shown(value: Any) -> str:
    """A value from outside for "got ...": quoted when it is a short text, else how much of it there is."""
    if isinstance(value, str):
        return quote(value) if len(value) <= _SHOWN_CHARACTERS else f"{len(value)} characters"
    return f"{len(value)} items" if isinstance(value, list | dict) else str(value)
