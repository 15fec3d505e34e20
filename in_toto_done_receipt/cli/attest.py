"""`done-receipt attest`."""

import os
from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli.build import EVIDENCE_NOT_OK, built_facts, say_built
from in_toto_done_receipt.cli.build_request import build_options, read_request, utc_now
from in_toto_done_receipt.cli.options import (
    FILE,
    TEXT,
    format_option,
    is_stdout,
    keep_inputs,
    later_signing,
    passphrase_options,
    say_facts,
    write_output,
)
from in_toto_done_receipt.cli.progress import progress
from in_toto_done_receipt.cli.sign import open_key
from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.producer.build import build
from in_toto_done_receipt.producer.identity import OVERRIDE, ambient_identity
from in_toto_done_receipt.producer.sign import sign_statement


@click.command("attest")
@build_options
@click.option("--key", type=FILE, required=True, help="Private key: PEM, Ed25519, ECDSA or RSA.")
@click.option("--key-id", type=TEXT, help="Label of the signature instead of the key's fingerprint.")
@click.option("--out", type=FILE, required=True, help="Where the envelope goes; - is standard output.")
@click.option("--override", "overrides", type=click.Choice([OVERRIDE]), multiple=True, help="Loosen a rule by name.")
@passphrase_options
@later_signing
@format_option
def command(
    key: Path,
    key_id: str | None,
    out: Path,
    overrides: tuple[str, ...],
    passphrase_file: Path | None,
    passphrase_fd: int | None,
    output_format: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Build and sign in one: all evidence runs before the key is loaded.

    Stops when the environment holds a signing identity that a command could use: build and sign in separate jobs then.

    \b
    Example:
      done-receipt attest --root . --task "write report" --agent worker \\
        --claim report="report exists" --file report=report.md --key worker.pem --out receipt.json
    """
    if OVERRIDE not in overrides:
        refuse_identity()
    keep_inputs(out, key, passphrase_file, *given.values(), root=given["root"])
    request = read_request(given, out=out, now=utc_now())
    if not key.is_file():  # looked at, not loaded: to say so before long evidence runs
        raise ConfigurationError(f"--key: {key} is not a file")
    with progress("manifest") as step:
        built = build(request, progress=step)
    signed = sign_statement(built.payload, open_key(key, key_id, passphrase_file, passphrase_fd))
    write_output(out, signed.envelope)
    say_built(built)
    facts = {**built_facts(built, out), "keyid": signed.keyid}
    lines = [built.payload_sha256]
    say_facts(facts, lines, as_json=as_json or output_format == "json", err=is_stdout(out))
    if built.not_ok:
        raise click.exceptions.Exit(EVIDENCE_NOT_OK)


def refuse_identity() -> None:
    """Raises ConfigurationError when the environment holds a signing identity."""
    names = ambient_identity(os.environ)
    if names:
        raise ConfigurationError(
            f"a signing identity is in the environment while evidence would run: {', '.join(names)}",
            hint=f"run `done-receipt build`, then `done-receipt sign` elsewhere; or --override {OVERRIDE}",
        )
