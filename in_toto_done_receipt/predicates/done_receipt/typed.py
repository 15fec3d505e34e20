"""From the tree of a predicate to the typed model: types, patterns, limits, requiredness, closedness, no null.

What msgspec cannot say about one item at a time (two forms of `observed`, kinds by name, absent or null) is done by
hand. Every refusal is a `FaultFound`; the messages of msgspec are put into our words and our reasons.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.faults import Fault, fault, shown
from in_toto_done_receipt.predicates.done_receipt.types import PATTERN_WORDS, PATTERNS, Line, Text
from in_toto_done_receipt.wire.pointer import join, kind_of, quote
from in_toto_done_receipt.wire.record import Record

T = TypeVar("T")


class FaultFound(Exception):
    """Inside this folder only: the tree is not a done receipt. `v0_1` makes a MalformedStatement of it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _EvidenceHead(Record):
    kind: Line
    ok: bool
    observed: dict[str, Any]


class _ClaimHead(Record):
    id: Line
    statement: Text
    evidence: tuple[_EvidenceHead, ...]


class _Head(Record, kw_only=True):
    task: model.Task
    agent: model.Agent
    run: model.Run
    source: model.Source | None = None
    context: model.Context | None = None
    manifest: model.File | None = None
    contract: model.Contract
    verdict: model.Verdict
    claims: tuple[_ClaimHead, ...]


class _Kind(NamedTuple):
    item: type[Record]
    observed: type[Record]
    evidence: Any


_KINDS: Final[dict[str, _Kind]] = {
    "path": _Kind(model.PathItem, model.PathObserved, model.PathEvidence),
    "file": _Kind(model.FileItem, model.FileObserved, model.FileEvidence),
    "text": _Kind(model.TextItem, model.TextObserved, model.TextEvidence),
    "command": _Kind(model.CommandItem, model.CommandObserved, model.CommandEvidence),
    "tests": _Kind(model.TestsItem, model.TestsObserved, model.TestsEvidence),
    "output": _Kind(model.OutputItem, model.OutputObserved, model.OutputEvidence),
}


def read_tree(tree: dict[str, Any]) -> model.DoneReceipt:
    """The typed receipt of a predicate's tree.

    Raises FaultFound at the first fault. Does not check what `extra_rules` lists, nor coherence.
    """
    head = _convert(tree, _Head, "/predicate")
    claims = tuple(
        _claim(item, shape, index) for index, (item, shape) in enumerate(zip(tree["claims"], head.claims, strict=True))
    )
    members = {name: getattr(head, name) for name in head.__struct_fields__}
    receipt = model.DoneReceipt(**{**members, "claims": claims})
    for what, pointer in walk(receipt, tree, "/predicate"):
        if what == "null":
            raise FaultFound(fault("statement.null", pointer, "no member but contract.breach may be null"))
    return receipt


def walk(record: Record, tree: dict[str, Any], pointer: str) -> Iterator[tuple[str, str]]:
    """(`null` or `unknown`, JSON pointer) for each member of the tree that is null, or that the record does not know.

    Follows records and tuples of them; free-form objects and evidence of unknown kinds are not looked into.
    """
    names = dict(zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True))
    tag = record.__struct_config__.tag_field
    for member, value in tree.items():
        if member not in names:
            if member != tag:
                yield "unknown", join(pointer, member)
            continue
        held = getattr(record, names[member])
        if value is None and not isinstance(record, model.Contract):
            yield "null", join(pointer, member)
        elif isinstance(held, Record):
            yield from walk(held, value, join(pointer, member))
        elif isinstance(held, tuple):
            for index, part in enumerate(held):
                if isinstance(part, Record) and not isinstance(part, model.OtherEvidence):
                    yield from walk(part, value[index], join(pointer, member, index))


def _claim(tree: dict[str, Any], head: _ClaimHead, index: int) -> model.Claim:
    place = join("/predicate/claims", index, "evidence")
    evidence = tuple(
        _evidence(item, shape, join(place, number))
        for number, (item, shape) in enumerate(zip(tree["evidence"], head.evidence, strict=True))
    )
    return model.Claim(id=head.id, statement=head.statement, evidence=evidence)


def _evidence(tree: dict[str, Any], head: _EvidenceHead, place: str) -> model.Evidence:
    observed: Record | None = _error_form(head, place) if "error" in head.observed else None
    kind = _KINDS.get(head.kind)
    if kind is None:
        return model.OtherEvidence(kind=head.kind, ok=head.ok, observed=head.observed, tree=tree)
    item = _convert(tree, kind.item, place)
    if observed is None:
        observed = _convert(head.observed, kind.observed, join(place, "observed"))
    members = {name: getattr(item, name) for name in item.__struct_fields__}
    evidence: model.Evidence = kind.evidence(**members, observed=observed)
    return evidence


def _error_form(head: _EvidenceHead, place: str) -> model.ErrorForm:
    more = sorted(head.observed.keys() - {"error"})
    if more:
        fact = f"expected error to stand alone, got {quote(more[0])} beside it"
        raise FaultFound(fault("statement.error_form", join(place, "observed"), fact))
    if head.ok:
        raise FaultFound(fault("statement.error_form", join(place, "ok"), "expected false beside an error, got true"))
    return _convert(head.observed, model.ErrorForm, join(place, "observed"))


def _convert(tree: Any, type_: type[T], place: str) -> T:
    try:
        return msgspec.convert(tree, type_, strict=True)
    except msgspec.ValidationError as error:
        raise FaultFound(_fault(str(error), tree, place)) from None


# How msgspec words a refusal, and what it is to us: the first that matches counts. The group is a name, type or bound.
_WORDINGS: Final[tuple[tuple[str, str, str], ...]] = (
    (r"Object missing required field `(.*)`", "statement.required", "required member is missing"),
    (
        r"Object contains unknown field `(.*)`",
        "statement.closed",
        "not a known member, and nothing else may stand here",
    ),
    (r"Expected `(.*)`, got `(?:null|NoneType)`", "statement.null", "expected {group}, got null"),
    (r"Expected `(\w+).*`, got `.*`", "statement.type", "expected {group}, got {kind}"),
    (r"Expected `.*` matching regex ", "statement.format", "expected {pattern}, got {value}"),
    (r"Invalid enum value", "statement.format", "expected one of the words that the specification lists, got {value}"),
    (r"Expected `\w+` (?:of )?((?:length )?[<>]= .*)", "statement.range", "expected {group}, got {value}"),
)
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")
_JSON_TYPES: Final = {"str": "string", "int": "integer", "bool": "boolean"}


def _fault(text: str, tree: Any, place: str) -> Fault:
    """msgspec's message about a tree, in our words and with our reason."""
    wording, _, path = text.rpartition(" - at `") if " - at `" in text else (text, "", "")
    value, pointer = tree, place
    for name, index in _STEP.findall(path.partition("[...]")[0]):  # msgspec does not say which value of a free map
        key = name or int(index)
        value, pointer = value[key], join(pointer, key)
    reason, words, group = _wording(wording)
    if reason in ("statement.required", "statement.closed"):
        pointer = join(pointer, group)
    pattern = next((PATTERN_WORDS[name] for name, source in PATTERNS.items() if repr(source) in wording), "")
    group = _JSON_TYPES.get(group, group)
    return fault(reason, pointer, words.format(group=group, pattern=pattern, kind=kind_of(value), value=shown(value)))


def _wording(text: str) -> tuple[str, str, str]:
    """Reason, our words, and the name, type or bound in msgspec's."""
    for expression, reason, words in _WORDINGS:
        match = re.match(expression, text, re.DOTALL)
        if match:
            return reason, words, match[1] if match.groups() else ""
    return "statement.type", "expected what the specification says, got {kind}", ""
