"""`init`: drafts a trust file and an acceptance profile for a repository, outside of it. Says what they leave open."""

import os
import shlex
from pathlib import Path
from typing import Final

import click

from in_toto_done_receipt.cli.options import FILE, TEXT, read_named
from in_toto_done_receipt.cli.settings import joined
from in_toto_done_receipt.cli.verify_setup import Tree, outside
from in_toto_done_receipt.errors import ConfigurationError, OutputError
from in_toto_done_receipt.observe.files import write_atomic
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.producer.keys import MAX_KEY_BYTES
from in_toto_done_receipt.profile.draft import draft, seal_line
from in_toto_done_receipt.profile.lint import open_threats
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.profile.survey import Survey, survey
from in_toto_done_receipt.profile.toml import written
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.wire.escape import escape

_OPEN: Final = (
    "what the tests do: a passing test proves what it tests and no more",
    "which revision was worked on, unless verify gets --repo, --base and --head; tests in a clean room come later",
)


@click.command()
@click.option("--root", type=FILE, required=True, help="The repository to look at.")
@click.option("--out", type=FILE, required=True, help="Where the drafts go: a directory outside the repository.")
@click.option("--trusted-key", multiple=True, type=TEXT, metavar="NAME=PEM", help="Trust this public key.")
def command(root: Path, out: Path, trusted_key: tuple[str, ...]) -> None:
    """Draft acceptance.toml and trust.toml for a repository, and say what they do not protect.

    \b
    Example:
      done-receipt init --root . --out ../gate --trusted-key worker=../worker.pub
    """
    outside(out, Tree("--root", root), "--out")
    with DirectoryWorkspace(root) as workspace:
        found = survey(workspace)
    profile = draft(found).encode()
    settings = joined({"acceptance.toml": load_profile(profile, what="acceptance.toml")})
    drafts = {"acceptance.toml": profile}
    if trusted_key:
        drafts["trust.toml"] = _trust(trusted_key).encode()
        load_trust(drafts["trust.toml"], base=out, read=_key, what="trust.toml")
    _write(out, drafts)
    _say(out, drafts, found, settings, root)


def _trust(keys: tuple[str, ...]) -> str:
    lines = ["# Whose signature counts. Keep it where no agent can write.", "version = 1", "threshold = 1", ""]
    for text in keys:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ConfigurationError(f"--trusted-key {escape(text)}: wants NAME=PEM")
        place = Path(path).resolve()
        lines += ["[[key]]", f"name = {written(name)}", f"principal = {written(name)}", f"path = {written(str(place))}"]
        lines += ['# agents = ["…"]   # what this key may speak for; without it, anything', ""]
    return "\n".join(lines)


def _key(path: Path) -> bytes:
    return read_named(path, flag="--trusted-key", limit=MAX_KEY_BYTES)


def _write(out: Path, drafts: dict[str, bytes]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"--out {escape(str(out))}: {os.strerror(fault.errno or 0).lower()}") from None
    for name in drafts:
        if (out / name).exists():
            raise OutputError(f"{escape(str(out / name))} exists and is not replaced")
    for name, data in drafts.items():
        write_atomic(out / name, data, replace=False)


def _say(out: Path, drafts: dict[str, bytes], found: Survey, settings: Settings, root: Path) -> None:
    for name in drafts:
        click.echo(f"drafted {escape(str(out / name))}")
    if "trust.toml" not in drafts:
        click.echo("no trust.toml: name a key with --trusted-key NAME=PEM", err=True)
    for one in found.found:
        click.echo(f"found {one.ecosystem.name} by {escape(one.mark)}: {escape(shlex.join(one.argv))}")
    if not found.found:
        click.echo("found no test runner: name your test command in [[evidence]] and [[command]]")
    sealed = ", ".join(map(escape, found.sealed)) or "nothing that looks like a test or a harness file"
    click.echo(f"worth sealing in {escape(str(root))}: {sealed}")
    if found.absent:
        click.echo(f"worth sealing as absent, for they would win: {', '.join(map(escape, found.absent))}")
    if found.sealed:
        click.echo("seal them before the work starts, and give the contract to verify with --contract:")
        click.echo(f"  {escape(seal_line(found, str(root)))}")
    click.echo("not protected by these drafts:")
    for threat in open_threats(settings):
        click.echo(f"  - threat {threat.number}, {threat.what}: {threat.closed_by}")
    for line in _OPEN:
        click.echo(f"  - {line}")
