"""The flags of `build` and `attest`, and how they become a `BuildRequest`.

Everything is read and checked here before the first command runs.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from in_toto_done_receipt.cli.argv import split_argv
from in_toto_done_receipt.cli.audit_pin import read_pin
from in_toto_done_receipt.cli.options import FILE, TEXT, read_named, split_id
from in_toto_done_receipt.errors import ConfigurationError, InputError, MalformedInput, UsageError
from in_toto_done_receipt.observe.seals import Contract, read_contract
from in_toto_done_receipt.producer.build import BuildRequest, ContextGiven, Run, SourceGiven
from in_toto_done_receipt.producer.evidence import Wanted
from in_toto_done_receipt.producer.inventory import ManifestGiven, manifest_given
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.record import Record, convert, unknown_members
from in_toto_done_receipt.wire.rfc3339 import parse_time

F = TypeVar("F", bound=Callable[..., Any])

MAX_EVIDENCE_FILE_BYTES: Final = 1 << 20  # 200 items of at most 64 arguments fit, if they are short
_COUNT: Final = click.IntRange(0, 2**53 - 1)
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")

_WHAT: Final = (
    click.option("--task", type=TEXT, required=True, help="What was asked of the agent."),
    click.option("--task-uri", type=TEXT, help="Where the whole task text is."),
    click.option("--agent", type=TEXT, required=True, help="Who did the work, as a name or id."),
    click.option("--model", type=TEXT, help="The model, as its provider names it."),
    click.option("--harness", type=TEXT, help="The harness: a URI, or sha256:HEX."),
)
_EVIDENCE: Final = (
    click.option("--claim", "claims", type=TEXT, multiple=True, metavar="ID=TEXT", help="A claim, in your words."),
    click.option("--file-exists", type=TEXT, multiple=True, metavar="ID=PATH", help="Evidence: a file is there."),
    click.option("--dir-exists", type=TEXT, multiple=True, metavar="ID=PATH", help="Evidence: a directory is there."),
    click.option("--exists", type=TEXT, multiple=True, metavar="ID=PATH", help="Evidence: one of the two is there."),
    click.option("--absent", type=TEXT, multiple=True, metavar="ID=PATH", help="Evidence: nothing is there."),
    click.option(
        "--file",
        "--file-hash",
        "files",
        type=TEXT,
        multiple=True,
        metavar="ID=PATH[,SHA256]",
        help="Evidence: a file's content, by its sha256.",
    ),
    click.option(
        "--text",
        "--text-contains",
        "texts",
        type=TEXT,
        multiple=True,
        metavar="ID=PATH::LITERAL",
        help="Evidence: a file contains this text.",
    ),
    click.option(
        "--command",
        "commands",
        type=TEXT,
        multiple=True,
        metavar="ID=ARGV",
        help="Evidence: a command succeeds. ARGV is split as a shell does, or a JSON array.",
    ),
    click.option(
        "--tests",
        type=TEXT,
        multiple=True,
        metavar="ID=ARGV",
        help="Evidence: a test command succeeds by its report, JUnit XML that it writes to {junit}.",
    ),
    click.option(
        "--evidence",
        "evidence_files",
        type=FILE,
        multiple=True,
        help="File with more evidence: a JSON list of {claim, kind, members}.",
    ),
)
_OUTPUTS: Final = (
    click.option("--subject", "subjects", type=TEXT, multiple=True, metavar="PATH", help="An output, below the root."),
    click.option("--manifest", type=FILE, help="The canonical manifest of the whole root; becomes a subject."),
    click.option("--contract", type=FILE, help="The sealed contract; its seals are looked at again."),
    click.option(
        "--verdict",
        type=click.Choice(["passed", "failed", "unchecked"]),
        help="What the acceptance check said (passed with evidence, else unchecked).",
    ),
    click.option("--reason", type=TEXT, default="", help="Why the check refused; with --verdict failed."),
)
_RUN: Final = (
    click.option(
        "--outcome",
        type=click.Choice(["completed", "budgetExhausted", "failed"]),
        default="completed",
        help="How the run ended (completed).",
    ),
    click.option("--started-on", type=TEXT, metavar="TIME", help="When the run started, like 2026-01-31T23:59:59Z."),
    click.option("--finished-on", type=TEXT, metavar="TIME", help="When the run ended (now)."),
    click.option("--iterations", type=_COUNT, help="Turns of the run."),
    click.option("--tool-calls", type=_COUNT, help="Tool calls of the run."),
    click.option("--input-tokens", type=_COUNT, help="Tokens read; with --output-tokens."),
    click.option("--output-tokens", type=_COUNT, help="Tokens written; with --input-tokens."),
    click.option("--audit-log", type=FILE, help="The run's audit log; the receipt pins its records and its head."),
    click.option("--audit-request", type=TEXT, metavar="ID", help="The host's id of the run in the audit log."),
)
_CONTEXT: Final = (
    click.option(
        "--packet-digest", type=TEXT, metavar="SHA256", help="Handoff: sha256 of the packet; all three or none."
    ),
    click.option("--input-commit", type=TEXT, metavar="COMMIT", help="Handoff: the commit that the work started from."),
    click.option("--output-manifest-digest", type=TEXT, metavar="SHA256", help="Handoff: sha256 of the manifest."),
)
_SOURCE: Final = (
    click.option("--repo", type=FILE, help="Git repository of the work: the receipt then names --base and --head."),
    click.option("--base", type=TEXT, metavar="REV", help="Where the work started: a full id or an exact ref name."),
    click.option("--head", type=TEXT, metavar="REV", help="Where it ended (HEAD): must be what --root holds."),
    click.option("--repository", type=TEXT, metavar="URI", help="How verifiers call the repository."),
)


def build_options(function: F) -> F:
    """Every flag of `build`, in the order in which --help shows them."""
    root = click.option("--root", "--workspace-root", "root", type=FILE, required=True, help="The finished work.")
    for option in reversed((root, *_WHAT, *_EVIDENCE, *_OUTPUTS, *_RUN, *_CONTEXT, *_SOURCE)):
        function = option(function)
    return function


def read_request(given: dict[str, Any], *, out: Path, now: datetime) -> BuildRequest:
    """The request that the flags say. Raises UsageError; ConfigurationError for a file that a flag names."""
    if given["reason"] and given["verdict"] != "failed":
        raise UsageError("--reason belongs to --verdict failed")
    root: Path = given["root"]
    manifest = _manifest(given["manifest"], root, out) if given["manifest"] is not None else None
    return BuildRequest(
        root=root,
        task=given["task"],
        agent=given["agent"],
        model=given["model"],
        task_uri=given["task_uri"],
        harness=_harness(given["harness"]),
        claims=tuple(split_id("--claim", text) for text in given["claims"]),
        evidence=(*_short_forms(given), *_from_files(given["evidence_files"])),
        subjects=tuple(_relative(path) for path in given["subjects"]),
        manifest=manifest,
        contract=_contract(given["contract"]) if given["contract"] is not None else None,
        context=_context(given),
        source=_source(given),
        verdict=given["verdict"],
        reason=given["reason"],
        run=_run(given, now),
    )


def _run(given: dict[str, Any], now: datetime) -> Run:
    if (given["input_tokens"] is None) != (given["output_tokens"] is None):
        raise UsageError("--input-tokens and --output-tokens are given together or not at all")
    return Run(
        finished_on=_time("--finished-on", given["finished_on"]) or now,
        outcome=given["outcome"],
        started_on=_time("--started-on", given["started_on"]),
        iterations=given["iterations"],
        tool_calls=given["tool_calls"],
        input_tokens=given["input_tokens"],
        output_tokens=given["output_tokens"],
        **_audit(given["audit_log"], given["audit_request"]),
    )


def _audit(path: Path | None, request: str | None) -> dict[str, Any]:
    """What a receipt says of its audit log."""
    if path is None:
        return {"audit_request": request}
    pin = read_pin(path, request)
    return {"audit_request": pin.request, "audit_records": pin.records, "audit_head": pin.head}


def _time(flag: str, text: str | None) -> datetime | None:
    try:
        return None if text is None else parse_time(text)
    except MalformedInput as error:
        raise UsageError(f"{flag}: {error.message}", hint=error.hint) from None


def _harness(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    algorithm, _, value = text.partition(":")
    if algorithm == "sha256" and _SHA256.fullmatch(value):
        return {"digest": {"sha256": value.lower()}}
    return {"uri": text}


def _context(given: dict[str, Any]) -> ContextGiven | None:
    names = ("packet_digest", "input_commit", "output_manifest_digest")
    values = {name: given[name] for name in names if given[name] is not None}
    if not values:
        return None
    missing = [f"--{name.replace('_', '-')}" for name in names if name not in values]
    if missing:
        raise UsageError(f"the context is all three or none, missing: {', '.join(missing)}")
    return ContextGiven(**values)


def _source(given: dict[str, Any]) -> SourceGiven | None:
    """The ids that the revisions mean now. Raises UsageError, RepositoryRefused."""
    if given["repo"] is None:
        others = [f"--{name}" for name in ("base", "head", "repository") if given[name] is not None]
        if others:
            raise UsageError(f"{others[0]} needs --repo")
        return None
    if given["base"] is None:
        raise UsageError("--repo needs --base", hint="the revision that the work started from")
    from in_toto_done_receipt.observe.git.repository import open_repository

    with open_repository(given["repo"]) as repository:
        ends = []
        for name in (given["base"], given["head"] or "HEAD"):
            commit, _ = repository.commit_id(name)
            ends.append((commit, repository.tree_of(commit)))
        return SourceGiven(base=ends[0], head=ends[1], repository=given["repository"])


def _manifest(path: Path, root: Path, out: Path) -> ManifestGiven:
    data = read_named(path, flag="--manifest", limit=LIMITS["manifest-bytes"].default, limit_name="manifest-bytes")
    try:
        return manifest_given(data, path=path, root=root, out=None if str(out) == "-" else out)
    except InputError as error:
        raise ConfigurationError(error.message, hint=error.hint) from None


def _contract(path: Path) -> Contract:
    data = read_named(path, flag="--contract", limit=LIMITS["file-bytes"].default)
    try:
        return read_contract(data)
    except InputError as error:
        raise ConfigurationError(f"{path}: {error.message}", hint=error.hint) from None


def _short_forms(given: dict[str, Any]) -> list[Wanted]:
    """The short forms in a fixed order of kinds: click does not say in which order different flags came."""
    found: list[Wanted] = []
    expectations = {"file_exists": "file", "dir_exists": "directory", "exists": "present", "absent": "absent"}
    for name, expect in expectations.items():
        for text in given[name]:
            claim, path = split_id(f"--{name.replace('_', '-')}", text)
            found.append(Wanted(claim=claim, kind="path", members={"path": _relative(path), "expect": expect}))
    found += [_file(text) for text in given["files"]]
    found += [_text(text) for text in given["texts"]]
    found += [_command(text, "command") for text in given["commands"]]
    found += [_command(text, "tests") for text in given["tests"]]
    return found


def _file(text: str) -> Wanted:
    claim, path = split_id("--file", text)
    head, comma, tail = path.rpartition(",")
    if comma and _SHA256.fullmatch(tail):
        members = {"path": _relative(head), "expectedSha256": tail.lower()}
    else:
        members = {"path": _relative(path)}
    return Wanted(claim=claim, kind="file", members=members)


def _text(text: str) -> Wanted:
    claim, rest = split_id("--text", text)
    path, separator, literal = rest.partition("::")
    if not separator or not literal:
        raise UsageError(f"--text wants ID=PATH::LITERAL, got {text!r}")
    return Wanted(claim=claim, kind="text", members={"path": _relative(path), "literal": literal})


def _command(text: str, kind: str) -> Wanted:
    claim, words = split_id(f"--{kind}", text)
    return Wanted(claim=claim, kind=kind, members={"argv": list(split_argv(words, flag=f"--{kind}"))})


class _EvidenceRequest(Record):
    """One entry of an evidence file."""

    claim: str
    kind: str
    members: dict[str, Any]


def _from_files(paths: tuple[Path, ...]) -> list[Wanted]:
    found: list[Wanted] = []
    for path in paths:
        data = read_named(path, flag="--evidence", limit=MAX_EVIDENCE_FILE_BYTES)
        try:
            tree = strict_json.loads(data, what=str(path))
            entries = convert(tree, tuple[_EvidenceRequest, ...], what=str(path))
        except InputError as error:
            raise ConfigurationError(error.message, hint=error.hint) from None
        unknown = unknown_members(tree, tuple[_EvidenceRequest, ...])
        if unknown:
            raise ConfigurationError(f"{path}: {unknown[0]}: unknown member", hint="an entry is {claim, kind, members}")
        found += [Wanted(claim=entry.claim, kind=entry.kind, members=entry.members) for entry in entries]
    return found


def _relative(path: str) -> str:
    """The path as a receipt says it: a leading `./`, which shells like to add, is dropped."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def utc_now() -> datetime:
    """The wall clock; the only place on the producing side that reads it."""
    return datetime.now(UTC)
