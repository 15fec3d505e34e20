"""What a Go test binary writes: the list of its tests, and the lines that the framework marks with one byte."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from in_toto_done_receipt.observe.runners.judge import Event
from in_toto_done_receipt.observe.runners.model import TestState

PANIC: Final = 2
"""The exit code of a Go program that panics."""

_LONGEST: Final = 1_000  # characters of a line in the list that are looked at, from its end
_RUN: Final = re.compile(r"\x16=== RUN   ([^/\s]+)$")
_DONE: Final = re.compile(r"\x16--- (PASS|FAIL|SKIP): ([^/\s]+) \(")
_END: Final = re.compile(r"\x16(?:PASS|FAIL)$")
_NAME: Final = re.compile(r"(?:Test|Fuzz|Example)\w*$")
_STATES: Final[dict[str, TestState]] = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}


def planned(listing: bytes, started: Collection[str]) -> tuple[str, ...]:
    """The names that a binary lists, one a line. What TestMain writes first may have no end of line: then the name
    after it counts if such a test began.
    """
    names = []
    for line in listing.decode("utf-8", "replace").split("\n"):
        match = _NAME.search(line[-_LONGEST:])
        if match is not None and (match[0] == line or match[0] in started):
            names.append(match[0])
    return tuple(dict.fromkeys(names))


def read_events(output: bytes) -> Iterator[Event]:
    """What the framework's lines say; all others are the tests' own. A line may begin with what a test left open."""
    for line in output.decode("utf-8", "replace").split("\n"):
        if match := _RUN.search(line):
            yield "start", match[1]
        elif match := _DONE.search(line):
            yield _STATES[match[1]], match[2]
        elif _END.search(line):
            yield "end", ""


def until_panic(events: Sequence[Event], exit_code: int | None, waiting: Collection[str]) -> dict[str, TestState]:
    """What was reported before a panic in a test; nothing if that is not how it ended, or not all of what happened.

    `waiting` are the tests that were to run.
    """
    kinds = [kind for kind, _ in events]
    if exit_code != PANIC or "end" in kinds or "failed" not in kinds:
        return {}
    started = {name for kind, name in events if kind == "start"}
    done = [(name, kind) for kind, name in events if kind != "start"]
    states: dict[str, Any] = dict(done)
    if len(states) != len(done) or not states.keys() <= started or not started <= set(waiting):
        return {}
    return states
