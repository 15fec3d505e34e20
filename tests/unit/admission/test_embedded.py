"""The embedded engine: isolation, bounds, threads, fork, and modules that are not what they have to be."""

import gc
import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from in_toto_done_receipt.admission import embedded, wasm
from in_toto_done_receipt.errors import EngineError, EngineUnavailable

# A module with OPA's interface whose "policy" does what the first byte of the input says.
STUB = """(module
 (import "env" "memory" (memory 2))
 (import "env" "opa_abort" (func $abort (param i32)))
 (import "env" "opa_builtin0" (func $builtin0 (param i32 i32) (result i32)))
 (data (i32.const 16) "{ASKED}\\00") (data (i32.const 256) "{\\22ok\\22:true}\\00") (data (i32.const 300) "no\\00")
 (export "memory" (memory 0))
 (func (export "builtins") (result i32) i32.const 16)
 (func (export "opa_json_dump") (param i32) (result i32) local.get 0)
 (func (export "opa_malloc") (param i32) (result i32) i32.const 1024)
 (func (export "opa_json_parse") (param i32 i32) (result i32) i32.const 16)
 (func (export "opa_heap_ptr_get") (result i32) i32.const 65536)
 (func $deep (result i32) call $deep i32.const 1 i32.add)
 (func (export "opa_eval") (param i32 i32 i32 i32 i32 i32 i32) (result i32) (local $c i32)
  (local.set $c (i32.load8_u (local.get 3)))
  (if (i32.eq (local.get $c) (i32.const 108)) (then (loop $l (br $l))))
  (if (i32.eq (local.get $c) (i32.const 117)) (then unreachable))
  (if (i32.eq (local.get $c) (i32.const 111)) (then (drop (i32.load (i32.const -8)))))
  (if (i32.eq (local.get $c) (i32.const 97)) (then (call $abort (i32.const 300))))
  (if (i32.eq (local.get $c) (i32.const 98)) (then (drop (call $builtin0 (i32.const 7) (i32.const 0)))))
  (if (i32.eq (local.get $c) (i32.const 114)) (then (drop (call $deep))))
  (if (i32.eq (local.get $c) (i32.const 109)) (then (loop $g
    (br_if $g (i32.ne (memory.grow (i32.const 64)) (i32.const -1))) unreachable)))
  i32.const 256))"""


def stub(jit: bool, asked: str = "{}") -> embedded.Policy:
    engine = wasm.Engine(jit=jit)
    text = STUB.replace("{ASKED}", asked.replace('"', "\\22"))
    return embedded.Policy(engine, wasm.Module(engine, bytes(wasmtime.wat2wasm(text))), "test")


@pytest.fixture(params=[False, True], ids=["pulley", "cranelift"])
def jit(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def policy(jit: bool) -> Iterator[embedded.Policy]:
    made = stub(jit)
    yield made
    made.close()


@pytest.fixture(scope="module")
def engines() -> Iterator[dict[bool, embedded.EmbeddedEngine]]:
    made = {jit: embedded.EmbeddedEngine(jit=jit) for jit in (False, True)}
    yield made
    for engine in made.values():
        engine.close()


@pytest.fixture
def real(engines: dict[bool, embedded.EmbeddedEngine], jit: bool) -> embedded.EmbeddedEngine:
    return engines[jit]


def moved(document: dict[str, Any], count: int) -> bytes:
    changes = [{"path": f"file-{number}", "change": "modified"} for number in range(count)]
    return json.dumps({**document, "result": {**document["result"], "contract": {"moved": changes}}}).encode()


def fails(policy: embedded.Policy, raw: bytes, seconds: float = 5.0) -> None:
    with pytest.raises(EngineError):
        policy.evaluate(raw, seconds)


@pytest.mark.parametrize("how", list("uoabrm"))
def test_a_failed_evaluation_is_an_error_and_its_instance_is_never_used_again(
    policy: embedded.Policy, how: str
) -> None:
    (before,) = policy._idle
    fails(policy, how.encode())
    assert policy._idle == []
    assert policy.evaluate(b"x", 5.0) == {"ok": True}
    assert policy._idle != [before]


def test_an_abort_says_what_the_policy_said(policy: embedded.Policy) -> None:
    with pytest.raises(EngineError, match="policy aborted: no"):
        policy.evaluate(b"a", 5.0)


def test_too_late_is_a_timeout(policy: embedded.Policy) -> None:
    with pytest.raises(EngineError, match=r"no decision within 0\.05 s") as caught:
        policy.evaluate(b"l", 0.05)
    assert caught.value.code == "engine.timeout"


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_no_time_at_all_is_a_timeout_too(policy: embedded.Policy, seconds: float) -> None:
    fails(policy, b"l", seconds)


def test_a_deadline_holds_and_another_evaluation_cannot_spend_it(policy: embedded.Policy) -> None:
    def timed(raw: bytes, seconds: float) -> tuple[str, float]:
        start = time.monotonic()
        try:
            policy.evaluate(raw, seconds)
        except EngineError as error:
            return str(error), time.monotonic() - start
        return "ok", time.monotonic() - start

    limits = [0.1, 0.3, 0.6]
    with ThreadPoolExecutor(8) as pool:
        loops = [pool.submit(timed, b"l", seconds) for seconds in limits]
        short = [pool.submit(timed, b"x", 30.0) for _ in range(200)]
        assert {future.result()[0] for future in short} == {"ok"}
        for limit, (message, spent) in zip(limits, (future.result() for future in loops), strict=True):
            assert "interrupt" in message
            assert spent >= limit  # never early; how late depends on the machine


def test_a_built_in_is_refused_when_loaded(jit: bool) -> None:
    with pytest.raises(EngineUnavailable, match=r"asks for built-ins, and none is provided: http\.send"):
        stub(jit, '{"http.send": 7}')


def test_an_import_that_is_not_opas_is_refused_when_loaded(jit: bool) -> None:
    engine = wasm.Engine(jit=jit)
    text = '(module (import "env" "memory" (memory 2)) (import "wasi" "fd_write" (func)))'
    with pytest.raises(EngineUnavailable, match="imports fd_write"):
        embedded.Policy(engine, wasm.Module(engine, bytes(wasmtime.wat2wasm(text))), "test")


def test_it_decides(real: embedded.EmbeddedEngine, admitted: dict[str, Any]) -> None:
    decision = real.decide(json.dumps(admitted).encode(), 30.0)
    assert (decision["allow"], decision["violations"], decision["warnings"]) == (True, [], [])


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"null", b"[]", b'"x"', b"\xff\xfe", b'{"demanded": ["a"]}', b"[" * 100_000], ids=repr
)
def test_garbage_is_denied_or_an_error(real: embedded.EmbeddedEngine, raw: bytes) -> None:
    try:
        assert real.decide(raw, 30.0)["allow"] is False
    except EngineError:
        return


def test_eight_threads_get_their_own_answers(real: embedded.EmbeddedEngine, admitted: dict[str, Any]) -> None:
    def right(count: int) -> bool:
        found = real.decide(moved(admitted, count), 60.0)["violations"]
        return [violation["code"] for violation in found].count("contract.held") == max(count, 1)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(right, [number % 11 for number in range(120)]))


def test_failures_in_threads_stay_with_their_evaluation(policy: embedded.Policy) -> None:
    def ask(number: int) -> bool:
        try:
            return policy.evaluate(b"a" if number % 2 else b"x", 30.0) == {"ok": True} and number % 2 == 0
        except EngineError as error:
            return number % 2 == 1 and "aborted: no" in error.message

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(200)))


def test_evaluation_lets_other_threads_run(policy: embedded.Policy) -> None:
    ticks = 0
    done = threading.Event()

    def loop() -> None:
        fails(policy, b"l", 0.3)
        done.set()

    thread = threading.Thread(target=loop)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 10


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_can_go_on(
    policy: embedded.Policy, real: embedded.EmbeddedEngine, admitted: dict[str, Any]
) -> None:
    raw = json.dumps(admitted).encode()

    def child() -> bool:
        fails(policy, b"l", 0.1)
        fresh = embedded.EmbeddedEngine(jit=True)
        return (
            policy.evaluate(b"x", 60.0) == {"ok": True}
            and real.decide(raw, 60.0)["allow"] is True
            and fresh.decide(raw, 60.0)["allow"] is True
        )

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(fails, policy, b"l", 0.3)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = 0 if child() else 1
            finally:
                os._exit(code)
        deadline = time.monotonic() + 60
        while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
            time.sleep(0.01)
        if ended == (0, 0):
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        assert ended == (pid, 0)
        running.result()


def test_closed_instances_give_their_memory_back(policy: embedded.Policy) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    raw = b"u" + b" " * 20_000_000
    for _ in range(3):
        fails(policy, raw)
    gc.collect()
    before = resident()
    for _ in range(10):
        fails(policy, raw)
    gc.collect()
    assert resident() - before < 40_000_000


def test_an_instance_that_grew_is_not_kept(policy: embedded.Policy) -> None:
    assert policy.evaluate(b"x" + b" " * embedded.KEEP, 30.0) == {"ok": True}
    assert policy._idle == []


def test_input_beyond_the_memory_is_an_error(policy: embedded.Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "MEMORY_CAP", 16 * 2**20)
    policy.close()  # instances made from here on have the small cap
    fails(policy, b"x" + b" " * (20 * 2**20))


def test_a_large_input_is_compiled_for(admitted: dict[str, Any]) -> None:
    engine = embedded.EmbeddedEngine()
    admitted["result"]["untrusted"]["statement"] = "x" * embedded.LARGE
    assert engine.decide(json.dumps(admitted).encode(), 60.0)["allow"] is True
    assert engine._native is not None
    engine.close()


def test_it_says_what_it_is(real: embedded.EmbeddedEngine) -> None:
    assert real.name == "embedded"
    assert real.version == "OPA 1.22.3 on wasmtime 50.0.1"
