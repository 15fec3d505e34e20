"""Strict TOML for the verifier's own files: a key that is unknown is an error that names the nearest one."""

import re
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import msgspec

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.record import Record

R = TypeVar("R", bound=Record)
T = TypeVar("T")

MAX_CONFIG_BYTES: Final = 1 << 20  # a profile or trust file is written by hand
_STEP: Final = re.compile(r"([A-Za-z0-9_-]+)|\[(\d+)\]")
_BOUND: Final = re.compile(r"[<>]=|matching regex|RFC3339")  # faults of a value; others are faults of its type


def read_config(
    data: bytes,
    record: type[R],
    *,
    what: str,
    error: type[ConfigurationError],
    lists_say_something: bool = False,
) -> R:
    """The record that a TOML file says.

    With `lists_say_something`, a list or table that is empty is an error, and a list (other than an `argv`) that says
    something twice. Raises `error`, naming the file, the key and the nearest valid name.
    """
    import tomllib  # only for those who have such a file

    if len(data) > MAX_CONFIG_BYTES:
        raise error(f"{what}: {len(data)} bytes, at most {MAX_CONFIG_BYTES} are read")
    try:
        tree = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise error(f"{what}: not UTF-8 at byte {fault.start}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise error(f"{what}: not TOML: {fault}") from None
    if not tree:
        raise error(f"{what}: is empty", hint="an empty file decides nothing; say at least `version = 1`")
    _check_members(tree, record, what, "", error)
    if lists_say_something:
        _check_lists(tree, what, "", error)
    return _converted(tree, record, what, "", error)


def nearest(name: str, valid: list[str]) -> str | None:
    """A hint with the valid name most like this one, or the list of them."""
    import difflib

    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]}?"
    return f"valid here: {', '.join(sorted(valid))}" if valid else None


def _converted(tree: Any, kind: type[T], what: str, where: str, error: type[ConfigurationError]) -> T:
    try:
        return msgspec.convert(tree, type=kind, strict=True)
    except msgspec.ValidationError as fault:
        step, fact = _place(str(fault))
        found = _value_at(tree, step)
        place = where + step
        got = f", got {found!a}" if isinstance(found, str | int) and _BOUND.search(fact) else ""
        raise error(f"{what}: {place}: {fact}{got}" if place else f"{what}: {fact}", hint=_slip(fact, place)) from None


def _check_members(tree: Any, kind: type[Record], what: str, where: str, error: type[ConfigurationError]) -> None:
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in tree.items():
        place = f"{where}{key}"
        if key not in fields:
            raise error(f"{what}: unknown key {place}", hint=nearest(key, list(fields)))
        words = _words_of(fields[key])
        for word in value if isinstance(value, list) else [value]:
            if words and isinstance(word, str) and word not in words:
                raise error(f"{what}: {place} is {word!a}", hint=nearest(word, words))
        if isinstance(value, dict) and (values := _values_of(fields[key])) is not None:
            for name, item in value.items():  # msgspec names no member of a free table
                _converted(item, values, what, f"{place}.{name}", error)
        inner = _record_in(fields[key])
        if inner is None:
            continue
        items = value if isinstance(value, list) else [value]
        for index, item in enumerate(items):
            if isinstance(item, dict):
                step = f"{place}[{index}]." if isinstance(value, list) else f"{place}."
                _check_members(item, inner, what, step, error)


def _check_lists(value: Any, what: str, where: str, error: type[ConfigurationError]) -> None:
    if isinstance(value, dict | list) and not value:
        name = where.rpartition(".")[2].partition("[")[0]
        raise error(f"{what}: {where}: is empty", hint=f"leave {name} out to ask for nothing")
    if isinstance(value, dict):
        for name, item in value.items():
            _check_lists(item, what, f"{where}.{name}" if where else name, error)
    seen: set[str] = set()
    for index, item in enumerate(value if isinstance(value, list) else ()):
        _check_lists(item, what, f"{where}[{index}]", error)
        if isinstance(item, str) and not where.endswith("argv"):
            if item in seen:
                raise error(f"{what}: {where}[{index}]: {item!a} stands there twice")
            seen.add(item)


def _words_of(annotation: Any) -> list[str]:
    """The texts that a `Literal` takes, alone, as one of several types or in a tuple; empty when there is none."""
    if get_origin(annotation) is Literal:
        return [word for word in get_args(annotation) if isinstance(word, str)]
    return [word for arg in get_args(annotation) for word in _words_of(arg)]


def _record_in(annotation: Any) -> type[Record] | None:
    """The record type inside `R`, `R | None` or `tuple[R, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _record_in(arg)) is not None), None)


def _values_of(annotation: Any) -> Any:
    """The type of the values inside `dict[str, V]` or `dict[str, V] | None`; None for another type."""
    if get_origin(annotation) is dict:
        return get_args(annotation)[1]
    return next((get_args(arg)[1] for arg in get_args(annotation) if get_origin(arg) is dict), None)


def _place(text: str) -> tuple[str, str]:
    """msgspec says "Fault - at `$.a[0]`"; this is ("a[0]", "fault"). There is no null in TOML to speak of."""
    fault, marked, place = text.rpartition(" - at `$")
    fault = fault if marked else text
    fault = fault[:1].lower() + fault[1:].replace(" | null`", "`")
    return place.rstrip("`").lstrip(".") if marked else "", fault


def _value_at(tree: Any, place: str) -> Any:
    """What stands at `a.b[0].c`; None for a place without a name of its own, such as a key of a free table."""
    for name, index in _STEP.findall(place):
        step: str | int = name or int(index)
        try:
            tree = tree[step]
        except (KeyError, IndexError, TypeError):
            return None
    return tree


def _slip(fact: str, place: str) -> str | None:
    """`[a]` where `[[a]]` belongs is the commonest slip in TOML."""
    name = place.partition("[")[0]
    if fact == "expected `array`, got `object`":
        return f"write [[{name}]] for each, not [{name}]"
    if fact == "expected `object`, got `array`":
        return f"write [{name}], not [[{name}]]"
    return None
