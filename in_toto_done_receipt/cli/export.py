"""`export`: a statement as an old receipt, for whoever still reads those."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, format_option, is_stdout, read_document, say_facts, write_output
from in_toto_done_receipt.errors import MalformedEnvelope
from in_toto_done_receipt.importers.registry import OLD_FORMATS, old_format
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.reader import read_receipts
from in_toto_done_receipt.wire.statement import read_statement


@click.command()
@click.argument("kind", type=click.Choice([known.name for known in OLD_FORMATS]))
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, default="-", help="Where the old receipt goes; - is standard output.")
@format_option
def command(kind: str, file: Path, out: Path, output_format: str, as_json: bool) -> None:
    """Write a statement, or the statement in an envelope or bundle, as an old receipt. Verifies nothing.

    Signatures are left behind: they are over the statement. Exit 3, with everything that the old format cannot say,
    when it cannot say all of it.

    \b
    Example:
      done-receipt export agent-receipt statement.json --out old-receipt.json
    """
    known = old_format(kind)
    data = read_document(file, what=str(file), limit=LIMITS["file-bytes"].default)
    groups = read_receipts(data, what=str(file), allow_statement=True).groups
    if len(groups) != 1:
        raise MalformedEnvelope(f"{file}: {len(groups)} different payloads, one is exported at a time")
    statement = read_statement(groups[0].payload)
    written = known.from_statement(statement, read_predicate(statement), what=str(file))
    write_output(out, written)
    digest = sha256_hex(written)
    facts = {"sha256": digest, "schema": known.schema}
    say_facts(facts, [digest], as_json=as_json or output_format == "json", err=is_stdout(out))
