"""`profile show`: what is in force after all profiles and defaults, and where each value comes from."""

from pathlib import Path

import click

from in_toto_done_receipt.cli.options import FILE, PartialGroup, format_option, read_named, say_facts
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import described, from_profiles
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.wire.config import MAX_CONFIG_BYTES


@click.group("profile", cls=PartialGroup, later={"lint": "saying what a profile leaves open"})
def command() -> None:
    """Look at acceptance profiles."""


@command.command()
@click.argument("profiles", nargs=-1, type=FILE)
@format_option
def show(profiles: tuple[Path, ...], output_format: str, as_json: bool) -> None:
    """Print every setting, its value and its origin. Without a profile: the defaults.

    \b
    Example:
      done-receipt profile show acceptance.toml
    """
    loaded = {
        str(path): load_profile(read_named(path, flag="profile", limit=MAX_CONFIG_BYTES), what=str(path))
        for path in profiles
    }
    settings = from_profiles(loaded)
    rows = described(settings)
    lines = [f"{key} = {dump(value, indent=None)}  # {origin}" for key, value, origin in rows]
    facts = {
        "digest": settings.digest,
        "settings": {key: {"value": value, "origin": origin} for key, value, origin in rows},
    }
    say_facts(facts, [*lines, f"digest = {settings.digest or 'none'}"], as_json=as_json or output_format == "json")
