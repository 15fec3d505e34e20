"""From the METADATA blocks of the policy to its catalogue: what a block must say, and the two files made of them.

The policy lints itself here: a block that is missing, incomplete or does not fit stops the build. Source: design,
"Decision".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from in_toto_done_receipt.admission.catalogue import COLLECTIONS, Catalogue, Rule
from in_toto_done_receipt.errors import ConfigurationError, MalformedInput
from in_toto_done_receipt.wire.rfc3339 import parse_time

RULES_PACKAGE: Final = ("data", "done_receipt", "rules")
CATEGORIES: Final = (
    "signature",
    "statement",
    "context",
    "subjects",
    "change",
    "contract",
    "verdict",
    "evidence",
    "tests",
    "assurance",
    "audit",
    "freshness",
    "agent",
    "usage",
    "sandbox",
    "profile",
)
REGO_FILE: Final = "catalogue/catalogue.rego"  # below done_receipt: what the rules themselves need to know of it
ALWAYS: Final = "always"  # effective_on of a rule that is in force at every time
_SEVERITIES: Final = ("error", "warning")
_CUSTOM_KEYS: Final = frozenset(
    {"short_name", "order", "severity", "failure_msg", "solution", "collections", "depends_on", "effective_on"}
)


def rules_of(inspect_json: bytes) -> tuple[Rule, ...]:
    """The rules in pipeline order, from what `opa inspect -a -f json policy/done_receipt` prints.

    Raises ConfigurationError naming the rule whose METADATA block is missing, incomplete, or does not fit.
    """
    tree = msgspec.json.decode(inspect_json)
    packages = {package for name in tree.get("namespaces", {}) if (package := _rule_package(name))}
    found: dict[tuple[str, str], tuple[int, Rule]] = {}
    for entry in tree.get("annotations", []):
        annotations = entry["annotations"]
        package = _rule_package(".".join(str(step["value"]) for step in entry["path"]))
        if annotations["scope"] == "package" and package in packages:
            found[package] = _rule(*package, annotations)
    if missing := sorted(".".join(package) for package in packages - set(found)):
        raise ConfigurationError(f"policy: no METADATA block: {', '.join(missing)}")
    return _in_order(found.values())


def catalogue_json(rules: tuple[Rule, ...], *, opa: str, policy_digest: str, module_sha256: str) -> bytes:
    """catalogue.json: what Python knows of the policy without an OPA."""
    made = Catalogue(
        opa=opa,
        policy_digest=policy_digest,
        module_sha256=module_sha256,
        collections=_collections(rules),
        rules=rules,
    )
    return msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"


def catalogue_rego(rules: tuple[Rule, ...]) -> bytes:
    """catalogue.rego: what the policy needs to know of its own rules, as OPA formats it."""
    collections = {name: list(codes) for name, codes in _collections(rules).items()}
    dates = {rule.code: rule.effective_on for rule in rules if rule.effective_on is not None}
    lines = [
        "# METADATA",
        "# title: The rules, to the policy itself",
        "# description: Made from the METADATA blocks of the rules by `policy build`; do not edit.",
        "package done_receipt.catalogue",
        "",
        "# The rules that must be met before this one is heard, all the way back.",
        *_object("waits_for", {code: list(before) for code, before in _closure(rules).items()}),
        "",
        "# When a rule comes into force, for those that are not in force at every time.",
        *_object("effective_on", dates),
        "",
        "# Collection to the rules that it demands.",
        *_object("collections", collections),
    ]
    return ("\n".join(lines) + "\n").encode()


def _object(name: str, members: Mapping[str, Any]) -> Iterator[str]:
    if not members:  # OPA before 1.22 takes an empty literal for one that no member can be looked up in
        yield f"{name} := object.union({{}}, {{}})"
        return
    yield f"{name} := {{"
    for key, value in members.items():
        yield from _member(key, value)
    yield "}"


def _member(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield f'\t"{key}": "{value}",'
    elif len(value) < 2:
        yield f'\t"{key}": [{", ".join(_quoted(value))}],'
    else:
        yield f'\t"{key}": ['
        yield from (f"\t\t{word}," for word in _quoted(value))
        yield "\t],"


def _quoted(words: Iterable[str]) -> list[str]:
    return [f'"{word}"' for word in words]


def _closure(rules: tuple[Rule, ...]) -> dict[str, tuple[str, ...]]:
    """Each rule that depends on others, and all that it waits for, in pipeline order."""
    before: dict[str, set[str]] = {}
    for rule in rules:
        direct = set(rule.depends_on)
        before[rule.code] = direct.union(*(before[code] for code in direct))
    order = [rule.code for rule in rules]
    return {code: tuple(name for name in order if name in found) for code, found in before.items() if found}


def _collections(rules: tuple[Rule, ...]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(rule.code for rule in rules if name in rule.collections) for name in COLLECTIONS}


def _rule_package(name: str) -> tuple[str, str] | None:
    """Category and rule, or None for a package that is no rule."""
    parts = tuple(name.split("."))
    if parts[:3] != RULES_PACKAGE or parts[-1].endswith("_test"):
        return None
    if len(parts) != 5:
        raise ConfigurationError(f"policy: {name}: rules are packages done_receipt.rules.CATEGORY.RULE")
    return parts[3], parts[4]


def _rule(category: str, name: str, annotations: dict[str, Any]) -> tuple[int, Rule]:
    code = f"{category}.{name}"
    custom = annotations.get("custom", {})
    if category not in CATEGORIES:
        raise ConfigurationError(f"policy: {code}: no such category, valid: {', '.join(CATEGORIES)}")
    if set(custom) != _CUSTOM_KEYS:
        wrong = ", ".join(sorted(set(custom) ^ _CUSTOM_KEYS))
        raise ConfigurationError(f"policy: {code}: METADATA custom keys missing or unknown: {wrong}")
    texts = {"title": annotations.get("title", ""), "description": annotations.get("description", "")}
    texts |= {key: custom[key] for key in ("short_name", "failure_msg", "solution", "severity")}
    values = {key: " ".join(str(text).split()) for key, text in texts.items()}
    lists = {key: tuple(map(str, custom[key])) for key in ("collections", "depends_on")}
    effective_on = None if custom["effective_on"] == ALWAYS else str(custom["effective_on"])
    for fault in _faults(name, values, lists["collections"], effective_on):
        raise ConfigurationError(f"policy: {code}: {fault}")
    tree = {"code": code, "effective_on": effective_on, **values, **lists}
    return int(custom["order"]), msgspec.convert(tree, Rule)


def _faults(name: str, texts: dict[str, str], collections: tuple[str, ...], effective_on: str | None) -> Iterator[str]:
    if empty := sorted(key for key, text in texts.items() if not text):
        yield f"METADATA is empty: {', '.join(empty)}"
    if texts["short_name"] != name:
        yield f"METADATA short_name is {texts['short_name']}"
    if texts["severity"] not in _SEVERITIES:
        yield f"METADATA severity is {texts['severity']}, valid: {', '.join(_SEVERITIES)}"
    if texts["severity"] == "warning" and collections:
        yield "METADATA severity is warning, and a collection demands it"
    if unknown := sorted(set(collections) - set(COLLECTIONS)):
        yield f"METADATA names unknown collections: {', '.join(unknown)}"
    if collections != COLLECTIONS[len(COLLECTIONS) - len(collections) :]:
        yield f"METADATA collections are not one and all that are stricter: {', '.join(collections)}"
    if re.match(r"[A-Z].*|.*\.$", texts["failure_msg"]):
        yield "METADATA failure_msg is a message: lower case, no full stop"
    if not texts["solution"].endswith(".") or not texts["description"].endswith("."):
        yield "METADATA solution and description are sentences"
    if effective_on is not None:
        try:
            parse_time(effective_on)
        except MalformedInput:
            yield f"METADATA effective_on is {effective_on}, neither {ALWAYS} nor a time in UTC"


def _in_order(found: Iterable[tuple[int, Rule]]) -> tuple[Rule, ...]:
    placed = sorted(found, key=lambda pair: pair[0])
    if len({order for order, _ in placed}) != len(placed):
        raise ConfigurationError("policy: two rules have the same METADATA order")
    rules = tuple(rule for _, rule in placed)
    before: set[str] = set()
    for rule in rules:
        if missing := sorted(set(rule.depends_on) - before):
            raise ConfigurationError(f"policy: {rule.code}: depends_on names no earlier rule: {', '.join(missing)}")
        before.add(rule.code)
    return rules
