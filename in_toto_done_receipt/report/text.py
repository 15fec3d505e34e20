"""The reader's view: verdict and first reason, who signed, each claim with its evidence, violations with solutions.

Fits 80 columns, is readable without colour, and no line starts with text from the receipt, not even after leading
blanks (a CI runner acts on `::error::` there): a line that goes on begins with `|`. Whatever comes from the receipt is
escaped and quoted.
"""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from in_toto_done_receipt.report.tests import line_of_canaries, line_of_tests
from in_toto_done_receipt.results.decision import Decision, Violation, Waiting, Waiver
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import (
    Change,
    ClaimResult,
    EvidenceResult,
    PayloadFacts,
    Signer,
    VerificationResult,
)
from in_toto_done_receipt.wire.escape import escape

WIDTH: Final = 80
_COLOURS: Final = {"ADMITTED": "\x1b[1;32m", "DENIED": "\x1b[1;31m"}
_OWN_FORMATS: Final = ("application/vnd.dsse.", "application/vnd.dev.sigstore.", "application/vnd.in-toto")
_MAX_LISTED: Final = 20  # findings, violations and names that are printed one by one; the rest is counted
_MAX_QUOTED: Final = 400  # characters of the agent's own words in one place; JSON has all of them


def render_text(result: VerificationResult, decision: Decision, *, colour: bool = False) -> str:
    """The whole report, ending in a newline."""
    return "\n".join(_lines(result, decision, colour)) + "\n"


def headline(result: VerificationResult, decision: Decision) -> str:
    """`ADMITTED — …` or `DENIED — first reason`, in the verifier's words, escaped, on one line."""
    if decision.allow:
        return f"ADMITTED — {escape(result.summary)}"
    first = decision.violations[0] if decision.violations else None
    return f"DENIED — {escape(first.message) if first else 'a requirement was not met'}"


def _lines(result: VerificationResult, decision: Decision, colour: bool) -> Iterator[str]:
    line = headline(result, decision)
    word = line.partition(" ")[0]
    yield from _colour(_wrap(line, ""), word, colour)
    if not decision.allow:
        yield from _wrap(escape(result.summary), "  examined    ")
    if result.verdict is not None:
        yield from _wrap(f"receipt says: {quote(result.verdict.summary)}", "  ")
    yield from _signature_lines(result)
    if result.workspace is not None:
        what = "live directory" if result.workspace.kind == "live" else "git tree of"
        yield from _wrap(f"{what} {escape(result.workspace.root)}", "  looked at   ")
    if result.change is not None:
        yield from _change_lines(result.change)
    if result.sandbox.level != "none":
        yield f"  sandbox     {result.sandbox.level} (required: {result.sandbox.required})"
    if result.tests is not None:
        yield from _wrap(escape(line_of_tests(result.tests)), "  tests       ")
        yield from _wrap(escape(line_of_canaries(result.tests)), "  canaries    ")
    yield from _claims(result.claims)
    yield from _payloads(result, decision)
    yield from _findings(result, decision)
    yield from _violations("violations", decision.violations)
    yield from _waiting(decision.waiting)
    yield from _exceptions(decision.exceptions)
    yield from _violations("warnings", decision.warnings)
    if decision.overrides:
        yield from _wrap(", ".join(decision.overrides), "  overrides   ")
    yield f"  decided by  {decision.engine.name} {decision.engine.version}, collection {decision.collection}"


def _change_lines(change: Change) -> Iterator[str]:
    """The change that was read from git, by its ids, and how much of it there is."""
    if change.base is not None:
        yield f"  base        {change.base}"
    yield f"  head        {change.head}"
    if change.onto is not None:
        yield f"  merged onto {change.onto}"
    yield f"  tree        {change.tree}"
    if change.base is not None:
        yield f"  changed     {change.added} added, {change.changed} changed, {change.deleted} deleted"
    for store in change.stores:
        yield from _wrap(f"objects of {escape(store)}", "  borrowed    ")


def _signature_lines(result: VerificationResult) -> Iterator[str]:
    for signer in result.signers:
        line = "" if signer.line is None else f", line {signer.line}"
        yield from _wrap(_signer(signer) + line, "  signed by   ")
        if signer.kind == "key" and signer.key_fingerprint is not None:
            yield f"  key         {signer.key_fingerprint.removeprefix('sha256:')}"
        repository = signer.claims.get("sourceRepositoryURI")
        if repository:
            yield from _wrap(escape(repository), "  source      ")
        times = escape(", ".join(f"{time.time} ({time.source})" for time in signer.times))
        if signer.log_index is not None:
            yield from _wrap(f"index {signer.log_index}{', ' if times else ''}{times}", "  log         ")
        elif times:
            yield from _wrap(times, "  signed on   ")
    root = result.trust.root
    if root is not None:
        since = "last changed" if root.obtained_on is None else "obtained"
        day = (root.obtained_on or root.newest_validity_start or "")[:10]
        old = "" if root.age is None else f", {root.age // 86400} day(s) old"
        yield from _wrap(f"{root.sha256}, {since} {day}{old}", "  root        ")
    if not result.signers:
        yield "  signed by   nobody the verifier trusts"
        for hint in _hints(result):
            yield from _wrap(escape(hint), "  hint        ")
    yield f"  sha256      {result.input.payload_sha256}"
    if not result.input.media_type.startswith(_OWN_FORMATS):
        yield from _wrap(escape(result.input.media_type), "  read as     ")
    if result.predicate_type is not None:
        yield from _wrap(quote(result.predicate_type), "  predicate   ")


def _hints(result: VerificationResult) -> Iterator[str]:
    signature = result.check("signature")
    for finding in () if signature is None else signature.findings:
        if finding.hint is not None:
            yield finding.hint


def _signer(signer: Signer) -> str:
    if signer.kind == "key":
        return escape(signer.principal)
    return f"{escape(signer.principal)}: {escape(signer.identity or '')}, issuer {escape(signer.issuer or '')}"


def _claims(claims: tuple[ClaimResult, ...]) -> Iterator[str]:
    if claims:
        yield ""
        yield "claims (the agent's words in quotes)"
    for claim in claims:
        yield from _wrap(f"{quote(claim.id)}: {quote(claim.statement)}", f"  [{claim.state}] ")
        if not claim.evidence:
            yield "    no evidence: nobody can look again"
        for item in claim.evidence:
            yield from _wrap(_item(item), f"    {item.index} ")


def _item(item: EvidenceResult) -> str:
    about = ""
    if item.path is not None:
        about = f" {quote(item.path)}"
    elif item.argv is not None:
        about = f" {quote(' '.join(item.argv))}"
    return f"{escape(item.kind)}{about}: {item.state} — {escape(item.message)}"


def _payloads(result: VerificationResult, decision: Decision) -> Iterator[str]:
    """What else is in a file of several payloads, when none of them is what was asked for."""
    if decision.allow or not result.input.payloads:
        return
    yield ""
    yield f"none of {len(result.input.payloads)} payloads in the file was admitted"
    for payload in result.input.payloads[:_MAX_LISTED]:
        numbers = ", ".join(str(number) for number in payload.lines)
        where = f"  line{'s' if len(payload.lines) > 1 else ''} {numbers}: " if numbers else "  "
        yield from _wrap(_payload(payload), where)
    yield from _more(len(result.input.payloads))


def _payload(payload: PayloadFacts) -> str:
    if payload.fault is not None:
        return f"cannot be examined: {escape(payload.fault)}"
    signers = (
        f"signed by {escape(', '.join(payload.signers))}" if payload.signers else "nobody that is trusted signed it"
    )
    return signers if payload.predicate_type is None else f"{signers}, predicate type {quote(payload.predicate_type)}"


def _findings(result: VerificationResult, decision: Decision) -> Iterator[str]:
    said = {violation.message for violation in decision.violations}
    shown = [
        finding
        for check in result.checks
        for finding in check.findings
        if finding.status in ("fail", "error") and finding.claim is None and finding.message not in said
    ]
    if not shown:
        return
    yield ""
    yield "findings"
    for finding in shown[:_MAX_LISTED]:
        yield from _wrap(_finding(finding), f"  [{finding.status}] ")
    yield from _more(len(shown))


def _finding(finding: Finding) -> str:
    return f"{finding.reason}: {escape(finding.message)}"


def _violations(title: str, violations: tuple[Violation, ...]) -> Iterator[str]:
    if not violations:
        return
    yield ""
    yield title
    for violation in violations[:_MAX_LISTED]:
        yield from _wrap(f"{escape(violation.code)}: {escape(violation.message)}", "  ")
        if violation.solution:
            yield from _wrap(escape(violation.solution), "    → ")
    yield from _more(len(violations))
    yield ""


def _waiting(waiting: tuple[Waiting, ...]) -> Iterator[str]:
    """One line for all that wait for the same."""
    together: dict[tuple[str, ...], list[str]] = {}
    for one in waiting:
        together.setdefault(one.on, []).append(one.code)
    for on, codes in together.items():
        yield from _wrap(f"{', '.join(map(escape, codes))} (after {', '.join(map(escape, on))})", "  not judged  ")


def _exceptions(waivers: tuple[Waiver, ...]) -> Iterator[str]:
    if not waivers:
        return
    yield ""
    yield "exceptions that were needed"
    for one in waivers[:_MAX_LISTED]:
        about = "".join(f" ({escape(what)})" for what in (one.term, one.subject) if what is not None)
        said = f"{escape(one.code)}{about}: {escape(one.reason)}"
        yield from _wrap(f"{said}; approved by {escape(one.approver)}, until {escape(one.expires)}", "  ")
    yield from _more(len(waivers))
    yield ""


def _more(count: int) -> Iterable[str]:
    return [f"  … and {count - _MAX_LISTED} more (--format json has all)"] if count > _MAX_LISTED else []


def quote(text: str) -> str:
    """Text of the receipt's: escaped, cut at 400 characters, in double quotes."""
    cut = text if len(text) <= _MAX_QUOTED else text[:_MAX_QUOTED] + "…"
    return f'"{escape(cut)}"'


def _wrap(text: str, first: str) -> list[str]:
    return textwrap.wrap(
        text, width=WIDTH, initial_indent=first, subsequent_indent="    | ", break_on_hyphens=False
    ) or [first.rstrip()]


def _colour(lines: list[str], word: str, colour: bool) -> list[str]:
    if not colour:
        return lines
    return [f"{_COLOURS[word]}{line}\x1b[0m" for line in lines]
