"""The embedded engine in both forms, and OPA on the sources, decide alike on every result document of testdata."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.opa import OpaEngine
from in_toto_done_receipt.cli import main
from in_toto_done_receipt.wire.canonical import canonical

CASES = Path(__file__).parents[2] / "testdata" / "receipts"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Case -> the policy input that it leads to."""
    found: dict[str, bytes] = {}
    out = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        for case in sorted(CASES.glob("*/expected.json")):
            expected: dict[str, Any] = json.loads(case.read_text(encoding="utf-8"))
            if "violations" not in expected:
                continue
            path = out / f"{case.parent.name}.json"
            patch.chdir(case.parent)
            main.run(["verify", *expected["arguments"], "--output", f"policy-input={path}", "--quiet"])
            found[case.parent.name] = path.read_bytes()
    return found


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


@pytest.mark.integration
def test_opa_on_the_sources_agrees_with_the_embedded_engine(
    inputs: dict[str, bytes], pulley: dict[str, bytes], tool: Callable[[str], Path]
) -> None:
    engine = OpaEngine(tool("opa"))
    assert {name: decision(engine.decide(raw, 30.0)) for name, raw in inputs.items()} == pulley
