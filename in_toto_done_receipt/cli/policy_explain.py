"""`policy explain`: which facts made which rule say what."""

import json
import textwrap
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
from msgspec.structs import replace

from in_toto_done_receipt.admission.catalogue import Catalogue, load_catalogue
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.explain import Entry, Fact, about, explain
from in_toto_done_receipt.cli.engine_setup import engine_of
from in_toto_done_receipt.cli.options import FILE, TEXT, format_option
from in_toto_done_receipt.cli.replay import Asked, asked, read_pasts
from in_toto_done_receipt.cli.settings import VERIFY_ALONE, settings_of
from in_toto_done_receipt.cli.verify_options import admission_options, engine_options
from in_toto_done_receipt.cli.verify_setup import Flags, time_of
from in_toto_done_receipt.errors import EngineError, UsageError
from in_toto_done_receipt.pipeline import DECISION_SECONDS
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.report.json import dump
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.past import Past
from in_toto_done_receipt.wire.config import nearest
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.pointer import join
from in_toto_done_receipt.wire.rfc3339 import format_time
from in_toto_done_receipt.wire.value import Value

WIDTH: Final = 80
_SHOWN: Final = 300  # characters of one value; JSON has all of it
_LEAVES: Final = 12  # of one fact


class Explained(Value, kw_only=True):
    """One decision, what spoke in it, and what stands in the way of explaining all of it."""

    name: str
    decision: Decision
    exact: bool
    entries: tuple[Entry, ...]
    notes: tuple[str, ...]


@click.command("explain")
@click.argument("result", type=FILE)
@click.argument("code", type=TEXT, required=False)
@admission_options
@click.option("--unsigned", is_flag=True, help="Accept a result for which no signature was asked.")
@engine_options
@format_option
def command(result: Path, code: str | None, output_format: str, as_json: bool, **flags: Any) -> None:
    """Say which rule decided what, and the facts it stands on, with their values.

    RESULT is what `verify --format json` or `admit --format json` printed, what recompute wrote, or a policy input. A
    recorded decision is explained as it was made: give the profiles and flags of then. CODE is a rule, a rule and its
    term (`code:term`), or a category.

    \b
    Example:
      done-receipt policy explain out.json --profile acceptance.toml
      done-receipt policy explain out.json contract.held --profile acceptance.toml
    """
    catalogue = load_catalogue()
    settings = settings_of(VERIFY_ALONE | flags)
    explained = [_explained(past, settings, catalogue, flags) for past in read_pasts(result)]
    if code is not None:
        explained = [replace(one, entries=about(one.entries, code)) for one in explained]
        if not any(one.entries for one in explained):
            _check_code(code, catalogue)
    if as_json or output_format == "json":
        trees = [_tree(one) for one in explained]
        for tree in trees:
            click.echo(dump(tree, indent=2 if len(trees) == 1 else None))
        return
    for one in explained:
        for line in _lines(one, code, several=len(explained) > 1):
            click.echo(line)


def _check_code(code: str, catalogue: Catalogue) -> None:
    """Raise UsageError for what is no rule's code or category; the verifier's own are known when they speak."""
    codes = [rule.code for rule in catalogue.rules]
    known = sorted({*codes, *(rule.partition(".")[0] for rule in codes)})
    if code.partition(":")[0] not in known:
        raise UsageError(f"{escape(code)}: is no rule and no category", hint=nearest(code, known))


def _explained(past: Past, settings: Settings, catalogue: Catalogue, flags: Flags) -> Explained:
    notes: list[str] = []
    if past.decision is None:
        when = format_time(time_of(flags["at"])) if past.settings is None else past.evaluated_at
        found = asked(past, settings, catalogue, at=when)
        with engine_of(VERIFY_ALONE | flags) as engine:
            decision = decide(
                past.result,
                found.document,
                engine=engine,
                evaluated_at=when,
                seconds=DECISION_SECONDS,
                catalogue=catalogue,
            )
    else:
        found, decision = asked(past, settings, catalogue), past.decision
        if not found.exact:
            notes.append(
                "the profiles and flags given are not those of this decision: what the profile said is not shown"
            )
    if decision.digests.policy != (digest := _policy_digest(flags, catalogue)):
        notes.append(f"decided by policy {decision.digests.policy}, this one is {digest}")
    grounds, fault = _grounds(found)
    notes += [fault] if fault else []
    entries = explain(decision, _document(found, decision), catalogue=catalogue, grounds=grounds)
    return Explained(name=past.name, decision=decision, exact=found.exact, entries=entries, notes=tuple(notes))


def _policy_digest(flags: Flags, catalogue: Catalogue) -> str:
    """Of the installed policy, with the rules of the verifier's own that the flags name."""
    if not flags["policies"]:
        return catalogue.policy_digest
    with engine_of(VERIFY_ALONE | flags) as engine:
        return engine.policy_digest


def _grounds(found: Asked) -> tuple[dict[str, list[str]], str | None]:
    """What satisfied requirements stand on, by the installed policy; nothing decides by it."""
    if not found.exact:
        return {}, None
    from in_toto_done_receipt.admission.embedded import EmbeddedEngine

    engine = EmbeddedEngine()
    try:
        return engine.grounds(found.raw, DECISION_SECONDS), None
    except EngineError as error:
        return {}, f"what is satisfied stands on is not known: {error.message}"
    finally:
        engine.close()


def _document(found: Asked, decision: Decision) -> dict[str, Any]:
    """The policy input; without its profile when that is another one than the decision's."""
    tree: dict[str, Any] = json.loads(found.raw)
    if not found.exact:
        del tree["profile"]
        tree |= {"demanded": list(decision.demanded), "evaluatedAt": decision.evaluated_at}
    return tree


def _tree(one: Explained) -> dict[str, Any]:
    decision = one.decision
    return {
        "result": one.name,
        "allow": decision.allow,
        "collection": decision.collection,
        "evaluatedAt": decision.evaluated_at,
        "engine": {"name": decision.engine.name, "version": decision.engine.version},
        "policy": decision.digests.policy,
        "exact": one.exact,
        "notes": list(one.notes),
        "entries": [_entry_tree(entry) for entry in one.entries],
    }


def _entry_tree(entry: Entry) -> dict[str, Any]:
    texts = ("kind", "code", "term", "title", "description", "message", "solution")
    tree = {name: value for name in texts if (value := getattr(entry, name))}
    return tree | {"facts": [_fact_tree(fact) for fact in entry.facts]}


def _fact_tree(fact: Fact) -> dict[str, Any]:
    if not fact.known:
        return {"pointer": fact.pointer, "known": False}
    return {"pointer": fact.pointer, "value": fact.value} if fact.there else {"pointer": fact.pointer, "absent": True}


def _lines(one: Explained, code: str | None, *, several: bool) -> Iterator[str]:
    decision = one.decision
    if several:
        yield f"{escape(one.name)}:"
    word = "ADMITTED" if decision.allow else "DENIED"
    yield f"{word} by {decision.engine.name}, collection {decision.collection}, as of {decision.evaluated_at}"
    for note in one.notes:
        yield from _wrapped("  note: ", note)
    shown = [entry for entry in one.entries if decision.allow or code is not None or entry.kind != "satisfied"]
    told: set[str] = set()
    for entry in shown:
        yield from _entry_lines(entry, again=entry.code in told)
        told.add(entry.code)
    if hidden := len(one.entries) - len(shown):
        yield f"{hidden} requirement(s) are satisfied; name a code to see one, or take --format json"
    if code is not None and not one.entries:
        demanded = "demanded" if code in decision.demanded else "not demanded"
        yield f"{escape(code)}: said nothing in this decision, and is {demanded}"


def _entry_lines(entry: Entry, *, again: bool) -> Iterator[str]:
    """What is the same for every violation of a rule is said once."""
    term = f":{entry.term}" if entry.term else ""
    title = f": {entry.title}" if entry.title else ""
    yield from _wrapped("", f"{entry.kind} {entry.code}{term}{title}")
    if entry.message:
        yield from _wrapped("  says      ", entry.message)
    if entry.description and not again:
        yield from _wrapped("  rule      ", entry.description)
    for fact in entry.facts:
        yield from _fact_lines(fact)
    if entry.solution and not again and entry.kind in ("violation", "warning", "unmet"):
        yield from _wrapped("  solution  ", entry.solution)


def _fact_lines(fact: Fact) -> Iterator[str]:
    """The place and what stands there; of an object or a list, its leaves."""
    if not fact.known or not fact.there:
        yield from _wrapped("  fact      ", f"{fact.pointer} {'is absent' if fact.known else 'is not at hand'}")
        return
    leaves = list(islice(_leaves(fact.value, ""), _LEAVES + 1))
    if leaves and leaves[0][0] == "":
        yield from _wrapped("  fact      ", f"{fact.pointer} = {_shown(fact.value)}")
        return
    yield from _wrapped("  fact      ", fact.pointer)
    for place, value in leaves[:_LEAVES]:
        yield from _wrapped("              ", f"{place} = {_shown(value)}")
    if len(leaves) > _LEAVES:
        yield "              and more; --format json has all"


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Scalars, empty objects and empty lists, each with its place; lazily, for a fact may be the whole result."""
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not pairs or not value:
        yield place, value
        return
    for step, inner in pairs:
        yield from _leaves(inner, join(place, step))


def _shown(value: Any) -> str:
    text = dump(value, indent=None)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _wrapped(head: str, text: str) -> Iterator[str]:
    """Whole words: a digest that is cut in two cannot be looked for."""
    width = WIDTH - len(head)
    parts = textwrap.wrap(escape(text), width, break_on_hyphens=False, break_long_words=False) or [""]
    yield head + parts[0]
    yield from (f"{'| ':>{max(len(head), 4)}}{part}" for part in parts[1:])
