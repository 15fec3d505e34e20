from typing import Annotated, Any, Literal

import msgspec
import pytest

from in_toto_done_receipt.errors import MalformedEnvelope, MalformedInput, MalformedStatement
from in_toto_done_receipt.wire.record import Record, convert, to_tree, unknown_members


class Leaf(Record):
    some_count: int = 0
    choice: Literal["a", "b"] = "a"


class Square(Record, tag="square", tag_field="kind"):
    side: int


class Circle(Record, tag="circle", tag_field="kind"):
    radius: Leaf | None = None


class Root(Record):
    name: str
    leaf: Leaf | None = None
    shapes: tuple[Square | Circle, ...] = ()
    by_name: dict[str, Leaf] = {}  # noqa: RUF012 - msgspec copies it for each record
    several: Annotated[list[Leaf], msgspec.Meta(max_length=3)] | None = None
    anything: Any = None


FULL: dict[str, Any] = {
    "name": "n",
    "leaf": {"someCount": 3},
    "shapes": [{"kind": "square", "side": 1}, {"kind": "circle", "radius": {"choice": "b"}}],
    "byName": {"x": {"someCount": 1}},
    "anything": {"free": [1]},
}


def test_convert_and_to_tree_are_inverse() -> None:
    assert to_tree(convert(FULL, Root, what="r")) == FULL


WRONG: dict[str, tuple[Any, str, str]] = {
    "float for integer": (FULL | {"leaf": {"someCount": 1.0}}, "/leaf/someCount", "expected int, got float"),
    "boolean for integer": (FULL | {"leaf": {"someCount": True}}, "/leaf/someCount", "expected int, got bool"),
    "text for integer": (FULL | {"leaf": {"someCount": "1"}}, "/leaf/someCount", "expected int, got str"),
    "missing member": ({}, "", "required field name"),
    "missing member below": (FULL | {"shapes": [{"kind": "square"}]}, "/shapes/0", "required field side"),
    "unknown tag": (FULL | {"shapes": [{"kind": "line"}]}, "/shapes/0/kind", "invalid value 'line'"),
    "unknown choice": (FULL | {"leaf": {"choice": "c"}}, "/leaf/choice", "invalid enum value 'c'"),
    "value of a mapping": (FULL | {"byName": {"x": {"someCount": "1"}}}, "/byName", "expected int, got str"),
    "not an object": ([], "", "expected object, got array"),
    "snake case": ({"name": "n", "leaf": {"some_count": 1}, "shapes": 1}, "/shapes", "expected array, got int"),
}


@pytest.mark.parametrize(("tree", "pointer", "fact"), WRONG.values(), ids=WRONG)
def test_convert_refuses_with_pointer(tree: Any, pointer: str, fact: str) -> None:
    with pytest.raises(MalformedStatement, match=f"^thing: {pointer or 'top level'}: .*{fact}") as caught:
        convert(tree, Root, what="thing", error=MalformedStatement)
    assert caught.value.pointer == pointer


@pytest.mark.parametrize("error", [MalformedInput, MalformedEnvelope])
def test_convert_raises_the_error_it_is_given(error: type[MalformedInput]) -> None:
    with pytest.raises(error, match=r"^thing: top level: "):
        convert(1, Root, what="thing", error=error)


def test_convert_cuts_and_escapes_hostile_values() -> None:
    with pytest.raises(MalformedInput) as caught:
        convert({"choice": "\x1b[31m\u202e é\n" * 1000}, Leaf, what="thing")
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 1000


def test_convert_ignores_unknown_members() -> None:
    assert convert({"other": 1}, Leaf, what="thing") == Leaf()


UNKNOWN: dict[str, tuple[Any, tuple[str, ...]]] = {
    "none": (FULL, ()),
    "top": (FULL | {"x": 1, "a/b~c": 2}, ("/x", "/a~1b~0c")),
    "record": (FULL | {"leaf": {"y": {}}}, ("/leaf/y",)),
    "chosen by tag": (
        FULL | {"shapes": [{"kind": "square", "side": 1, "radius": 1}, {"kind": "circle", "radius": {"z": 1}}]},
        ("/shapes/0/radius", "/shapes/1/radius/z"),
    ),
    "in a mapping": (FULL | {"byName": {"k": {"q": 1}}}, ("/byName/k/q",)),
    "in an annotated list": (FULL | {"several": [{}, {"w": 1}]}, ("/several/1/w",)),
    "below anything": (FULL | {"anything": {"deep": {"er": 1}}}, ()),
    "snake case": ({"name": "n", "by_name": {}}, ("/by_name",)),
}


@pytest.mark.parametrize(("tree", "expected"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_members_lists_pointers(tree: Any, expected: tuple[str, ...]) -> None:
    assert unknown_members(tree, Root) == expected
