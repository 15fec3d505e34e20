"""From finished work to a statement: run the commands, look twice, settle the verdict, read back what was written.

    1. what was asked for is checked before anything runs
    2. commands and tests run in place, each distinct one once
    3. everything else is looked at; the manifest is taken; everything is looked at again; a difference is `WorkMoved`
    4. the verdict follows from outcome, breach and evidence (`verdict`)
    5. the payload is read by our own reader before anybody gets it

It proves nothing: it records what one process saw in one directory that the caller keeps quiescent.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import asdict

from in_toto_done_receipt.errors import ObservationError, ProducerError, UsageError, WorkMoved
from in_toto_done_receipt.observe import look
from in_toto_done_receipt.observe.seals import Contract, breach_text, look_again
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.producer.commands import run_commands
from in_toto_done_receipt.producer.evidence import RUN_KINDS, Seen, Wanted, demand_collectable, evidence_tree, look_at
from in_toto_done_receipt.producer.inventory import ManifestGiven, demand_same
from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder, not_ok_items
from in_toto_done_receipt.producer.verdict import Outcome, VerdictWord, default_word
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.paths import check_path
from in_toto_done_receipt.wire.value import Value

Progress = Callable[[int, int], None]


class ContextGiven(Value, kw_only=True):
    """The handoff: what the work was given out as."""

    packet_digest: str
    input_commit: str
    output_manifest_digest: str


class SourceGiven(Value, kw_only=True):
    """From where to where the work went: full ids of commits and of their trees."""

    base: tuple[str, str]
    head: tuple[str, str]
    repository: str | None = None


class Run(Value, kw_only=True):
    """How the run ended, by its own account."""

    finished_on: datetime
    outcome: Outcome = "completed"
    started_on: datetime | None = None
    iterations: int | None = None
    tool_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    audit_request: str | None = None
    audit_records: int | None = None
    audit_head: str | None = None


class BuildRequest(Value, kw_only=True):
    """Everything a receipt is built from.

    `verdict` None: passed when there is evidence and all of it is ok, unchecked when there is none. Without `subjects`
    the files hashed by `file` evidence are the subjects; the manifest always is one.
    """

    root: Path
    task: str
    agent: str
    run: Run
    model: str | None = None
    task_uri: str | None = None
    harness: Mapping[str, Any] | None = None
    claims: tuple[tuple[str, str], ...] = ()
    evidence: tuple[Wanted, ...] = ()
    subjects: tuple[str, ...] = ()
    manifest: ManifestGiven | None = None
    contract: Contract | None = None
    context: ContextGiven | None = None
    source: SourceGiven | None = None
    verdict: VerdictWord | None = None
    reason: str = ""


class Built(Value, kw_only=True):
    """A statement's bytes, and what the caller should say about them. `not_ok` names items as `CLAIM[i] (KIND)`."""

    payload: bytes
    payload_sha256: str
    summary: str
    not_ok: tuple[str, ...]
    breach: str | None


class _Look(NamedTuple):
    """One look at everything that does not run."""

    items: tuple[Seen | None, ...]  # in the order of the request; None for what runs
    subjects: tuple[tuple[str, str], ...]
    breach: str | None


def build(request: BuildRequest, *, progress: Progress | None = None) -> Built:
    """The statement for a directory, collected as the module says.

    Raises UsageError and ConfigurationError before anything runs, WorkMoved when the two looks differ or the manifest
    is not the directory's, ProducerError for what a receipt cannot say.
    """
    _demand_sense(request)
    with DirectoryWorkspace(request.root) as workspace:
        ran = run_commands(request.evidence, request.root)
        first = _look(request, workspace)
        if request.manifest is not None:
            demand_same(request.manifest, request.root, progress)
        _demand_equal(request, first, _look(request, workspace))
    seen = [command or found for command, found in zip(ran, first.items, strict=True)]
    return _assembled(request, [item for item in seen if item is not None], first)


def _demand_sense(request: BuildRequest) -> None:
    if len({identity for identity, _ in request.claims}) != len(request.claims):
        raise UsageError("a claim is given twice", hint="give each claim an ID of its own")
    demand_collectable(request.evidence, [identity for identity, _ in request.claims])
    for path in request.subjects:
        if fault := check_path(path):
            raise UsageError(f"subject {path!a}: {fault}")
    if len(set(request.subjects)) != len(request.subjects):
        raise UsageError("a subject is given twice")
    hashed = [item for item in request.evidence if item.kind == "file"]
    if not request.subjects and request.manifest is None and not hashed:
        raise UsageError(
            "the receipt would have no subject",
            hint="name the outputs with --subject PATH, or make a manifest and give it with --manifest",
        )
    context, manifest = request.context, request.manifest
    if context is not None and manifest is not None and context.output_manifest_digest != manifest.digest:
        raise UsageError(
            f"output manifest digest is {context.output_manifest_digest}, the manifest's is {manifest.digest}"
        )
    _demand_sayable(request)


def _look(request: BuildRequest, workspace: DirectoryWorkspace) -> _Look:
    later = (*RUN_KINDS, "output")  # commands have run, and an output is compared with the subjects
    pairs = [(item, None if item.kind in later else look_at(item, workspace, {})) for item in request.evidence]
    subjects = _subjects(request, workspace, pairs)
    by_name = {name: {"sha256": sha256} for name, sha256 in subjects}
    if request.manifest is not None:
        by_name[request.manifest.name] = {"sha256": request.manifest.digest}
    items = tuple(look_at(item, workspace, by_name) if item.kind == "output" else seen for item, seen in pairs)
    breach = None
    if request.contract is not None:
        breach = breach_text(look_again(workspace, request.contract.digests(), request.contract.absent))
    return _Look(items, subjects, breach)


def _subjects(
    request: BuildRequest, workspace: DirectoryWorkspace, pairs: list[tuple[Wanted, Seen | None]]
) -> tuple[tuple[str, str], ...]:
    """Name and sha256 of each subject in the order given, but for the manifest: the builder adds that one."""
    named: dict[str, str] = {}
    for path in request.subjects:
        named[path] = _subject(workspace, path)
    if not request.subjects:
        for item, seen in pairs:
            if item.kind == "file" and seen is not None and "sha256" in seen.observed:
                named[item.members["path"]] = seen.observed["sha256"]
    if request.manifest is not None:
        named.pop(request.manifest.name, None)
    return tuple(named.items())


def _subject(workspace: DirectoryWorkspace, path: str) -> str:
    try:
        return look.hash_file(workspace, path).digests["sha256"]
    except ObservationError as error:
        raise ProducerError(
            f"subject {path}: {error.message}", hint="a subject is a file; a directory is said by a manifest"
        ) from error


def _demand_equal(request: BuildRequest, first: _Look, second: _Look) -> None:
    moved = [
        f"{item.claim} ({item.kind} {item.members.get('path', '')})"
        for item, a, b in zip(request.evidence, first.items, second.items, strict=True)
        if a != b
    ]
    moved += [f"subject {name}" for name, _ in sorted(set(first.subjects) ^ set(second.subjects))]
    if first.breach != second.breach:
        moved.append("the sealed contract")
    if moved:
        raise WorkMoved(
            f"changed while it was being looked at: {', '.join(dict.fromkeys(moved))}",
            hint="stop whatever writes to the root, then build again",
        )


def _assembled(request: BuildRequest, seen: list[Seen], found: _Look) -> Built:
    claims = _claims(request, seen)
    builder = _told(request, claims, found.subjects)
    word = request.verdict or default_word(len(request.evidence))
    _finish(builder, request.run, verdict=word, reason=request.reason, breach=found.breach)
    payload = builder.build()
    return Built(
        payload=payload,
        payload_sha256=sha256_hex(payload),
        summary=builder.summary(),
        not_ok=not_ok_items(claims),
        breach=found.breach,
    )


def _demand_sayable(request: BuildRequest) -> None:
    """What a receipt cannot say whatever the evidence gives is refused before a command runs: UsageError."""
    claims = [{"id": identity, "statement": text, "evidence": []} for identity, text in request.claims]
    names = request.subjects or (() if request.manifest is not None else ("placeholder",))
    try:
        builder = _told(request, claims, tuple((name, "0" * 64) for name in names))
        _finish(builder, request.run, verdict="unchecked", reason="", breach=None)
        builder.build()
    except ProducerError as error:
        raise UsageError(error.message, hint=error.hint) from None


def _told(request: BuildRequest, claims: list[dict[str, Any]], subjects: tuple[tuple[str, str], ...]) -> ReceiptBuilder:
    """A builder that knows everything but how the run ended."""
    builder = ReceiptBuilder(
        task=request.task,
        agent=request.agent,
        model=request.model,
        task_uri=request.task_uri,
        harness=request.harness,
    )
    for claim in claims:
        builder.claim(claim["id"], claim["statement"], evidence=claim["evidence"])
    for name, sha256 in subjects:
        builder.subject(name, sha256)
    if request.manifest is not None:
        builder.manifest(request.manifest.name, request.manifest.digest)
    if request.contract is not None:
        builder.seals(request.contract.digests())
        builder.seals(dict.fromkeys(request.contract.absent))
    if request.context is not None:
        builder.context(**asdict(request.context))
    if request.source is not None:
        builder.source(**asdict(request.source))
    run = request.run
    if run.audit_request is not None or run.audit_head is not None:
        builder.audit(run.audit_request, records=run.audit_records, head=run.audit_head)
    return builder


def _claims(request: BuildRequest, seen: list[Seen]) -> list[dict[str, Any]]:
    items: dict[str, list[dict[str, Any]]] = {identity: [] for identity, _ in request.claims}
    for item, found in zip(request.evidence, seen, strict=True):
        items[item.claim].append(evidence_tree(item, found))
    return [{"id": identity, "statement": text, "evidence": items[identity]} for identity, text in request.claims]


def _finish(builder: ReceiptBuilder, run: Run, *, verdict: VerdictWord, reason: str, breach: str | None) -> None:
    builder.finish(
        finished_on=run.finished_on,
        outcome=run.outcome,
        verdict=verdict,
        reason=reason,
        breach=breach,
        started_on=run.started_on,
        iterations=run.iterations,
        tool_calls=run.tool_calls,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
    )
