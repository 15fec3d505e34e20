"""`done-receipt sign`."""

from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli import signing
from in_toto_done_receipt.cli.options import FILE, format_option, is_stdout, keep_inputs, read_document, say_facts
from in_toto_done_receipt.producer.sign import Signed
from in_toto_done_receipt.wire.dsse import MAX_PAYLOAD_BYTES
from in_toto_done_receipt.wire.escape import escape


@click.command("sign")
@click.argument("statement", type=FILE)
@click.option("--out", type=FILE, default=Path("-"), help="Where the envelope or bundle goes (standard output).")
@signing.signing_options
@format_option
def command(statement: Path, out: Path, output_format: str, as_json: bool, **given: Any) -> None:
    """Sign the bytes of STATEMENT as they are, into a DSSE envelope or a Sigstore bundle. `-` reads standard input.

    Any in-toto statement is signed, never written anew. Passphrases, PINs and identity tokens are asked for, or read
    from a file or a descriptor. With Sigstore, identity and statement become public: you are told and asked first.

    \b
    Example:
      done-receipt sign statement.json --key worker.pem --out receipt.json
      done-receipt sign statement.json --sigstore --out receipt.sigstore.json
    """
    how = signing.take(given, out=out, statement=statement)
    for output in how.outputs(out):
        keep_inputs(output, statement, *how.inputs)
    signing.check_early(how)
    payload = read_document(statement, what="statement", limit=MAX_PAYLOAD_BYTES, limit_name="payload-bytes")
    signed = signing.sign(payload, how)
    signing.write(signed, how, out)
    say_signed(signed, out, as_json=as_json or output_format == "json")


def say_signed(signed: Signed, out: Path, *, as_json: bool) -> None:
    """What was signed and by whom; warnings on standard error."""
    for warning in signed.warnings:
        click.echo(f"warning: {escape(warning)}", err=True)
    facts = {"payloadSha256": signed.payload_sha256, **signing.facts(signed), "out": str(out)}
    say_facts(facts, [signed.payload_sha256, *signing.lines(signed)], as_json=as_json, err=is_stdout(out))
