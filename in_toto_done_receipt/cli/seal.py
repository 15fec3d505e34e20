"""`done-receipt seal`."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, TEXT, format_option, is_stdout, say_facts, write_output
from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.observe.seals import seal, write_contract
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.producer.inventory import path_inside
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape


@click.command("seal")
@click.option("--root", "--workspace-root", "root", type=FILE, required=True, help="The work, before it starts.")
@click.option("--path", "patterns", type=TEXT, multiple=True, required=True, metavar="GLOB", help="What to seal.")
@click.option("--out", type=FILE, required=True, help="Where the contract goes; - is standard output.")
@format_option
def command(root: Path, patterns: tuple[str, ...], out: Path, output_format: str, as_json: bool) -> None:
    """Digest the acceptance contract before the work starts: tests, configuration, whatever must not move.

    GLOB: `*`, `?`, `[]` within a segment, `**` across. A glob that matches nothing is an error; a plain path that does
    not exist is sealed as absent. Prints the contract's sha256.

    \b
    Example:
      done-receipt seal --root . --path 'tests/**' --path pytest.ini --out ../contract.json
    """
    with DirectoryWorkspace(root) as workspace:
        contract = seal(workspace, tuple(pattern.removeprefix("./") for pattern in patterns))
    own = path_inside(out, root) if not is_stdout(out) else None
    if own is not None and own in {*contract.absent, *(file.name for file in contract.sealed)}:
        raise UsageError(f"--out {escape(str(out))} is among the sealed paths", hint="write it outside --root")
    data = write_contract(contract)
    write_output(out, data)
    facts = {
        "sha256": sha256_hex(data),
        "out": str(out),
        "sealed": len(contract.sealed),
        "absent": len(contract.absent),
    }
    click.echo(f"sealed {len(contract.sealed)} file(s), {len(contract.absent)} absent path(s)", err=True)
    say_facts(facts, [sha256_hex(data)], as_json=as_json or output_format == "json", err=is_stdout(out))
