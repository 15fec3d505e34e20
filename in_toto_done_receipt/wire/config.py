"""Strict TOML for the verifier's own files: a key that is unknown is an error that names the nearest one."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.wire.record import Record

R = TypeVar("R", bound=Record)

MAX_CONFIG_BYTES = 1 << 20  # a profile or trust file is written by hand


def read_config(
    data: bytes,
    record: type[R],
    *,
    what: str,
    error: type[ConfigurationError],
    unavailable: Mapping[str, str] | None = None,
) -> R:
    """The record that a TOML file says.

    `unavailable` maps top-level keys that a later version brings to what they are for: naming one is an error of its
    own, so that nobody believes it is in force. Raises `error`, naming the file, the key and the nearest valid name.
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
    for key, purpose in (unavailable or {}).items():
        if key in tree:
            raise error(f"{what}: {key}: {purpose} is not available in this version", hint=f"remove {key}")
    _check_members(tree, record, what, "", error)
    try:
        return msgspec.convert(tree, type=record, strict=True)
    except msgspec.ValidationError as fault:
        raise error(f"{what}: {_place(str(fault))}") from None


def nearest(name: str, valid: list[str]) -> str | None:
    """A hint with the valid name most like this one, or the list of them."""
    import difflib

    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]}?"
    return f"valid here: {', '.join(sorted(valid))}" if valid else None


def _check_members(tree: Any, kind: type[Record], what: str, where: str, error: type[ConfigurationError]) -> None:
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in tree.items():
        place = f"{where}{key}"
        if key not in fields:
            raise error(f"{what}: unknown key {place}", hint=nearest(key, list(fields)))
        words = _words_of(fields[key])
        if words and isinstance(value, str) and value not in words:
            raise error(f"{what}: {place} is {value!a}", hint=nearest(value, words))
        inner = _record_in(fields[key])
        if inner is None:
            continue
        items = value if isinstance(value, list) else [value]
        for index, item in enumerate(items):
            if isinstance(item, dict):
                step = f"{place}[{index}]." if isinstance(value, list) else f"{place}."
                _check_members(item, inner, what, step, error)


def _words_of(annotation: Any) -> list[str]:
    """The texts that `Literal["a", "b"]` or `Literal["a"] | None` takes; empty when it is another type."""
    if get_origin(annotation) is Literal:
        return [word for word in get_args(annotation) if isinstance(word, str)]
    return [word for arg in get_args(annotation) if get_origin(arg) is Literal for word in _words_of(arg)]


def _record_in(annotation: Any) -> type[Record] | None:
    """The record type inside `R`, `R | None` or `tuple[R, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _record_in(arg)) is not None), None)


def _place(text: str) -> str:
    """msgspec says "fault - at `$.a[0]`"; we say "a[0]: fault"."""
    fault, marked, place = text.rpartition(" - at `$")
    fault = fault if marked else text
    name = place.rstrip("`").lstrip(".") if marked else ""
    fault = fault[:1].lower() + fault[1:]
    return f"{name}: {fault}" if name else fault
