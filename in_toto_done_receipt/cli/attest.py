"""`done-receipt attest`."""

import os
from pathlib import Path
from typing import Any, Final

import click

from in_toto_done_receipt.cli import signing
from in_toto_done_receipt.cli.build import EVIDENCE_NOT_OK, built_facts, say_built
from in_toto_done_receipt.cli.build_request import build_options, read_request, utc_now
from in_toto_done_receipt.cli.options import FILE, format_option, is_stdout, keep_inputs, say_facts
from in_toto_done_receipt.cli.progress import progress
from in_toto_done_receipt.producer.build import build
from in_toto_done_receipt.producer.identity import OVERRIDE, refuse_identity

APART: Final = "run `done-receipt build`, then `done-receipt sign` in a job without the evidence"


@click.command("attest")
@build_options
@click.option("--out", type=FILE, required=True, help="Where the envelope or bundle goes; - is standard output.")
@click.option("--override", "overrides", type=click.Choice([OVERRIDE]), multiple=True, help="Loosen a rule by name.")
@signing.signing_options
@format_option
def command(out: Path, overrides: tuple[str, ...], output_format: str, as_json: bool, **given: Any) -> None:
    """Build and sign in one: all evidence runs before a key, a PIN or an identity token is read.

    Stops when the environment holds a signing identity that a command could use: build and sign in separate jobs then.

    \b
    Example:
      done-receipt attest --root . --task "write report" --agent worker \\
        --claim report="report exists" --file report=report.md --key worker.pem --out receipt.json
    """
    overridden = OVERRIDE in overrides
    how = signing.take(given, out=out, ambient=overridden)  # a job's own token was near the evidence
    if not overridden:
        refuse_identity(os.environ, hint=APART)
    for output in how.outputs(out):
        keep_inputs(output, *how.inputs, *given.values(), root=given["root"])
    request = read_request(given, out=out, now=utc_now())
    signing.check_early(how)
    with progress("manifest") as step:
        built = build(request, progress=step)
    signed = signing.sign(built.payload, how)
    signing.write(signed, how, out)
    say_built(built)
    facts = {**built_facts(built, out), **signing.facts(signed)}
    lines = [built.payload_sha256, *signing.lines(signed)]
    say_facts(facts, lines, as_json=as_json or output_format == "json", err=is_stdout(out))
    if built.not_ok:
        raise click.exceptions.Exit(EVIDENCE_NOT_OK)
