"""Members of an object from outside: of the right type, with no second spelling beside the first."""

from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput, MalformedStatement
from in_toto_done_receipt.wire.pointer import join, kind_of, named, quote

_TYPES: Final[dict[str, type]] = {"string": str, "array": list, "object": dict}


class Members:
    """Reads the members of one object at one place of one document.

    Every fault is raised as `error`, with the place in the message. An unknown member that differs from a known one
    only by case and underscores (`predicate_type`, `PredicateType`) is refused: protobuf and Go readers take it for the
    known one, so two readers could see two documents.
    """

    def __init__(
        self, tree: Any, known: tuple[str, ...], *, what: str, place: str = "", error: type[MalformedInput]
    ) -> None:
        self._what, self._place, self._error = what, place, error
        if not isinstance(tree, dict):
            raise self.fault(place, f"expected an object, got {kind_of(tree)}")
        self._tree: dict[str, Any] = tree
        self.unknown = tuple(join(place, name) for name in tree if name not in known)
        if self.unknown:
            self._refuse_aliases(known)

    def fault(self, place: str, fact: str) -> MalformedInput:
        """The error to raise for a fault at a place."""
        message = f"{self._what}: {named(place)}: {fact}"
        if issubclass(self._error, MalformedStatement):
            return self._error(message, pointer=place)
        return self._error(message)

    def at(self, name: str) -> str:
        """The JSON pointer of a member."""
        return join(self._place, name)

    def required(self, name: str, type_: str) -> Any:
        """A member that has to be there: a `string`, `array` or `object`."""
        if name not in self._tree:
            raise self.fault(self._place, f"required member {name} is missing")
        return self.optional(name, type_)

    def optional(self, name: str, type_: str) -> Any:
        """A member of the type, or None if it is not there; null is not a value of any type."""
        if name not in self._tree:
            return None
        value = self._tree[name]
        if not isinstance(value, _TYPES[type_]):
            raise self.fault(self.at(name), f"expected {type_}, got {kind_of(value)}")
        return value

    def _refuse_aliases(self, known: tuple[str, ...]) -> None:
        folded = {_folded(name): name for name in known}
        for name in self._tree:
            if name not in known and _folded(name) in folded:
                fact = f"another spelling of {folded[_folded(name)]}, got {quote(name)}"
                raise self.fault(self.at(name), fact)


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()
