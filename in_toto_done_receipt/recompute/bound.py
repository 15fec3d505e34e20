"""A receipt bound to the verifier's change: same base and head, a head still the tip, a target that stood."""

from typing import TYPE_CHECKING

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:  # a verification without a repository does not load the git reader
    from in_toto_done_receipt.observe.git.change import GitChange

_SOURCE = "/predicate/source"


def bound_to(case: Case, change: "GitChange") -> tuple[Finding, ...]:
    """Findings of the check `freshness`: whether the receipt is about this change, and the change the last one."""
    return (*_source(case, change), *_tip(case, change), *_target(change))


def _source(case: Case, change: "GitChange") -> tuple[Finding, ...]:
    """The receipt's base and head, commits and trees, against the verifier's."""
    source = case.receipt.source
    if source is None:
        message = "the verifier named the change, and the receipt has no source"
        return (finding("fail", "freshness.no_source", message, pointer=_SOURCE),)
    head, base = source.head.digest, source.base.digest
    rows = [
        ("freshness.other_head", "head", "gitCommit", change.head, head.git_commit),
        ("freshness.other_head", "head", "gitTree", change.head_tree, head.git_tree),
        ("freshness.other_base", "base", "gitCommit", change.base, base.git_commit),
        ("freshness.other_base", "base", "gitTree", change.base_tree, base.git_tree),
    ]
    found = tuple(
        finding(
            "fail",
            reason,
            f"the receipt was made for {word} {said}, the verifier's {word} is {wanted}",
            pointer=f"{_SOURCE}/{word}/digest/{kind}",
            expected=wanted,
            observed=said,
        )
        for reason, word, kind, wanted, said in rows
        if None not in (wanted, said) and wanted != said
    )
    start = "" if change.base is None else f"base {change.base} and "
    return found or (finding("pass", "freshness.source_equal", f"the receipt was made for {start}head {change.head}"),)


def _tip(case: Case, change: "GitChange") -> tuple[Finding, ...]:
    """The ref that head was read from is read once more: it may have moved while evidence ran."""
    if change.head_ref is None or case.context.tip_of is None:
        message = "head was given as an id: nobody can say whether it is still a branch's tip"
        return (finding("pass", "freshness.head_not_named", message),)
    shown = escape(change.head_ref)
    try:
        now = case.context.tip_of(change.head_ref)
    except RepositoryRefused as fault:
        return (finding("fail", "freshness.head_moved", f"{shown} cannot be read any more: {fault.message}"),)
    if now != change.head:
        message = f"{shown} was {change.head}, it is {now or 'gone'} now"
        return (finding("fail", "freshness.head_moved", message, expected=change.head, observed=now),)
    if change.base is None:
        return ()
    return (finding("pass", "freshness.head_is_tip", f"{shown} is {change.head}, and base its ancestor"),)


def _target(change: "GitChange") -> tuple[Finding, ...]:
    """A target that moved on is no breach; what would be merged is just not what was verified."""
    if not change.target_moved or change.onto == change.target_tip:
        return ()
    message = f"{escape(change.target_ref or '')} is {change.target_tip}, base is {change.base}"
    return (finding("fail", "freshness.stale", message, expected=change.base, observed=change.target_tip),)
