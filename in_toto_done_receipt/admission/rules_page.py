"""The reference of the rules, docs/reference/rules/, written from the catalogue: a page of all, and one for each."""

from collections.abc import Iterator, Mapping

from in_toto_done_receipt.admission.catalogue import PROTECTED, Catalogue, Rule
from in_toto_done_receipt.admission.demands import SECTIONS
from in_toto_done_receipt.admission.failures import ENGINE_FAILURES

INDEX = "README.md"

_INTRO = """# Rules

What the policy judges, in the order in which it is reported. Made from the METADATA blocks of `policy/done_receipt/`
(`done-receipt policy catalogue` prints the same); do not edit.

A rule's code is its package below `done_receipt.rules`. A collection demands rules: each must be positively satisfied,
so a rule that could not be judged denies like one that was violated. Beside its collection, the profile demands
rules by its sections ([table](#what-a-section-of-the-profile-demands)) and `profile.evidence:CLAIM/KIND` with each
`[[evidence]]`; `--unsigned` drops `signature.trusted`. `include` and `exclude` of the profile name rules by code, by
category, as `@collection`, or one term of a rule as `code:term`; signature and statement are never left out.

A rule that depends on others is heard when those are met: until then it is neither satisfied nor reported, and the
decision lists it under `waiting`. A finding that failed denies whether its rule is demanded or not.
"""

_ENGINE = """
## When there is no decision

Every failure of the engine is a denial (exit code 12) with one of these codes. What cannot start, load or be reached is
a configuration error (4).

| code | what happened |
|---|---|
"""


def catalogue_markdown(catalogue: Catalogue) -> str:
    """All of it on one page, ending in a newline."""
    lines = [*_head(catalogue, {rule.code: f"#{rule.code.replace('.', '')}" for rule in catalogue.rules})]
    for rule in catalogue.rules:
        lines += ["", f"## {rule.code}", *_body(rule, catalogue, {})]
    return "\n".join([*lines, *_engine()]) + "\n"


def rule_pages(catalogue: Catalogue) -> dict[str, str]:
    """File name to page: the index, and one page a rule."""
    names = {rule.code: f"{rule.code}.md" for rule in catalogue.rules}
    pages = {INDEX: "\n".join([*_head(catalogue, names), *_engine()]) + "\n"}
    for rule in catalogue.rules:
        lines = [f"# {rule.code}", "", f"{rule.title}.", *_body(rule, catalogue, names), "", "[All rules](README.md)"]
        pages[names[rule.code]] = "\n".join(lines) + "\n"
    return pages


def _head(catalogue: Catalogue, targets: Mapping[str, str]) -> Iterator[str]:
    yield _INTRO
    yield "| rule | says | " + " | ".join(catalogue.collections) + " |"
    yield "|---|---|" + "---|" * len(catalogue.collections)
    for rule in catalogue.rules:
        marks = " | ".join("yes" if name in rule.collections else "no" for name in catalogue.collections)
        yield f"| [`{rule.code}`]({targets[rule.code]}) | {rule.title} | {marks} |"


def _engine() -> Iterator[str]:
    yield "\n## What a section of the profile demands\n"
    yield "| section | rules |"
    yield "|---|---|"
    yield from (f"| `[{name}]` | {', '.join(f'`{code}`' for code in codes)} |" for name, codes in SECTIONS.items())
    yield _ENGINE.rstrip("\n")
    yield from (f"| `{code}` | {meaning} |" for code, (meaning, _) in ENGINE_FAILURES.items())


def _body(rule: Rule, catalogue: Catalogue, targets: Mapping[str, str]) -> Iterator[str]:
    yield ""
    yield rule.description
    yield ""
    yield f"- when it is not met ({rule.severity}): {rule.failure_msg}"
    yield f"- what to do: {rule.solution}"
    yield f"- demanded by: {_demanded_by(rule)}"
    if rule.effective_on is not None:
        yield f"- in force from {rule.effective_on}; until then a warning"
    if rule.depends_on:
        yield f"- heard after: {_links(rule.depends_on, targets)}"
    followers = tuple(other.code for other in catalogue.rules if rule.code in other.depends_on)
    if followers:
        yield f"- before it is met, nothing is heard of: {_links(followers, targets)}"
    yield f"- {_leniency(rule)}"


def _demanded_by(rule: Rule) -> str:
    sections = [f"`[{name}]` of the profile" for name, codes in SECTIONS.items() if rule.code in codes]
    if rule.collections:
        first, *rest = rule.collections
        more = f", and so {', '.join(f'`{name}`' for name in rest)}" if rest else ""
        return "; ".join([f"collection `{first}`{more}", *sections])
    if sections:
        return sections[0]
    if rule.severity == "warning":
        return "no collection; a profile that includes it makes its warnings denials"
    return "the profile, by each `[[evidence]]`"


def _leniency(rule: Rule) -> str:
    if rule.category in PROTECTED:
        return "it can be neither excluded nor waived by an exception"
    if rule.code == "profile.exceptions":
        return "no exception waives it"
    return f'it can be excluded (`exclude = ["{rule.code}"]`), or waived by an exception for `{rule.code}`'


def _links(codes: tuple[str, ...], targets: Mapping[str, str]) -> str:
    return ", ".join(f"[`{code}`]({targets[code]})" if code in targets else f"`{code}`" for code in codes)
