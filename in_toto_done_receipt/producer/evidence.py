"""Evidence as the producer sees it: what was asked for, and what looking gave.

Commands and tests run once, first, in place (`commands`, `test_runs`). Everything else is looked at by functions that
can be called twice; `build` compares the two looks. An item that cannot be looked at is `{"error": line}` and not ok,
never left out.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from in_toto_done_receipt.errors import ConfigurationError, MalformedInput, ObservationError, UsageError, WorkMoved
from in_toto_done_receipt.observe import look
from in_toto_done_receipt.observe.workspace import Workspace
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.wire.digests import digests_match
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import check_path
from in_toto_done_receipt.wire.record import Record, convert, unknown_members
from in_toto_done_receipt.wire.value import Value

Subjects = Mapping[str, Mapping[str, str]]

MAX_LINE_CHARS: Final = 4096  # predicate type `line`
MAX_OF_ONE_CLAIM: Final = 20
JUNIT: Final = "{junit}"
RUN_KINDS: Final = ("command", "tests")  # what runs, and is not looked at

# Which observed types an expectation accepts; a link or a device fits none.
FITTING_TYPES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "file": frozenset({"file"}),
        "directory": frozenset({"directory"}),
        "present": frozenset({"file", "directory"}),
        "absent": frozenset({"absent"}),
    }
)


class Wanted(Value, kw_only=True):
    """One evidence item to collect: the predicate's members without `ok` and `observed`."""

    claim: str
    kind: str
    members: Mapping[str, Any]

    @property
    def argv(self) -> tuple[str, ...]:
        """The command of an item of kind `command` or `tests`."""
        return tuple(self.members["argv"])


class Seen(NamedTuple):
    """What looking gave, in the form the predicate writes."""

    observed: dict[str, Any]
    ok: bool


def demand_collectable(wanted: Sequence[Wanted], claims: Sequence[str]) -> None:
    """Raises before anything runs.

    UsageError for an unknown claim, a member that is missing, unknown or wrong, or too many items; ConfigurationError
    for a kind that this version cannot collect.
    """
    for item in wanted:
        if item.claim not in claims:
            raise UsageError(
                f"evidence ({item.kind}) for claim {item.claim}, and there is no such claim",
                hint=f"say what it shows: --claim '{item.claim}=TEXT'",
            )
        _demand_members(item)
    _demand_count(len(wanted), LIMITS["evidence"].default, "evidence items, a receipt")
    commands = {(item.kind, item.argv) for item in wanted if item.kind in RUN_KINDS}
    _demand_count(len(commands), LIMITS["commands"].default, "different commands, a receipt")
    for claim, count in Counter(item.claim for item in wanted).items():
        _demand_count(count, MAX_OF_ONE_CLAIM, f"evidence items of claim {claim}, a claim")


def look_at(item: Wanted, workspace: Workspace, subjects: Subjects) -> Seen:
    """One look at one item of a kind that does not run.

    What cannot be looked at is an error in the item, not an exception; what moved under our eyes is WorkMoved.
    """
    try:
        if item.kind == "output":
            return _output(item.members, subjects)
        return _LOOKS[item.kind](workspace, item.members)
    except ObservationError as error:
        if error.kind == "changed":
            raise WorkMoved(error.message, hint="stop whatever writes to the root, then build again") from error
        return failed(error.message)


def failed(message: str) -> Seen:
    """The form of an item that could not be looked at."""
    return Seen({"error": escape(message)[:MAX_LINE_CHARS] or "unknown"}, ok=False)


def evidence_tree(item: Wanted, seen: Seen) -> dict[str, Any]:
    """The item as the predicate writes it."""
    return {"kind": item.kind, **item.members, "observed": seen.observed, "ok": seen.ok}


def _path(workspace: Workspace, members: Mapping[str, Any]) -> Seen:
    found = look.path_type(workspace, members["path"])
    return Seen({"type": found}, found in FITTING_TYPES[members["expect"]])


def _file(workspace: Workspace, members: Mapping[str, Any]) -> Seen:
    facts = look.hash_file(workspace, members["path"])
    sha256 = facts.digests["sha256"]
    return Seen({"sha256": sha256, "bytes": facts.bytes}, members.get("expectedSha256", sha256) == sha256)


def _text(workspace: Workspace, members: Mapping[str, Any]) -> Seen:
    facts = look.find_text(workspace, members["path"], members["literal"])
    return Seen({"matched": facts.matched, "bytes": facts.bytes}, facts.matched)


def _output(members: Mapping[str, Any], subjects: Subjects) -> Seen:
    artifact = members["artifact"]
    matched = digests_match(artifact["digest"], subjects.get(artifact["name"], {}))
    return Seen({"matched": matched}, matched)


_LOOKS: Final[Mapping[str, Callable[[Workspace, Mapping[str, Any]], Seen]]] = MappingProxyType(
    {"path": _path, "file": _file, "text": _text}
)
_ITEMS: Final[Mapping[str, type[Record]]] = MappingProxyType(
    {
        "path": model.PathItem,
        "file": model.FileItem,
        "text": model.TextItem,
        "command": model.CommandItem,
        "tests": model.TestsItem,
        "output": model.OutputItem,
    }
)


def _demand_count(value: int, allowed: int, what: str) -> None:
    if value > allowed:
        raise UsageError(f"{value} {what} has at most {allowed}")


def _demand_members(item: Wanted) -> None:
    place = f"evidence ({item.kind}) of claim {item.claim}"
    kind = _ITEMS.get(item.kind)
    if kind is None:
        raise ConfigurationError(f"{place}: nothing here can collect this kind", hint=f"known: {', '.join(_ITEMS)}")
    tree = {**item.members, "ok": True}
    unknown = [*unknown_members(tree, kind), *(f"/{name}" for name in ("ok", "observed") if name in item.members)]
    if unknown:
        raise UsageError(f"{place}: {unknown[0].lstrip('/')} is no member that can be given")
    try:
        convert(tree, kind, what=place)
    except MalformedInput as error:
        raise UsageError(error.message, hint=error.hint) from None
    if item.kind == "tests":
        _demand_report(item, place)
    path = item.members.get("path")
    if path is not None and (fault := check_path(path)):
        raise UsageError(f"{place}: path {path!a}: {fault}")


def _demand_report(item: Wanted, place: str) -> None:
    count = sum(JUNIT in word for word in item.argv)
    if count != 1:
        raise UsageError(
            f"{place}: {JUNIT} stands in {count} arguments, expected one",
            hint=f"say where the command writes its report, as in --junitxml={JUNIT}",
        )
    cited = item.members.get("cited") or ()
    if len(set(cited)) != len(cited):
        raise UsageError(f"{place}: a test is cited twice")
