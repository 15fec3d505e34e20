"""The reference page of the rules, docs/reference/rules.md, written from the catalogue."""

from collections.abc import Iterator

from in_toto_done_receipt.admission.catalogue import Catalogue, Rule
from in_toto_done_receipt.admission.failures import ENGINE_FAILURES

_INTRO = """# Rules

What the policy judges, in the order in which it is reported. Made from the METADATA blocks of `policy/done_receipt/`
(`done-receipt policy catalogue` prints the same); do not edit this page.

A rule's code is its package below `done_receipt.rules`. A collection demands rules: each must be positively satisfied,
so a rule that could not be judged denies like one that was violated. Beside its collection, the profile demands
`agent.model` with `[agent] models`, `usage.limits` with `[usage]`, and `profile.evidence:CLAIM/KIND` with each
`[[evidence]]`; `--unsigned` drops `signature.trusted`.
"""

_ENGINE = """
## When there is no decision

Every failure of the engine is a denial (exit code 12) with one of these codes. What cannot start, load or be reached is
a configuration error (4).

| code | what happened |
|---|---|
"""


def catalogue_markdown(catalogue: Catalogue) -> str:
    """The whole page, ending in a newline."""
    return "\n".join(_lines(catalogue)) + "\n"


def _lines(catalogue: Catalogue) -> Iterator[str]:
    yield _INTRO
    yield "| rule | says | " + " | ".join(catalogue.collections) + " |"
    yield "|---|---|" + "---|" * len(catalogue.collections)
    for rule in catalogue.rules:
        marks = " | ".join("yes" if name in rule.collections else "no" for name in catalogue.collections)
        yield f"| [`{rule.code}`](#{rule.code.replace('.', '')}) | {rule.title} | {marks} |"
    for rule in catalogue.rules:
        yield from _section(rule)
    yield _ENGINE.rstrip("\n")
    yield from (f"| `{code}` | {meaning} |" for code, (meaning, _) in ENGINE_FAILURES.items())


def _section(rule: Rule) -> Iterator[str]:
    yield f"\n## {rule.code}\n"
    yield f"{rule.description}\n"
    yield f"- when it is not met ({rule.severity}): {rule.failure_msg}"
    yield f"- what to do: {rule.solution}"
    if rule.depends_on:
        yield f"- judged after: {', '.join(f'`{code}`' for code in rule.depends_on)}"
