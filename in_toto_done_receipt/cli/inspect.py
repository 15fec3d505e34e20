"""`inspect`: what a file is and what it says, each line prefixed `receipt says:`. Verifies nothing."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, format_option, read_document
from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.importers.model import OldReceipt
from in_toto_done_receipt.importers.registry import OLD_FORMATS
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.bundle import Bundle
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.reader import Group, ReceiptFile, read_receipts
from in_toto_done_receipt.wire.statement import Statement, read_statement

_MAX_SUBJECTS = 20  # printed one by one; the rest is counted


@click.command()
@click.argument("file", type=FILE)
@format_option
def command(file: Path, output_format: str, as_json: bool) -> None:
    """Say what a file is and what it says. Makes no claim of trust: nothing is verified.

    \b
    Example:
      done-receipt inspect receipt.json
    """
    data = read_document(file, what="receipt", limit=LIMITS["file-bytes"].default)
    if (old := _old(data, str(file))) is not None:
        _say_old(old, str(file), as_json=as_json or output_format == "json")
        return
    receipts = read_receipts(data, what=str(file), allow_statement=True)
    if as_json or output_format == "json":
        click.echo(dump(_facts(receipts), indent=2))
        return
    click.echo(f"file {escape(str(file))}: {receipts.kind}, {receipts.size} bytes, sha256:{receipts.sha256}")
    click.echo("nothing below was verified")
    for group in receipts.groups:
        for line in _lines(group):
            click.echo(f"receipt says: {escape(line)}")


def _old(data: bytes, what: str) -> OldReceipt | None:
    """The file as an old receipt, if its schema says so. Raises MalformedInput for one that is not valid."""
    try:
        tree = strict_json.loads(data, what=what, max_integer=2**64 - 1)
    except MalformedInput:
        return None  # whatever it is, the reader of receipts says what is wrong with it
    schema = tree.get("schema") if isinstance(tree, dict) else None
    known = next((known for known in OLD_FORMATS if known.schema == schema), None)
    return None if known is None else known.read(data, what=what)


def _say_old(old: OldReceipt, file: str, *, as_json: bool) -> None:
    lines = _said(old.receipt) + [finding.message for finding in old.findings]
    if old.manifest is not None:  # it says nothing else
        lines = [f"{len(old.manifest.files)} file(s), manifest digest {old.manifest.digest}"]
    signatures = 0 if old.signed is None else len(old.signed.signatures)
    sha256 = sha256_hex(old.data)
    if as_json:
        facts = {"kind": old.schema, "bytes": len(old.data), "sha256": sha256, "verified": False}
        click.echo(dump(facts | {"signatures": signatures, "receiptSays": lines}, indent=2))
        return
    click.echo(f"file {escape(file)}: {old.schema}, {len(old.data)} bytes, sha256:{sha256}")
    click.echo("nothing below was verified")
    for line in [f"{signatures} signature(s), none verified here", *lines]:
        click.echo(f"receipt says: {escape(line)}")


def _facts(receipts: ReceiptFile) -> dict[str, object]:
    return {
        "kind": receipts.kind,
        "bytes": receipts.size,
        "sha256": receipts.sha256,
        "skipped": receipts.skipped,
        "verified": False,
        "payloads": [
            {
                "payloadType": group.payload_type,
                "payloadSha256": sha256_hex(group.payload),
                "signatures": _signature_count(group),
                "receiptSays": _lines(group),
            }
            for group in receipts.groups
        ],
    }


def _signature_count(group: Group) -> int:
    envelopes = (part.envelope if isinstance(part, Bundle) else part for part in group.parts)
    return sum(len(envelope.signatures) for envelope in envelopes)


def _lines(group: Group) -> list[str]:
    lines = [
        f"payload sha256:{sha256_hex(group.payload)}, {len(group.payload)} bytes of {group.payload_type}",
        f"{_signature_count(group)} signature(s), none verified here",
    ]
    try:
        statement = read_statement(group.payload)
    except MalformedInput as error:
        return [*lines, f"not a statement: {error.message}"]
    lines.append(f"predicate type {statement.predicate_type}")
    for subject in statement.subjects[:_MAX_SUBJECTS]:
        digests = ", ".join(f"{name}:{value}" for name, value in subject.digest.items())
        lines.append(f"subject {subject.name or '(no name)'} {digests}")
    if len(statement.subjects) > _MAX_SUBJECTS:
        lines.append(f"and {len(statement.subjects) - _MAX_SUBJECTS} more subject(s)")
    return lines + (_receipt_lines(statement) if statement.predicate_type == PREDICATE_TYPE else [])


def _receipt_lines(statement: Statement) -> list[str]:
    try:
        receipt = read_predicate(statement)
    except MalformedInput as error:
        return [f"not a done receipt: {error.message}"]
    return _said(receipt)


def _said(receipt: DoneReceipt) -> list[str]:
    lines = [
        summary_line(receipt),
        f"task {receipt.task.description}",
        f"agent {receipt.agent.id}, model {receipt.agent.model or 'not named'}",
        f"finished {receipt.run.finished_on}, outcome {receipt.run.outcome}",
        f"contract {len(receipt.contract.sealed)} sealed, {len(receipt.contract.absent)} absent",
    ]
    for claim in receipt.claims:
        kinds = ", ".join(f"{item.kind} {'ok' if item.ok else 'not ok'}" for item in claim.evidence)
        lines.append(f"claim {claim.id}: {claim.statement} — {kinds or 'no evidence'}")
    return lines
