"""`init`: drafts a trust file and an acceptance profile for a repository, outside of it. Says what they leave open."""

import os
from pathlib import Path
from typing import Final

import click

from in_toto_done_receipt.cli.options import FILE, TEXT, read_named
from in_toto_done_receipt.cli.verify_setup import outside
from in_toto_done_receipt.errors import ConfigurationError, OutputError
from in_toto_done_receipt.observe.files import write_atomic
from in_toto_done_receipt.observe.globs import expand
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.producer.keys import MAX_KEY_BYTES
from in_toto_done_receipt.profile.load import load_profile
from in_toto_done_receipt.trust.file import load_trust
from in_toto_done_receipt.wire.escape import escape

# File or glob -> the runner that it speaks for, and the command that would run its tests.
_RUNNERS: Final = (
    ("pytest.ini", "pytest", "/usr/bin/python3 -m pytest"),
    ("conftest.py", "pytest", "/usr/bin/python3 -m pytest"),
    ("tests/conftest.py", "pytest", "/usr/bin/python3 -m pytest"),
    ("pyproject.toml", "Python", "/usr/bin/python3 -m unittest"),
    ("tox.ini", "tox", "/usr/bin/tox"),
    ("go.mod", "go test", "/usr/bin/go test ./..."),
    ("Cargo.toml", "cargo test", "/usr/bin/cargo test"),
    ("package.json", "npm test", "/usr/bin/npm test"),
    ("pom.xml", "Maven", "/usr/bin/mvn test"),
    ("build.gradle", "Gradle", "/usr/bin/gradle test"),
    ("Makefile", "make", "/usr/bin/make test"),
)
# What decides whether work is good, wherever it exists: worth sealing.
_CONTRACT: Final = (
    "tests/**",
    "test/**",
    "spec/**",
    "**/*_test.go",
    "**/test_*.py",
    "**/*_test.py",
    "**/*.test.js",
    "**/*.test.ts",
    "conftest.py",
    "pytest.ini",
    "tox.ini",
    "Makefile",
    ".github/workflows/**",
)
_OPEN: Final = (
    "what the tests do: a passing test proves what it tests and no more",
    "files that are added and win over sealed ones (a pytest.ini beside pyproject.toml): seal them as absent",
    "which revision was worked on: reading git, and tests in a clean room, come with a later version",
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
    outside(out, root, "--out")
    with DirectoryWorkspace(root) as workspace:
        runners = [row for row in _RUNNERS if workspace.type_of(row[0]) == "file"]
        patterns = [pattern for pattern in _CONTRACT if expand(workspace, pattern)]
    profile = _profile(runners, patterns).encode()
    load_profile(profile, what="acceptance.toml")
    drafts = {"acceptance.toml": profile}
    if trusted_key:
        drafts["trust.toml"] = _trust(trusted_key).encode()
        load_trust(drafts["trust.toml"], base=out, read=_key, what="trust.toml")
    _write(out, drafts)
    _say(out, drafts, patterns, root)


def _profile(runners: list[tuple[str, str, str]], patterns: list[str]) -> str:
    lines = ["# What this repository demands of a done receipt. Keep it where no agent can write.", "version = 1"]
    lines += ['collection = "minimal"', 'minimumAssurance = "fully_rechecked"', ""]
    for name, runner, line in runners:
        lines += [f"# {name} speaks for {runner}. To have it run again, check path and arguments, then uncomment:"]
        lines += ["# [[command]]", f"# argv = {_array(line.split())}", ""]
    if patterns:
        lines += ["# Seal before the work starts, and give the contract to verify with --contract:"]
        lines += [f"#   done-receipt seal --root . {' '.join(f'--path {p!r}' for p in patterns)} --out CONTRACT", ""]
    lines += ["[sandbox]", 'required = "bubblewrap"', ""]
    return "\n".join(lines)


def _array(words: list[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def _trust(keys: tuple[str, ...]) -> str:
    lines = ["# Whose signature counts. Keep it where no agent can write.", "version = 1", "threshold = 1", ""]
    for text in keys:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ConfigurationError(f"--trusted-key {escape(text)}: wants NAME=PEM")
        place = Path(path).resolve()
        lines += ["[[key]]", f"name = {_string(name)}", f"principal = {_string(name)}", f"path = {_string(str(place))}"]
        lines += ['# agents = ["…"]   # what this key may speak for; without it, anything', ""]
    return "\n".join(lines)


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


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


def _say(out: Path, drafts: dict[str, bytes], patterns: list[str], root: Path) -> None:
    for name in drafts:
        click.echo(f"drafted {escape(str(out / name))}")
    if "trust.toml" not in drafts:
        click.echo("no trust.toml: name a key with --trusted-key NAME=PEM", err=True)
    found = ", ".join(patterns) or "nothing that looks like a test or a harness file"
    click.echo(f"worth sealing in {escape(str(root))}: {found}")
    click.echo("not protected by these drafts:")
    for line in _OPEN:
        click.echo(f"  - {line}")
