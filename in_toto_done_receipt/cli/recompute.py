"""`recompute`: verify, do the work again, write the result document, decide nothing. For the job that runs evidence."""

from pathlib import Path
from typing import Any

import click

from in_toto_done_receipt.cli.git_setup import Flags, examined
from in_toto_done_receipt.cli.options import FILE, keep_inputs, read_document, write_output
from in_toto_done_receipt.cli.settings import settings_of
from in_toto_done_receipt.cli.verify_options import demand_options, trust_options, workspace_options
from in_toto_done_receipt.cli.verify_setup import context_of, trust_of
from in_toto_done_receipt.handlers.registry import BUILTIN_HANDLERS, handlers_by_type, load_plugins
from in_toto_done_receipt.pipeline import recompute
from in_toto_done_receipt.report.json import dump, result_tree
from in_toto_done_receipt.results.outcome import refutation_code
from in_toto_done_receipt.wire.digests import sha256_hex


@click.command()
@click.argument("receipt", type=FILE)
@click.option("--out", type=FILE, default="-", help="Where the result document goes; - is standard output.")
@trust_options
@workspace_options
@demand_options
def command(receipt: Path, out: Path, **flags: Any) -> int:
    """Verify a receipt and do its work again; writes the result document and decides nothing.

    Prints the document's sha256 on standard error, for `admit --expected-digest`. Exit code as of verify, without 12.

    \b
    Example:
      done-receipt recompute receipt.json --trust trust.toml --root work --out result.json
    """
    keep_inputs(out, receipt, *flags.values())
    with examined(flags) as opened:
        return _recompute(receipt, out, opened)


def _recompute(receipt: Path, out: Path, flags: Flags) -> int:
    trust, settings = trust_of(flags), settings_of(flags)
    handlers = handlers_by_type(BUILTIN_HANDLERS + load_plugins(settings.plugins))
    data = read_document(receipt, what="receipt", limit=settings.limits["file-bytes"])
    with context_of(flags, settings) as context:
        found = recompute(
            data, trust=trust, context=context, handlers=handlers, what=str(receipt), as_format=flags["as_format"]
        )
    document = (dump(result_tree(found.result), indent=2) + "\n").encode()
    write_output(out, document)
    click.echo(f"sha256:{sha256_hex(document)}", err=True)
    return refutation_code(found.result)
