"""What must be positively satisfied: the collection's rules, refined by the profile, and what it asks for beside them.

A selector is a rule's code, a category, `@collection`, or one term of a rule as `code:term`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from in_toto_done_receipt.admission.catalogue import PROTECTED, Catalogue
from in_toto_done_receipt.errors import ConfigurationError, ProfileError
from in_toto_done_receipt.wire.config import nearest
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.rfc3339 import parse_time

# Section of the profile -> the rules that it demands: naming what is wanted makes it required.
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("agent.model",),
    "usage": ("usage.limits",),
    "contract": ("contract.coverage",),
    "tests": ("tests.inventory", "tests.canary"),
    "change": ("change.scope",),
    "source": ("freshness.repository",),
}
BY_TERM: Final = "profile.evidence"  # the one rule that is met term by term: CLAIM/KIND of each [[evidence]]


def demanded(catalogue: Catalogue, settings: Mapping[str, Any], *, evaluated_at: str | None = None) -> tuple[str, ...]:
    """The demanded codes in pipeline order, `profile.evidence:<claim>/<kind>` for each [[evidence]] last.

    `settings` is the `profile` member of the policy input: what its collection demands and it includes, less what it
    excludes. Never less who signed and what was signed, but for the signer where it asks for no signature. With
    `evaluated_at`, less the rules that come into force later. Empty when nothing is left that judges the work: then
    everything is denied. Raises ConfigurationError for a collection, ProfileError for a selector that there is not.
    """
    name = settings["collection"]
    if name not in catalogue.collections:
        raise ConfigurationError(
            f"collection {name} is not available in this version",
            hint=f"available: {', '.join(sorted(catalogue.collections))}",
        )
    wanted = set(catalogue.collections[name])
    wanted |= {code for section, codes in SECTIONS.items() if settings.get(section) is not None for code in codes}
    terms = [f"{BY_TERM}:{item['claim']}/{item['kind']}" for item in settings["evidence"]]
    wanted |= {*terms, *_selected(catalogue, settings.get("include", ()), terms, where="include")}
    wanted -= {
        code for code in _selected(catalogue, settings.get("exclude", ()), terms, where="exclude") if not _kept(code)
    }
    if settings["unsigned"] is True:
        wanted.discard("signature.trusted")
    codes = tuple(dict.fromkeys(_in_order(catalogue, wanted - _later(catalogue, evaluated_at), terms)))
    return codes if any(not _kept(code) for code in codes) else ()


def _kept(code: str) -> bool:
    """Whether nobody can leave it out."""
    return code.partition(".")[0] in PROTECTED


def _later(catalogue: Catalogue, evaluated_at: str | None) -> set[str]:
    """Rules that come into force after this time."""
    if evaluated_at is None:
        return set()
    now = parse_time(evaluated_at)
    return {rule.code for rule in catalogue.rules if rule.effective_on and parse_time(rule.effective_on) > now}


def _in_order(catalogue: Catalogue, wanted: Collection[str], terms: Iterable[str]) -> Iterator[str]:
    """One term of a rule beside the whole rule is no demand of its own."""
    for rule in catalogue.rules:
        if rule.code in wanted:
            yield rule.code
        elif rule.code != BY_TERM:
            yield from sorted(code for code in wanted if code.startswith(f"{rule.code}:"))
    yield from (term for term in terms if term in wanted)


def _selected(catalogue: Catalogue, selectors: Iterable[str], terms: Collection[str], *, where: str) -> set[str]:
    """The codes, and the codes with a term, that these selectors mean."""
    found: set[str] = set()
    for position, selector in enumerate(selectors):
        place = f"{where}[{position}]"
        if where == "exclude" and _kept(selector.partition(":")[0]):
            raise ProfileError(
                f"{place}: {escape(selector)} cannot be left out",
                hint="who signed and what was signed is always demanded; --unsigned asks for no signature",
            )
        found |= _meant(catalogue, selector, terms, place)
    if BY_TERM in found:
        found = (found | set(terms)) - {BY_TERM}
    return found


def _meant(catalogue: Catalogue, selector: str, terms: Collection[str], place: str) -> set[str]:
    codes = {rule.code for rule in catalogue.rules}
    name, colon, term = selector.partition(":")
    if selector.startswith("@") and selector[1:] in catalogue.collections:
        return set(catalogue.collections[selector[1:]])
    if colon and name == BY_TERM and selector not in terms:
        raise ProfileError(f"{place}: no [[evidence]] is {escape(term)}", hint=nearest(selector, list(terms)))
    if colon and name in codes and term:
        return {selector}
    if not colon and (chosen := {code for code in codes if name in (code, code.partition(".")[0])}):
        return chosen
    known = [*codes, *{rule.category for rule in catalogue.rules}, *(f"@{each}" for each in catalogue.collections)]
    raise ProfileError(
        f"{place}: {escape(selector)} is no rule, category, @collection or rule:term", hint=nearest(name, known)
    )
