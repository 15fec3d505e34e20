"""`policy`: list the rules; build, check and test the sources with an OPA."""

from pathlib import Path
from typing import Final

import click

from in_toto_done_receipt.admission import toolchain
from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.opa import find_opa
from in_toto_done_receipt.admission.rules_page import catalogue_markdown
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.cli.options import FILE, PartialGroup
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.wire.record import to_tree

_opa = click.option("--opa", type=FILE, help="The opa executable; else the one on PATH.")
_folder = click.option("--policy", "folder", type=FILE, help="Policy folder; else the installed one.")

_LATER: Final = {
    "bundle": "an OPA bundle",
    "diff": "comparing policies",
    "explain": "which fact made which rule fire",
}


@click.group("policy", cls=PartialGroup, later=_LATER)
def command() -> None:
    """The admission policy: what it demands, and its sources."""


@command.command()
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    help="For people (text), for programs (json), or the reference page (markdown).",
)
def catalogue(output_format: str) -> None:
    """List every rule: code, title, collections. Needs no OPA.

    \b
    Example:
      done-receipt policy catalogue
    """
    rules = load_catalogue()
    if output_format == "json":
        click.echo(dump(to_tree(rules), indent=2))
    elif output_format == "markdown":
        click.echo(catalogue_markdown(rules), nl=False)
    else:
        for rule in rules.rules:
            where = ", ".join(rule.collections) or "when the profile demands it"
            click.echo(f"{rule.code}: {rule.title} ({where})")


@command.command()
@_opa
@_folder
@click.option("--out", type=FILE, help="Folder for admission.wasm and catalogue.json; else the policy folder.")
def build(opa: Path | None, folder: Path | None, out: Path | None) -> None:
    """Compile the policy to WebAssembly and write its catalogue. Needs the one OPA that the module is made with.

    \b
    Example:
      done-receipt policy build --opa ./opa --policy policy
    """
    policy = folder or policy_folder()
    click.echo(toolchain.build(find_opa(opa), policy, out or policy), nl=False)


@command.command()
@_opa
@_folder
def check(opa: Path | None, folder: Path | None) -> None:
    """Check format and types of the policy's sources.

    \b
    Example:
      done-receipt policy check --opa ./opa
    """
    click.echo(toolchain.check(find_opa(opa), folder or policy_folder()), nl=False)


@command.command()
@_opa
@_folder
def test(opa: Path | None, folder: Path | None) -> None:
    """Run the policy's own tests.

    \b
    Example:
      done-receipt policy test --opa ./opa
    """
    click.echo(toolchain.test(find_opa(opa), folder or policy_folder()), nl=False)
