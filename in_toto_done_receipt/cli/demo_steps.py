"""What the demo does, each step shown as it would be typed."""

import shlex
from pathlib import Path

import click

from in_toto_done_receipt.cli import main
from in_toto_done_receipt.wire.value import Value


class Cheat(Value, kw_only=True):
    """A way to claim more than was done: what happens, and the exit code that has to answer it."""

    title: str
    code: int


def heading(text: str) -> None:
    """A new part of the story."""
    click.echo(f"\n## {text}\n")


def write(path: str, text: str) -> None:
    """Write one file, and its folder."""
    click.echo(f"$ printf %s {shlex.quote(text)} > {path}")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def run(line: str, expected: int) -> list[str]:
    """Run one of our own commands as it would be typed; what is wrong with its exit code."""
    click.echo(f"$ done-receipt {line}")
    code = main.run(shlex.split(line))
    if expected or code:
        click.echo(f"(exit code {code})")
    return [] if code == expected else [f"`done-receipt {line}` ended with {code}, expected {expected}"]
