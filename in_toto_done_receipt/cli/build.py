"""`done-receipt build`."""

import os
from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli.build_request import build_options, read_request, utc_now
from in_toto_done_receipt.cli.options import FILE, format_option, is_stdout, keep_inputs, say_facts, write_output
from in_toto_done_receipt.cli.progress import progress
from in_toto_done_receipt.producer.build import Built, build
from in_toto_done_receipt.producer.identity import OVERRIDE, refuse_identity
from in_toto_done_receipt.producer.verdict import not_ok_line
from in_toto_done_receipt.wire.escape import escape

EVIDENCE_NOT_OK = 12
RUN = ("command", "tests")  # the kinds of evidence that run something


@click.command("build")
@build_options
@click.option("--out", type=FILE, required=True, help="Where the statement goes; - is standard output.")
@click.option("--override", "overrides", type=click.Choice([OVERRIDE]), multiple=True, help="Loosen a rule by name.")
@format_option
def command(out: Path, overrides: tuple[str, ...], output_format: str, as_json: bool, **given: Any) -> None:
    """Collect evidence in a directory and write an unsigned statement about it.

    Commands run first, in place, with a scrubbed environment, and not at all while the environment holds a signing
    identity; then everything is looked at twice. Prints the payload's sha256. Exit 12, with a statement that says so,
    when some evidence is not ok; 11 when the work moved meanwhile.

    \b
    Example:
      done-receipt build --root . --task "write report" --agent worker \\
        --claim report="report exists" --file report=report.md --out statement.json
    """
    keep_inputs(out, *given.values(), root=given["root"])
    request = read_request(given, out=out, now=utc_now())
    if OVERRIDE not in overrides and any(item.kind in RUN for item in request.evidence):
        refuse_identity(
            os.environ,
            hint="build in a job without identity, or without these variables (`env -u NAME done-receipt build …`)",
        )
    with progress("manifest") as step:
        built = build(request, progress=step)
    write_output(out, built.payload)
    say_built(built)
    facts = built_facts(built, out)
    lines = [built.payload_sha256]
    say_facts(facts, lines, as_json=as_json or output_format == "json", err=is_stdout(out))
    if built.not_ok:
        raise click.exceptions.Exit(EVIDENCE_NOT_OK)


def say_built(built: Built) -> None:
    """On standard error: the receipt's one line, and what is not ok."""
    click.echo(f"receipt says: {escape(built.summary)}", err=True)
    if built.not_ok:
        click.echo(escape(not_ok_line(built.not_ok)), err=True)


def built_facts(built: Built, out: Path) -> dict[str, Any]:
    """What was built, as data."""
    return {
        "payloadSha256": built.payload_sha256,
        "out": str(out),
        "summary": built.summary,
        "notOk": list(built.not_ok),
        "breach": built.breach,
    }
