"""`--audit-log` of `build` and `import`: what a receipt pins of its run's log."""

from pathlib import Path
from typing import NamedTuple

from in_toto_done_receipt.errors import ConfigurationError, InputError, UsageError
from in_toto_done_receipt.observe.audit_chain.read import read_chain
from in_toto_done_receipt.wire.escape import escape


class AuditPin(NamedTuple):
    """The request's name, None in a log that names none; the number of records and the hash of the last one."""

    request: str | None
    records: int
    head: str


def read_pin(path: Path, request: str | None) -> AuditPin:
    """The pin of a sound log. A log of one request alone says itself which one it is.

    Raises ConfigurationError for a damaged, empty or unreadable log, UsageError for a request that is not in it, or
    not given when there are several.
    """
    shown = escape(str(path))
    try:
        chain = read_chain(path, request=request)
    except InputError as error:
        raise ConfigurationError(f"--audit-log: {error.message}", hint=error.hint) from None
    if chain.damage is not None or chain.head is None:
        said = chain.damage.detail if chain.damage is not None else "no record"
        raise ConfigurationError(f"--audit-log {shown}: {said}", hint="a damaged log is not pinned")
    if request is None and chain.run.several:
        hint = "say which is the run's with --audit-request"
        raise UsageError(f"--audit-log {shown}: the log has several requests", hint=hint)
    if request is not None and chain.run.records == 0:
        raise UsageError(f"--audit-log {shown}: the log has no record of request {escape(request)}")
    return AuditPin(request or chain.run.first_request, chain.records, chain.head)
