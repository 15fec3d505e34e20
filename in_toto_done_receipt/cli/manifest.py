"""`done-receipt manifest create|verify|diff`."""

from pathlib import Path
from typing import Any, Final

import click

from in_toto_done_receipt.cli.options import (
    FILE,
    TEXT,
    F,
    format_option,
    is_stdout,
    read_document,
    say_facts,
    write_output,
)
from in_toto_done_receipt.cli.progress import progress
from in_toto_done_receipt.errors import ProducerError, UsageError, WorkMoved
from in_toto_done_receipt.observe.manifest.diff import ManifestDiff, diff
from in_toto_done_receipt.observe.manifest.model import Manifest, ManifestLimits
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.observe.manifest.scan import DEFAULT_EXCLUDES, scan
from in_toto_done_receipt.producer.inventory import difference_lines, path_inside
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.wire.escape import escape

DEFAULT_NAME: Final = "OUTPUT_MANIFEST.json"
DIFFERENT: Final = 11
MAX_NOTED: Final = 20  # paths in one note for people; JSON has all

_root = click.option("--root", "--workspace-root", "root", type=FILE, help="The directory.")
_excludes = click.option(
    "--no-default-excludes", is_flag=True, help="Take root's receipt.json and OUTPUT_MANIFEST.json in as well."
)


def _git(function: F) -> F:
    """A commit's tree instead of a directory."""
    function = click.option("--head", type=TEXT, metavar="REV", help="The commit: a full id, HEAD or an exact name.")(
        function
    )
    return click.option("--repo", type=FILE, help="A git repository instead: the tree of --head.")(function)


@click.group("manifest", no_args_is_help=True)
def command() -> None:
    """The canonical inventory of a directory: every file with its size and sha256.

    Symbolic links, hard links and special files are refused by name; two scans that both read every byte must agree.

    \b
    Example:
      done-receipt manifest create --root dist
      done-receipt manifest verify --root dist --expected-digest DIGEST
    """


@command.command("create")
@_root
@click.option("--out", type=FILE, help="Where it goes (ROOT/OUTPUT_MANIFEST.json); - is standard output.")
@_excludes
@_git
@format_option
def create(
    root: Path | None,
    repo: Path | None,
    head: str | None,
    out: Path | None,
    no_default_excludes: bool,
    output_format: str,
    as_json: bool,
) -> None:
    """Write the manifest of a directory, or of a commit's tree, and print its digest, which is the file's sha256.

    Left out, and listed: receipt.json and OUTPUT_MANIFEST.json right below the root, and the file at --out.

    \b
    Example:
      done-receipt manifest create --root dist
    """
    place = _place(root, repo, head)
    if out is None and root is None:
        raise UsageError("--repo needs --out: nothing is written into a repository")
    target = out if out is not None else place / DEFAULT_NAME
    manifest = _scan(place, target, no_default_excludes, head)
    write_output(target, manifest.canonical())
    notes = _notes(manifest)
    for note in notes:
        click.echo(f"note: {escape(note)}", err=True)
    facts = {
        "digest": manifest.digest,
        "out": str(target),
        "files": len(manifest.files),
        "totalBytes": manifest.total_bytes,
        "excluded": list(manifest.notes.excluded),
        "executables": list(manifest.notes.executables),
        "emptyDirectories": list(manifest.notes.empty_directories),
        "notes": notes,
    }
    say_facts(facts, [manifest.digest], as_json=as_json or output_format == "json", err=is_stdout(target))


@command.command("verify")
@click.argument("file", type=FILE, required=False)
@_root
@click.option("--expected-digest", type=TEXT, metavar="SHA256", help="The digest that you were given elsewhere.")
@_excludes
@_git
@format_option
def verify(
    file: Path | None,
    root: Path | None,
    repo: Path | None,
    head: str | None,
    expected_digest: str | None,
    no_default_excludes: bool,
    output_format: str,
    as_json: bool,
) -> None:
    """Compare a directory with the manifest in FILE (ROOT/OUTPUT_MANIFEST.json): exactly these files, nothing else.

    Exit 11 when anything differs; every path is named. The manifest is no proof of who made it: carry its digest
    through a channel that you trust, and give it with --expected-digest.

    \b
    Example:
      done-receipt manifest verify dist.manifest.json --root dist
    """
    _demand_digest(expected_digest)
    place = _place(root, repo, head)
    if file is None and root is None:
        raise UsageError("--repo needs FILE: the manifest to compare with")
    path = file if file is not None else place / DEFAULT_NAME
    given = _read(path)
    facts: dict[str, Any] = {
        "ok": False,
        "digest": given.digest,
        "expectedFiles": len(given.files),
        "expectedTotalBytes": given.total_bytes,
    }
    lines: list[str] = []
    if expected_digest is not None and expected_digest != given.digest:
        lines.append(f"manifest digest is {given.digest}, expected {expected_digest}")
    try:
        seen = _scan(place, path, no_default_excludes, head)
    except WorkMoved:
        raise
    except ProducerError as error:
        if head is None and not _is_about_a_file(place):
            raise
        lines.append(error.message)
        facts |= {"differences": None}
    else:
        found = diff(given, seen)
        facts |= _seen_facts(seen, found)
        lines += difference_lines(found)
    facts |= {"ok": not lines, "errors": lines}
    _answer(facts, lines or [f"{len(given.files)} file(s) are as the manifest says"], output_format, as_json)


@command.command("diff")
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@format_option
def compare(first: Path, second: Path, output_format: str, as_json: bool) -> None:
    """Compare two manifests: what SECOND lacks, has besides, has with another content. Exit 11 when they differ.

    \b
    Example:
      done-receipt manifest diff before.json after.json
    """
    if str(first) == str(second) == "-":
        raise UsageError("standard input cannot be both manifests")
    one, two = _read(first), _read(second)
    found = diff(one, two)
    lines = difference_lines(found)
    facts = {"ok": not lines, "digests": [one.digest, two.digest], "differences": _differences(found)}
    _answer(facts, lines or ["the manifests are equal"], output_format, as_json)


def _answer(facts: dict[str, Any], lines: list[str], output_format: str, as_json: bool) -> None:
    say_facts(facts, lines, as_json=as_json or output_format == "json")
    if not facts["ok"]:
        raise click.exceptions.Exit(DIFFERENT)


def _read(path: Path) -> Manifest:
    data = read_document(path, what="manifest", limit=LIMITS["manifest-bytes"].default, limit_name="manifest-bytes")
    return read_manifest(data, what=escape(str(path)))


def _place(root: Path | None, repo: Path | None, head: str | None) -> Path:
    """The directory or the repository. Raises UsageError."""
    if (root is None) == (repo is None):
        raise UsageError("one of --root and --repo is needed, and not both")
    if (repo is None) != (head is None):
        raise UsageError("--repo and --head go together")
    place = root if root is not None else repo
    assert place is not None  # noqa: S101 - one of them is there
    return place


def _scan(root: Path, beside: Path, no_default_excludes: bool, head: str | None) -> Manifest:
    if head is not None:
        return _tree(root, head, no_default_excludes)
    inside = path_inside(beside, root) if str(beside) != "-" else None
    exclude = frozenset({inside} if inside is not None else ())
    with progress("scanning") as step:
        return scan(root, exclude=exclude, exclude_defaults=not no_default_excludes, progress=step)


def _tree(repo: Path, head: str, no_default_excludes: bool) -> Manifest:
    from in_toto_done_receipt.observe.git.manifest import tree_manifest
    from in_toto_done_receipt.observe.git.repository import open_repository

    exclude: frozenset[str] = frozenset() if no_default_excludes else DEFAULT_EXCLUDES
    with open_repository(repo) as repository, progress("reading") as step:
        commit, _ = repository.commit_id(head)
        listing = repository.listing(repository.tree_of(commit))
        return tree_manifest(repository, listing, exclude=exclude, limits=ManifestLimits(), progress=step)


def _is_about_a_file(root: Path) -> bool:
    """Whether what stopped the scan is something in the tree: then the tree differs from any manifest."""
    return root.is_dir() and not (root / ".git").exists()


def _seen_facts(seen: Manifest, found: ManifestDiff) -> dict[str, Any]:
    return {
        "observedDigest": seen.digest,
        "files": len(seen.files),
        "totalBytes": seen.total_bytes,
        "differences": _differences(found),
        "excluded": list(seen.notes.excluded),
    }


def _differences(found: ManifestDiff) -> dict[str, list[str]]:
    return {"missing": list(found.missing), "unexpected": list(found.unexpected), "changed": list(found.changed)}


def _demand_digest(digest: str | None) -> None:
    if digest is not None and (len(digest) != 64 or digest.strip("0123456789abcdef")):
        raise UsageError(f"--expected-digest: wants 64 lowercase hex digits, got {digest!a}")


def _notes(manifest: Manifest) -> list[str]:
    """What the manifest does not say, for people: exclusions, twins, modes and empty directories."""
    notes = [f"excluded: {path}" for path in manifest.notes.excluded]
    notes += manifest.warnings
    for paths, what in (
        (manifest.notes.executables, "executable file(s), and a manifest does not hold modes"),
        (manifest.notes.empty_directories, "empty folder(s), and a manifest does not hold folders"),
    ):
        if paths:
            more = ", …" if len(paths) > MAX_NOTED else ""
            notes.append(f"{len(paths)} {what}: {', '.join(paths[:MAX_NOTED])}{more}")
    return notes
