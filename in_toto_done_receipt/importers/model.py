"""What every old file becomes, and the statement that says it in the new form."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput, MalformedStatement
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt, ResourceDescriptor
from in_toto_done_receipt.predicates.done_receipt.v0_1 import PREDICATE_TYPE, read_predicate
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.trust.model import OldSignatures
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.statement import STATEMENT_V1, Statement, Subject, read_statement
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.manifest.model import Manifest

IMPORTED_FROM: Final = "importedFrom"  # the annotation by which an imported statement names its origin


class OldReceipt(Value, kw_only=True):
    """An old file that was read, in terms of the new form.

    `receipt` and `statement` may hold what the new form cannot say (an empty task, an absolute path): they are for
    looking at the file in place, and `statement_of` refuses them. `signed` is None for a format without signatures.
    `findings` are what the old format's own rules found. `manifest` is the file itself when it is a manifest.
    `old_place` turns a JSON pointer into the statement into the member of the old file.
    """

    schema: str
    media_type: str
    data: bytes
    receipt: DoneReceipt
    statement: Statement
    old_place: Callable[[str], str]
    signed: OldSignatures | None = None
    findings: tuple[Finding, ...] = ()
    manifest: "Manifest | None" = None

    def pinned(self, *, records: int, head: str) -> "OldReceipt":
        """The same, with this many records and this head of the audit log that it names."""
        said = self.receipt.run.audit_log
        log = model.AuditLog(request_id=None if said is None else said.request_id, records=records, head=head)
        receipt = replace(self.receipt, run=replace(self.receipt.run, audit_log=log))
        # Into the statement as it is: what the new form cannot say stands there in the old file's words.
        predicate = dict(self.statement.predicate or {})
        predicate["run"] = {**predicate["run"], "auditLog": to_tree(log)}
        tree = {**self.statement.tree, "predicate": predicate}
        return replace(self, receipt=receipt, statement=replace(self.statement, predicate=predicate, tree=tree))


def mapped_statement(subjects: Sequence[tuple[str, str]], receipt: DoneReceipt) -> Statement:
    """The statement about these (name, sha256), made without any check: what it cannot say is `statement_of`'s."""
    predicate: dict[str, Any] = to_tree(receipt)
    tree = {
        "_type": STATEMENT_V1,
        "subject": [{"name": name, "digest": {"sha256": sha256}} for name, sha256 in subjects],
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    }
    return Statement(
        type=STATEMENT_V1,
        subjects=tuple(
            Subject(name=name, uri=None, digest={"sha256": sha256}, index=index)
            for index, (name, sha256) in enumerate(subjects)
        ),
        predicate_type=PREDICATE_TYPE,
        predicate=predicate,
        tree=tree,
        unrecognized=(),
    )


def origin(schema: str, media_type: str, data: bytes) -> ResourceDescriptor:
    """The harness of an imported statement: which file it was, of which format, and that it was imported."""
    digest = {"sha256": sha256_hex(data)}
    return ResourceDescriptor(name=schema, digest=digest, media_type=media_type, annotations={IMPORTED_FROM: schema})


def statement_of(old: OldReceipt, *, what: str) -> bytes:
    """The canonical bytes of the unsigned statement that the file is imported as.

    Raises MalformedInput that names the old file's member when the new form cannot say it, and for a file that the old
    format's own rules refute: an import would say it again as if it were sound.
    """
    for found in old.findings:
        if found.status == "fail":
            raise MalformedStatement(f"{what}: {found.message}", pointer=found.pointer or "", reason=found.reason)
    payload = canonical(old.statement.tree)
    try:
        read_predicate(read_statement(payload))
    except (MalformedStatement, LimitExceeded) as error:
        place = old.old_place(getattr(error, "pointer", ""))
        raise MalformedInput(
            f"{what}: {place}: the new form cannot say it: {error.message}",
            hint="verify --as still judges the file as it is",
        ) from error
    return payload


def place_by_prefix(members: Mapping[str, str]) -> Callable[[str], str]:
    """For `old_place`: the member whose statement pointer is the longest one that begins the given pointer."""
    ordered = sorted(members.items(), key=lambda pair: -len(pair[0]))

    def place(pointer: str) -> str:
        return next((name for start, name in ordered if pointer == start or pointer.startswith(f"{start}/")), pointer)

    return place
