"""A done receipt as an agent-receipt/v1, where that can say all of it; else everything that it cannot say, at once.

What is written is read back by our own reader of the format before anybody gets it.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.importers import agent_receipt, agent_receipt_shape
from in_toto_done_receipt.importers.agent_receipt_export_items import item_of, seconds_of_each, unsayable_text
from in_toto_done_receipt.importers.model import IMPORTED_FROM
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.statement import Statement

Json = dict[str, Any]

_MAX_NAMED: Final = 20


def export(statement: Statement, receipt: model.DoneReceipt, *, what: str) -> bytes:
    """The old receipt, as its original stores one: indented, sorted, ASCII, unsigned.

    Raises MalformedInput with the first member that the old format cannot say, and the others as `faults`. The origin
    of an imported statement is left out: it goes back to where it came from. Members that this version does not know
    are not looked at.
    """
    unsayable = list(_unsayable(statement, receipt))
    claims, faults = _claims(receipt)
    unsayable += faults
    if unsayable:
        raise _Unsayable(what, unsayable)
    body: Json = {
        "schema": agent_receipt_shape.SCHEMA,
        "created_at": _created(receipt.run.finished_on),
        "agent": receipt.agent.id,
        "task": receipt.task.description,
        "claims": claims,
        "overall_ok": receipt.verdict.passed,
        "context": None if receipt.context is None else _context(receipt.context),
    }
    tree = body | {"content_digest": sha256_hex(canonical(body)), "signatures": []}
    written = (json.dumps(tree, indent=2, sort_keys=True) + "\n").encode()
    old = agent_receipt.read(written, what=f"{what} as {agent_receipt_shape.SCHEMA}")
    contradictions = [finding.message for finding in old.findings if finding.status == "fail"]
    if contradictions:
        raise _Unsayable(what, contradictions)
    return written


def _created(time: str) -> str:
    """The time as the original writes it: in UTC, a fraction with six digits."""
    whole, dot, fraction = time.removesuffix("Z").partition(".")
    return f"{whole}{dot}{fraction.ljust(6, '0') if dot else ''}+00:00"


class _Unsayable(MalformedInput):
    """What the old format cannot say; `faults` are all but the first."""

    def __init__(self, what: str, found: list[str]) -> None:
        super().__init__(f"{what}: agent-receipt/v1 cannot say {found[0]}")
        self.faults = tuple(found[1 : _MAX_NAMED + 1])


def _unsayable(statement: Statement, receipt: model.DoneReceipt) -> Iterator[str]:
    """Everything outside of the claims that would be lost or changed."""
    yield from _texts(receipt)
    yield from _members(receipt)
    verdict, items = receipt.verdict, [item for claim in receipt.claims for item in claim.evidence]
    if not verdict.checked:
        yield "/predicate/verdict: that nobody checked"
    elif verdict.passed != all(item.ok for item in items):
        yield "/predicate/verdict: a verdict other than what the evidence items come to"
    elif verdict.reason not in ("", agent_receipt.NOT_OK) and not _tells_items(verdict.reason):
        yield f"/predicate/verdict/reason: {escape(verdict.reason)[:80]}"
    yield from _subjects(statement, receipt)


def _tells_items(reason: str) -> bool:
    """Whether the reason is the one that `build` writes: the items that are not ok, which the old receipt names too."""
    return reason.startswith("evidence not ok: ")


def _texts(receipt: model.DoneReceipt) -> Iterator[str]:
    texts = [("/predicate/task/description", receipt.task.description), ("/predicate/agent/id", receipt.agent.id)]
    for index, claim in enumerate(receipt.claims):
        texts += [
            (f"/predicate/claims/{index}/id", claim.id),
            (f"/predicate/claims/{index}/statement", claim.statement),
        ]
    for place, text in texts:
        if fault := unsayable_text(text):
            yield f"{place}: {fault}"
    if len(receipt.run.finished_on) > len("2026-01-31T23:59:59.123456Z"):
        yield f"/predicate/run/finishedOn: {receipt.run.finished_on}, finer than a microsecond"


def _members(receipt: model.DoneReceipt) -> Iterator[str]:
    """Members that have no counterpart."""
    run, task = receipt.run, receipt.task
    present = {
        "/predicate/task/uri": task.uri,
        "/predicate/task/digest": None if _is_of_description(task) else task.digest,
        "/predicate/agent/model": receipt.agent.model,
        "/predicate/agent/harness": None if _is_origin(receipt.agent.harness) else receipt.agent.harness,
        "/predicate/run/outcome": None if run.outcome == "completed" else run.outcome,
        "/predicate/run/startedOn": run.started_on,
        "/predicate/run/iterations": run.iterations,
        "/predicate/run/toolCalls": run.tool_calls,
        "/predicate/run/usage": run.usage,
        "/predicate/run/auditLog": run.audit_log,
        "/predicate/source": receipt.source,
        "/predicate/contract/sealed": receipt.contract.sealed or None,
        "/predicate/contract/absent": receipt.contract.absent or None,
        "/predicate/contract/breach": receipt.contract.breach,
    }
    return (place for place, value in present.items() if value is not None)


def _is_of_description(task: model.Task) -> bool:
    """Whether the task's digest says nothing that the description does not."""
    given = {} if task.digest is None else task.digest.as_map()
    return all(
        hashlib.new(algorithm, task.description.encode()).hexdigest() == value for algorithm, value in given.items()
    )


def _is_origin(harness: model.ResourceDescriptor | None) -> bool:
    """Whether the harness only says that the statement was imported from this very format."""
    said = None if harness is None or harness.annotations is None else harness.annotations.get(IMPORTED_FROM)
    return said == agent_receipt_shape.SCHEMA


def _subjects(statement: Statement, receipt: model.DoneReceipt) -> Iterator[str]:
    """A subject is said by a hash item or by the context's manifest; an imported receipt may be its own subject."""
    said = {
        item.path: item.observed.sha256
        for claim in receipt.claims
        for item in claim.evidence
        if isinstance(item, model.FileEvidence) and isinstance(item.observed, model.FileObserved)
    }
    if receipt.context is not None:
        said[agent_receipt.MANIFEST_NAME] = receipt.context.output_manifest.digest.sha256
    if receipt.manifest is not None and receipt.manifest.name not in said:
        yield f"/predicate/manifest: a manifest {escape(receipt.manifest.name)} that is not the context's"
    own = agent_receipt.OWN_NAME if _is_origin(receipt.agent.harness) else None
    for subject in statement.subjects:
        if subject.name == own:
            continue
        if subject.digest.get("sha256") != said.get(subject.name or ""):
            yield f"/subject/{subject.index}: {escape(subject.name or '')}, which no file item has with this digest"
        elif subject.digest.keys() != {"sha256"}:
            yield f"/subject/{subject.index}/digest: an algorithm other than sha256"


def _claims(receipt: model.DoneReceipt) -> tuple[list[Json], list[str]]:
    """The claims in the old form, and what of them cannot be said."""
    claims: list[Json] = []
    faults: list[str] = [] if receipt.claims else ["/predicate/claims: a receipt without claims"]
    seconds = seconds_of_each(receipt)
    for index, claim in enumerate(receipt.claims):
        if not claim.evidence:
            faults.append(f"/predicate/claims/{index}/evidence: a claim without evidence")
        items: list[Json] = []
        for number, item in enumerate(claim.evidence):
            written = item_of(item, seconds=seconds)
            if isinstance(written, str):
                faults.append(f"/predicate/claims/{index}/evidence/{number}{written}")
            else:
                items.append(written)
        claims.append({"id": claim.id, "statement": claim.statement, "evidence": items})
    return claims, faults + list(_commands(receipt))


def _commands(receipt: model.DoneReceipt) -> Iterator[str]:
    argvs = [
        item.argv for claim in receipt.claims for item in claim.evidence if isinstance(item, model.CommandEvidence)
    ]
    if len(argvs) > agent_receipt_shape.MAX_COMMANDS:
        yield f"/predicate/claims: {len(argvs)} commands, more than {agent_receipt_shape.MAX_COMMANDS}"
    if len(set(argvs)) < len(argvs):
        yield "/predicate/claims: the same command twice"


def _context(context: model.Context) -> Json:
    return {
        "packet_digest": context.packet.digest.sha256,
        "input_commit": context.input.digest.git_commit,
        "output_manifest_digest": context.output_manifest.digest.sha256,
    }
