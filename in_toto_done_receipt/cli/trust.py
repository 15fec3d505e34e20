"""`trust check`: the weak lines of a trust file."""

from datetime import UTC, datetime
from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, format_option, read_named, say_facts
from in_toto_done_receipt.cli.verify_setup import MAX_ROOT_BYTES
from in_toto_done_receipt.trust.check import weak_lines
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES


@click.group()
def command() -> None:
    """Look at trust files."""


@command.command()
@click.argument("file", type=FILE)
@format_option
def check(file: Path, output_format: str, as_json: bool) -> None:
    """Read a trust file as verify would, and name what lets in more than you may think. Exit code 0 with warnings.

    \b
    Example:
      done-receipt trust check trust.toml
    """
    policy = load_trust(
        read_named(file, flag="trust file", limit=MAX_CONFIG_BYTES),
        base=file.parent,
        read=lambda path: read_named(path, flag="trust file", limit=MAX_ROOT_BYTES),
        what=str(file),
    )
    if policy.root is not None:
        from in_toto_done_receipt.trust.material.anchors import load_anchors  # X.509: only a root pays for it

        load_anchors(policy.root)
    warnings = weak_lines(policy, at=datetime.now(UTC))
    count = f"{len(policy.keys)} key(s), {len(policy.identities)} identity(ies), threshold {policy.threshold}"
    facts = {
        "digest": policy.digest,
        "keys": [{"name": key.name, "principal": key.principal, "fingerprint": key.fingerprint} for key in policy.keys],
        "identities": [{"name": one.name, "principal": one.principal} for one in policy.identities],
        "threshold": policy.threshold,
        "warnings": list(warnings),
    }
    lines = [f"trust file is valid: {count}", *(f"warning: {line}" for line in warnings)]
    say_facts(facts, lines, as_json=as_json or output_format == "json")
