"""Does a receipt agree with itself? Judged whoever signed it; a fault refutes the receipt (exit 11).

Section "Coherence" of `docs/done-receipt.md`. Times against other clocks are judged by the check `freshness`.
"""

import hashlib
from collections.abc import Iterator

from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.extra_rules import evidence_of
from in_toto_done_receipt.predicates.done_receipt.faults import Fault, fault
from in_toto_done_receipt.wire.digests import digests_match
from in_toto_done_receipt.wire.pointer import join, quote
from in_toto_done_receipt.wire.statement import Statement, Subject

_VERDICT = "/predicate/verdict"


def coherence_faults(receipt: model.DoneReceipt, statement: Statement) -> tuple[Fault, ...]:
    """Every way in which the receipt contradicts itself, with the `statement.*` codes of `results.reasons`.

    Rules are independent: one contradiction may break several. Does not look at anything outside the statement.
    """
    return (
        *_passed(receipt),
        *_unchecked(receipt),
        *_failed_without_reason(receipt),
        *_outcome(receipt),
        *_breach(receipt),
        *_evidence(receipt, statement),
        *_times(receipt),
        *_task_digest(receipt),
    )


def _passed(receipt: model.DoneReceipt) -> Iterator[Fault]:
    if not receipt.verdict.passed:
        return
    contradictions = (
        (not receipt.verdict.checked, "nobody checked"),
        (receipt.verdict.reason != "", "a reason is given"),
        (receipt.contract.breach is not None, "the contract was breached"),
        (receipt.run.outcome != "completed", f"the outcome is {receipt.run.outcome}"),
        (any(not item.ok for _, item in evidence_of(receipt)), "an evidence item is not ok"),
    )
    facts = [fact for contradicts, fact in contradictions if contradicts]
    if facts:
        yield fault("statement.passed", join(_VERDICT, "passed"), f"passed is true, yet {' and '.join(facts)}")


def _unchecked(receipt: model.DoneReceipt) -> Iterator[Fault]:
    verdict = receipt.verdict
    if verdict.checked:
        return
    if verdict.passed:
        yield fault("statement.unchecked", join(_VERDICT, "passed"), "checked is false, yet passed is true")
    if verdict.reason:
        yield fault("statement.unchecked", join(_VERDICT, "reason"), "checked is false, yet a reason is given")


def _failed_without_reason(receipt: model.DoneReceipt) -> Iterator[Fault]:
    verdict = receipt.verdict
    if verdict.checked and not verdict.passed and not verdict.reason and receipt.contract.breach is None:
        fact = "checked and not passed, yet there is neither a reason nor a breach"
        yield fault("statement.failed_without_reason", join(_VERDICT, "reason"), fact)


def _outcome(receipt: model.DoneReceipt) -> Iterator[Fault]:
    outcome, verdict = receipt.run.outcome, receipt.verdict
    if outcome == "completed":
        return
    facts = [
        fact
        for contradicts, fact in (
            (not verdict.checked, "checked is false"),
            (verdict.passed, "passed is true"),
            (not verdict.reason, "there is no reason"),
        )
        if contradicts
    ]
    if facts:
        yield fault("statement.outcome", "/predicate/run/outcome", f"outcome is {outcome}, yet {' and '.join(facts)}")


def _breach(receipt: model.DoneReceipt) -> Iterator[Fault]:
    if receipt.contract.breach is not None and receipt.verdict.passed:
        yield fault("statement.breach", "/predicate/contract/breach", "the contract was breached, yet passed is true")


def _evidence(receipt: model.DoneReceipt, statement: Statement) -> Iterator[Fault]:
    subjects = {subject.name: subject for subject in statement.subjects}
    for place, item in evidence_of(receipt):
        subject = None
        if isinstance(item, model.OutputEvidence):
            subject = subjects.get(item.artifact.name)
            if subject is None:
                fact = f"expected the name of a subject, got {quote(item.artifact.name)}"
                yield fault("statement.output_subject", join(place, "artifact", "name"), fact)
        follows = _ok(item)
        if follows is not None and follows != item.ok:
            fact = f"ok is {_word(item.ok)}, yet by what was observed it is {_word(follows)}"
            yield fault("statement.evidence_ok", join(place, "ok"), fact)
        if subject is not None and isinstance(item, model.OutputEvidence):
            yield from _output(item, subject, place)


def _output(item: model.OutputEvidence, subject: Subject, place: str) -> Iterator[Fault]:
    if isinstance(item.observed, model.ErrorForm):
        return
    equal = digests_match(item.artifact.digest.as_map(), subject.digest)
    if item.observed.matched != equal:
        fact = (
            f"matched is {_word(item.observed.matched)}, yet the subject's digests are {'' if equal else 'not '}equal"
        )
        yield fault("statement.evidence_ok", join(place, "observed", "matched"), fact)


def _ok(item: model.Evidence) -> bool | None:
    """What `ok` has to be by what was observed; None for an error, which demands false, and for unknown kinds."""
    observed = item.observed
    match item, observed:
        case model.PathEvidence(), model.PathObserved():
            fitting = ("file", "directory") if item.expect == "present" else (item.expect,)
            return observed.type in fitting
        case model.FileEvidence(), model.FileObserved():
            return item.expected_sha256 in (None, observed.sha256)
        case model.TextEvidence() | model.OutputEvidence(), model.TextObserved() | model.OutputObserved():
            return observed.matched
        case model.CommandEvidence(), model.CommandObserved():
            wanted = item.expected.exit_code if item.expected else None
            return observed.exit_code == (wanted or 0) and observed.stdout_matched is not False
        case model.TestsEvidence(), model.TestsObserved():
            return observed.exit_code == observed.failed == observed.errored == 0 < observed.passed
        case _:
            return None


def _times(receipt: model.DoneReceipt) -> Iterator[Fault]:
    started, finished = receipt.run.started_on, receipt.run.finished_on
    if started is not None and _moment(started) > _moment(finished):
        fact = f"startedOn is {started}, after finishedOn {finished}"
        yield fault("statement.times", "/predicate/run/startedOn", fact)


def _moment(time: str) -> tuple[str, str]:
    """Orders as time does, to the nanosecond: all times have the same form and zone."""
    return time[:19], time[20:-1].ljust(9, "0")


def _task_digest(receipt: model.DoneReceipt) -> Iterator[Fault]:
    task = receipt.task
    if task.digest is None or task.uri is not None:  # with a uri, the full text is there and the description a summary
        return
    for algorithm, given in task.digest.as_map().items():
        computed = hashlib.new(algorithm, task.description.encode()).hexdigest()
        if given != computed:
            fact = f"expected the description's {computed}, got {given}"
            yield fault("statement.task_digest", join("/predicate/task/digest", algorithm), fact)


def _word(value: bool) -> str:
    return "true" if value else "false"
