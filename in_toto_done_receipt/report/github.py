"""For GitHub Actions: annotations, which its runner reads as commands, and a job summary in Markdown.

Every word that is not ours is made harmless for its place. In a command, `%`, line ends, `:` and `,` are what the
runner unescapes (actions/toolkit, command.ts). In Markdown it stands in `<code>`, with every character that is neither
letter, digit nor blank as a number: no mention, reference, link, tag or table is left in it.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from in_toto_done_receipt.report.tests import line_of_canaries, line_of_tests
from in_toto_done_receipt.results.decision import Decision, Violation
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import ClaimResult, VerificationResult
from in_toto_done_receipt.wire.escape import escape

Level = Literal["error", "warning", "notice"]

MAX_ANNOTATIONS: Final = 10  # of each level in one step; GitHub drops the rest without a word
_ABOUT_TESTS: Final = ("test-inventory", "harness-canary")  # whose findings are about ids, not files
_MAX_ROWS: Final = 20
_MAX_CHARACTERS: Final = 400  # of one text; a summary may have 1 MiB, a command is one line of a log


def annotations(result: VerificationResult, decision: Decision) -> str:
    """One command a line: the verdict, then violations, findings that failed, and warnings."""
    verdict = _command("notice" if decision.allow else "error", escape(result.summary), title=_word(decision))
    errors = [_violation("error", violation) for violation in decision.violations]
    errors += [_finding(finding) for finding in _failed(result, decision)]
    room = MAX_ANNOTATIONS if decision.allow else MAX_ANNOTATIONS - 1
    warnings = [_violation("warning", warning) for warning in decision.warnings]
    return "".join((verdict, *_bounded(errors, "error", room), *_bounded(warnings, "warning", MAX_ANNOTATIONS)))


def error_annotation(message: str) -> str:
    """One command for a command line that could not go on."""
    return _command("error", message, title="done-receipt")


def error_summary(message: str) -> str:
    """What a job summary says of a receipt that could not be verified."""
    return f"### NOT VERIFIED\n\n{_code(message)}\n\n"


def summary(result: VerificationResult, decision: Decision) -> str:
    """The job summary, in Markdown; it ends with an empty line, so that another can follow."""
    return "\n".join(_summary(result, decision)) + "\n\n"


def _word(decision: Decision) -> str:
    return "ADMITTED" if decision.allow else "DENIED"


def _failed(result: VerificationResult, decision: Decision) -> Iterator[Finding]:
    """What failed and is not in a violation's words already."""
    said = {violation.message for violation in decision.violations}
    for check in result.checks:
        for finding in check.findings:
            if finding.status in ("fail", "error") and finding.message not in said:
                yield finding


def _violation(level: Level, violation: Violation) -> str:
    solution = f" — {violation.solution}" if violation.solution else ""
    return _command(level, violation.message + solution, title=violation.code)


def _finding(finding: Finding) -> str:
    file = None if finding.check in _ABOUT_TESTS else finding.path
    return _command("error", finding.message, title=finding.reason, file=file)


def _command(level: Level, message: str, *, title: str, file: str | None = None) -> str:
    properties = ({} if file is None else {"file": file}) | {"title": title}
    named = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {named}::{_data(message)}\n"


def _bounded(commands: Sequence[str], level: Level, room: int) -> Sequence[str]:
    if len(commands) <= room:
        return commands
    more = len(commands) - room + 1
    return [*commands[: room - 1], _command(level, f"and {more} more, which --format json has", title="done-receipt")]


def _data(text: str) -> str:
    return _cut(text).replace("%", "%25")  # no line end is left


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cut(text: str) -> str:
    return escape(text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + "…")


def _summary(result: VerificationResult, decision: Decision) -> Iterator[str]:
    yield f"### {_word(decision)}"
    yield ""
    yield _code(result.summary)
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name, value in _facts(result, decision):
        yield f"| {name} | {_code(value)} |"
    yield from _part("Violations", ("rule", "what", "what to do"), _rows(decision.violations))
    failed = [(finding.reason, finding.path or "", finding.message) for finding in _failed(result, decision)]
    yield from _part("Findings that failed", ("reason", "path", "what"), failed)
    claims = [row for claim in result.claims for row in _claim(claim)]
    yield from _part("Claims, in the agent's words", ("claim", "state", "shown by"), claims)
    waived = [(one.code, one.reason, f"{one.approver}, until {one.expires}") for one in decision.exceptions]
    yield from _part("Exceptions that were needed", ("rule", "reason", "approved by"), waived)
    yield from _part("Warnings", ("rule", "what", "what to do"), _rows(decision.warnings))


def _facts(result: VerificationResult, decision: Decision) -> Iterator[tuple[str, str]]:
    yield "signed by", ", ".join(result.attester_names) or "nobody the verifier trusts"
    yield "payload sha256", result.input.payload_sha256
    yield "assurance", result.assurance
    yield "contract", result.contract.state
    if result.change is not None:
        yield "head", result.change.head
        if result.change.base is not None:
            yield "base", result.change.base
    if result.sandbox.level != "none":
        yield "sandbox", result.sandbox.level
    if result.tests is not None:
        yield "tests", line_of_tests(result.tests)
        yield "canaries", line_of_canaries(result.tests)
    yield "collection", decision.collection
    if decision.overrides:
        yield "overrides", ", ".join(decision.overrides)


def _rows(violations: Sequence[Violation]) -> list[tuple[str, ...]]:
    return [(violation.code, violation.message, violation.solution) for violation in violations]


def _claim(claim: ClaimResult) -> Iterator[tuple[str, ...]]:
    yield f"{claim.id}: {claim.statement}", claim.state, "" if claim.evidence else "no evidence"
    for item in claim.evidence:
        yield "", item.state, f"{item.kind}: {item.message}"


def _part(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield f"#### {title}"
    yield ""
    yield from _table(head, rows[:_MAX_ROWS])
    if len(rows) > _MAX_ROWS:
        yield ""
        yield f"and {len(rows) - _MAX_ROWS} more"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(_code, row))} |"


def _code(text: str) -> str:
    """The text for one place in Markdown, as text and nothing else."""
    plain = (
        character if character.isalnum() or character == " " else f"&#{ord(character)};" for character in _cut(text)
    )
    return f"<code>{''.join(plain)}</code>" if text else ""
