"""The engines that can evaluate the policy, chosen by name and never by what happens to be on PATH.

Third parties join through the entry-point group `ENTRY_POINTS`, loaded at the edge (cli, service) and given here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from in_toto_done_receipt.errors import ConfigurationError, PluginError
from in_toto_done_receipt.wire.value import Value

ENTRY_POINTS: Final = "in_toto_done_receipt.policy_engines"


class PolicyEngine(Protocol):
    """Something that evaluates the policy.

    `decide` gets the policy input as JSON and returns the decision as the policy gives it, unchecked; it raises
    EngineError when there is none within `seconds`.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def policy_digest(self) -> str: ...

    def decide(self, raw: bytes, seconds: float) -> Any: ...


class EngineEntry(Value, kw_only=True):
    """A name and how to open the engine, given folders of the verifier's own policy. Raises EngineUnavailable."""

    name: str
    open: Callable[[tuple[Path, ...]], PolicyEngine]


def _embedded(extra_policy: tuple[Path, ...]) -> PolicyEngine:
    from in_toto_done_receipt.admission.embedded import EmbeddedEngine

    if extra_policy:
        raise ConfigurationError(
            f"{extra_policy[0]}: the embedded engine evaluates the installed policy only", hint="add --engine opa"
        )
    return EmbeddedEngine()


def _opa(extra_policy: tuple[Path, ...]) -> PolicyEngine:
    from in_toto_done_receipt.admission.opa import OpaEngine, find_opa

    return OpaEngine(find_opa(), extra_policy=extra_policy)


BUILTIN_ENGINES: Final = (EngineEntry(name="embedded", open=_embedded), EngineEntry(name="opa", open=_opa))


def engines(entries: Iterable[EngineEntry] = BUILTIN_ENGINES) -> Mapping[str, EngineEntry]:
    """Name to entry. Raises PluginError when a name is taken twice."""
    found: dict[str, EngineEntry] = {}
    for entry in entries:
        if entry.name in found:
            raise PluginError(f"policy engine {entry.name} is registered twice")
        found[entry.name] = entry
    return found


def open_engine(
    name: str, *, extra_policy: tuple[Path, ...] = (), entries: Iterable[EngineEntry] = BUILTIN_ENGINES
) -> PolicyEngine:
    """The engine of this name, ready. Raises ConfigurationError (EngineUnavailable when it cannot start or load)."""
    known = engines(entries)
    if name not in known:
        raise ConfigurationError(
            f"policy engine {name} is not available in this version", hint=f"available: {', '.join(sorted(known))}"
        )
    return known[name].open(extra_policy)


@contextmanager
def engine_for(name: str) -> Iterator[PolicyEngine]:
    """The engine of this name for the length of a block; what it holds is given back at the end. Raises as above."""
    engine = open_engine(name)
    try:
        yield engine
    finally:
        close = getattr(engine, "close", None)  # not every engine holds anything
        if close is not None:
            close()
