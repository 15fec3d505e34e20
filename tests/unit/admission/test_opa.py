"""The user's own OPA: what it may do, and the packages of the verifier's own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.custom.policies import read_policies
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.engines import open_engine
from in_toto_done_receipt.admission.opa import OpaEngine, find_opa, offline_capabilities, opa_version
from in_toto_done_receipt.admission.sources import policy_digest, policy_folder
from in_toto_done_receipt.errors import ConfigurationError, EngineError
from in_toto_done_receipt.results.model import VerificationResult

pytestmark = pytest.mark.integration
AT = "2026-11-30T12:00:00Z"
DENY = """package done_receipt.custom.team.never
violations contains {"code": "custom.team.never", "message": "never on a Monday", "solution": "wait", "facts": []}
"""


@pytest.fixture
def opa(tool: Callable[[str], Path]) -> Path:
    return tool("opa")


def with_own(opa: Path, folder: Path, text: str) -> Any:
    """The engine with one file of the verifier's own."""
    folder.mkdir(exist_ok=True)
    (folder / "own.rego").write_text(text)
    return open_engine("opa", policies=read_policies([str(folder)]), opa=opa)


def test_it_decides(opa: Path, admitted: dict[str, Any]) -> None:
    engine = OpaEngine(opa)
    assert engine.decide(json.dumps(admitted).encode(), 30.0)["allow"] is True
    assert (engine.name, engine.version, engine.origin) == ("opa", "1.22.3", str(opa))
    assert engine.policy_digest == policy_digest(policy_folder())


def test_it_is_found_on_path_by_its_real_path(opa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "opa").symlink_to(opa)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_opa() == opa.resolve()


def test_a_named_one_is_used_as_named(opa: Path) -> None:
    assert find_opa(opa) == opa.resolve()


def test_the_version_is_read(opa: Path) -> None:
    assert opa_version(opa) == "1.22.3"


def test_capabilities_have_no_way_out(opa: Path) -> None:
    tree = json.loads(offline_capabilities(opa))
    names = {item["name"] for item in tree["builtins"]}
    assert tree["allow_net"] == []
    assert names.isdisjoint({"http.send", "net.lookup_ip_addr", "opa.runtime", "time.now_ns", "rand.intn"})
    assert {"concat", "count", "object.get"} <= names


@pytest.mark.parametrize("call", ['http.send({"method": "get", "url": "http://127.0.0.1:1/"})', "opa.runtime()"])
def test_a_policy_that_wants_out_is_refused(opa: Path, tmp_path: Path, call: str) -> None:
    text = f"package done_receipt.custom.team.out\nviolations contains x if x := {call}\n"
    with pytest.raises(ConfigurationError, match=r"OPA does not take the policy: (.|\n)*undefined function"):
        with_own(opa, tmp_path / "own", text)


def test_a_type_error_is_no_decision(opa: Path, tmp_path: Path, admitted: dict[str, Any]) -> None:
    text = "package done_receipt.custom.team.broken\nviolations contains x if x := concat(input.profile, [])\n"
    engine = with_own(opa, tmp_path / "own", text)
    with pytest.raises(EngineError, match="opa ended with 2"):
        engine.decide(json.dumps(admitted).encode(), 30.0)


def test_policy_of_the_verifiers_own_can_deny(
    opa: Path, tmp_path: Path, result: VerificationResult, settings: dict[str, Any]
) -> None:
    engine = with_own(opa, tmp_path / "own", DENY)
    decision = decide(result, settings, engine=engine, evaluated_at=AT, seconds=30.0)
    (violation,) = decision.violations
    assert not decision.allow
    assert (violation.code, violation.solution) == ("custom.team.never", "wait")
    assert decision.digests.policy != policy_digest(policy_folder())


def test_policy_of_the_verifiers_own_satisfies_nothing(opa: Path, tmp_path: Path, admitted: dict[str, Any]) -> None:
    text = "package done_receipt.custom.verdict.passed\nsatisfied := true\nviolations contains 1 if 1 == 2\n"
    engine = with_own(opa, tmp_path / "own", text)
    admitted["result"]["verdict"]["passed"] = False
    assert "verdict.passed" not in engine.decide(json.dumps(admitted).encode(), 30.0)["satisfied"]


def test_the_sources_are_read_once(opa: Path, tmp_path: Path, admitted: dict[str, Any]) -> None:
    engine = with_own(opa, tmp_path / "own", DENY)
    (tmp_path / "own" / "own.rego").write_text("package done_receipt.admission\nallow := true\n")
    assert engine.decide(json.dumps(admitted).encode(), 30.0)["allow"] is False


def test_its_copies_are_removed(opa: Path) -> None:
    engine = OpaEngine(opa)
    place = engine._capabilities
    assert place.is_file()
    engine.close()
    assert not place.exists()


def test_too_little_time_is_a_timeout(opa: Path, admitted: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="no decision within") as caught:
        OpaEngine(opa).decide(json.dumps(admitted).encode(), 0.001)
    assert caught.value.code == "engine.timeout"
