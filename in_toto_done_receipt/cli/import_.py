"""`import`: an old receipt as an unsigned statement that names where it comes from."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.audit_pin import read_pin
from in_toto_done_receipt.cli.options import FILE, format_option, is_stdout, read_document, say_facts, write_output
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.importers.model import OldReceipt
from in_toto_done_receipt.importers.registry import OLD_FORMATS, old_format
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.wire.digests import sha256_hex


@click.command("import")
@click.argument("kind", type=click.Choice([known.name for known in OLD_FORMATS]))
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, default="-", help="Where the statement goes; - is standard output.")
@click.option("--audit-log", type=FILE, help="The run's audit log, if the receipt names one; the statement pins it.")
@format_option
def command(kind: str, file: Path, out: Path, audit_log: Path | None, output_format: str, as_json: bool) -> None:
    """Turn an old receipt into an unsigned statement. Verifies nothing.

    The statement says that it was imported, and from which bytes: whoever signs it attests the import, not the run.
    Exit 3, naming the member, for what the new form cannot say; `verify --as` still judges such a file.

    \b
    Example:
      done-receipt import agent-receipt receipt.json --out statement.json
    """
    known = old_format(kind)
    data = read_document(file, what=str(file), limit=LIMITS["file-bytes"].default)
    old = known.read(data, what=str(file))
    if audit_log is not None:
        old = _pinned(old, audit_log)
    payload = known.to_statement(old, what=str(file))
    write_output(out, payload)
    facts = {"payloadSha256": sha256_hex(payload), "importedFrom": known.schema, "fileSha256": sha256_hex(data)}
    as_json = as_json or output_format == "json"
    say_facts(facts, [facts["payloadSha256"]], as_json=as_json, err=is_stdout(out))


def _pinned(old: OldReceipt, audit_log: Path) -> OldReceipt:
    """The receipt with number of records and head of the log whose request it names."""
    said = old.receipt.run.audit_log
    if said is None or said.request_id is None:
        raise UsageError("--audit-log: the receipt names no request of an audit log")
    pin = read_pin(audit_log, said.request_id)
    return old.pinned(records=pin.records, head=pin.head)
