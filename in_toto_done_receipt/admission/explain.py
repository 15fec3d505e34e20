"""Why a decision is what it is: what each rule says, and the facts it stands on, with their values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from in_toto_done_receipt.admission.catalogue import Catalogue
from in_toto_done_receipt.results.decision import Decision, Violation
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.value import Value

Kind = Literal["violation", "warning", "exception", "waiting", "satisfied", "unmet"]
Grounds = Mapping[str, Iterable[str]]

_MISSING: Final = object()


class Fact(Value, kw_only=True):
    """A place of the policy input and what stands there.

    `there` False: nothing does, or the document at hand does not have that part (`known` False).
    """

    pointer: str
    known: bool
    there: bool
    value: Any = None


class Entry(Value, kw_only=True):
    """One rule that spoke: why (`message`), what it asks in general, and what to do."""

    kind: Kind
    code: str
    term: str | None = None
    title: str = ""
    description: str = ""
    message: str = ""
    solution: str = ""
    facts: tuple[Fact, ...] = ()


def explain(
    decision: Decision, document: Mapping[str, Any], *, catalogue: Catalogue, grounds: Grounds
) -> tuple[Entry, ...]:
    """Every rule that spoke: violations, requirements that wait, exceptions, warnings, then what is satisfied.

    `document` is the policy input, or those members of it that are at hand. `grounds` maps what is satisfied to
    pointers. Does not check that the decision is of this document.
    """
    entries = [_said("violation", said, document, catalogue) for said in decision.violations]
    entries += _unmet(decision, catalogue)
    entries += _exceptions(decision, catalogue)
    entries += [_said("warning", said, document, catalogue) for said in decision.warnings]
    for code in decision.demanded:
        if code in decision.satisfied:
            facts = _facts(grounds.get(code, ()), document)
            entries.append(_entry("satisfied", code, catalogue, facts=facts))
    return tuple(entries)


def about(entries: Iterable[Entry], code: str) -> tuple[Entry, ...]:
    """The entries of this code, of this category, or of this code and term."""
    return tuple(
        entry for entry in entries if code in (entry.code, f"{entry.code}:{entry.term}", entry.code.partition(".")[0])
    )


def at(document: Any, pointer: str) -> Any:
    """What stands at a JSON pointer (RFC 6901). Raises LookupError when nothing does."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and name.isascii() and name.isdigit():
            document = document[int(name)]
        elif isinstance(document, dict):
            document = document[name]
        else:
            raise LookupError(pointer)
    return document


def _entry(kind: Kind, code: str, catalogue: Catalogue, **members: Any) -> Entry:
    rule = catalogue.rule(code)
    name, _, term = code.partition(":")
    members = {"term": term or None, **members}
    if rule is not None:
        members = {"title": rule.title, "description": rule.description, "solution": rule.solution, **members}
    return Entry(kind=kind, code=name, **members)


def _said(kind: Kind, said: Violation, document: Mapping[str, Any], catalogue: Catalogue) -> Entry:
    members: dict[str, Any] = {"message": said.message, "term": said.term, "facts": _facts(said.facts, document)}
    if said.solution:
        members["solution"] = said.solution
    return _entry(kind, said.code, catalogue, **members)


def _unmet(decision: Decision, catalogue: Catalogue) -> Iterator[Entry]:
    """What is demanded and not satisfied, and has no violation of its own: it waits for another rule, or is waived."""
    objected = {violation.code for violation in decision.violations}
    waiting = {waits.code: waits.on for waits in decision.waiting}
    waived = {one.code for one in decision.exceptions}
    for code in decision.demanded:
        name = code.partition(":")[0]
        if code in decision.satisfied or name in objected or name in waived:
            continue
        on = waiting.get(code)
        text = f"is judged when {', '.join(on)} is met" if on else "is not met, and no rule says why"
        yield _entry("waiting" if on else "unmet", code, catalogue, message=text)


def _exceptions(decision: Decision, catalogue: Catalogue) -> Iterator[Entry]:
    for one in decision.exceptions:
        tree = to_tree(one)
        text = f"waived until {one.expires} by {one.approver}: {one.reason}"
        yield _entry("exception", one.code, catalogue, term=tree.get("term"), message=text, solution="")


def _facts(pointers: Iterable[str], document: Mapping[str, Any]) -> tuple[Fact, ...]:
    return tuple(_fact(pointer, document) for pointer in pointers)


def _fact(pointer: str, document: Mapping[str, Any]) -> Fact:
    known = pointer == "" or pointer.split("/")[1] in document
    try:
        value = at(dict(document), pointer)
    except LookupError:
        return Fact(pointer=pointer, known=known, there=False)
    return Fact(pointer=pointer, known=known, there=True, value=value)
