"""`done-receipt keygen`."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, format_option, passphrase, passphrase_options, say_facts
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.producer.keys import ALGORITHMS, KeyAlgorithm, generate, refuse_existing, write_pair


@click.command("keygen")
@click.option("--out", "name", type=FILE, required=True, help="NAME.pem and NAME.pub are written.")
@click.option("--algorithm", type=click.Choice(ALGORITHMS), default="ed25519", help="Kind of key (ed25519).")
@click.option("--encrypt", is_flag=True, help="Encrypt the private key with a passphrase.")
@passphrase_options
@format_option
def command(
    name: Path,
    algorithm: KeyAlgorithm,
    encrypt: bool,
    passphrase_file: Path | None,
    passphrase_fd: int | None,
    output_format: str,
    as_json: bool,
) -> None:
    """Make a signing key: NAME.pem for you alone (mode 0600), NAME.pub for those who verify.

    Prints the public key's fingerprint, sha256 over its SPKI. Existing files are never overwritten. A passphrase file
    or descriptor implies --encrypt.

    \b
    Example:
      done-receipt keygen --out worker
    """
    if str(name) == "-" or name.name in ("", ".."):
        raise UsageError(f"--out wants a name for two files, got {str(name)!r}")
    refuse_existing(name)  # before anybody types a passphrase
    encrypt = encrypt or passphrase_file is not None or passphrase_fd is not None
    secret = passphrase(passphrase_file, passphrase_fd, confirm=True) if encrypt else None
    pair = generate(algorithm, passphrase=secret)
    private, public = write_pair(pair, name)
    facts = {"fingerprint": pair.fingerprint, "privateKey": str(private), "publicKey": str(public)}
    say_facts(facts, [pair.fingerprint], as_json=as_json or output_format == "json")
