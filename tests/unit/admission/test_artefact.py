"""A precompiled module runs only if it is exactly ours; a module, only if the catalogue names it."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

from hatch_build import precompile
from in_toto_done_receipt.admission import artefact
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.errors import EngineUnavailable


@pytest.fixture(scope="module")
def pulley(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, str]]:
    """The precompiled form and its record, by the build hook's own function; made here, whatever is installed."""
    folder = tmp_path_factory.mktemp("pulley")
    precompile(policy_folder() / "admission.wasm", folder / "code", folder / "record")
    return (folder / "code").read_bytes(), json.loads((folder / "record").read_bytes())


@pytest.fixture
def folder(tmp_path: Path, pulley: tuple[bytes, dict[str, str]]) -> Path:
    made = tmp_path / "policy"
    copytree(policy_folder(), made, ignore=ignore_patterns("done_receipt"))
    (made / "admission.pulley").write_bytes(pulley[0])
    (made / "admission.pulley.json").write_text(json.dumps(pulley[1]))
    return made


def changed(folder: Path, change: Callable[[dict[str, Any], bytearray], None]) -> None:
    facts = json.loads((folder / "admission.pulley.json").read_text())
    code = bytearray((folder / "admission.pulley").read_bytes())
    change(facts, code)
    (folder / "admission.pulley.json").write_text(json.dumps(facts))
    (folder / "admission.pulley").write_bytes(code)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(lambda facts, code: None, "precompiled", id="ours"),
        pytest.param(lambda facts, code: code.__setitem__(9000, code[9000] ^ 1), "was changed", id="one bit"),
        pytest.param(lambda facts, code: code.__delitem__(slice(50_000, None)), "was changed", id="truncated"),
        pytest.param(lambda facts, code: code.clear(), "was changed", id="empty"),
        pytest.param(lambda facts, code: facts.update(wasmtime="46.0.1"), "by wasmtime 46.0.1", id="wasmtime"),
        pytest.param(lambda facts, code: facts.update(module_sha256="0"), "another policy", id="policy"),
        pytest.param(lambda facts, code: facts.clear(), "not one", id="no record"),
    ],
)
def test_a_precompiled_module_runs_only_if_it_is_exactly_ours(
    folder: Path, change: Callable[[dict[str, Any], bytearray], None], why: str, admitted: dict[str, Any]
) -> None:
    changed(folder, change)
    engine = EmbeddedEngine(folder)
    assert why in engine.origin
    assert engine.decide(json.dumps(admitted).encode(), 30.0)["allow"] is True
    engine.close()


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"wasmtime": null}'])
def test_a_record_that_is_none_means_compiling(folder: Path, text: str) -> None:
    (folder / "admission.pulley.json").write_text(text)
    assert EmbeddedEngine(folder).origin.startswith("compiled in memory")


def test_no_precompiled_module_means_compiling(folder: Path) -> None:
    (folder / "admission.pulley").unlink()
    assert EmbeddedEngine(folder).origin == "compiled in memory: no precompiled module"


def test_a_module_that_the_catalogue_does_not_name_is_refused(folder: Path) -> None:
    wasm = folder / "admission.wasm"
    wasm.write_bytes(wasm.read_bytes() + b"\x00\x02\x01\x00")
    with pytest.raises(EngineUnavailable, match="the catalogue says"):
        EmbeddedEngine(folder)


@pytest.mark.parametrize("name", ["admission.wasm", "catalogue.json"])
def test_a_missing_file_is_unavailable(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(EngineUnavailable, match=f"{name}: No such file"):
        EmbeddedEngine(folder)


def test_bytes_that_are_no_module_are_unavailable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "admission.pulley").unlink()
    monkeypatch.setattr(artefact, "read_module", lambda folder, named: b"not wasm")
    with pytest.raises(EngineUnavailable, match="wasmtime does not take it"):
        EmbeddedEngine(folder)
