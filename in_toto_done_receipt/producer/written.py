"""A receipt's file: written as a whole with the folders above it, read back, and found intact or not."""

from pathlib import Path

from in_toto_done_receipt.errors import InputError, OutputError, ProducerError
from in_toto_done_receipt.observe.files import read_file, write_atomic
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.predicates.done_receipt.summary import summary_line
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.dsse import MAX_PAYLOAD_BYTES
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.statement import Statement, read_statement
from in_toto_done_receipt.wire.value import Value


class WrittenReceipt(Value, kw_only=True):
    """An unsigned statement as it stands in its file."""

    payload: bytes
    statement: Statement
    receipt: DoneReceipt

    @property
    def sha256(self) -> str:
        """The payload's digest: what `write` returned, and what `verify --expected-digest` compares."""
        return sha256_hex(self.payload)

    def intact(self, sha256: str) -> bool:
        """Whether these are the bytes with this digest, written as a builder writes them, and agree with themselves.

        The digest is not in the file: keep it elsewhere. It finds accidents; who wrote the file is said by a signature.
        """
        return (
            self.sha256 == sha256
            and canonical(self.statement.tree) == self.payload
            and not any(coherence_faults(self.receipt, self.statement))
        )

    def summary(self) -> str:
        """The receipt's one line."""
        return summary_line(self.receipt)


def write_payload(path: Path, payload: bytes) -> str:
    """The payload's sha256, once the file holds it. Folders that are missing are made. Raises OutputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        words = (fault.strerror or str(fault)).lower()
        raise OutputError(f"{escape(str(path.parent))} cannot be made: {words}") from None
    write_atomic(path, payload)
    return sha256_hex(payload)


def read_receipt(path: Path) -> WrittenReceipt:
    """The receipt in the file. Raises ProducerError when there is none, or it is no done receipt."""
    try:
        payload = read_file(path, limit=MAX_PAYLOAD_BYTES, what="receipt", limit_name="payload-bytes")
        statement = read_statement(payload)
        return WrittenReceipt(payload=payload, statement=statement, receipt=read_predicate(statement))
    except InputError as error:
        raise ProducerError(error.message, hint=error.hint) from None
