"""Evaluate the policy module in process (OPA's WebAssembly ABI 1.x on wasmtime).

Ensures: one evaluation can neither spend another's time nor see its memory; memory and time are bounded; an instance
that raised anything is closed and never used again; a module that asks for any host built-in is refused when loaded.
Raises EngineError, and EngineUnavailable when loading. Does not check the input against a schema: bytes that are not
strict JSON are an undefined input to the module.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from in_toto_done_receipt.admission import artefact, wasm
from in_toto_done_receipt.admission.clock import Clock
from in_toto_done_receipt.admission.sources import ENTRYPOINT, GROUNDS, policy_digest, policy_folder
from in_toto_done_receipt.errors import EngineError, EngineUnavailable

PAGE: Final = 65536
FIRST_PAGES: Final = 64  # OPA's module asks for 2 and then fills more with its own data when the policy is large
MEMORY_CAP: Final = 512 * 2**20  # bytes an evaluation may use: the largest receipt needs half of it
KEEP: Final = 32 * 2**20  # an instance that grew beyond this is not kept: linear memory never shrinks
LARGE: Final = 256 * 2**10  # bytes of input from which compiling (0.2 s, once) is quicker than interpreting
MANY: Final = 64  # small decisions after which compiling (0.5 s) has paid: each is 7 ms faster then
_ENTRIES: Final = {ENTRYPOINT: 0, GROUNDS: 1}  # by the names, as OPA numbers them
_GROW: Final = "grow"  # in what wasmtime and OPA's allocator say when there is no more memory


class Instance:
    """One store with one instance; used by one thread at a time. What a callback raised is kept in `faults`."""

    def __init__(self, engine: wasm.Engine, module: wasm.Module) -> None:
        self.store = wasm.Store(engine, memory_cap=MEMORY_CAP)
        self.faults: list[BaseException] = []
        try:
            self._start(module)
        except BaseException:
            self.store.close()
            raise

    def _start(self, module: wasm.Module) -> None:
        self.store.set_epoch_deadline(1 << 40)  # starting up runs no rule
        self.memory = self.store.memory(FIRST_PAGES, MEMORY_CAP // PAGE)
        offered: dict[str, Any] = {f"opa_builtin{count}": self._builtin(count + 2) for count in range(5)}
        offered["opa_abort"] = self.store.function(1, self._abort)
        offered["opa_println"] = self.store.function(1, lambda _address: None)
        offered["memory"] = self.memory.extern
        wanted = [offered[name] if name in offered else _refuse(name) for name in module.imports()]
        self.exports = self.store.instantiate(module, wanted)
        self.refuse_builtins(self._get(self.exports.call("builtins")))
        self.nothing = self._put(b"{}")
        self.base = self.exports.call("opa_heap_ptr_get")

    def refuse_builtins(self, asked: dict[str, int]) -> None:
        """Raises EngineUnavailable for a module that asks for any."""
        if asked:
            raise EngineUnavailable(f"the policy asks for built-ins, and none is provided: {', '.join(sorted(asked))}")

    def _builtin(self, arity: int) -> Any:
        def call(*_arguments: int) -> int:
            self.faults.append(EngineError("the policy called a built-in, and none is provided", code="engine.builtin"))
            raise self.faults[-1]

        return self.store.function(arity, call, results=1)

    def _abort(self, address: int) -> None:
        text = self._text(address & 0xFFFFFFFF)
        code = "engine.memory" if _GROW in text else "engine.error"
        self.faults.append(EngineError(f"policy aborted: {text}", code=code))
        raise self.faults[-1]

    def entrypoints(self) -> dict[str, int]:
        """The names of what can be evaluated, and their numbers."""
        found: dict[str, int] = self._get(self.exports.call("entrypoints"))
        return found

    def evaluate(self, raw: bytes, clock: Clock, seconds: float, *, entry: int = 0, data: bytes | None = None) -> Any:
        """What an entry point gives for this input, beside these data documents."""
        place, base = self.nothing, self.base
        with clock.limit(self.store, seconds):
            if data is not None:
                self.exports.call("opa_heap_ptr_set", base, results=0)
                place = self._put(data)
                base = self.exports.call("opa_heap_ptr_get")
            self._make_room(base + len(raw))
            self.memory.write(raw, base)
            address = self.exports.call("opa_eval", 0, entry, place, base, len(raw), base + len(raw), 0)
        return json.loads(self._text(address))

    def _make_room(self, end: int) -> None:
        need = end - self.memory.size()
        if need > 0:
            self.memory.grow(need // PAGE + 1)

    def _text(self, address: int) -> str:
        size, step, out = self.memory.size(), 4096, bytearray()
        while address < size:
            chunk = self.memory.read(address, address + step)
            end = chunk.find(0)
            if end >= 0:
                return (out + chunk[:end]).decode()
            out += chunk
            address, step = address + len(chunk), step * 4
        raise EngineError("the policy module gave a string without an end")

    def _get(self, address: int) -> Any:
        return json.loads(self._text(self.exports.call("opa_json_dump", address)))

    def _put(self, raw: bytes) -> int:
        place = self.exports.call("opa_malloc", len(raw))
        self.memory.write(raw, place)
        address = self.exports.call("opa_json_parse", place, len(raw))
        if address == 0:
            raise EngineError("the policy module refused a value")
        return address


class Policy:
    """A loaded module with its instances. Threads may share it; a forked child may go on using it."""

    def __init__(self, engine: wasm.Engine, module: wasm.Module, origin: str) -> None:
        self._engine, self._module, self.origin = engine, module, origin
        self._clock, self._idle = Clock(engine), [Instance(engine, module)]

    def entrypoints(self) -> dict[str, int]:
        """The names of what can be evaluated, and their numbers."""
        return self._idle[0].entrypoints()

    def evaluate(self, raw: bytes, seconds: float, *, entry: int = 0, data: bytes | None = None) -> Any:
        """The module's answer: a list with one result, or an empty one. Raises EngineError."""
        if seconds <= 0:
            raise EngineError("no decision: no time was left", code="engine.timeout")
        try:
            instance = self._idle.pop()
        except IndexError:
            instance = Instance(self._engine, self._module)
        try:
            value = instance.evaluate(raw, self._clock, seconds, entry=entry, data=data)
        except Exception as error:  # noqa: BLE001 - whatever it was, there is no decision
            instance.store.close()
            raise _no_decision(instance.faults, error, seconds) from None
        except BaseException:
            instance.store.close()
            raise
        if instance.memory.size() > KEEP:
            instance.store.close()
        else:
            self._idle.append(instance)
        return value

    def close(self) -> None:
        """Give the memory of idle instances back."""
        while self._idle:
            self._idle.pop().store.close()


class Beside(Protocol):
    """Policy of the verifier's own that is evaluated before ours (admission.custom.compiled)."""

    @property
    def digests(self) -> tuple[str, ...]: ...

    def documents(self, raw: bytes, due: float) -> bytes: ...

    def close(self) -> None: ...


class EmbeddedEngine:
    """The policy that is installed, evaluated in process; what the verifier's own says is data of it.

    Small inputs run on the precompiled Pulley form, which is ready in a millisecond; the first large one, or `jit`, or
    the first after MANY, compiles with Cranelift once.
    """

    name = "embedded"

    def __init__(self, folder: Path | None = None, *, jit: bool = False, beside: Beside | None = None) -> None:
        self._folder = folder or policy_folder()
        self._made = artefact.made(self._folder)
        self.policy_digest = self._made.policy_digest
        if beside is not None:
            self.policy_digest = policy_digest(self._folder, beside.digests)
        self.version = f"OPA {self._made.opa} on wasmtime {wasm.installed_version() or 'unknown'}"
        self._beside, self._decided = beside, 0
        self._portable = None if jit else self._load(jit=False)
        self._native = self._load(jit=True) if jit else None

    @property
    def origin(self) -> str:
        """Where the module's code came from, in words."""
        policy = self._portable or self._native
        return policy.origin if policy else ""

    def decide(self, raw: bytes, seconds: float) -> Any:
        """The decision for this policy input, as the policy gives it, unchecked. Raises EngineError."""
        due, data = time.monotonic() + seconds, None
        if self._beside is not None:
            data = self._beside.documents(raw, due)
            seconds = due - time.monotonic()
        return one_result(self._policy(len(raw)).evaluate(raw, seconds, data=data))

    def expect(self, decisions: int) -> None:
        """So many decisions are to come: compile at once if that will pay. A process that forks shares the code."""
        if decisions > MANY and self._native is None:
            self._native = self._load(jit=True)

    def grounds(self, raw: bytes, seconds: float) -> dict[str, list[str]]:
        """Each satisfied requirement of our rules, and what it stands on: JSON pointers into the policy input, sorted.

        For people who ask why; nothing is decided by it. Raises EngineError.
        """
        found = one_result(self._policy(len(raw)).evaluate(raw, seconds, entry=_ENTRIES[GROUNDS]))
        return {code: sorted(set(facts)) for code, facts in sorted(found.items())}

    def close(self) -> None:
        """Give the memory of idle instances back."""
        for policy in (self._portable, self._native, self._beside):
            if policy is not None:
                policy.close()

    def _policy(self, size: int) -> Policy:
        self._decided += 1
        if self._portable is not None and self._native is None and size < LARGE and self._decided <= MANY:
            return self._portable
        if self._native is None:  # two threads may both compile; no lock, which a fork could leave held for ever
            self._native = self._load(jit=True)
        return self._native

    def _load(self, *, jit: bool) -> Policy:
        engine, where = wasm.Engine(jit=jit), self._folder / artefact.MODULE
        try:
            policy = Policy(engine, *artefact.load(engine, self._folder, self._made.module_sha256, jit=jit))
            found = policy.entrypoints()
        except (wasm.Failure, wasm.Trap) as error:
            raise EngineUnavailable(f"{where}: wasmtime does not take it: {error}") from None
        except EngineError as error:
            raise EngineUnavailable(f"{where}: {error.message}") from None
        if found != _ENTRIES:
            raise EngineUnavailable(
                f"{where}: entry points are {', '.join(found) or 'none'}, wanted are {', '.join(_ENTRIES)}"
            )
        return policy


def load_policy(code: bytes, *, what: str) -> Policy:
    """A module at hand, compiled. Raises EngineUnavailable, naming it as `what`."""
    engine = wasm.Engine(jit=True)
    try:
        return Policy(engine, wasm.Module(engine, code), "compiled in memory")
    except (wasm.Failure, wasm.Trap) as error:
        raise EngineUnavailable(f"{what}: wasmtime does not take it: {error}") from None
    except (EngineError, EngineUnavailable) as error:
        raise EngineUnavailable(f"{what}: {error.message}", hint=error.hint) from None


def one_result(answer: Sequence[Any]) -> Any:
    """The one value of a module's answer. Raises EngineError for none and for several."""
    match answer:
        case [{"result": value}]:
            return value
        case []:
            raise EngineError("the policy gave no decision", code="engine.undefined")
        case [{"result": _}, {"result": _}, *_]:
            raise EngineError(f"the policy gave {len(answer)} results", code="engine.results")
    raise EngineError("the policy gave something else than a result", code="engine.shape")


def _refuse(name: str) -> Any:
    raise EngineUnavailable(f"the policy module imports {name}, which is not provided")


def _no_decision(faults: list[BaseException], error: Exception, seconds: float) -> EngineError:
    for fault in faults[:1]:
        if not isinstance(fault, EngineError):
            raise fault  # Ctrl-C while a callback ran
        return EngineError(f"no decision: {fault.message}", code=fault.code)
    if isinstance(error, EngineError):
        return error
    if isinstance(error, wasm.Trap):
        if error.code == wasm.INTERRUPT:
            return EngineError(f"no decision within {seconds:g} s ({error})", code="engine.timeout")
        return EngineError(f"no decision: trap {error}", code="engine.trap")
    if isinstance(error, wasm.Failure):
        code = "engine.memory" if _GROW in str(error) else "engine.error"
        return EngineError(f"no decision: {error}", code=code)
    return EngineError(f"no decision: {type(error).__name__}")
