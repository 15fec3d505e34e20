"""Evaluate the policy module in process (OPA's WebAssembly ABI 1.x on wasmtime).

Ensures: one evaluation can neither spend another's time nor see its memory; memory and time are bounded; an instance
that raised anything is closed and never used again; a module that asks for any host built-in is refused when loaded.
Raises EngineError, and EngineUnavailable when loading. Does not check the input against a schema: bytes that are not
strict JSON are an undefined input to the module.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import wasmtime

from in_toto_done_receipt.admission import artefact
from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.clock import Clock
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import EngineError, EngineUnavailable

PAGE: Final = 65536
FIRST_PAGES: Final = 64  # OPA's module asks for 2 and then fills more with its own data when the policy is large
MEMORY_CAP: Final = 512 * 2**20  # bytes an evaluation may use: the largest receipt needs half of it
KEEP: Final = 32 * 2**20  # an instance that grew beyond this is not kept: linear memory never shrinks
LARGE: Final = 256 * 2**10  # bytes of input from which compiling (0.2 s, once) is quicker than interpreting
MANY: Final = 64  # small decisions after which compiling (0.5 s) has paid: each is 7 ms faster then


class Instance:
    """One store with one instance; used by one thread at a time.

    The callbacks hold no reference to the store: the bindings keep them in a global table, so a reference would make
    a cycle that is never collected. What a callback raised is kept in `faults`, because the bindings carry it to the
    caller in a global variable, where another thread may take it.
    """

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module) -> None:
        self.store = wasmtime.Store(engine)
        self.faults: list[EngineError] = []
        try:
            self._start(module)
        except BaseException:
            self.store.close()
            raise

    def _start(self, module: wasmtime.Module) -> None:
        self.store.set_epoch_deadline(1 << 40)  # starting up runs only our own module
        self.store.set_limits(memory_size=MEMORY_CAP, instances=1, memories=1)
        offered = self._offered()
        self.memory = offered["memory"]
        wanted = [offered[name] if (name := entry.name or "") in offered else _refuse(name) for entry in module.imports]
        started = wasmtime.Instance(self.store, module, wanted)
        self.exports = cast(Any, started.exports(self.store))  # typed as a union of every kind of export
        if asked := _get(self.store, self.exports, self.exports["builtins"](self.store)):
            raise EngineUnavailable(f"the policy asks for built-ins, and none is provided: {', '.join(sorted(asked))}")
        self.data = _put(self.store, self.exports, {})
        self.base = self.exports["opa_heap_ptr_get"](self.store)

    def _offered(self) -> dict[str, Any]:
        faults = self.faults
        i32 = wasmtime.ValType.i32

        def host(arity: int, results: int, call: Callable[..., Any]) -> wasmtime.Func:
            kind = wasmtime.FuncType([i32()] * arity, [i32()] * results)
            return wasmtime.Func(self.store, kind, call, access_caller=True)

        def abort(caller: Any, address: int) -> None:
            faults.append(EngineError("policy aborted: " + _text(caller, caller["memory"], address)))
            raise faults[-1]

        def builtin(_caller: Any, *_args: int) -> int:
            faults.append(EngineError("the policy called a built-in, and none is provided"))
            raise faults[-1]

        offered: dict[str, Any] = {f"opa_builtin{count}": host(count + 2, 1, builtin) for count in range(5)}
        offered["opa_abort"] = host(1, 0, abort)
        offered["opa_println"] = host(1, 0, lambda _caller, _address: None)
        limits = wasmtime.Limits(FIRST_PAGES, MEMORY_CAP // PAGE)
        offered["memory"] = wasmtime.Memory(self.store, wasmtime.MemoryType(limits))
        return offered

    def evaluate(self, raw: bytes, clock: Clock, seconds: float) -> Any:
        """What the module's entry point gives for this input."""
        need = self.base + len(raw) - self.memory.data_len(self.store)
        if need > 0:
            self.memory.grow(self.store, need // PAGE + 1)
        self.memory.write(self.store, raw, self.base)
        end = self.base + len(raw)
        with clock.limit(self.store, seconds):
            address = self.exports["opa_eval"](self.store, 0, 0, self.data, self.base, len(raw), end, 0)
        return json.loads(_text(self.store, self.memory, address))


class Policy:
    """A loaded module with its instances. Threads may share it; a forked child may go on using it."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module, origin: str) -> None:
        self._engine, self._module, self.origin = engine, module, origin
        self._clock, self._idle = Clock(engine), [Instance(engine, module)]

    def evaluate(self, raw: bytes, seconds: float) -> Any:
        """The module's answer: a list with one result, or an empty one. Raises EngineError."""
        try:
            instance = self._idle.pop()
        except IndexError:
            instance = Instance(self._engine, self._module)
        try:
            value = instance.evaluate(raw, self._clock, seconds)
        except Exception as error:  # noqa: BLE001 - whatever it was, there is no decision
            instance.store.close()
            raise _no_decision(instance.faults, error, seconds) from None
        except BaseException:
            instance.store.close()
            raise
        if instance.memory.data_len(instance.store) > KEEP:
            instance.store.close()
        else:
            self._idle.append(instance)
        return value

    def close(self) -> None:
        """Give the memory of idle instances back."""
        while self._idle:
            self._idle.pop().store.close()


class EmbeddedEngine:
    """The policy that is installed, evaluated in process.

    Small inputs run on the precompiled Pulley form, which is ready in a millisecond; the first large one, or `jit`, or
    the first after MANY, compiles with Cranelift once.
    """

    name = "embedded"

    def __init__(self, folder: Path | None = None, *, jit: bool = False) -> None:
        self._folder = folder or policy_folder()
        catalogue = load_catalogue(self._folder)
        self.policy_digest = catalogue.policy_digest
        self.version = f"OPA {catalogue.opa} on wasmtime {artefact.installed_wasmtime() or 'unknown'}"
        self._decided = 0
        self._portable = None if jit else self._load(jit=False)
        self._native = self._load(jit=True) if jit else None

    @property
    def origin(self) -> str:
        """Where the module's code came from, in words."""
        policy = self._portable or self._native
        return policy.origin if policy else ""

    def decide(self, raw: bytes, seconds: float) -> Any:
        """The decision for this policy input, as the policy gives it, unchecked. Raises EngineError."""
        answer = self._policy(len(raw)).evaluate(raw, seconds)
        if answer == []:
            raise EngineError("the policy gave no decision", code="engine.undefined")
        match answer:
            case [{"result": value}]:
                return value
        raise EngineError("the policy gave several results or none", code="engine.shape")

    def close(self) -> None:
        """Give the memory of idle instances back."""
        for policy in (self._portable, self._native):
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
        engine = artefact.new_engine(jit=jit)
        try:
            module, origin = artefact.load(engine, self._folder, jit=jit)
            return Policy(engine, module, origin)
        except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
            raise EngineUnavailable(f"{self._folder / artefact.MODULE}: wasmtime does not take it: {error}") from None


def _refuse(name: str) -> Any:
    raise EngineUnavailable(f"the policy module imports {name}, which is not provided")


def _no_decision(faults: list[EngineError], error: Exception, seconds: float) -> EngineError:
    if faults:
        return EngineError(f"no decision: {faults[0].message}")
    if isinstance(error, EngineError):
        return error
    if isinstance(error, wasmtime.Trap) and error.trap_code is not None:
        if error.trap_code is wasmtime.TrapCode.INTERRUPT:
            return EngineError(f"no decision within {seconds:g} s (interrupt)", code="engine.timeout")
        return EngineError(f"no decision: trap {error.trap_code.name.lower()}")
    return EngineError(f"no decision: {type(error).__name__}")  # its text may be another evaluation's


def _text(store: Any, memory: wasmtime.Memory, address: int) -> str:
    size, step, out = memory.data_len(store), 4096, bytearray()
    while address < size:
        chunk = memory.read(store, address, min(address + step, size))
        end = chunk.find(0)
        if end >= 0:
            return (out + chunk[:end]).decode()
        out += chunk
        address, step = address + len(chunk), step * 4
    raise EngineError("the policy module gave a string without an end")


def _get(store: Any, exports: Any, address: int) -> Any:
    return json.loads(_text(store, exports["memory"], exports["opa_json_dump"](store, address)))


def _put(store: Any, exports: Any, value: Any) -> int:
    raw = json.dumps(value).encode()
    place = exports["opa_malloc"](store, len(raw))
    exports["memory"].write(store, raw, place)
    address: int = exports["opa_json_parse"](store, place, len(raw))
    if address == 0:
        raise EngineError("the policy module refused a value")
    return address
