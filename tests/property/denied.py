"""Denied receipts of testdata, read as the command line reads them, and changes to a document's members."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from in_toto_done_receipt.cli.settings import settings_of
from in_toto_done_receipt.cli.verify import command
from in_toto_done_receipt.cli.verify_setup import context_of, trust_of
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.trust.model import TrustPolicy

CASES = Path(__file__).parents[2] / "testdata" / "receipts"
DELETED = object()
OTHER_TYPES: tuple[Any, ...] = (None, True, 0, 1.5, "", "x", [], {}, [None], {"": 0})
Place = tuple[str | int, ...]

# Without this one member what is left is an honest receipt, which anybody could have written.
HEALED_BY_LEAVING_OUT = {"expectation_ignored_fail"}


def denied_names() -> list[str]:
    """Cases that are denied for what the signed statement says of this workspace: one envelope, no command run."""
    found = []
    for path in sorted(CASES.glob("*_fail/expected.json")):
        expected = json.loads(path.read_bytes())
        signed = "payload" in _tree(path.parent)
        if expected["exitCode"] in (11, 12) and signed and "needs" not in expected:
            found.append(path.parent.name)
    return [name for name in found if name not in HEALED_BY_LEAVING_OUT]


def _tree(case: Path) -> Any:
    try:
        return json.loads((case / "receipt.json").read_bytes())
    except ValueError:
        return {}


@contextlib.contextmanager
def verifier(name: str) -> Iterator[tuple[TrustPolicy, RecomputeContext]]:
    """What the case's own flags make: trust and context, with the workspace open."""
    before = Path.cwd()
    os.chdir(CASES / name)
    try:
        arguments = json.loads(Path("expected.json").read_bytes())["arguments"]
        flags = command.make_context("verify", list(arguments)).params
        settings = settings_of(flags)
        with context_of(flags, settings) as context:
            yield trust_of(flags), context
    finally:
        os.chdir(before)


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Every member of an object, wherever it is; elements of lists are no members, what is in them is."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*at, name)
            yield from places(inner, (*at, name))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from places(inner, (*at, position))


def changed(document: Any, place: Place, value: Any) -> Any:
    """A copy with one member replaced or deleted; a place that an earlier change took away stays away."""
    step, rest = place[0], place[1:]
    if isinstance(document, dict) and step in document:
        made: Any = dict(document)
    elif isinstance(document, list) and isinstance(step, int) and step < len(document):
        made = list(document)
    else:
        return document
    if rest:
        made[step] = changed(made[step], rest, value)
    elif value is DELETED:
        del made[step]
    else:
        made[step] = value
    return made


def at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document


def other_types(value: Any) -> list[Any]:
    """Values of every other type of JSON; there is one type of numbers."""
    return [other for other in OTHER_TYPES if _kind(other) is not _kind(value)]


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)


def doubled(document: Any, place: Place, other: Any, at_end: bool) -> bytes:
    """The document as JSON in which this member stands twice, the second time with another value."""
    text = json.dumps(document, separators=(",", ":"))
    name = json.dumps(place[-1])
    inner = json.dumps(at(document, place[:-1]), separators=(",", ":"))
    again = f"{name}:{json.dumps(other)}"
    twice = f"{inner[:-1]},{again}}}" if at_end else f"{{{again},{inner[1:]}"
    return text.replace(inner, twice, 1).encode()
