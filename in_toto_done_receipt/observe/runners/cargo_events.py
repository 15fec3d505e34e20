"""What a Rust test binary writes: the list of its tests, and its events as JSON, one a line."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from in_toto_done_receipt.observe.runners.judge import Event
from in_toto_done_receipt.observe.runners.model import TestState

# The harness writes one object a line, with blanks inside of it. What a test left open stands before it.
_EVENT: Final = re.compile(r'\{ "type": "(?:test|suite)", ')
_LISTED: Final = re.compile(r"(.+): (?:test|benchmark)")
_STATES: Final[Mapping[str, TestState]] = {"ok": "passed", "failed": "failed", "ignored": "skipped"}


def planned(listing: bytes) -> tuple[str, ...]:
    """The names that a binary lists, one a line; a benchmark is run once, as a test."""
    lines = listing.decode("utf-8", "replace").split("\n")
    return tuple(match[1] for line in lines if (match := _LISTED.fullmatch(line)))


def read_events(output: bytes) -> Iterator[Event]:
    """What the harness says; all other lines are the tests' own."""
    decoder = json.JSONDecoder()
    counted = dict.fromkeys(_STATES, 0)
    for line in output.decode("utf-8", "replace").split("\n"):
        match = _EVENT.search(line)
        if match is None:
            continue
        try:
            event, _ = decoder.raw_decode(line, match.start())
            kind, what = str(event["event"]), event.get("name")
        except (ValueError, KeyError, RecursionError):
            yield "bad", line
            continue
        if event["type"] == "test" and kind in _STATES:
            counted[kind] += 1
            yield _STATES[kind], what
        elif event["type"] == "test" and kind == "started":
            yield "start", what
        elif event["type"] == "suite" and kind in ("ok", "failed"):
            yield from _disagreement(event, counted)
            yield "end", kind


def _disagreement(suite: dict[str, Any], counted: Mapping[str, int]) -> Iterator[Event]:
    """What the harness counts at its end, if that is not what it reported."""
    said = {"ok": suite.get("passed"), "failed": suite.get("failed"), "ignored": suite.get("ignored")}
    if said != counted:
        yield "bad", f"the harness counts {said} and reported {dict(counted)}"
