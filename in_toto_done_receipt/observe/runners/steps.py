"""A test run made of several commands: one clock for all of them, one result out of the parts."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import msgspec

from in_toto_done_receipt.observe.runners.model import TestRun, TestState
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

_SHORT: Final = 300  # characters of a program's own words in a fault


class Part(Value, kw_only=True):
    """What one process reported, after it was judged."""

    planned: tuple[str, ...] = ()
    states: dict[str, TestState]
    faults: tuple[str, ...]
    exit_code: int | None
    excerpt: bytes = b""


class Steps:
    """The commands of one run of tests in a room: together they may take as long as the room's limits give to one.

    `folder` is a new one in the room's work folder.
    """

    def __init__(self, room: Room, read_only: tuple[Path, ...]) -> None:
        self.folder = Path(mkdtemp(prefix="run", dir=room.work))
        self._room = room
        self._read_only = read_only
        self._began = time.monotonic()

    @property
    def duration_ms(self) -> int:
        """Since the first step."""
        return round((time.monotonic() - self._began) * 1000)

    def execute(
        self,
        argv: tuple[str, ...],
        *,
        cwd: str = "",
        variables: dict[str, str] | None = None,
        writable: tuple[Path, ...] = (),
        cached: bool = False,
        sealed: bool = False,
        building: bool = False,
    ) -> CommandOutcome:
        """As `Room.execute`, within what is left of the time. `building` never writes into the tree."""
        limits = self._room.limits
        left = max(0.1, limits.seconds - (time.monotonic() - self._began))
        room = msgspec.structs.replace(
            self._room,
            limits=msgspec.structs.replace(limits, seconds=left),
            writable=self._room.writable and not building,
        )
        outcome = room.execute(
            argv,
            cwd=cwd,
            variables=variables,
            read_only=self._read_only,
            writable=writable,
            cached=cached,
            sealed=sealed,
        )
        if outcome.failure == "timeout":
            fact = f"the whole run of tests took longer than {limits.seconds:g} s"
            return msgspec.structs.replace(outcome, detail=fact)
        return outcome

    def failed(self, what: str, outcome: CommandOutcome, said: bytes | None = None) -> TestRun:
        """The run that ended before any test, because this step did not do what it had to."""
        words = outcome.stderr.excerpt if said is None else said
        fault = f"{what}: {ending(outcome)}" + (f": {first_words(words)}" if words.strip() else "")
        return TestRun(
            planned=(),
            states={},
            exit_code=outcome.exit_code,
            faults=(fault,),
            duration_ms=self.duration_ms,
            excerpt=words,
        )

    def not_begun(self, why: str) -> TestRun:
        """The run that could not begin."""
        return TestRun(planned=(), states={}, exit_code=None, faults=(why,), duration_ms=self.duration_ms)

    def joined(self, parts: list[Part], red: int) -> TestRun:
        """One run out of all parts; `red` is the exit code with which the runner says that a test failed."""
        states: dict[str, TestState] = {}
        faults: list[str] = []
        for part in parts:
            faults += [*part.faults, *(f"second outcome: {escape(id)}" for id in part.states if id in states)]
            states |= part.states
        codes = [part.exit_code for part in parts]
        ended = next((code for code in codes if code not in (0, red)), None)
        return TestRun(
            planned=tuple(id for part in parts for id in part.planned),
            states=states,
            exit_code=None if None in codes else ended if ended is not None else max([0, *(c or 0 for c in codes)]),
            faults=tuple(faults),
            duration_ms=self.duration_ms,
            excerpt=next((part.excerpt for part in parts if part.faults or part.exit_code), b""),
        )


def ending(outcome: CommandOutcome) -> str:
    """How a command ended, in words."""
    if outcome.failure is not None:
        return outcome.detail or outcome.failure
    return f"exit code {outcome.exit_code}"


def told(what: str, faults: Sequence[str], outcome: CommandOutcome) -> tuple[str, ...]:
    """Faults of a process that ran tests: what ended it first, what it wrote last."""
    found = [ending(outcome)] if outcome.failure is not None else []
    found += faults
    if found and (words := first_words(outcome.stderr.excerpt)):
        found.append(f"it wrote: {words}")
    return tuple(f"{what}: {fault}" for fault in found)


def first_words(said: bytes) -> str:
    """The first lines a program wrote that say something, on one line and no longer than a message should be."""
    lines = [line.strip() for line in said.decode("utf-8", "backslashreplace").splitlines()]
    telling = [line for line in lines if re.search(r"\w", line) and not line.startswith("# ")]
    text = escape("; ".join(telling[:3]))
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"
