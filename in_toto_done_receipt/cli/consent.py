"""What becomes public by signing, said before it happens, and asked where there is somebody to ask."""

import os

import click

from in_toto_done_receipt.cli.options import has_terminal
from in_toto_done_receipt.errors import ConfigurationError, UsageError
from in_toto_done_receipt.producer.identity_token import Token
from in_toto_done_receipt.producer.signing_config import Instance
from in_toto_done_receipt.trust.model import TrustedKey
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape

_ANSWER_BYTES = 1024


def demand_consent_possible(*, yes: bool) -> None:
    """Raises UsageError when nobody said yes and nobody can be asked. Before anything is done that takes long."""
    if not yes and not has_terminal():
        raise UsageError(
            "--yes is missing: signing makes identity and statement public, and there is no terminal to ask at",
            hint="say --yes if both may stand in public logs for ever",
        )


def ask_consent(payload: bytes, who: Token | TrustedKey, instance: Instance, *, yes: bool) -> None:
    """Say what becomes public, and ask unless `yes`. Raises ConfigurationError when the answer is not yes."""
    for line in _notice(payload, who, instance):
        click.echo(escape(line), err=True)
    if not yes and not _asked("make this public and sign? [y/N] "):
        raise ConfigurationError("not signed: the answer was no")


def _notice(payload: bytes, who: Token | TrustedKey, instance: Instance) -> list[str]:
    lines = ["note: signing makes this public, and nobody can take it back:"]
    if isinstance(who, Token):
        at = instance.fulcio.url if instance.fulcio else "?"
        lines.append(f"note:   the identity {' or '.join(who.names)} of {who.issuer}, in a certificate of {at}")
    else:
        lines.append(f"note:   the public key {who.fingerprint}")
    digest = f"the statement sha256:{sha256_hex(payload)}"
    for tsa in instance.stamps:
        lines.append(f"note:   the time of signing, to {tsa.url}")
    if instance.log is not None:
        what = digest if instance.log.version == 1 else f"digest and signature of {digest}"
        lines.append(f"note:   {what}, in the log {instance.log.service.url}")
    return lines


def _asked(question: str) -> bool:
    """The answer from the terminal itself: standard input may carry the statement."""
    terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(terminal, question.encode())
        answer = os.read(terminal, _ANSWER_BYTES)
    finally:
        os.close(terminal)
    return answer.strip().lower() in (b"y", b"yes")
