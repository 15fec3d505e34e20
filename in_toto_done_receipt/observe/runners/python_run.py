"""One run of Python tests in a room: the launcher, its channel, and what comes of it."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.judge import Event, judge
from in_toto_done_receipt.observe.runners.model import TestRun
from in_toto_done_receipt.observe.runners.python_command import REFUSED_VARIABLES, python_home
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.runners.steps import ending, first_words
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome

_UNUSABLE: Final = 70  # EXIT_UNUSABLE of the launcher


def launched(room: Room, python: str, kind: str, words: tuple[str, ...], exits: dict[int, str]) -> TestRun:
    """What the launcher says of the tests. `exits` are words for exit codes other than 0 and 1.

    Raises ConfigurationError for a Python that cannot be used and for variables that cannot be set.
    """
    for name in REFUSED_VARIABLES:
        if name in room.variables:
            raise ConfigurationError(f"variable {name} cannot be set for the runner {kind}")
    home = python_home(python)
    root = str(room.tree.resolve())
    outcome = room.execute(
        (python, "-I", "-B", "-c", _launcher(), kind, root, *words),
        read_only=tuple(
            folder for folder in dict.fromkeys((home.prefix, home.base)) if not folder.is_relative_to("/usr")
        ),
    )
    planned, states, faults = judge(read_events(outcome.stdout_data), outcome.exit_code)
    code = outcome.exit_code
    own = [fault for fault in faults if code in (0, 1, None) or not fault.startswith(f"exit code {code},")]
    if outcome.failure is not None:
        own.insert(0, _stopped(outcome, room))
    elif code not in (0, 1) and code != _UNUSABLE:
        own.insert(0, f"exit code {code}: {exits.get(code or 0, 'the process of the tests was ended')}")
    explained = any("cannot be collected" in fault for fault in own)
    if own and code not in (0, 1) and not explained and (said := first_words(outcome.stderr.excerpt)):
        own.append(f"it wrote: {said}")
    return TestRun(
        planned=planned,
        states=states,
        exit_code=code,
        faults=tuple(own),
        duration_ms=outcome.duration_ms,
        excerpt=outcome.stderr.excerpt,
    )


def _stopped(outcome: CommandOutcome, room: Room) -> str:
    """Why it was ended, by the names that a profile has for the limits."""
    if outcome.failure == "timeout":
        return f"the run of tests took longer than {room.limits.seconds:g} s"
    return ending(outcome).replace("limit command-", "limit test-")


def read_events(data: bytes) -> Iterator[Event]:
    """One event a line, in the order in which they were written; what is none is a `bad` one."""
    if not data:
        return
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for line in lines:
        yield _event(line)


def _event(line: bytes) -> Event:
    try:
        match json.loads(line):
            case [str(kind), what]:
                return kind, _readable(what)
    except (ValueError, RecursionError):
        pass
    return "bad", line[:200].decode("utf-8", "backslashreplace")


def _readable(what: object) -> object:
    """An id may hold half of a surrogate pair, which nobody can write down again."""
    if isinstance(what, str):
        return what.encode("utf-8", "backslashreplace").decode()
    return [_readable(each) for each in what] if isinstance(what, list) else what


def _launcher() -> str:
    spec = importlib.util.find_spec(f"{__package__}.python_launch")
    if spec is None or spec.origin is None:
        raise ConfigurationError("the module python_launch of the runners is missing")
    return Path(spec.origin).read_text(encoding="utf-8")
