"""The run's end against a clock the verifier trusts: a verified timestamp, else the verifier's now. The repository
against the one that the profile demands.
"""

from datetime import datetime, timedelta

from in_toto_done_receipt.recompute.bound import bound_to
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.pointer import quote
from in_toto_done_receipt.wire.rfc3339 import format_time, parse_time

_POINTER = "/predicate/run/finishedOn"
_REPOSITORY = "/predicate/source/repository"


def run(case: Case) -> tuple[Finding, ...]:
    """Whether the run's end fits the clock, and the receipt is of the demanded repository, if one is demanded."""
    wanted = case.context.settings.repository
    bound = () if case.context.change is None else bound_to(case, case.context.change)
    named = _certified(case) if wanted is None else (_source(case, wanted),)
    return (*_time(case), *named, *bound)


def _certified(case: Case) -> tuple[Finding, ...]:
    """Where no repository is demanded: the one that the receipt names against those of the signers' certificates.

    Not compared: the certificate's commit. It is that of the workflow's run, which on a pull request is a merge, and
    where an agent makes the commit itself the one it started from.
    """
    said = None if case.receipt.source is None else case.receipt.source.repository
    others = [claimed for claimed in case.context.signed_for if said is not None and _bare(claimed) != _bare(said)]
    if said is None or not others:
        return ()
    message = f"the receipt names repository {quote(said)}, a signer's certificate is of {quote(others[0])}"
    return (
        finding("fail", "freshness.other_repository", message, pointer=_REPOSITORY, expected=others[0], observed=said),
    )


def _bare(repository: str) -> str:
    """The address without what tools put around it: they name one repository, and nobody demanded a spelling."""
    return repository.removeprefix("git+").rstrip("/").removesuffix(".git").casefold()


def _source(case: Case, wanted: str) -> Finding:
    """Character for character: two spellings of one repository are two repositories."""
    source = case.receipt.source
    said = None if source is None else source.repository
    if said != wanted:
        text = "no repository" if said is None else f"repository {quote(said)}"
        message = f"the receipt names {text}, {quote(wanted)} is demanded"
        return finding(
            "fail", "freshness.other_repository", message, pointer=_REPOSITORY, expected=wanted, observed=said
        )
    for claimed in case.context.signed_for:
        if claimed != wanted:
            message = f"a signer's certificate is of repository {quote(claimed)}, {quote(wanted)} is demanded"
            return finding("fail", "freshness.other_repository", message, expected=wanted, observed=claimed)
    return finding("pass", "freshness.same_repository", f"the repository is {quote(wanted)}", pointer=_REPOSITORY)


def _time(case: Case) -> tuple[Finding, ...]:
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
