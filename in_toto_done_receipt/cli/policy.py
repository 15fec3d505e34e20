"""`policy`: list the rules; build, check, test and bundle the sources; other tools; explain and compare decisions."""

import click

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.rules_page import catalogue_markdown
from in_toto_done_receipt.cli import policy_adapter, policy_diff, policy_explain
from in_toto_done_receipt.cli.policy_tools import COMMANDS
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.wire.record import to_tree


@click.group("policy")
def command() -> None:
    """The admission policy: what it demands, its sources, and why it decides what."""


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


for tool in (*COMMANDS, policy_adapter.command, policy_diff.command, policy_explain.command):
    command.add_command(tool)
