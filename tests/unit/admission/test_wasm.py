"""The calls into wasmtime's C library: what goes wrong there is an exception of ours, never a crash."""

import gc
import os
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
import wasmtime

from in_toto_done_receipt.admission import wasm
from in_toto_done_receipt.errors import EngineUnavailable

TEXT = """(module
 (import "env" "memory" (memory 1))
 (import "env" "ask" (func $ask (param i32 i32) (result i32)))
 (import "env" "tell" (func $tell (param i32)))
 (export "memory" (memory 0))
 (global (export "g") i32 (i32.const 1))
 (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
 (func (export "ask") (param i32 i32) (result i32) (call $ask (local.get 0) (local.get 1)))
 (func (export "tell") (param i32) (call $tell (local.get 0)))
 (func (export "load") (param i32) (result i32) (i32.load (local.get 0)))
 (func (export "zero") (result i32) (i32.div_u (i32.const 1) (i32.const 0)))
 (func (export "stop") unreachable)
 (func (export "loop") (loop $l (br $l)))
 (func $deep (export "deep") (call $deep)))"""
CODE = bytes(wasmtime.wat2wasm(TEXT))
Ask = Callable[[int, int], int]


class Running:
    """The module above, with these callbacks."""

    def __init__(self, jit: bool, ask: Ask = lambda a, b: a - b, tell: Callable[[int], None] = lambda _: None) -> None:
        self.engine = wasm.Engine(jit=jit)
        self.module = wasm.Module(self.engine, CODE)
        self.store = wasm.Store(self.engine, memory_cap=4 * 65536)
        self.store.set_epoch_deadline(1 << 40)
        self.memory = self.store.memory(1, 100)
        offered = [self.memory.extern, self.store.function(2, ask, results=1), self.store.function(1, tell)]
        self.instance = self.store.instantiate(self.module, offered)


@pytest.fixture(params=[False, True], ids=["pulley", "cranelift"])
def jit(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def running(jit: bool) -> Running:
    return Running(jit)


def test_its_imports_are_named_in_order(running: Running) -> None:
    assert running.module.imports() == ["memory", "ask", "tell"]


@pytest.mark.parametrize(
    ("a", "b", "total"), [(1, 2, 3), (2**31 - 1, 1, 2**31), (2**32 - 1, 1, 0), (2**31, 2**31, 0), (0, 0, 0)]
)
def test_numbers_are_unsigned(running: Running, a: int, b: int, total: int) -> None:
    assert running.instance.call("add", a, b) == total


def test_a_callback_gets_and_gives_numbers(running: Running) -> None:
    assert running.instance.call("ask", 7, 5) == 2
    assert running.instance.call("ask", 5, 7) == 2**32 - 2


def test_a_callback_without_a_result(jit: bool) -> None:
    told: list[int] = []
    assert Running(jit, tell=told.append).instance.call("tell", 4711, results=0) == 0
    assert told == [4711]


@pytest.mark.parametrize(
    "raised", [ValueError("x"), KeyboardInterrupt(), SystemExit(3), RecursionError(), MemoryError()]
)
def test_whatever_a_callback_raises_ends_the_evaluation(jit: bool, raised: BaseException) -> None:
    def ask(_a: int, _b: int) -> int:
        raise raised

    running = Running(jit, ask)
    with pytest.raises(wasm.Failure):
        running.instance.call("ask", 1, 2)
    assert running.instance.call("add", 1, 2) == 3


@pytest.mark.parametrize("value", ["text", None, 2.5, object()], ids=["text", "none", "fraction", "object"])
def test_a_callback_that_gives_no_number(jit: bool, value: object) -> None:
    running = Running(jit, lambda _a, _b: value)  # type: ignore[return-value, arg-type]
    if value is None:
        assert running.instance.call("ask", 1, 2) == 0
        return
    with pytest.raises(wasm.Failure):
        running.instance.call("ask", 1, 2)


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [("stop", 9, "unreachable"), ("zero", 7, "division by zero"), ("deep", 0, "stack overflow")],
)
def test_traps_say_what_happened(running: Running, name: str, code: int, text: str) -> None:
    with pytest.raises(wasm.Trap, match=text) as caught:
        running.instance.call(name, results=int(name == "zero"))
    assert caught.value.code == code


def test_out_of_bounds_is_a_trap(running: Running) -> None:
    with pytest.raises(wasm.Trap, match="memory out of bounds"):
        running.instance.call("load", 2**32 - 4)


def test_an_epoch_interrupts(running: Running) -> None:
    running.store.set_epoch_deadline(0)
    with pytest.raises(wasm.Trap, match="interrupt") as caught:
        running.instance.call("loop", results=0)
    assert caught.value.code == wasm.INTERRUPT


def test_memory_is_read_as_far_as_it_goes(running: Running) -> None:
    running.memory.write(b"abc", 65530)
    assert running.memory.read(65530, 65533) == b"abc"
    assert len(running.memory.read(65530, 10**9)) == 6
    for start, stop in ((65536, 65540), (-1, 5), (10, 10), (10, 5), (2**40, 2**41)):
        assert running.memory.read(start, stop) == b""


@pytest.mark.parametrize("start", [-1, 65534, 65537, 2**40, -(2**63)])
def test_writing_beyond_the_memory_is_refused(running: Running, start: int) -> None:
    with pytest.raises(wasm.Failure, match="beyond the memory"):
        running.memory.write(b"abc", start)


def test_memory_grows_up_to_its_cap(running: Running) -> None:
    running.memory.grow(3)
    assert running.memory.size() == 4 * 65536
    running.memory.write(b"end", 4 * 65536 - 3)
    with pytest.raises(wasm.Failure, match="grow"):
        running.memory.grow(1)


@pytest.mark.parametrize("code", [b"", b"\0asm", b"\0asm\1\0\0\0\x01", b"no module", CODE[:-3], CODE + b"\0"])
def test_bytes_that_are_no_module_are_a_failure(jit: bool, code: bytes) -> None:
    with pytest.raises(wasm.Failure):
        wasm.Module(wasm.Engine(jit=jit), code)


def test_bytes_that_are_no_precompiled_module_are_a_failure() -> None:
    for code in (b"", b"no module", CODE):
        with pytest.raises(wasm.Failure):
            wasm.Module(wasm.Engine(jit=False), code, precompiled=True)


@pytest.mark.parametrize(
    ("name", "why"), [("nothing", "does not export nothing"), ("g", "no function"), ("memory", "no f")]
)
def test_what_is_no_function_is_a_failure(running: Running, name: str, why: str) -> None:
    with pytest.raises(wasm.Failure, match=why):
        running.instance.call(name)


@pytest.mark.parametrize("arguments", [(), (1,), (1, 2, 3)])
def test_a_wrong_number_of_arguments_is_a_failure(running: Running, arguments: tuple[int, ...]) -> None:
    with pytest.raises(wasm.Failure):
        running.instance.call("add", *arguments)


def test_wrong_imports_are_a_failure(running: Running) -> None:
    with pytest.raises(wasm.Failure):
        running.store.instantiate(running.module, [running.memory.extern])


def test_a_second_instance_in_one_store_is_a_failure(running: Running) -> None:
    offered = [running.memory.extern, running.store.function(2, lambda a, b: 0, results=1)]
    with pytest.raises(wasm.Failure):
        running.store.instantiate(running.module, [*offered, running.store.function(1, lambda a: None)])


def test_a_closed_store_is_not_touched_again(running: Running) -> None:
    running.store.close()
    running.store.close()
    for use in (
        lambda: running.instance.call("add", 1, 2),
        lambda: running.memory.read(0, 5),
        lambda: running.memory.write(b"x", 0),
        lambda: running.memory.size(),
        lambda: running.store.memory(1, 2),
        lambda: running.store.set_epoch_deadline(1),
    ):
        with pytest.raises(wasm.Failure, match="the store is closed"):
            use()


def test_nothing_is_kept_of_what_is_closed(jit: bool) -> None:
    class Held:
        def ask(self, a: int, b: int) -> int:
            return a + b

    held = Held()
    running, seen = Running(jit, held.ask), weakref.ref(held)
    assert running.instance.call("ask", 1, 2) == 3
    running.store.close()
    del held, running
    gc.collect()
    assert seen() is None


def test_memory_comes_back_without_a_collection(jit: bool) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    engine = wasm.Engine(jit=jit)
    gc.disable()
    try:
        before = resident()
        for _ in range(50):
            store = wasm.Store(engine, memory_cap=64 * 2**20)
            store.memory(512, 1024).write(b"x" * (32 * 2**20 - 1), 0)
            store.close()
        assert resident() - before < 128 * 2**20
    finally:
        gc.enable()


@pytest.mark.parametrize("version", [None, "49.0.0", "51.0.0", "5.0.1", "500.0.0"])
def test_another_major_version_is_refused(version: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "installed_version", lambda: version)
    with pytest.raises(EngineUnavailable, match=rf"wasmtime {version or '.none.'} is installed, 50 is needed"):
        wasm.library.__wrapped__()


def test_a_library_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(wasm, "_package", lambda: tmp_path)
    monkeypatch.setattr(wasm, "installed_version", lambda: "50.0.1")
    with pytest.raises(EngineUnavailable, match="wasmtime does not load"):
        wasm.library.__wrapped__()


def test_the_structures_are_those_of_the_library() -> None:
    """The library's own Python package, which is made from its headers, agrees on every size and place."""
    import ctypes

    from wasmtime import _bindings

    pairs = (
        (wasm._Value, _bindings.wasmtime_val_t),
        (wasm._Extern, _bindings.wasmtime_extern_t),
        (wasm._Instance, _bindings.wasmtime_instance_t),
        (wasm._Vector, _bindings.wasm_byte_vec_t),
    )
    assert [ctypes.sizeof(ours) for ours, _ in pairs] == [ctypes.sizeof(theirs) for _, theirs in pairs]
    assert wasm._Value.i32.offset == _bindings.wasmtime_val_t.of.offset
    assert wasm._Extern.of.offset == _bindings.wasmtime_extern_t.of.offset
    assert ctypes.sizeof(_bindings.wasmtime_memory_t) <= ctypes.sizeof(ctypes.c_uint64 * 3)


def test_every_function_takes_as_many_arguments_as_the_library_says() -> None:
    from wasmtime import _bindings

    wrong = [
        name
        for name, (_, *takes) in wasm._FUNCTIONS.items()
        if len(takes) != len(getattr(_bindings, f"_{name}").argtypes)
    ]
    assert wrong == []
    codes = {kind.value: kind.name for kind in _bindings.wasmtime_trap_code_enum}
    assert codes[wasm.INTERRUPT] == "WASMTIME_TRAP_CODE_INTERRUPT"
    assert codes[wasm.UNREACHABLE] == "WASMTIME_TRAP_CODE_UNREACHABLE_CODE_REACHED"
