"""An audit chain judged record by record, in one pass and in constant memory, up to the first damage.

What it shows is consistency: the hashes have no key, so whoever can write the file can write all of it again.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from in_toto_done_receipt.errors import LimitExceeded
from in_toto_done_receipt.observe.audit_chain.line import GENESIS, NotALineError, read_line
from in_toto_done_receipt.observe.audit_chain.tally import RecordFaultError, RunTally, Tally
from in_toto_done_receipt.observe.files import stream_file
from in_toto_done_receipt.wire.value import Value

DamageKind = Literal["empty", "malformed", "unknown_member", "torn", "sequence", "link", "edited"]

MAX_LINE_BYTES: Final = 16 << 20  # verification.md, "Limits"
TICK_RECORDS: Final = 4096  # records between two looks at the clock: some 20 ms


class Damage(Value, kw_only=True):
    """The first thing that is wrong with a chain. `line` counts from 1, `detail` says what in words."""

    kind: DamageKind
    line: int
    detail: str


class Chain(Value, kw_only=True):
    """What one pass over a chain showed: its records before the first damage, the hash of the last of them, the run."""

    records: int
    head: str | None
    damage: Damage | None
    run: RunTally
    pinned: str | None = None


def read_chain(
    path: Path,
    *,
    request: str | None = None,
    pin: int | None = None,
    limit: int = MAX_LINE_BYTES,
    tick: Callable[[], object] = lambda: None,
) -> Chain:
    """The chain in this file, judged over the bytes of its records as they stand there.

    Each line must have the number of its place, name the hash of the record before it, and have the hash that its own
    bytes give; blank lines do not count, as for the original. `run` adds up the records of `request`, of all records
    without one. `pinned` is the hash of record number `pin`, counted from 1. `tick` is called now and then and may
    raise. Raises UnreadableInput, and LimitExceeded ("audit-line-bytes") for a longer line.
    """
    reader = _Reader(request, pin)
    damage = None
    for number, (line, whole) in enumerate(_lines(stream_file(path, what="audit log"), limit, str(path)), start=1):
        if number % TICK_RECORDS == 0:
            tick()
        damage = reader.take(line, number, whole=whole)
        if damage is not None:
            break
    if damage is None and reader.records == 0:
        damage = Damage(kind="empty", line=1, detail="the audit log holds no record")
    head = reader.previous.decode() if reader.records else None
    return Chain(records=reader.records, head=head, damage=damage, run=reader.tally.total(), pinned=reader.pinned)


class _Reader:
    """Where one pass stands."""

    def __init__(self, request: str | None, pin: int | None) -> None:
        self.records = 0
        self.previous = GENESIS
        self.pinned: str | None = None
        self.tally = Tally(request)
        self._pin = pin

    def take(self, line: bytes, number: int, *, whole: bool) -> Damage | None:
        """The next line; the damage it shows, if any. `whole` is false for a last line without its line end."""
        if line[:1] != b"{" and not line.strip(b" \t\r"):
            return None
        try:
            sequence, previous, digest, raw, kind, request, detail = read_line(line)
        except NotALineError as fault:
            if not whole:
                said = f"the last line is cut off: {len(line)} bytes, without a line end"
                return Damage(kind="torn", line=number, detail=said)
            word: DamageKind = "unknown_member" if fault.unknown else "malformed"
            return Damage(kind=word, line=number, detail=f"line {number} {fault.fact}")
        if sequence != self.records:
            said = f"line {number} has seq {sequence}, its place is {self.records}"
            return Damage(kind="sequence", line=number, detail=said)
        if previous != self.previous:
            said = f"line {number} names {previous.decode()} as the record before it, which is {self.previous.decode()}"
            return Damage(kind="link", line=number, detail=said)
        if sha256(previous + raw).hexdigest().encode() != digest:
            computed = sha256(previous + raw).hexdigest()
            said = f"line {number} has hash {digest.decode()}, its bytes give {computed}"
            return Damage(kind="edited", line=number, detail=said)
        try:
            self.tally.add(kind, request, detail)
        except RecordFaultError as fault:
            return Damage(kind="malformed", line=number, detail=f"line {number}: {fault}")
        self.previous = digest
        self.records += 1
        if self.records == self._pin:
            self.pinned = digest.decode()
        return None


def _lines(chunks: Iterator[bytes], limit: int, where: str) -> Iterator[tuple[bytes, bool]]:
    """The lines without their ends, and whether each had one: false only for a last line that has none."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if len(line) > limit:
                raise LimitExceeded("audit-line-bytes", allowed=limit, value=len(line), where=where)
            yield line, True
        if len(rest) > limit:
            raise LimitExceeded("audit-line-bytes", allowed=limit, value=f"more than {limit}", where=where)
    if rest:
        yield rest, False
