"""The base of every typed value that comes off the wire: strict, frozen, lowerCamelCase outside, snake_case inside."""

import re
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, Union, dataclass_transform, get_args, get_origin

import msgspec

from in_toto_done_receipt.errors import MalformedInput, MalformedStatement
from in_toto_done_receipt.wire.pointer import join, named

T = TypeVar("T")

_PLACE: Final = re.compile(r"(?s)(.*) - at `(?:key in )?\$(.*)`")
_STEP: Final = re.compile(r"\.([A-Za-z0-9_]+)|\[(\d+)\]")
_SHOWN_CHARACTERS: Final = 200  # of msgspec's message, which may quote a value of any length


# For type checkers: every subclass is frozen and takes its members by name, as this base is and does.
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A strict, frozen wire record. Unknown members are ignored when read; `unknown_members` lists them."""


def to_tree(record: Any) -> Any:
    """The JSON tree of a record; tuples become lists, unset members are left out."""
    return _with_lists(msgspec.to_builtins(record))


def _with_lists(tree: Any) -> Any:
    """The tree with lists for tuples, which msgspec keeps: in a JSON tree an array is a list."""
    if isinstance(tree, dict):
        return {name: _with_lists(value) for name, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_with_lists(value) for value in tree]
    return tree


def convert(tree: Any, type_: type[T], *, what: str, error: type[MalformedInput] = MalformedInput) -> T:
    """The tree as a value of `type_`, without any coercion: `1.0` and `true` are not integers.

    Raises `error` with the JSON pointer of the fault; a MalformedStatement gets it as its `pointer` too. Unknown
    members are ignored.
    """
    try:
        return msgspec.convert(tree, type_, strict=True)
    except msgspec.ValidationError as fault:
        pointer, fact = _place_of(str(fault))
        message = f"{what}: {named(pointer)}: {fact}"
        if issubclass(error, MalformedStatement):
            raise error(message, pointer=pointer) from fault
        raise error(message) from fault


def _place_of(message: str) -> tuple[str, str]:
    """The JSON pointer and the fact of a message of msgspec's, such as "Expected `int`, got `str` - at `$.a[0]`".

    A member of a mapping has no name there (`[...]`): the pointer ends at the mapping.
    """
    match = _PLACE.fullmatch(message)
    fact, path = (match[1], match[2]) if match else (message, "")
    steps = _STEP.findall(path.partition("[...]")[0])
    pointer = join("", *(name or int(index) for name, index in steps))
    fact = fact[:_SHOWN_CHARACTERS].replace("`", "")
    return pointer, ascii(fact[:1].lower() + fact[1:])[1:-1]


def unknown_members(tree: Any, record_type: Any) -> tuple[str, ...]:
    """The JSON pointers of all members of the tree that the type does not know, in document order.

    Follows records, tuples, lists, mappings and unions (by tag, else the one record in it); below a type that is not a
    record everything is known. For a tree that `convert` has accepted.
    """
    found: list[str] = []
    _collect(tree, record_type, "", found)
    return tuple(found)


def _collect(tree: Any, type_: Any, place: str, found: list[str]) -> None:
    if isinstance(tree, dict):
        record = _record_of(type_, tree)
        if record is not None:
            _collect_members(tree, record, place, found)
        elif (values := _argument(type_, dict, 1)) is not None:
            for name, value in tree.items():
                _collect(value, values, join(place, name), found)
    elif isinstance(tree, list):
        items = _argument(type_, tuple, 0)
        items = _argument(type_, list, 0) if items is None else items
        for index, value in enumerate(tree if items is not None else ()):
            _collect(value, items, join(place, index), found)


def _collect_members(tree: dict[str, Any], record: Any, place: str, found: list[str]) -> None:
    types = {field.encode_name: field.type for field in msgspec.structs.fields(record)}
    tag_field = record.__struct_config__.tag_field
    for name, value in tree.items():
        if name in types:
            _collect(value, types[name], join(place, name), found)
        elif name != tag_field:
            found.append(join(place, name))


def _choices(type_: Any) -> tuple[Any, ...]:
    """The types that a union or an Annotated stands for, or the type itself."""
    origin = get_origin(type_)
    if origin is Annotated:
        return _choices(get_args(type_)[0])
    if origin in (Union, UnionType):
        return tuple(choice for member in get_args(type_) for choice in _choices(member))
    return (type_,)


def _record_of(type_: Any, tree: dict[str, Any]) -> Any:
    records = [choice for choice in _choices(type_) if isinstance(choice, type) and issubclass(choice, msgspec.Struct)]
    for record in records:
        config = record.__struct_config__
        if config.tag_field is None or tree.get(config.tag_field) == config.tag:
            return record
    return None


def _argument(type_: Any, origin: type, index: int) -> Any:
    """The item type of a tuple or list, or the value type of a dict, in a type that may be a union; else None."""
    for choice in _choices(type_):
        if get_origin(choice) is origin:
            return get_args(choice)[index]
    return None
