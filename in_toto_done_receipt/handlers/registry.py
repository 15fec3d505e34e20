"""Which handlers there are: the built-in ones, and those of other distributions that the verifier names.

Nothing is loaded by itself, and nothing from the current directory or the user's own site-packages: who can write
there is not who set up the verifier.
"""

import site
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from in_toto_done_receipt.errors import PluginError
from in_toto_done_receipt.handlers.done_receipt import HANDLER
from in_toto_done_receipt.handlers.protocol import PredicateHandler

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "in_toto.predicate_handlers"
OWN_DISTRIBUTION: Final = "in-toto-done-receipt"

BUILTIN_HANDLERS: Final[tuple[PredicateHandler, ...]] = (HANDLER,)


def handlers_by_type(handlers: Iterable[PredicateHandler] = BUILTIN_HANDLERS) -> Mapping[str, PredicateHandler]:
    """predicateType -> handler. Raises PluginError when two handlers read the same type."""
    found: dict[str, PredicateHandler] = {}
    for handler in handlers:
        if handler.predicate_type in found:
            raise PluginError(f"two handlers read predicate type {handler.predicate_type}")
        found[handler.predicate_type] = handler
    return MappingProxyType(found)


def load_plugins(names: Iterable[str]) -> tuple[PredicateHandler, ...]:
    """The handlers whose entry points have these names, in this order.

    Raises PluginError, naming the distribution, for a name that nobody has, that two distributions have, whose code
    does not load, or that is no handler.
    """
    wanted = tuple(dict.fromkeys(names))
    if not wanted:
        return ()
    available = _entry_points()
    return tuple(_load(name, available) for name in wanted)


def _entry_points() -> dict[str, list["EntryPoint"]]:
    from importlib.metadata import entry_points  # takes 15 ms, so only where a plug-in is named

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        if entry.dist is not None and entry.dist.name != OWN_DISTRIBUTION:
            found.setdefault(entry.name, []).append(entry)
    return found


def _load(name: str, available: Mapping[str, list["EntryPoint"]]) -> PredicateHandler:
    entries = available.get(name, [])
    if not entries:
        raise PluginError(
            f"plug-in {name} is not installed", hint=f"installed: {', '.join(sorted(available)) or 'none'}"
        )
    if len(entries) > 1:
        owners = ", ".join(sorted(_owner(entry) for entry in entries))
        raise PluginError(f"plug-in {name} is claimed by several distributions: {owners}")
    (entry,) = entries
    _refuse_writable_place(entry)
    try:
        loaded = entry.load()
    except Exception as error:  # noqa: BLE001 - foreign code can raise anything
        raise PluginError(f"plug-in {name} of {_owner(entry)} does not load: {type(error).__name__}: {error}") from None
    return _checked(loaded, f"plug-in {name} of {_owner(entry)}")


def _owner(entry: "EntryPoint") -> str:
    return "an unknown distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _refuse_writable_place(entry: "EntryPoint") -> None:
    assert entry.dist is not None  # noqa: S101 - _entry_points() looked
    place = Path(str(entry.dist.locate_file(""))).resolve()
    user_site = Path(site.getusersitepackages()).resolve()
    here = Path.cwd().resolve()
    if place in (user_site, here):
        raise PluginError(
            f"plug-in {entry.name} of {_owner(entry)} lies in {place}, which is not the verifier's",
            hint="install it where done-receipt is installed",
        )


def _checked(loaded: Any, what: str) -> PredicateHandler:
    predicate_type = getattr(loaded, "predicate_type", None)
    if not isinstance(predicate_type, str) or not predicate_type:
        raise PluginError(f"{what} is no handler: it has no predicate_type")
    for member in ("parse", "findings", "verify"):
        if not callable(getattr(loaded, member, None)):
            raise PluginError(f"{what} is no handler: it has no {member}()")
    handler: PredicateHandler = loaded
    return handler
