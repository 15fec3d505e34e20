"""Whether the exceptions that a policy applied stand: looked at again, whatever the policy made of them.

Source: design, "Decision".
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from in_toto_done_receipt.admission.answer import Waived
from in_toto_done_receipt.admission.catalogue import PROTECTED
from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.outcome import refutation_code
from in_toto_done_receipt.wire.rfc3339 import parse_time

NO_EXCEPTION: Final = "profile.exceptions"  # the rule by which a collection allows none: no exception waives it

Subjects = dict[tuple[str, str | None], set[str | None]]


def exception_faults(
    applied: tuple[Waived, ...], result: VerificationResult, settings: Mapping[str, Any], *, evaluated_at: str
) -> Iterator[tuple[Waived, str]]:
    """Each exception that does not stand, and why."""
    held = {frozenset(entry.items()) for entry in settings.get("exceptions", ())}
    refuted = bool(applied) and refutation_code(result) != 0
    subjects: Subjects = {}
    for waived in applied:
        subjects.setdefault((waived.code, waived.term), set()).add(waived.subject)
    for waived in applied:
        members = {key: value for key, value in msgspec.structs.asdict(waived).items() if value is not None}
        if frozenset(members.items()) not in held:
            yield waived, "is none of the profile's"
        elif fault := _fault(waived, subjects, result, evaluated_at):
            yield waived, fault
        elif refuted:
            yield waived, "cannot stand while something is refuted"


def _fault(waived: Waived, subjects: Subjects, result: VerificationResult, evaluated_at: str) -> str | None:
    if waived.code.partition(".")[0] in PROTECTED or waived.code == NO_EXCEPTION:
        return "is for what no exception is ever made for"
    if waived.subject is not None:
        others = subjects[waived.code, waived.term] | subjects.get((waived.code, None), set())
        if waived.subject not in result.matched_subjects:
            return f"is for the subject {waived.subject}, which was not matched"
        if None not in others and not set(result.matched_subjects) <= others:
            return "is for some of the subjects only"
    try:
        expired = parse_time(waived.expires) <= parse_time(evaluated_at)
    except MalformedInput as error:
        return f"has no time to end: {error.message}"
    return f"expired on {waived.expires}" if expired else None
