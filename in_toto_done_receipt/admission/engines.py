"""The engines that can evaluate the policy, chosen by name and never by what happens to be on PATH.

Third parties join through the entry-point group `ENTRY_POINTS`, loaded at the edge (cli, service) and given here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from in_toto_done_receipt.errors import ConfigurationError, PluginError, UsageError
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from in_toto_done_receipt.admission.custom.policies import CustomPolicy

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


class EngineRequest(Value, kw_only=True):
    """What the verifier says beside an engine's name: policies of its own, an OPA, an address."""

    policies: tuple["CustomPolicy", ...] = ()
    opa: Path | None = None
    url: str | None = None


class EngineEntry(Value, kw_only=True):
    """A name and how to open the engine. `open` raises ConfigurationError, EngineUnavailable."""

    name: str
    open: Callable[[EngineRequest], PolicyEngine]
    wants_url: bool = False


def _embedded(request: EngineRequest) -> PolicyEngine:
    from in_toto_done_receipt.admission.embedded import EmbeddedEngine

    if not request.policies:
        return EmbeddedEngine()
    from in_toto_done_receipt.admission.custom.compiled import CompiledPolicies

    return EmbeddedEngine(beside=CompiledPolicies(request.policies, opa=request.opa))


def _opa(request: EngineRequest) -> PolicyEngine:
    from in_toto_done_receipt.admission.opa import OpaEngine, find_opa
    from in_toto_done_receipt.admission.sources import verified_folder

    opa, folder = find_opa(request.opa), verified_folder()
    if not request.policies:
        return OpaEngine(opa, folder=folder)
    from in_toto_done_receipt.admission.custom.packages import packages_of
    from in_toto_done_receipt.admission.custom.policies import refuse_modules

    refuse_modules(request.policies, "--engine opa evaluates sources")
    packages_of(opa, request.policies)
    return OpaEngine(opa, folder=folder, own=request.policies)


def _opa_server(request: EngineRequest) -> PolicyEngine:
    from in_toto_done_receipt.admission.opa_server import OpaServerEngine
    from in_toto_done_receipt.admission.sources import policy_digest, verified_folder

    if request.policies:
        from in_toto_done_receipt.admission.custom.policies import refuse_modules

        refuse_modules(request.policies, "an OPA server evaluates sources")
    digest = policy_digest(verified_folder(), [policy.digest for policy in request.policies])
    return OpaServerEngine(request.url or "", policy_digest=digest)


BUILTIN_ENGINES: Final = (
    EngineEntry(name="embedded", open=_embedded),
    EngineEntry(name="opa", open=_opa),
    EngineEntry(name="opa-server", open=_opa_server, wants_url=True),
)


def engines(entries: Iterable[EngineEntry] = BUILTIN_ENGINES) -> Mapping[str, EngineEntry]:
    """Name to entry. Raises PluginError when a name is taken twice."""
    found: dict[str, EngineEntry] = {}
    for entry in entries:
        if entry.name in found:
            raise PluginError(f"policy engine {entry.name} is registered twice")
        found[entry.name] = entry
    return found


def open_engine(
    text: str,
    *,
    policies: tuple["CustomPolicy", ...] = (),
    opa: Path | None = None,
    pinned: str | None = None,
    entries: Iterable[EngineEntry] = BUILTIN_ENGINES,
) -> PolicyEngine:
    """The engine of this name, or NAME=URL, ready.

    `pinned` is the digest that its whole policy must have. Raises ConfigurationError (EngineUnavailable when it cannot
    start, load or be reached), UsageError for an address that is missing or not wanted.
    """
    name, equals, url = text.partition("=")
    known = engines(entries)
    if name not in known:
        raise ConfigurationError(
            f"policy engine {name} is not available in this version", hint=f"available: {', '.join(sorted(known))}"
        )
    if known[name].wants_url and not url:
        raise UsageError(f"--engine {name} wants an address", hint=f"--engine {name}=http://127.0.0.1:8181")
    if equals and not known[name].wants_url:
        raise UsageError(f"--engine {text}: {name} takes no address")
    engine = known[name].open(EngineRequest(policies=policies, opa=opa, url=url or None))
    if pinned is not None and pinned.removeprefix("sha256:") != engine.policy_digest:
        close_engine(engine)
        raise ConfigurationError(f"policy digest is {engine.policy_digest}, pinned is {pinned}")
    return engine


def close_engine(engine: PolicyEngine) -> None:
    """Give back what the engine holds; not every one holds anything."""
    close = getattr(engine, "close", None)
    if close is not None:
        close()


@contextmanager
def engine_for(
    text: str, *, policies: tuple["CustomPolicy", ...] = (), opa: Path | None = None, pinned: str | None = None
) -> Iterator[PolicyEngine]:
    """The engine for the length of a block; what it holds is given back at the end. Raises as `open_engine`."""
    engine = open_engine(text, policies=policies, opa=opa, pinned=pinned)
    try:
        yield engine
    finally:
        close_engine(engine)
