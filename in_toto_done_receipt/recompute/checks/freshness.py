"""The run's end against a clock the verifier trusts: a verified timestamp, else the verifier's now."""

from datetime import datetime, timedelta

from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time

_POINTER = "/predicate/run/finishedOn"


def run(case: Case) -> tuple[Finding, ...]:
    """Whether `finishedOn` is not after the signature (or now) and not older than the profile allows."""
    settings = case.context.settings
    finished = parse_time(case.receipt.run.finished_on)
    skew = timedelta(seconds=settings.skew)
    clock, name = _clock(case)
    if finished - clock > skew:  # differences: a sum can lie outside of the calendar
        message = f"the run finished {case.receipt.run.finished_on}, {name} is {format_time(clock)}"
        return (_fail("freshness.in_future", message, clock, case),)
    age = case.context.evaluated_at - finished
    if settings.max_age is not None and age > timedelta(seconds=settings.max_age) + skew:
        message = (
            f"the run finished {case.receipt.run.finished_on}, now is {format_time(case.context.evaluated_at)}, "
            f"at most {settings.max_age} s are allowed"
        )
        return (_fail("freshness.too_old", message, case.context.evaluated_at, case),)
    return (finding("pass", "freshness.fresh", f"the run finished before {name}", pointer=_POINTER),)


def _clock(case: Case) -> tuple[datetime, str]:
    signed_on = case.context.signed_on
    if signed_on is not None and signed_on < case.context.evaluated_at:
        return signed_on, "the signature's verified time"
    return case.context.evaluated_at, "the verifier's time"


def _fail(reason: str, message: str, clock: datetime, case: Case) -> Finding:
    return finding(
        "fail",
        reason,
        message,
        pointer=_POINTER,
        expected=format_time(clock),
        observed=case.receipt.run.finished_on,
    )
