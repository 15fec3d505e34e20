"""Writing what a verification came to: formats by name, several outputs at once, exit codes that do not depend on
either.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from in_toto_done_receipt.admission.decide import policy_input
from in_toto_done_receipt.cli.main import exit_code, hint_of
from in_toto_done_receipt.errors import ConfigurationError, DoneReceiptError, UsageError
from in_toto_done_receipt.observe.files import write_atomic
from in_toto_done_receipt.pipeline import Outcome, policy_document
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.report.json import dump, render_json
from in_toto_done_receipt.report.text import render_text
from in_toto_done_receipt.wire.config import nearest

FORMATS: Final = ("text", "json", "policy-input")
_ECHO: Final = 1 << 18  # characters
LATER_FORMATS: Final = ("gh", "github", "sarif", "junit", "markdown", "html")


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


def renderer(name: str, settings: Settings, *, several: bool, colour: bool) -> Callable[[Outcome], str]:
    """One outcome as text of this format, ending in a newline; with several receipts JSON takes one line each."""
    indent = None if several else 2
    if name == "json":
        return lambda outcome: render_json(outcome.result, outcome.decision, indent=indent) + "\n"
    if name == "policy-input":
        return lambda outcome: dump(_policy_input(outcome, settings), indent=indent) + "\n"
    return lambda outcome: render_text(outcome.result, outcome.decision, colour=colour)


def views(
    name: str, outputs: list[tuple[str, Path]], settings: Settings, *, several: bool, colour: str, quiet: bool
) -> list[tuple[Path, Callable[[Outcome], str]]]:
    """Each place that gets the outcomes, and how they look there: the outputs, then standard output as `name` says."""
    found = [(path, renderer(fmt, settings, several=several, colour=False)) for fmt, path in outputs]
    if not quiet:
        found.append((Path("-"), renderer(name, settings, several=several, colour=wants_colour(colour))))
    return found


def _policy_input(outcome: Outcome, settings: Settings) -> Any:
    return json.loads(
        policy_input(
            outcome.result,
            policy_document(outcome.result, settings),
            codes=outcome.decision.demanded,
            evaluated_at=outcome.decision.evaluated_at,
        )
    )


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
            click.echo(error_document(error), nl=False)
        raise


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
