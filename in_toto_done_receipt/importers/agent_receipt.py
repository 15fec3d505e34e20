"""agent-receipt/v1: read as its original reads it, and a little stricter; said as a done receipt.

`docs/reference/agent-receipt-differences.md` lists every way in which the verdict here can differ.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedStatement
from in_toto_done_receipt.importers import agent_receipt_shape as shape
from in_toto_done_receipt.importers.agent_receipt_items import Item, read_item
from in_toto_done_receipt.importers.model import OldReceipt, mapped_statement, origin, place_by_prefix
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.trust.model import OldSignatures
from in_toto_done_receipt.wire import strict_json
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import Signature, decode_base64
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.pointer import kind_of, quote

MEDIA_TYPE: Final = "application/vnd.agent-receipt.v1+json"
OWN_NAME: Final = "agent-receipt.json"  # how a statement calls the receipt's own file
MANIFEST_NAME: Final = "OUTPUT_MANIFEST.json"  # the original's default
NOT_OK: Final = "evidence is not ok"
SIGNING_DOMAIN: Final = b"agent-receipt/v1\x00"

_UNSIGNED: Final = ("content_digest", "signatures")  # members that the content digest is not over


def read(data: bytes, *, what: str) -> OldReceipt:
    """The receipt in these bytes.

    Raises MalformedInput for everything that the original's schema refuses: another set of members anywhere, a text
    with control or format characters, a path that is absolute or climbs, an `ok` that does not follow from what was
    observed, a limit. A content digest that is not the content's, an `overall_ok` that is not what the items come to
    and a file with two digests are findings, for whoever looks at the result. Verifies no signature.
    """
    if len(data) > shape.MAX_FILE_BYTES:
        raise LimitExceeded("payload-bytes", allowed=shape.MAX_FILE_BYTES, value=len(data), where=what)
    tree = strict_json.loads(data, what=what)
    receipt = _shaped(tree, what)
    items = list(_items(receipt, what))
    _demand_rules(receipt, items, what)
    digest = sha256_hex(canonical({name: value for name, value in tree.items() if name not in _UNSIGNED}))
    mapped = _mapped(receipt, items, data, what)
    subjects, conflicts = _subjects(items, receipt, data)
    return OldReceipt(
        schema=shape.SCHEMA,
        media_type=MEDIA_TYPE,
        data=data,
        receipt=mapped,
        statement=mapped_statement(subjects, mapped),
        old_place=_old_place,
        signed=_signatures(receipt, digest),
        findings=(*_contradictions(receipt, items, digest), *conflicts, *_spellings(items)),
    )


def _shaped(tree: Any, what: str) -> shape.Receipt:
    if not isinstance(tree, dict):
        raise MalformedStatement(f"{what}: expected an object, got {kind_of(tree)}", reason="statement.type")
    if tree.get("schema") != shape.SCHEMA:
        got = quote(tree["schema"]) if isinstance(tree.get("schema"), str) else "none"
        raise MalformedStatement(
            f"{what}: /schema: expected {shape.SCHEMA}, got {got}", pointer="/schema", reason="statement.predicate_type"
        )
    return shape.read_part(tree, shape.Receipt, what=what)


def _items(receipt: shape.Receipt, what: str) -> Iterator[Item]:
    for position, claim in enumerate(receipt.claims):
        for index, evidence in enumerate(claim.evidence):
            yield read_item(evidence, place=f"/claims/{position}/evidence/{index}", claim=position, what=what)


def _demand_rules(receipt: shape.Receipt, items: list[Item], what: str) -> None:
    """What holds for the receipt as a whole."""
    seen: set[str] = set()
    for position, claim in enumerate(receipt.claims):
        if claim.id in seen:
            raise _fault(what, f"/claims/{position}/id", "statement.duplicate", f"{quote(claim.id)} stands there twice")
        seen.add(claim.id)
    if len(items) > shape.MAX_EVIDENCE:
        fact = f"expected at most {shape.MAX_EVIDENCE} items in all, got {len(items)}"
        raise _fault(what, "/claims", "statement.count", fact)
    commands = [item for item in items if item.argv is not None]
    argvs: set[tuple[str, ...] | None] = set()
    for item in commands:
        if item.argv in argvs:
            raise _fault(what, f"{item.place}/detail/cmd", "statement.duplicate", "the command stands there twice")
        argvs.add(item.argv)
    if len(commands) > shape.MAX_COMMANDS:
        fact = f"expected at most {shape.MAX_COMMANDS} commands, got {len(commands)}"
        raise _fault(what, "/claims", "statement.count", fact)
    seconds = sum(item.seconds for item in commands)
    if seconds > shape.MAX_SECONDS_OF_COMMANDS:
        fact = f"expected at most {shape.MAX_SECONDS_OF_COMMANDS} s for all commands, got {seconds}"
        raise _fault(what, "/claims", "statement.count", fact)


def _fault(what: str, pointer: str, reason: str, fact: str) -> MalformedStatement:
    return MalformedStatement(f"{what}: {pointer}: {fact}", pointer=pointer, reason=reason)


def _moment(text: str, what: str) -> str:
    """`created_at` as a time of the new form, to the microsecond; one without a zone is taken for UTC.

    The original takes whatever Python does, and writes UTC.
    """
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        fact = f"expected an ISO 8601 time of the years 1 to 9999 in UTC, got {quote(text)}"
        raise _fault(what, "/created_at", "statement.format", fact) from None
    fraction = f".{moment.microsecond:06}".rstrip("0") if moment.microsecond else ""
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}{fraction}Z"


def _mapped(receipt: shape.Receipt, items: list[Item], data: bytes, what: str) -> model.DoneReceipt:
    evidence: list[list[model.Evidence]] = [[] for _ in receipt.claims]
    for item in items:
        evidence[item.claim].append(item.evidence)
    context = receipt.context
    reason = "" if receipt.overall_ok else NOT_OK
    return model.DoneReceipt(
        task=model.Task(description=receipt.task),
        agent=model.Agent(id=receipt.agent, harness=origin(shape.SCHEMA, MEDIA_TYPE, data)),
        run=model.Run(outcome="completed", finished_on=_moment(receipt.created_at, what)),
        context=None if context is None else _context(context),
        manifest=None if context is None else _file(MANIFEST_NAME, context.output_manifest_digest),
        contract=model.Contract(sealed=(), absent=(), breach=None),
        verdict=model.Verdict(checked=True, passed=receipt.overall_ok, reason=reason),
        claims=tuple(
            model.Claim(id=claim.id, statement=claim.statement, evidence=tuple(found))
            for claim, found in zip(receipt.claims, evidence, strict=True)
        ),
    )


def _context(context: shape.Context) -> model.Context:
    def document(sha256: str) -> model.ContextDocument:
        return model.ContextDocument(digest=model.ContextSha256(sha256=sha256))

    return model.Context(
        packet=document(context.packet_digest),
        input=model.ContextInput(digest=model.ContextCommit(git_commit=context.input_commit)),
        output_manifest=document(context.output_manifest_digest),
    )


def _file(name: str, sha256: str) -> model.File:
    return model.File(name=name, digest=model.Digests(sha256=sha256))


def _subjects(
    items: list[Item], receipt: shape.Receipt, data: bytes
) -> tuple[list[tuple[str, str]], tuple[Finding, ...]]:
    """The hashed files and the manifest, else the receipt's own file; and the files that have two digests."""
    named: dict[str, str] = {}
    conflicts: list[Finding] = []
    hashed = [(item.path, item.sha256, item.place) for item in items if item.sha256 is not None]
    if receipt.context is not None:
        hashed.append((MANIFEST_NAME, receipt.context.output_manifest_digest, "/context/output_manifest_digest"))
    for path, sha256, place in hashed:
        assert path is not None  # noqa: S101 - what has a digest has a path
        other = named.setdefault(path, sha256 or "")
        if other != sha256:
            message = f"{escape(path)} has sha256 {other} and, at {place}, {sha256}"
            conflicts.append(_finding("fail", "statement.digest_conflict", message, path=path))
    return list(named.items()) or [(OWN_NAME, sha256_hex(data))], tuple(conflicts)


def _signatures(receipt: shape.Receipt, digest: str) -> OldSignatures:
    return OldSignatures(
        message=SIGNING_DOMAIN + bytes.fromhex(digest),
        signatures=tuple(
            Signature(sig=decode_base64(each.signature, "signature"), keyid=each.key_id) for each in receipt.signatures
        ),
    )


def _contradictions(receipt: shape.Receipt, items: list[Item], digest: str) -> Iterator[Finding]:
    if receipt.content_digest != digest:
        message = f"content digest is {digest}, receipt says {receipt.content_digest}"
        yield _finding("fail", "statement.content_digest", message, expected=receipt.content_digest, observed=digest)
    comes_to = all(item.evidence.ok for item in items)
    if receipt.overall_ok != comes_to:
        words = {True: "true", False: "false"}
        message = f"overall_ok is {words[receipt.overall_ok]}, the evidence items come to {words[comes_to]}"
        yield _finding("fail", "statement.overall_ok", message)


def _spellings(items: list[Item]) -> Iterator[Finding]:
    """A remark for each path that is written otherwise than it is; the twin it may hide behind is named."""
    plain = {item.path for item in items if item.path is not None and item.spelled == item.path}
    for item in items:
        if item.spelled != item.path and item.path is not None:
            beside = ", which another item names too" if item.path in plain else ""
            message = f"{escape(item.spelled or '')} is {escape(item.path)} in another spelling{beside}"
            yield _finding("pass", "statement.path_spelling", message, path=item.path)


def _finding(
    status: Any, reason: str, message: str, *, path: str | None = None, expected: Any = None, observed: Any = None
) -> Finding:
    return Finding(
        check="statement",
        status=status,
        reason=reason,
        message=message,
        path=path,
        expected=expected,
        observed=observed,
    )


_MEMBERS: Final = place_by_prefix(
    {
        "/predicate/task/description": "/task",
        "/predicate/agent/id": "/agent",
        "/predicate/run/finishedOn": "/created_at",
        "/predicate/context": "/context",
        "/predicate/manifest": "/context/output_manifest_digest",
        "/subject": "/claims (the files that are hashed)",
    }
)


def _old_place(pointer: str) -> str:
    """Claims stand at the same place in both; an item's members are those of detail or observed."""
    if not pointer.startswith("/predicate/claims"):
        return _MEMBERS(pointer)
    place = pointer.removeprefix("/predicate")
    for new, old in _ITEM_MEMBERS:
        if place.endswith(new):
            return place.removesuffix(new) + old
    return place


_ITEM_MEMBERS: Final = (
    ("/observed/exitCode", "/observed/exit_code"),
    ("/expected/exitCode", "/detail/expect_exit"),
    ("/expected/stdoutContains", "/detail/stdout_contains"),
    ("/observed/error", "/observed/error"),
    ("/path", "/detail/path"),
    ("/literal", "/detail/literal"),
    ("/argv", "/detail/cmd"),
)
