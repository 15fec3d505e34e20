"""`profile`: what is in force after all profiles and defaults, and what that leaves open."""

from datetime import UTC, datetime
from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, format_option, say_facts
from in_toto_done_receipt.cli.settings import joined, read_profile
from in_toto_done_receipt.cli.test_command import check_test_command
from in_toto_done_receipt.profile.lint import open_threats, weak_lines
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.profile.show import as_toml, described

_profiles = click.argument("profiles", nargs=-1, type=FILE, metavar="[PROFILE]…")


@click.group("profile")
def command() -> None:
    """Look at acceptance profiles."""


@command.command()
@_profiles
@format_option
def show(profiles: tuple[Path, ...], output_format: str, as_json: bool) -> None:
    """Print every setting, its value and its origin, as one profile. Without a profile: the defaults.

    \b
    Example:
      done-receipt profile show acceptance.toml
    """
    settings = _settings(profiles)
    facts = {
        "digest": settings.digest,
        "settings": {row.key: {"value": row.value, "origin": row.origin} for row in described(settings)},
    }
    say_facts(facts, list(as_toml(settings)), as_json=as_json or output_format == "json")


@command.command()
@_profiles
@format_option
def lint(profiles: tuple[Path, ...], output_format: str, as_json: bool) -> None:
    """Say what the profiles leave open: threats that they do not close, and lines that are weak. Exit code 0 with both.

    \b
    Example:
      done-receipt profile lint acceptance.toml
    """
    settings = _settings(profiles)
    check_test_command(settings)
    threats, weak = open_threats(settings), weak_lines(settings, at=datetime.now(UTC))
    facts = {
        "digest": settings.digest,
        "open": [{"threat": one.number, "what": one.what, "closedBy": one.closed_by} for one in threats],
        "warnings": [{"key": one.key, "message": one.message} for one in weak],
    }
    lines = [f"profile is valid: collection {settings.collection}, assurance {settings.minimum_assurance}"]
    for one in threats:
        lines += [f"open: threat {one.number}: {one.what}", f"  closed by {one.closed_by}"]
    lines += [f"warning: {one.key}: {one.message}" for one in weak]
    if not threats:
        lines.append("threats 1 to 10 are closed")
    say_facts(facts, lines, as_json=as_json or output_format == "json")


def _settings(profiles: tuple[Path, ...]) -> Settings:
    return joined({str(path): read_profile(path, flag="profile") for path in profiles})
