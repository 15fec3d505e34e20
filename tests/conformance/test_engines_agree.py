"""Every engine decides alike on every result document of testdata: embedded in both forms, OPA, OPA as a server."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.custom.policies import CustomPolicy, read_policies
from in_toto_done_receipt.admission.custom.tools import whole_bundle
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import PolicyEngine, close_engine, open_engine
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.wire.canonical import canonical
from tests.policy_inputs import of_all_cases
from tests.running_opa import running_opa

ROOT = Path(__file__).parents[2]
OWN = ROOT / "testdata" / "own-policy" / "rules"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return of_all_cases(tmp_path_factory.mktemp("inputs"))


def decision(value: Any) -> bytes:
    """A decision with its sets in order: WebAssembly gives them unordered."""
    return canonical(
        {key: sorted(part, key=canonical) if isinstance(part, list) else part for key, part in value.items()}
    )


@pytest.fixture(scope="module")
def pulley(inputs: dict[str, bytes]) -> dict[str, bytes]:
    engine = EmbeddedEngine()
    return {name: decision(engine.decide(raw, 30.0)) for name, raw in inputs.items()}


def test_there_is_something_to_decide(inputs: dict[str, bytes]) -> None:
    assert len(inputs) > 60


def test_the_compiled_form_agrees_with_the_interpreted_one(inputs: dict[str, bytes], pulley: dict[str, bytes]) -> None:
    engine = EmbeddedEngine(jit=True)
    assert {name: decision(engine.decide(raw, 30.0)) for name, raw in inputs.items()} == pulley


def decided(engine: PolicyEngine, inputs: dict[str, bytes]) -> dict[str, bytes]:
    try:
        return {name: decision(engine.decide(raw, 30.0)) for name, raw in inputs.items()}
    finally:
        close_engine(engine)


@pytest.mark.integration
def test_opa_on_the_sources_agrees_with_the_embedded_engine(
    inputs: dict[str, bytes], pulley: dict[str, bytes], tool: Callable[[str], Path]
) -> None:
    assert decided(open_engine("opa", opa=tool("opa")), inputs) == pulley


@pytest.fixture(scope="module")
def server(tool: Callable[[str], Path]) -> Iterator[str]:
    with running_opa(tool("opa"), whole_bundle(policy_folder())) as url:
        yield url


@pytest.mark.integration
@pytest.mark.loopback
def test_a_server_with_the_bundle_agrees_with_the_embedded_engine(
    inputs: dict[str, bytes], pulley: dict[str, bytes], server: str
) -> None:
    assert decided(open_engine(f"opa-server={server}"), inputs) == pulley


@pytest.fixture(scope="module")
def own() -> tuple[CustomPolicy, ...]:
    return read_policies([str(OWN)])


@pytest.mark.integration
@pytest.mark.loopback
def test_with_rules_of_ones_own_they_agree_too(
    inputs: dict[str, bytes], own: tuple[CustomPolicy, ...], tool: Callable[[str], Path]
) -> None:
    long_runs = {name: _with_iterations(raw, 11 + place % 20) for place, (name, raw) in enumerate(inputs.items())}
    here = decided(open_engine("embedded", policies=own, opa=tool("opa")), long_runs)
    assert sum(b"custom.team.long_run" in answer for answer in here.values()) > len(inputs) // 2
    some = dict(list(long_runs.items())[::4])
    there = decided(open_engine("opa", policies=own, opa=tool("opa")), some)
    assert there == {name: here[name] for name in some}
    with running_opa(tool("opa"), whole_bundle(policy_folder(), own)) as url:
        assert decided(open_engine(f"opa-server={url}", policies=own), long_runs) == here


def _with_iterations(raw: bytes, count: int) -> bytes:
    document = json.loads(raw)
    document["result"]["run"] = {**(document["result"].get("run") or {}), "iterations": count}
    return json.dumps(document).encode()
