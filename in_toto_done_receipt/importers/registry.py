"""Which old formats there are. A format's module is imported when one of its files is read, not before."""

from importlib import import_module
from typing import Any, Final

from in_toto_done_receipt.errors import UsageError
from in_toto_done_receipt.importers.model import OldReceipt, statement_of
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.wire.statement import Statement
from in_toto_done_receipt.wire.value import Value


class OldFormat(Value, kw_only=True):
    """One old format: its name on the command line, its schema, and the module below importers that reads it.

    `exporter` is the module that writes it, None when there is nothing to write. `same_format` says that its files
    are this project's own: there is nothing to import.
    """

    name: str
    schema: str
    reader: str
    exporter: str | None = None
    same_format: bool = False

    def read(self, data: bytes, *, what: str) -> OldReceipt:
        """The file in terms of the new form. Raises MalformedInput for what the old format does not allow."""
        old: OldReceipt = _module(self.reader).read(data, what=what)
        return old

    def to_statement(self, old: OldReceipt, *, what: str) -> bytes:
        """The unsigned statement, canonical. Raises MalformedInput naming what the new form cannot say."""
        if self.same_format:
            raise UsageError(f"{self.name} needs no import: it is the same format here", hint="give it with --manifest")
        return statement_of(old, what=what)

    def from_statement(self, statement: Statement, receipt: DoneReceipt, *, what: str) -> bytes:
        """A file of the old format. Raises MalformedInput listing everything that the old format cannot say."""
        if self.exporter is None:
            raise UsageError(
                f"{self.name} is not exported to: it is the same format here",
                hint="`done-receipt manifest create` writes one",
            )
        data: bytes = _module(self.exporter).export(statement, receipt, what=what)
        return data


OLD_FORMATS: Final[tuple[OldFormat, ...]] = (
    OldFormat(
        name="agent-receipt",
        schema="agent-receipt/v1",
        reader="agent_receipt",
        exporter="agent_receipt_export",
    ),
    OldFormat(
        name="output-manifest",
        schema="agent-output-manifest/v1",
        reader="output_manifest",
        same_format=True,
    ),
    OldFormat(
        name="harness-receipt",
        schema="harness.receipt.v1",
        reader="harness_receipt",
        exporter="harness_receipt_export",
    ),
)


def old_format(name: str, formats: tuple[OldFormat, ...] = OLD_FORMATS) -> OldFormat:
    """The format of this name. Raises UsageError for any other."""
    found = [known for known in formats if known.name == name]
    if len(found) != 1:
        raise UsageError(f"unknown format {name!a}", hint=f"known: {', '.join(known.name for known in formats)}")
    return found[0]


def _module(name: str) -> Any:
    return import_module(f"in_toto_done_receipt.importers.{name}")
