"""Rules of the verifier's own as modules: evaluated beside ours, in the same decision, able to deny and to warn."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.custom.archive import read_archive
from in_toto_done_receipt.admission.custom.compiled import CompiledPolicies, CustomModule, compile_policies, gathered
from in_toto_done_receipt.admission.custom.packages import Package
from in_toto_done_receipt.admission.custom.policies import read_policies
from in_toto_done_receipt.admission.engines import close_engine, open_engine
from in_toto_done_receipt.errors import ConfigurationError, EngineError, EngineUnavailable
from tests.unit.admission.custom.conftest import NEVER, bundle

OWN = Path(__file__).parents[4] / "testdata" / "own-policy"


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    made = open_engine("embedded", policies=read_policies([str(OWN / "rules.wasm")]))
    yield made
    close_engine(made)


def decide(engine: Any, admitted: dict[str, Any], iterations: Any) -> Any:
    admitted["result"]["run"]["iterations"] = iterations
    return engine.decide(json.dumps(admitted).encode(), 30.0)


def test_a_module_joins_the_decision(engine: Any, admitted: dict[str, Any]) -> None:
    said = decide(engine, admitted, 21)
    codes = [violation["code"] for violation in said["violations"] if violation["code"].startswith("custom.")]
    assert (said["allow"], codes) == (False, ["custom.team.long_run"])


def test_it_can_warn(engine: Any, admitted: dict[str, Any]) -> None:
    admitted["profile"]["usage"]["maxIterations"] = 30
    said = decide(engine, admitted, 11)
    assert said["allow"] is True
    assert [warning["code"] for warning in said["warnings"]] == ["custom.team.long_run"]


def test_it_is_asked_anew_each_time(engine: Any, admitted: dict[str, Any]) -> None:
    admitted["profile"]["usage"]["maxIterations"] = 30
    answers = [decide(engine, admitted, count)["allow"] for count in (4, 21, 4, 21, 4)]
    assert answers == [True, False, True, False, True]


def test_the_digest_is_that_of_both(engine: Any) -> None:
    assert engine.policy_digest not in ("", load_catalogue().policy_digest)


def test_on_the_compiled_form_of_ours_it_says_the_same(engine: Any, admitted: dict[str, Any]) -> None:
    before = decide(engine, admitted, 21)
    for _ in range(70):  # MANY, after which ours is compiled
        after = decide(engine, admitted, 21)
    assert engine._native is not None
    assert sorted(map(str, after["violations"])) == sorted(map(str, before["violations"]))


def test_time_is_shared(engine: Any, admitted: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        engine.decide(json.dumps(admitted).encode(), 0.0)
    assert caught.value.code == "engine.timeout"


# A module with OPA's interface whose one entry point gives what VALUE says.
STUB = """(module
 (import "env" "memory" (memory 2))
 (data (i32.const 16) "{}\\00") (data (i32.const 256) "{VALUE}\\00") (data (i32.const 4096) "{ENTRIES}\\00")
 (func (export "builtins") (result i32) i32.const 16)
 (func (export "entrypoints") (result i32) i32.const 4096)
 (func (export "opa_json_dump") (param i32) (result i32) local.get 0)
 (func (export "opa_malloc") (param i32) (result i32) i32.const 65536)
 (func (export "opa_json_parse") (param i32 i32) (result i32) i32.const 16)
 (func (export "opa_heap_ptr_get") (result i32) i32.const 65536)
 (func (export "opa_heap_ptr_set") (param i32))
 (func (export "opa_eval") (param i32 i32 i32 i32 i32 i32 i32) (result i32) i32.const 256))"""


def stub(value: Any, entry: str = "done_receipt/custom/a/b", answer: str | None = None) -> bytes:
    answer = json.dumps([{"result": value}]) if answer is None else answer
    text = STUB.replace("{VALUE}", wat_bytes(answer)).replace("{ENTRIES}", wat_bytes(json.dumps({entry: 0})))
    return bytes(wasmtime.wat2wasm(text))


def wat_bytes(text: str) -> str:
    """For a string of the text format: each byte by its number."""
    return "".join(f"\\{byte:02x}" for byte in text.encode())


def said(value: Any, entry: str = "done_receipt/custom/a/b") -> Any:
    module = CustomModule(stub(value, entry), what="m.wasm")
    try:
        return module.said(b"{}", time.monotonic() + 30)
    finally:
        module.close()


ONE = {"code": "custom.a.b", "message": "m", "facts": []}


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("done_receipt/custom", {"a": {"b": {"violations": [ONE], "helper": 3}}}),
        ("done_receipt/gathered/said", {"a": {"b": {"violations": [ONE]}}}),
        ("done_receipt/custom/a", {"b": {"violations": [ONE], "satisfied": True}}),
        ("done_receipt/custom/a/b", {"violations": [ONE]}),
        ("done_receipt/custom/a/b/violations", [ONE]),
    ],
)
def test_an_entry_point_can_be_as_wide_as_one_likes(entry: str, value: Any) -> None:
    assert said(value, entry) == {"a": {"b": {"violations": [ONE]}}}


@pytest.mark.parametrize(
    "entry",
    [
        "done_receipt/admission/decision",
        "done_receipt/custom/a/b/satisfied",
        "done_receipt/custom/a/b/violations/x",
        "done_receipt/rules",
        "done_receipt/customs/a/b",
        "a",
    ],
)
def test_another_entry_point_is_refused(entry: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"m\.wasm: entry point {entry} is not allowed"):
        said([ONE], entry)


@pytest.mark.parametrize(
    "value",
    [
        True,
        "no",
        {"violations": True},
        {"violations": "no"},
        {"violations": {"a": 1}},
        {"violations": None},
        [],
        1,
        None,
    ],
    ids=json.dumps,
)
def test_what_the_decision_would_pass_over_cannot_be_loaded(value: Any) -> None:
    with pytest.raises(EngineUnavailable, match=r"m\.wasm: .*(no package|something else|is not a set|is missing)"):
        said(value)


@pytest.mark.parametrize("name", ["A", "a b", "a.b", "../x", "", "1"])
def test_a_name_that_is_none_cannot_be_loaded(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not allowed"):
        said({"a": {name: {"violations": []}}}, "done_receipt/custom")


@pytest.mark.parametrize("value", [{}, {"a": {"b": {}}}, {"a": {"b": {"helper": 1}}}], ids=json.dumps)
def test_a_module_that_says_nothing_cannot_be_loaded(value: Any) -> None:
    with pytest.raises(ConfigurationError, match="no package says violations or warnings"):
        said(value, "done_receipt/custom")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("[]", "gave no decision"),
        ('[{"result": 1}, {"result": 2}]', "gave 2 results"),
        ("{}", "something else"),
        ("x", ""),
    ],
)
def test_a_module_without_an_answer_cannot_be_loaded(answer: str, why: str) -> None:
    with pytest.raises(EngineUnavailable, match=rf"m\.wasm: .*{why}"):
        CustomModule(stub(None, answer=answer), what="m.wasm")


@pytest.mark.parametrize(
    "code", [b"\0asm", b"\0asm\1\0\0\0", b"\0asm\1\0\0\0\xff", OWN.joinpath("README.md").read_bytes()]
)
def test_what_is_no_policy_module_is_unavailable(code: bytes) -> None:
    with pytest.raises(EngineUnavailable, match=r"m\.wasm: "):
        CustomModule(code, what="m.wasm")


def policies(tmp_path: Path, **modules: bytes) -> tuple[str, ...]:
    for name, data in modules.items():
        (tmp_path / name).write_bytes(data)
    return tuple(str(tmp_path / name) for name in modules)


def test_a_package_is_in_one_module(tmp_path: Path) -> None:
    named = policies(tmp_path, one=stub({"violations": []}), two=stub({"violations": [], "warnings": []}))
    with pytest.raises(ConfigurationError, match=r"two: package done_receipt\.custom\.a\.b is in .*one too"):
        CompiledPolicies(read_policies(named))


def test_two_modules_say_what_both_say(tmp_path: Path) -> None:
    named = policies(
        tmp_path,
        one=stub({"violations": [ONE]}),
        two=stub({"violations": [], "warnings": [ONE]}, "done_receipt/custom/a/c"),
    )
    own = CompiledPolicies(read_policies(named))
    assert json.loads(own.documents(b"{}", time.monotonic() + 30)) == {
        "done_receipt": {"custom": {"a": {"b": {"violations": [ONE]}, "c": {"violations": [], "warnings": [ONE]}}}}
    }
    own.close()


def test_a_package_that_vanishes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    module = CustomModule(stub({"violations": [ONE]}), what="m.wasm")
    monkeypatch.setattr(module, "codes", module.codes | {"custom.a.gone"})
    with pytest.raises(EngineError, match=r"m\.wasm: package done_receipt\.custom\.a\.gone is missing") as caught:
        module.said(b"{}", time.monotonic() + 30)
    assert caught.value.code == "engine.incomplete"
    module.close()


def test_a_module_of_a_bundle_lies_in_its_roots(tmp_path: Path) -> None:
    roots = {"roots": ["done_receipt/custom/other"], "rego_version": 1}
    (tmp_path / "b").write_bytes(bundle({"policy.wasm": stub({"violations": []})}, manifest=roots))
    with pytest.raises(ConfigurationError, match=r"done_receipt\.custom\.a\.b lies outside the bundle's roots"):
        CompiledPolicies(read_policies([str(tmp_path / "b")]))


def test_sources_want_an_opa(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="is Rego, and no OPA was named to compile it") as caught:
        CompiledPolicies(read_policies([str(folder)]))
    assert (caught.value.hint or "").startswith("go install github.com/open-policy-agent/opa@v1.22.3, then --opa PATH")


def test_what_asks_every_package() -> None:
    packages = [
        Package(category="a", rule="b", says=("violations", "warnings"), where=""),
        Package(category="a", rule="helpers", says=(), where=""),
        Package(category="c", rule="d", says=("warnings",), where=""),
    ]
    assert gathered(packages) == (
        "package done_receipt.gathered\n\n"
        'said := {"a": {"b": {"violations": data.done_receipt.custom.a.b.violations, '
        '"warnings": data.done_receipt.custom.a.b.warnings}}, '
        '"c": {"d": {"warnings": data.done_receipt.custom.c.d.warnings}}}\n'
    )


@pytest.mark.integration
def test_the_module_of_testdata_is_what_opa_makes_now(opa: Path) -> None:
    assert compile_policies(opa, read_policies([str(OWN / "rules")])) == (OWN / "rules.wasm").read_bytes()


@pytest.mark.integration
def test_sources_join_the_decision(opa: Path, folder: Path, admitted: dict[str, Any]) -> None:
    for name in ("embedded", "opa"):
        engine = open_engine(name, policies=read_policies([str(folder), str(OWN / "rules")]), opa=opa)
        answer = decide(engine, json.loads(json.dumps(admitted)), 21)
        codes = {violation["code"] for violation in answer["violations"]}
        assert {"custom.team.never", "custom.team.long_run"} <= codes
        close_engine(engine)


@pytest.mark.integration
def test_a_built_in_that_is_not_there_is_refused(opa: Path, tmp_path: Path) -> None:
    text = NEVER.replace('"never on a Monday"', 'sprintf("%v", [input.x])')
    (tmp_path / "never.rego").write_text(text)
    with pytest.raises(EngineUnavailable, match="asks for built-ins, and none is provided: sprintf") as caught:
        CompiledPolicies(read_policies([str(tmp_path)]), opa=opa)
    assert caught.value.hint == "use --engine opa, or rules without it"


@pytest.mark.integration
@pytest.mark.parametrize("call", ['http.send({"method": "get", "url": input.x})', "opa.runtime()", "time.now_ns()"])
def test_a_way_out_is_refused(opa: Path, tmp_path: Path, call: str) -> None:
    (tmp_path / "never.rego").write_text(NEVER.replace('"never on a Monday"', f"json.marshal({call})"))
    with pytest.raises(EngineUnavailable, match="asks for built-ins, and none is provided"):
        CompiledPolicies(read_policies([str(tmp_path)]), opa=opa)


@pytest.mark.integration
def test_a_module_of_opas_own_making(
    opa: Path, folder: Path, tmp_path: Path, admitted: dict[str, Any], run_opa: Callable[..., Any]
) -> None:
    entry, out = "done_receipt/custom/team/never/violations", tmp_path / "b.tar.gz"
    run_opa(opa, "build", "-t", "wasm", "-e", entry, "-o", str(out), str(folder / "team" / "never.rego"))
    module = read_archive(out.read_bytes(), what="b")["policy.wasm"]
    engine = open_engine("embedded", policies=read_policies(policies(tmp_path, rules=module)))
    assert [v["code"] for v in decide(engine, admitted, 4)["violations"]] == ["custom.team.never"]
    close_engine(engine)
