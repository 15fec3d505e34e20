"""The thirty functions of wasmtime's C library that the runner needs, called directly.

The library's own Python package describes fifteen hundred and takes 30 ms to import, a third of a cold decision; and it
keeps callbacks and what they raise in global tables, across threads. What is declared here belongs to one major version
of the library: another one is refused. Raises EngineUnavailable for the library, Failure and Trap for what is run.
"""

import ctypes
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from ctypes import POINTER, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.errors import EngineUnavailable

MAJOR: Final = "50"  # of wasmtime
INTERRUPT: Final = 10  # trap code: the epoch reached the store's deadline
UNREACHABLE: Final = 9
TRAPS: Final[Mapping[int, str]] = {
    0: "stack overflow",
    1: "memory out of bounds",
    3: "table out of bounds",
    4: "call of nothing",
    5: "call of another type",
    6: "integer overflow",
    7: "division by zero",
    UNREACHABLE: "unreachable",
    INTERRUPT: "interrupt",
}
_LIBRARIES: Final = {"linux": "_libwasmtime.so", "darwin": "_libwasmtime.dylib", "win32": "_wasmtime.dll"}
_MACHINES: Final = {"AMD64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}
_FUNC, _MEMORY, _I32 = 0, 3, 0  # kinds of externals, of values
Call = Callable[..., int | None]


class _Vector(ctypes.Structure):
    _fields_ = (("size", c_size_t), ("data", c_void_p))


class _Value(ctypes.Structure):
    _fields_ = (("kind", c_uint8), ("_", c_uint8 * 7), ("i32", c_int32), ("__", c_uint8 * 20))


class _Extern(ctypes.Structure):
    """A function, memory or other thing that modules import and export."""

    _fields_ = (("kind", c_uint8), ("of", c_uint64 * 3))


class _Instance(ctypes.Structure):
    _fields_ = (("store", c_uint64), ("place", c_size_t))


_CALLBACK: Final = ctypes.CFUNCTYPE(c_size_t, c_void_p, c_void_p, POINTER(_Value), c_size_t, POINTER(_Value), c_size_t)

# Name -> what it gives and takes. Pointers to what the library keeps to itself are c_void_p.
_FUNCTIONS: Final[Mapping[str, tuple[Any, ...]]] = {
    "wasm_config_new": (c_void_p,),
    "wasmtime_config_epoch_interruption_set": (None, c_void_p, c_bool),
    "wasmtime_config_parallel_compilation_set": (None, c_void_p, c_bool),
    "wasmtime_config_signals_based_traps_set": (None, c_void_p, c_bool),
    "wasmtime_config_target_set": (c_void_p, c_void_p, c_char_p),
    "wasm_engine_new_with_config": (c_void_p, c_void_p),
    "wasm_engine_delete": (None, c_void_p),
    "wasmtime_engine_increment_epoch": (None, c_void_p),
    "wasmtime_module_new": (c_void_p, c_void_p, c_char_p, c_size_t, POINTER(c_void_p)),
    "wasmtime_module_deserialize": (c_void_p, c_void_p, c_char_p, c_size_t, POINTER(c_void_p)),
    "wasmtime_module_imports": (None, c_void_p, POINTER(_Vector)),
    "wasmtime_module_delete": (None, c_void_p),
    "wasm_importtype_name": (POINTER(_Vector), c_void_p),
    "wasm_importtype_vec_delete": (None, POINTER(_Vector)),
    "wasmtime_store_new": (c_void_p, c_void_p, c_void_p, c_void_p),
    "wasmtime_store_context": (c_void_p, c_void_p),
    "wasmtime_store_limiter": (None, c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64),
    "wasmtime_store_delete": (None, c_void_p),
    "wasmtime_context_set_epoch_deadline": (None, c_void_p, c_uint64),
    "wasmtime_memorytype_new": (c_void_p, c_uint64, c_bool, c_uint64, c_bool, c_bool, c_uint8, POINTER(c_void_p)),
    "wasm_memorytype_delete": (None, c_void_p),
    "wasmtime_memory_new": (c_void_p, c_void_p, c_void_p, c_void_p),
    "wasmtime_memory_data": (c_void_p, c_void_p, c_void_p),
    "wasmtime_memory_data_size": (c_size_t, c_void_p, c_void_p),
    "wasmtime_memory_grow": (c_void_p, c_void_p, c_void_p, c_uint64, POINTER(c_uint64)),
    "wasm_valtype_new": (c_void_p, c_uint8),
    "wasm_valtype_vec_new": (None, POINTER(_Vector), c_size_t, POINTER(c_void_p)),
    "wasm_functype_new": (c_void_p, POINTER(_Vector), POINTER(_Vector)),
    "wasm_functype_delete": (None, c_void_p),
    "wasmtime_func_new": (None, c_void_p, c_void_p, _CALLBACK, c_void_p, c_void_p, c_void_p),
    "wasmtime_func_call": (
        *(c_void_p, c_void_p, c_void_p, POINTER(_Value), c_size_t, POINTER(_Value), c_size_t),
        POINTER(c_void_p),
    ),
    "wasmtime_instance_new": (
        *(c_void_p, c_void_p, c_void_p, POINTER(_Extern), c_size_t, POINTER(_Instance)),
        POINTER(c_void_p),
    ),
    "wasmtime_instance_export_get": (c_bool, c_void_p, POINTER(_Instance), c_char_p, c_size_t, POINTER(_Extern)),
    "wasmtime_trap_new": (c_size_t, c_char_p, c_size_t),
    "wasmtime_trap_code": (c_bool, c_void_p, POINTER(c_uint8)),
    "wasm_trap_delete": (None, c_void_p),
    "wasmtime_error_message": (None, c_void_p, POINTER(_Vector)),
    "wasmtime_error_delete": (None, c_void_p),
    "wasm_byte_vec_delete": (None, POINTER(_Vector)),
}


class Failure(Exception):
    """The library refused, or one of our callbacks ended the evaluation; the text is the library's own."""


class Trap(Exception):
    """What ran broke off; `code` is one of TRAPS or another, None when the library names none."""

    def __init__(self, code: int | None) -> None:
        super().__init__("of no known kind" if code is None else TRAPS.get(code, f"trap {code}"))
        self.code = code


def installed_version() -> str | None:
    """Of wasmtime, read from the folder's name: importlib.metadata takes 15 ms."""
    folder = _package()
    found = [path.name for path in folder.parent.glob("wasmtime-*.dist-info")] if folder else []
    return found[0].removeprefix("wasmtime-").removesuffix(".dist-info") if len(found) == 1 else None


def _package() -> Path | None:
    spec = PathFinder.find_spec("wasmtime")  # where it is; nothing of it is imported
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


@cache
def library() -> ctypes.CDLL:
    """The C library of the installed wasmtime. Raises EngineUnavailable."""
    folder, version = _package(), installed_version()
    if folder is None or version is None or version.partition(".")[0] != MAJOR:
        raise EngineUnavailable(
            f"wasmtime {version or '(none)'} is installed, {MAJOR} is needed", hint="install done-receipt again"
        )
    machine = platform.machine()
    name = _LIBRARIES.get(sys.platform, "_libwasmtime.so")
    path = folder / f"{sys.platform}-{_MACHINES.get(machine, machine)}" / name
    try:
        found = ctypes.CDLL(str(path))
        for function, (gives, *takes) in _FUNCTIONS.items():
            declared = getattr(found, function)
            declared.restype, declared.argtypes = gives, takes
    except (OSError, AttributeError) as error:
        raise EngineUnavailable(f"{path}: wasmtime does not load: {error}") from None
    return found


class Engine:
    """Compiles with Cranelift (`jit`), or runs Pulley code, the portable form. hatch_build.py has the same settings."""

    def __init__(self, *, jit: bool) -> None:
        self.c = library()
        config = self.c.wasm_config_new()
        self.c.wasmtime_config_epoch_interruption_set(config, True)
        # Its threads do not survive fork(): a child that compiles would hang.
        self.c.wasmtime_config_parallel_compilation_set(config, False)
        # Else faulthandler, enabled later than us, ends the process at a trap.
        self.c.wasmtime_config_signals_based_traps_set(config, False)
        if not jit:
            self.check(self.c.wasmtime_config_target_set(config, b"pulley64"))
        self.pointer = self.c.wasm_engine_new_with_config(config)

    def increment_epoch(self) -> None:
        """Time goes on for every store of this engine."""
        self.c.wasmtime_engine_increment_epoch(self.pointer)

    def check(self, error: int | None) -> None:
        """Raise Failure for an error of the library."""
        if not error:
            return
        text = _Vector()
        self.c.wasmtime_error_message(error, text)
        message = ctypes.string_at(text.data, text.size).decode(errors="replace") if text.size else ""
        self.c.wasm_byte_vec_delete(text)
        self.c.wasmtime_error_delete(error)
        raise Failure(message)

    def __del__(self) -> None:
        if pointer := getattr(self, "pointer", None):
            self.c.wasm_engine_delete(pointer)


class Module:
    """Code, ready to be instantiated. Raises Failure for bytes that are none.

    `precompiled` bytes are run as they are: only bytes that are known to be ours may be given.
    """

    def __init__(self, engine: Engine, code: bytes, *, precompiled: bool = False) -> None:
        self._c, pointer = engine.c, c_void_p()
        make = self._c.wasmtime_module_deserialize if precompiled else self._c.wasmtime_module_new
        engine.check(make(engine.pointer, code, len(code), pointer))
        self.pointer = pointer.value

    def imports(self) -> list[str]:
        """The names of what it imports, in order."""
        found = _Vector()
        self._c.wasmtime_module_imports(self.pointer, found)
        items = ctypes.cast(found.data, POINTER(c_void_p))
        names = [self._c.wasm_importtype_name(items[place]).contents for place in range(found.size)]
        texts = [ctypes.string_at(name.data, name.size).decode(errors="replace") for name in names]
        self._c.wasm_importtype_vec_delete(found)
        return texts

    def __del__(self) -> None:
        if pointer := getattr(self, "pointer", None):
            self._c.wasmtime_module_delete(pointer)


class Store:
    """Where one instance lives with its memory. Used by one thread at a time.

    What it calls back is kept here and holds no reference to the store, so that nothing outlives it.
    """

    def __init__(self, engine: Engine, *, memory_cap: int) -> None:
        self._engine, self._c = engine, engine.c
        self._pointer: int | None
        self._context: int | None
        self._callbacks: list[Any] = []
        self._pointer = self._c.wasmtime_store_new(engine.pointer, None, None)
        self._context = self._c.wasmtime_store_context(self._pointer)
        self._c.wasmtime_store_limiter(self._pointer, memory_cap, -1, 1, -1, 1)

    @property
    def context(self) -> int:
        """What the library's functions want. Raises Failure once the store is closed."""
        if self._context is None:
            raise Failure("the store is closed")
        return int(self._context)

    def set_epoch_deadline(self, ticks: int) -> None:
        """What runs from now on is interrupted after so many epochs of its engine."""
        self._c.wasmtime_context_set_epoch_deadline(self.context, ticks)

    def memory(self, pages: int, most: int) -> "Memory":
        """A new memory."""
        kind, made = c_void_p(), _Extern(kind=_MEMORY)
        self._engine.check(self._c.wasmtime_memorytype_new(pages, True, most, False, False, 16, kind))
        try:
            self._engine.check(self._c.wasmtime_memory_new(self.context, kind, ctypes.byref(made, _Extern.of.offset)))
        finally:
            self._c.wasm_memorytype_delete(kind)
        return Memory(self._engine, self, made)

    def function(self, arity: int, call: Call, *, results: int = 0) -> _Extern:
        """A function of so many i32 for instances to call. Whatever `call` raises ends the evaluation as a Failure."""
        trap = self._c.wasmtime_trap_new

        def answer(_env: Any, _caller: Any, given: Any, count: int, out: Any, _wanted: int) -> int:
            try:
                value = call(*(given[place].i32 for place in range(count)))
                if results:
                    out[0].kind, out[0].i32 = _I32, value or 0
            except BaseException:  # noqa: BLE001 - it must not leave through C; `call` keeps what it has to say
                return int(trap(b"", 0))
            return 0

        callback = _CALLBACK(answer)
        self._callbacks.append(callback)
        kind = self._c.wasm_functype_new(self._types(arity), self._types(results))
        made = _Extern(kind=_FUNC)
        place = ctypes.byref(made, _Extern.of.offset)
        self._c.wasmtime_func_new(self.context, kind, callback, None, None, place)
        self._c.wasm_functype_delete(kind)
        return made

    def instantiate(self, module: Module, offered: Iterable[_Extern]) -> "Instance":
        """The module with its imports, in its order. Raises Failure, Trap."""
        given = tuple(offered)
        made, trap = _Instance(), c_void_p()
        array = (_Extern * len(given))(*given)
        self._engine.check(self._c.wasmtime_instance_new(self.context, module.pointer, array, len(given), made, trap))
        _raise_trap(self._c, trap)
        return Instance(self._engine, self, made)

    def close(self) -> None:
        """Give everything back; the store and what is in it are not used again."""
        pointer, self._pointer, self._context = getattr(self, "_pointer", None), None, None
        if pointer:
            self._c.wasmtime_store_delete(pointer)
            self._callbacks.clear()

    def __del__(self) -> None:
        self.close()

    def _types(self, count: int) -> _Vector:
        made = _Vector()
        each = (c_void_p * count)(*(self._c.wasm_valtype_new(_I32) for _ in range(count)))
        self._c.wasm_valtype_vec_new(made, count, each)
        return made


class Memory:
    """The linear memory of an instance."""

    def __init__(self, engine: Engine, store: Store, extern: _Extern) -> None:
        self._engine, self._c, self._store, self.extern = engine, engine.c, store, extern
        self._place = ctypes.byref(extern, _Extern.of.offset)

    def size(self) -> int:
        """In bytes."""
        return int(self._c.wasmtime_memory_data_size(self._store.context, self._place))

    def grow(self, pages: int) -> None:
        """Raises Failure when it may not grow so far."""
        self._engine.check(self._c.wasmtime_memory_grow(self._store.context, self._place, pages, c_uint64()))

    def read(self, start: int, stop: int) -> bytes:
        """The bytes from start to stop, as far as the memory goes."""
        stop = min(stop, self.size())
        if not 0 <= start < stop:
            return b""
        return ctypes.string_at(self._c.wasmtime_memory_data(self._store.context, self._place) + start, stop - start)

    def write(self, data: bytes, start: int) -> None:
        """Raises Failure when it does not fit."""
        if not 0 <= start <= start + len(data) <= self.size():
            raise Failure("write beyond the memory")
        ctypes.memmove(self._c.wasmtime_memory_data(self._store.context, self._place) + start, data, len(data))


class Instance:
    """A running module: its exported functions of i32."""

    def __init__(self, engine: Engine, store: Store, made: _Instance) -> None:
        self._engine, self._c, self._store, self._made = engine, engine.c, store, made
        self._known: dict[str, _Extern] = {}

    def call(self, name: str, *arguments: int, results: int = 1) -> int:
        """What the function gives, 0 when it gives nothing. Raises Failure, also when there is none; Trap."""
        function = self._known.get(name) or self._find(name)
        given = (_Value * len(arguments))(*(_Value(kind=_I32, i32=_signed(number)) for number in arguments))
        out, trap = (_Value * results)(), c_void_p()
        place = ctypes.byref(function, _Extern.of.offset)
        error = self._c.wasmtime_func_call(self._store.context, place, given, len(arguments), out, results, trap)
        _raise_trap(self._c, trap)
        self._engine.check(error)
        return out[0].i32 & 0xFFFFFFFF if results else 0

    def _find(self, name: str) -> _Extern:
        found, raw = _Extern(), name.encode()
        if not self._c.wasmtime_instance_export_get(self._store.context, self._made, raw, len(raw), found):
            raise Failure(f"the module does not export {name}")
        if found.kind != _FUNC:
            raise Failure(f"what the module exports as {name} is no function")
        return self._known.setdefault(name, found)


def _signed(number: int) -> int:
    return number - 2**32 if number >= 2**31 else number


def _raise_trap(c: ctypes.CDLL, trap: c_void_p) -> None:
    if not trap.value:
        return
    code = c_uint8()
    known = c.wasmtime_trap_code(trap, code)
    c.wasm_trap_delete(trap)
    raise Trap(code.value if known else None)
