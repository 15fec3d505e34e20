"""Writing what a verification came to: formats by name, several outputs at once, exit codes that do not depend on
either.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from in_toto_done_receipt.admission.decide import policy_input
from in_toto_done_receipt.cli.main import exit_code, hint_of
from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError, MalformedInput, UsageError
from in_toto_done_receipt.observe.files import write_atomic
from in_toto_done_receipt.pipeline import Outcome, policy_document
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.report.json import dump, render_json
from in_toto_done_receipt.report.text import render_text
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.config import nearest
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.reader import Group, read_receipts
from in_toto_done_receipt.wire.value import Value

FORMATS: Final = ("text", "json", "policy-input", "gh", "github")
_ECHO: Final = 1 << 18  # characters
LATER_FORMATS: Final = ("sarif", "junit", "markdown", "html")


def check_format(name: str, flag: str) -> str:
    """The name, if this version has the format. Raises ConfigurationError for one of a later version."""
    if name in LATER_FORMATS:
        raise ConfigurationError(f"{flag}: format {name} is not available in this version")
    if name not in FORMATS:
        raise UsageError(f"{flag}: unknown format {name}", hint=nearest(name, list(FORMATS)))
    return name


def split_outputs(outputs: tuple[str, ...]) -> list[tuple[str, Path]]:
    """FORMAT=PATH each, checked before any work starts."""
    found = []
    for text in outputs:
        name, equals, path = text.partition("=")
        if not equals or not path:
            raise UsageError(f"--output {text}: wants FORMAT=PATH")
        found.append((check_format(name, "--output"), Path(path)))
    return found


class Shown(Value, kw_only=True):
    """What a view is made of. `receipt` is the file's bytes where a view wants them, `root` the trusted root's."""

    outcome: Outcome
    receipt: bytes | None = None
    root: bytes | None = None

    @property
    def result(self) -> VerificationResult:
        """The outcome's result."""
        return self.outcome.result

    @property
    def decision(self) -> Decision:
        """The outcome's decision."""
        return self.outcome.decision


Render = Callable[[Shown], str]


def wants_receipt(name: str, outputs: list[tuple[str, Path]]) -> bool:
    """Whether one of these views shows the attestation itself, which no result holds."""
    return "gh" in (name, *(fmt for fmt, _ in outputs))


def renderer(name: str, settings: Settings, *, several: bool, colour: bool, to_file: bool = False) -> Render:
    """One outcome as text of this format; with several receipts, JSON takes one line each.

    The policy input of one receipt is exactly what the engine got, without a line end. `github` in a file is the job
    summary, and on standard output the annotations.
    """
    indent = None if several else 2
    if name == "json":
        return lambda shown: render_json(shown.result, shown.decision, indent=indent) + "\n"
    if name == "policy-input":
        return lambda shown: _policy_input(shown.outcome, settings) + ("\n" if several else "")
    if name == "gh":
        return lambda shown: _gh(shown, indent) + "\n"
    if name == "github":
        from in_toto_done_receipt.report import github

        render = github.summary if to_file else github.annotations
        return lambda shown: render(shown.result, shown.decision)
    return lambda shown: render_text(shown.result, shown.decision, colour=colour)


def views(
    name: str, outputs: list[tuple[str, Path]], settings: Settings, *, several: bool, colour: str, quiet: bool
) -> list[tuple[Path, Render]]:
    """Each place that gets the outcomes, and how they look there: the outputs, then standard output as `name` says."""
    found = [
        (path, renderer(fmt, settings, several=several, colour=False, to_file=str(path) != "-"))
        for fmt, path in outputs
    ]
    if not quiet:
        found.append((Path("-"), renderer(name, settings, several=several, colour=wants_colour(colour))))
    return found


def _policy_input(outcome: Outcome, settings: Settings) -> str:
    raw = policy_input(
        outcome.result,
        policy_document(outcome.result, settings),
        codes=outcome.decision.demanded,
        evaluated_at=outcome.decision.evaluated_at,
    )
    return raw.decode("ascii")


def _gh(shown: Shown, indent: int | None) -> str:
    from in_toto_done_receipt.report.gh import NO_SERVICES, render_gh, services_of

    group = None
    if shown.receipt is not None and shown.decision.allow and shown.result.signers:
        # Looked up by digest in the bytes that were verified; an old receipt is no attestation.
        group = _group(shown.receipt, shown.result)
    services = NO_SERVICES if shown.root is None else services_of(shown.root)
    return render_gh(shown.result, shown.decision, group, services=services, indent=indent)


def _group(data: bytes, result: VerificationResult) -> Group | None:
    try:
        groups = read_receipts(data, what="receipt", allow_statement=False).groups
    except MalformedInput:
        return None
    wanted = result.input
    return next((g for g in groups if g.lines == wanted.lines and sha256_hex(g.payload) == wanted.payload_sha256), None)


def wants_colour(choice: str) -> bool:
    """Whether standard output gets colour: by choice, else on a terminal without NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


@contextmanager
def errors_for_machines(name: str, *, quiet: bool) -> Iterator[None]:
    """An error that ends the command goes to standard output too, unless the format is for people."""
    try:
        yield
    except DoneReceiptError as error:
        if name != "text" and not quiet:
            click.echo(error_text(name, error), nl=False)
        raise


def error_text(name: str, error: DoneReceiptError) -> str:
    """An error as standard output has it in this format; nothing was verified, so nothing is in the array of gh."""
    if name == "gh":
        return "[]\n"
    if name == "github":
        from in_toto_done_receipt.report.github import error_annotation

        return error_annotation(error.message)
    return error_document(error)


def error_texts(name: str, outputs: list[tuple[str, Path]], error: DoneReceiptError, *, quiet: bool) -> list[str]:
    """An error of one receipt of several, for each of the views: what follows is about the next receipt."""
    found = []
    for fmt, path in outputs:
        if fmt == "github" and str(path) != "-":
            from in_toto_done_receipt.report.github import error_summary

            found.append(error_summary(error.message))
        else:
            found.append(error_text(fmt, error) if fmt in ("gh", "github") else "")
    if not quiet:
        found.append("" if name == "text" else error_text(name, error))
    return found


def error_document(error: DoneReceiptError) -> str:
    """An error for a machine: on every path of `--format json` there is JSON on standard output."""
    facts: dict[str, Any] = {"kind": type(error).__name__, "message": error.message, "exitCode": exit_code(error)}
    if hint := hint_of(error):
        facts["hint"] = hint
    for name in ("pointer", "reason", "faults"):
        if value := getattr(error, name, None):
            facts[name] = value
    return dump({"error": facts}, indent=None) + "\n"


def write_all(texts: dict[Path, list[str]]) -> None:
    """Each output file as a whole; `-` is standard output."""
    for path, parts in texts.items():
        if str(path) != "-":
            write_atomic(path, "".join(parts).encode())
            continue
        for part in parts:
            for at in range(0, len(part), _ECHO):  # a stream that is written at once is held twice more
                click.echo(part[at : at + _ECHO], nl=False)
