"""Every way in which an engine can fail, by the engine itself: a denial with its own code and exit code 12; what cannot
start, load or be reached is 4. The faults of a server: tests/unit/admission/test_opa_server.py; here they end commands.
"""

import contextlib
import hashlib
import json
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from in_toto_done_receipt.admission.custom.policies import read_policies
from in_toto_done_receipt.admission.custom.tools import whole_bundle
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import PolicyEngine, close_engine, open_engine
from in_toto_done_receipt.admission.failures import ENGINE_CODES
from in_toto_done_receipt.admission.opa import OpaEngine
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.cli import main
from in_toto_done_receipt.errors import ConfigurationError, EngineUnavailable
from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.results.outcome import exit_code
from in_toto_done_receipt.wire.record import convert
from tests.running_opa import running_opa
from tests.unit.admission.faulty_server import DIGEST, dripping, endless, http, says, sends, serving, silent, tree

ADMITTED = json.loads((Path(__file__).parents[2] / "testdata" / "policy-input" / "admitted.json").read_bytes())
RESULT = convert(ADMITTED["result"], VerificationResult, what="admitted.json")
CASE = Path(__file__).parents[2] / "testdata" / "receipts" / "honest"
ENTRY = "done_receipt/admission/decision"


def judged(engine: PolicyEngine, seconds: float = 20.0) -> Decision:
    """What this engine's answer comes to, for a result that the policy admits."""
    try:
        decision = decide(
            RESULT, ADMITTED["profile"], engine=engine, evaluated_at=ADMITTED["evaluatedAt"], seconds=seconds
        )
    finally:
        close_engine(engine)
    assert not decision.allow
    assert exit_code(RESULT, decision) == 12
    return decision


def denied(engine: PolicyEngine, code: str, seconds: float = 20.0) -> str:
    """It is denied with exactly this code, which has a solution; what is said of it."""
    decision = judged(engine, seconds)
    assert [violation.code for violation in decision.violations] == [code]
    assert decision.violations[0].solution == ENGINE_CODES[code]
    return decision.violations[0].message


# --- embedded: a module with OPA's interface in the place of ours

STUB = """(module
 (import "env" "memory" (memory 2))
 (import "env" "opa_abort" (func $abort (param i32)))
 (import "env" "opa_builtin0" (func $builtin0 (param i32 i32) (result i32)))
 (data (i32.const 16) "{BUILTINS}\\00") (data (i32.const 4096) "{ANSWER}\\00") (data (i32.const 512) "{ENTRIES}\\00")
 (data (i32.const 300) "no\\00")
 (func (export "builtins") (result i32) i32.const 16)
 (func (export "entrypoints") (result i32) i32.const 512)
 (func (export "opa_json_dump") (param i32) (result i32) local.get 0)
 (func (export "opa_malloc") (param i32) (result i32) i32.const 65536)
 (func (export "opa_json_parse") (param i32 i32) (result i32) i32.const 16)
 (func (export "opa_heap_ptr_get") (result i32) i32.const 65536)
 (func $deep (result i32) call $deep i32.const 1 i32.add)
 (func (export "opa_eval") (param i32 i32 i32 i32 i32 i32 i32) (result i32) {BODY} i32.const 4096))"""


def _entries() -> dict[str, int]:
    portable = EmbeddedEngine()._portable
    assert portable is not None
    return portable.entrypoints()


def embedded(tmp_path: Path, answer: Any = "[]", body: str = "", builtins: Any = "{}", entry: str = ENTRY) -> Any:
    """The embedded engine with this module, which its catalogue names."""
    known = json.loads((policy_folder() / "catalogue.json").read_bytes())
    entries = _entries() if entry == ENTRY else {entry: 0}
    texts = {"ANSWER": answer, "BUILTINS": builtins, "ENTRIES": json.dumps(entries)}
    text = STUB.replace("{BODY}", body)
    for name, value in texts.items():
        said = value if isinstance(value, str) else json.dumps(value)
        text = text.replace("{" + name + "}", said.replace('"', "\\22"))
    module = bytes(wasmtime.wat2wasm(text))
    (tmp_path / "admission.wasm").write_bytes(module)
    known["module_sha256"] = hashlib.sha256(module).hexdigest()
    (tmp_path / "catalogue.json").write_text(json.dumps(known))
    return EmbeddedEngine(tmp_path)


def decision(**changes: Any) -> dict[str, Any]:
    """An answer that would be an allow."""
    right = EmbeddedEngine().decide(json.dumps(ADMITTED).encode(), 30.0)
    assert right["allow"] is True
    return {**right, **changes}


EMBEDDED: dict[str, tuple[dict[str, Any], str, str]] = {
    "undefined": ({"answer": "[]"}, "engine.undefined", "the policy gave no decision"),
    "null": ({"answer": [{"result": None}]}, "engine.null", "the policy gave null"),
    "two results": ({"answer": [{"result": {}}, {"result": {}}]}, "engine.results", "the policy gave 2 results"),
    "no result": ({"answer": {"a": 1}}, "engine.shape", "something else than a result"),
    "no JSON": ({"answer": "allow"}, "engine.error", "JSONDecodeError"),
    "another shape": ({"answer": [{"result": {"allow": True}}]}, "engine.shape", "right shape"),
    "a boolean": ({"answer": [{"result": True}]}, "engine.shape", "right shape"),
    "unreachable": ({"body": "unreachable"}, "engine.trap", "trap unreachable"),
    "out of bounds": ({"body": "(drop (i32.load (i32.const -8)))"}, "engine.trap", "trap memory out of bounds"),
    "too deep": ({"body": "(drop (call $deep))"}, "engine.trap", "trap stack overflow"),
    "abort": ({"body": "(call $abort (i32.const 300))"}, "engine.error", "policy aborted: no"),
    "built-in": (
        {"body": "(drop (call $builtin0 (i32.const 7) (i32.const 0)))"},
        "engine.builtin",
        "the policy called a built-in, and none is provided",
    ),
}


@pytest.mark.parametrize(("module", "code", "text"), EMBEDDED.values(), ids=EMBEDDED)
def test_a_module_that_fails_denies(tmp_path: Path, module: dict[str, Any], code: str, text: str) -> None:
    assert text in denied(embedded(tmp_path, **module), code)


def test_a_module_that_takes_too_long_denies(tmp_path: Path) -> None:
    assert "no decision within 0.1 s" in denied(embedded(tmp_path, body="(loop $l (br $l))"), "engine.timeout", 0.1)


def test_a_module_that_takes_all_memory_denies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("in_toto_done_receipt.admission.embedded.MEMORY_CAP", 8 * 2**20)
    engine = EmbeddedEngine(jit=True)
    monkeypatch.setitem(ADMITTED["profile"], "predicateTypes", ["x" * 1000] * 20_000)
    denied(engine, "engine.memory")


@pytest.mark.parametrize("allow", ["true", 1, None, [], {}], ids=repr)
def test_an_allow_that_is_not_true_denies(tmp_path: Path, allow: Any) -> None:
    denied(embedded(tmp_path, answer=[{"result": decision(allow=allow)}]), "engine.shape")


def test_the_same_answer_with_true_would_be_admitted(tmp_path: Path) -> None:
    engine = embedded(tmp_path, answer=[{"result": decision()}])
    at = ADMITTED["evaluatedAt"]
    assert decide(RESULT, ADMITTED["profile"], engine=engine, evaluated_at=at, seconds=20.0).allow
    engine.close()


def test_a_demand_that_a_missing_package_would_satisfy_denies(tmp_path: Path) -> None:
    satisfied = [code for code in decision()["satisfied"] if code != "verdict.passed"]
    answer = decision(allow=False, satisfied=satisfied)
    assert "verdict.passed" in denied(embedded(tmp_path, answer=[{"result": answer}]), "engine.unsatisfied")


@pytest.mark.parametrize("builtins", [{"http.send": 7}, {"sprintf": 1, "time.now_ns": 2}], ids=json.dumps)
def test_a_module_that_wants_a_foreign_built_in_does_not_load(tmp_path: Path, builtins: dict[str, int]) -> None:
    with pytest.raises(EngineUnavailable, match=f"asks for built-ins, and none is provided: {', '.join(builtins)}"):
        embedded(tmp_path, builtins=builtins)


def test_a_module_without_our_entry_point_does_not_load(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="entry points are done_receipt/other, wanted"):
        embedded(tmp_path, entry="done_receipt/other")


# --- OPA as a process: our sources with one file changed, and executables that are no OPA


@pytest.fixture(scope="module")
def opa(tool: Callable[[str], Path]) -> Path:
    return tool("opa")


def with_admission(tmp_path: Path, text: str) -> Path:
    """The policy with another decision."""
    shutil.copytree(policy_folder() / "done_receipt", tmp_path / "policy" / "done_receipt")
    (tmp_path / "policy" / "done_receipt" / "admission" / "admission.rego").write_text(
        f"package done_receipt.admission\n\n{text}\n"
    )
    return tmp_path / "policy"


OPA: dict[str, tuple[str, str, str]] = {
    "undefined": ("decision := 1 if input.nowhere", "engine.undefined", "gave no decision"),
    "null": ("decision := null", "engine.null", "gave null"),
    "another shape": ("decision := true", "engine.shape", "right shape"),
    "allow as text": (
        'decision := {"allow": "true", "violations": [], "warnings": [], "exceptions": [], "satisfied": []}',
        "engine.shape",
        "allow",
    ),
    "two values": ("decision := {} if true\n\ndecision := [] if true", "engine.error", "conflict"),
    "a type error": ("decision := {1: concat(input.profile, [])}", "engine.error", "opa ended with 2"),
}


@pytest.mark.integration
@pytest.mark.parametrize(("text", "code", "said"), OPA.values(), ids=OPA)
def test_a_decision_that_is_none_denies_with_opa(tmp_path: Path, opa: Path, text: str, code: str, said: str) -> None:
    assert said in denied(OpaEngine(opa, folder=with_admission(tmp_path, text)), code)


@pytest.mark.integration
def test_opa_that_takes_too_long_denies(tmp_path: Path, opa: Path) -> None:
    text = "decision := count([1 | numbers.range(1, 100000)[_]; numbers.range(1, 100000)[_]])"
    assert "no decision within 0.5 s" in denied(
        OpaEngine(opa, folder=with_admission(tmp_path, text)), "engine.timeout", 0.5
    )


@pytest.mark.integration
def test_a_missing_package_denies_with_opa(tmp_path: Path, opa: Path) -> None:
    folder = tmp_path / "policy"
    shutil.copytree(policy_folder() / "done_receipt", folder / "done_receipt")
    shutil.rmtree(folder / "done_receipt" / "rules" / "verdict")
    codes = [violation.code for violation in judged(OpaEngine(opa, folder=folder)).violations]
    assert codes in (["engine.unsatisfied"], ["engine.error"])


def pretending(tmp_path: Path, evaluation: str) -> Path:
    """An executable that says it is OPA 1.22.3 and then does this instead of evaluating."""
    path = tmp_path / "opa"
    path.write_text(
        "#!/bin/sh\ncase $1 in version) echo 'Version: 1.22.3';; "
        f"capabilities) echo '{{\"builtins\": []}}';; *) {evaluation};; esac\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


TWICE = json.dumps({"result": [{"expressions": [{"value": 1}]}] * 2})
PRETENDED: dict[str, tuple[str, str]] = {
    "two results": (f"echo '{TWICE}'", "engine.results"),
    "nothing": ("true", "engine.error"),
    "no JSON": ("echo allow", "engine.error"),
    "an empty object": ("echo '{}'", "engine.undefined"),
    "a failure": ('echo \'{"errors": [{"message": "m"}]}\'; exit 2', "engine.error"),
    "killed": ("kill -9 $$", "engine.error"),
    "endless output": ("yes", "engine.output"),
    "silence": ("sleep 30", "engine.timeout"),
}


@pytest.mark.parametrize(("evaluation", "code"), PRETENDED.values(), ids=PRETENDED)
def test_a_process_that_fails_denies(
    tmp_path: Path, evaluation: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("in_toto_done_receipt.admission.process.MAX_OUTPUT", 2**20)
    denied(OpaEngine(pretending(tmp_path, evaluation)), code, 0.5 if code == "engine.timeout" else 20.0)


# --- policy of the verifier's own


def own(tmp_path: Path, body: str) -> Path:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "x.rego").write_text(f"package done_receipt.custom.team.x\n\n{body}\n")
    return tmp_path / "own"


ONE = '{"code": "custom.team.x", "message": "m", "facts": []}'
WRONG = {
    "a text": 'violations contains "no" if true',
    "no code": 'violations contains {"message": "m", "facts": []} if true',
    "no message": 'violations contains {"code": "custom.team.x", "message": "", "facts": []} if true',
    "a pointer that is none": f"violations contains {ONE.replace('[]', '[1]')} if true",
    "a warning that is none": "warnings contains 3 if true",
}


@pytest.mark.integration
@pytest.mark.parametrize("name", ["embedded", "opa"])
@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_what_is_no_violation_denies(tmp_path: Path, opa: Path, name: str, body: str) -> None:
    engine = open_engine(name, policies=read_policies([str(own(tmp_path, body))]), opa=opa)
    assert judged(engine).violations


@pytest.mark.integration
@pytest.mark.parametrize("name", ["embedded", "opa"])
def test_values_that_contradict_deny(tmp_path: Path, opa: Path, name: str) -> None:
    body = f"violations contains {ONE} if both\n\nboth := 1 if input.result\n\nboth := 2 if input.result"
    engine: Any
    try:
        engine = open_engine(name, policies=read_policies([str(own(tmp_path, body))]), opa=opa)
    except ConfigurationError:
        pytest.fail("it contradicts itself for real inputs only")
    denied(engine, "engine.error")


# --- commands: exit code 12 for a denial, 4 for no engine


Run = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(CASE)
    arguments = json.loads((CASE / "expected.json").read_bytes())["arguments"]

    def ended(*words: str) -> tuple[int, list[str], str]:
        code = main.run(["verify", *arguments, "--json", *words])
        captured = capsys.readouterr()
        with contextlib.suppress(ValueError, KeyError):
            return code, [said["code"] for said in json.loads(captured.out)["decision"]["violations"]], captured.err
        return code, [], captured.err

    return ended


COMMANDS: dict[str, tuple[Any, str]] = {
    "slow": (silent, "engine.timeout"),
    "dripping": (dripping, "engine.timeout"),
    "404": (sends(http(b"{}", "404 Not Found")), "engine.status"),
    "500": (sends(http(b"{}", "500 Internal Server Error")), "engine.status"),
    "redirect": (sends(http(b"", "302 Found", "Location: /x\r\n")), "engine.redirect"),
    "wrong body": (says(b"<html>"), "engine.body"),
    "undefined": (says({"provenance": tree()["provenance"]}), "engine.undefined"),
    "null": (says(tree(result=None)), "engine.null"),
    "oversize": (endless, "engine.output"),
    "usage warning": (says(tree(warning={"code": "api_usage_warning", "message": "m"})), "engine.usage"),
    "another policy": (says(tree(provenance={"bundles": {"b": {"revision": "x"}}})), "engine.policy"),
}


@pytest.mark.loopback
@pytest.mark.parametrize(("reply", "code"), COMMANDS.values(), ids=COMMANDS)
def test_a_server_that_fails_later_denies(run: Run, monkeypatch: pytest.MonkeyPatch, reply: Any, code: str) -> None:
    monkeypatch.setattr("in_toto_done_receipt.pipeline.DECISION_SECONDS", 0.5)
    monkeypatch.setattr("in_toto_done_receipt.admission.opa_server.MAX_OUTPUT", 2**20)
    monkeypatch.setattr("in_toto_done_receipt.admission.sources.policy_digest", lambda *_: DIGEST)
    monkeypatch.setattr("in_toto_done_receipt.admission.sources.verified_folder", policy_folder)
    with serving(says(tree())) as server:
        answers: Iterator[Any] = iter([says(tree()), reply])
        server.reply = lambda connection, question: next(answers)(connection, question)
        assert run("--engine", f"opa-server={server.url}")[:2] == (12, [code])


@pytest.mark.loopback
@pytest.mark.parametrize("reply", [reply for reply, _ in COMMANDS.values() if reply not in (silent, dripping)][:3])
def test_a_server_that_fails_at_once_is_no_engine(run: Run, reply: Any) -> None:
    with serving(reply) as server:
        assert run("--engine", f"opa-server={server.url}")[0] == 4


def test_another_policy_than_the_pinned_one_is_no_engine(run: Run) -> None:
    code, _, said = run("--policy-digest", "0" * 64)
    assert (code, "pinned is 0000" in said) == (4, True)


@pytest.mark.integration
@pytest.mark.loopback
def test_a_real_server_with_another_policy_is_no_engine(run: Run, opa: Path) -> None:
    other = whole_bundle(policy_folder(), read_policies([str(CASE.parents[1] / "own-policy" / "rules")]))
    with running_opa(opa, other) as url:
        code, _, said = run("--engine", f"opa-server={url}")
    assert (code, "the server's policy is" in said) == (4, True)


@pytest.mark.integration
@pytest.mark.loopback
def test_a_real_server_that_ends_in_between_is_no_engine(opa: Path) -> None:
    with running_opa(opa, whole_bundle(policy_folder())) as url:
        engine = open_engine(f"opa-server={url}")
    with pytest.raises(EngineUnavailable, match="cannot be reached"):
        judged(engine)
