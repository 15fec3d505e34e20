"""`done-receipt sign`."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.options import (
    FILE,
    TEXT,
    format_option,
    is_stdout,
    keep_inputs,
    later_signing,
    passphrase_options,
    passphrase_source,
    read_document,
    read_named,
    say_facts,
    write_output,
)
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.producer.keys import MAX_KEY_BYTES
from in_toto_done_receipt.producer.sign import KeySigner, Signed, key_signer, sign_statement
from in_toto_done_receipt.wire.dsse import MAX_PAYLOAD_BYTES
from in_toto_done_receipt.wire.escape import escape


@click.command("sign")
@click.argument("statement", type=FILE)
@click.option("--key", type=FILE, required=True, help="Private key: PEM, Ed25519, ECDSA or RSA.")
@click.option("--key-id", type=TEXT, help="Label of the signature instead of the key's fingerprint.")
@click.option("--out", type=FILE, default=Path("-"), help="Where the envelope goes (standard output).")
@passphrase_options
@later_signing
@format_option
def command(
    statement: Path,
    key: Path,
    key_id: str | None,
    out: Path,
    passphrase_file: Path | None,
    passphrase_fd: int | None,
    output_format: str,
    as_json: bool,
) -> None:
    """Sign the bytes of STATEMENT as they are, into a DSSE envelope. `-` reads standard input.

    Any in-toto statement is signed, never written anew. The passphrase of an encrypted key is asked for, or read from
    a file or a descriptor.

    \b
    Example:
      done-receipt sign statement.json --key worker.pem --out receipt.json
    """
    if str(statement) == "-" and passphrase_fd == 0:
        raise UsageError("standard input cannot be the statement and the passphrase")
    keep_inputs(out, statement, key, passphrase_file)
    payload = read_document(statement, what="statement", limit=MAX_PAYLOAD_BYTES, limit_name="payload-bytes")
    signer = open_key(key, key_id, passphrase_file, passphrase_fd)
    signed = sign_statement(payload, signer)
    write_output(out, signed.envelope)
    say_signed(signed, out, as_json=as_json or output_format == "json")


def open_key(key: Path, key_id: str | None, passphrase_file: Path | None, passphrase_fd: int | None) -> KeySigner:
    """The signer for a key file. Raises ConfigurationError naming the file."""
    pem = read_named(key, flag="--key", limit=MAX_KEY_BYTES)
    return key_signer(pem, passphrase=passphrase_source(passphrase_file, passphrase_fd), what=str(key), key_id=key_id)


def say_signed(signed: Signed, out: Path, *, as_json: bool) -> None:
    """What was signed, by which key; warnings on standard error."""
    for warning in signed.warnings:
        click.echo(f"warning: {escape(warning)}", err=True)
    facts = {"payloadSha256": signed.payload_sha256, "keyid": signed.keyid, "out": str(out)}
    say_facts(facts, [signed.payload_sha256], as_json=as_json, err=is_stdout(out))
