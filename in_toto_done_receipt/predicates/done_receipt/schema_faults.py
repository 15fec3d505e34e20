"""All faults of a predicate that the types refused, by the published JSON Schema, in our own words.

The only module that loads jsonschema, and loaded only for a document that is already refused. The types decide; this
lists what else is wrong, so that an author need not find it one by one.
"""

import json
from collections.abc import Iterator
from importlib import resources
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from in_toto_done_receipt.predicates.done_receipt.faults import Fault, fault, shown
from in_toto_done_receipt.predicates.done_receipt.types import PATTERN_WORDS, PATTERNS
from in_toto_done_receipt.wire.pointer import join, kind_of

# jsonschema takes about 30 us for each value: more would take longer than a second.
MAX_VALUES: Final = 20_000

_RANGES: Final = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
}


def schema() -> dict[str, Any]:
    """The JSON Schema of the predicate, as published beside this module."""
    text = resources.files(__package__).joinpath("v0.1.schema.json").read_text(encoding="utf-8")
    tree: dict[str, Any] = json.loads(text)
    return tree


def validator() -> Any:
    """A validator for the schema to which 1.0 is no integer; the strict JSON reader keeps the two apart."""
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    return extend(Draft202012Validator, type_checker=types)(schema())  # type: ignore[no-untyped-call]


def schema_faults(tree: dict[str, Any], *, limit: int) -> tuple[Fault, ...]:
    """Up to `limit` faults, one for each place. Empty for a document of more than 20,000 values, which would take long.

    Counts have to be checked before. Does not know the extra rules.
    """
    if sum(1 for _ in islice(_values(tree), MAX_VALUES + 1)) > MAX_VALUES:
        return ()
    found: dict[str, Fault] = {}
    for error in validator().iter_errors(tree):
        one = _fault(error)
        found.setdefault(one.pointer, one)
        if len(found) == limit:
            break
    return tuple(found.values())


def _values(tree: object) -> Iterator[object]:
    stack = [tree]
    while stack:
        value = stack.pop()
        yield value
        if isinstance(value, dict | list):
            stack.extend(value.values() if isinstance(value, dict) else value)


def _fault(error: ValidationError) -> Fault:
    place = join("/predicate", *error.absolute_path)
    keyword, value = error.validator, error.instance
    wanted: Any = error.validator_value
    if keyword == "type":
        names = " or ".join(wanted) if isinstance(wanted, list) else wanted
        return fault(
            "statement.null" if value is None else "statement.type", place, f"expected {names}, got {kind_of(value)}"
        )
    if keyword == "required":
        return _required(error, place)
    if keyword == "pattern":
        words = next((PATTERN_WORDS[name] for name, pattern in PATTERNS.items() if pattern == wanted), "another form")
        return fault("statement.format", place, f"expected {words}, got {shown(value)}")
    if keyword == "enum":
        return fault("statement.format", place, f"expected one of {', '.join(wanted)}, got {shown(value)}")
    if keyword in _RANGES:
        reason = "statement.count" if keyword == "maxItems" and not place.endswith("/argv") else "statement.range"
        return fault(reason, place, f"expected {_RANGES[keyword].format(wanted)}, got {shown(value)}")
    return _rule(error, place)


def _required(error: ValidationError, place: str) -> Fault:
    # jsonschema reports each missing member by itself and names it in its message only.
    names: Any = error.validator_value
    name = next(name for name in names if error.message.startswith(f"{name!r} "))
    if name == "stdoutMatched":
        return fault("statement.stdout_matched", place, "expected stdoutMatched, as stdoutContains is given, got none")
    return fault("statement.required", join(place, name), "required member is missing")


def _rule(error: ValidationError, place: str) -> Fault:
    """The faults of `extra_rules.SCHEMA_RULES` and of closed objects."""
    last = place.rpartition("/")[2]
    if error.validator == "additionalProperties":
        if last == "observed":
            return fault("statement.error_form", place, "expected error to stand alone, got more beside it")
        closed: Any = error.schema
        members: Any = error.instance
        more = sorted(set(members) - set(closed["properties"]))
        return fault("statement.closed", join(place, more[0]), "not a known member, and nothing else may stand here")
    if last == "ok":
        return fault("statement.error_form", place, "expected false beside an error, got true")
    if last == "stdoutMatched":
        return fault("statement.stdout_matched", place, "expected no stdoutMatched without stdoutContains, got one")
    if last == "argv":
        return fault("statement.junit", place, "expected {junit} in one argument, got it in none or in several")
    if last == "repository":
        return fault("statement.credentials", place, "expected an address without user name or password, got one with")
    if last == "harness":
        return fault("statement.harness", place, "expected uri or digest, got neither")
    return fault("statement.audit_log", place, "expected requestId, or records and head, got less")
