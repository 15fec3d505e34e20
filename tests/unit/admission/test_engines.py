"""Engines are chosen by name."""

from pathlib import Path

import pytest

from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import BUILTIN_ENGINES, EngineEntry, engines, open_engine
from in_toto_done_receipt.errors import ConfigurationError, EngineUnavailable, PluginError


def test_the_embedded_engine_opens() -> None:
    assert isinstance(open_engine("embedded"), EmbeddedEngine)


@pytest.mark.parametrize("name", ["opa-server", "", "Embedded"])
def test_an_unknown_name_is_unavailable(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not available in this version") as caught:
        open_engine(name)
    assert caught.value.hint == "available: embedded, opa"


def test_the_embedded_engine_takes_no_policy_of_the_verifiers_own(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="evaluates the installed policy only") as caught:
        open_engine("embedded", extra_policy=(tmp_path,))
    assert caught.value.hint == "add --engine opa"


def test_a_name_is_given_once() -> None:
    entry = EngineEntry(name="embedded", open=lambda extra: EmbeddedEngine())
    with pytest.raises(PluginError, match="policy engine embedded is registered twice"):
        engines((*BUILTIN_ENGINES, entry))


def test_opa_that_is_not_there_is_unavailable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineUnavailable, match="opa is not on PATH"):
        open_engine("opa")


def test_opa_through_a_relative_entry_of_path_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "opa").write_text("#!/bin/sh\n")
    (tmp_path / "opa").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    with pytest.raises(EngineUnavailable, match="relative entry of PATH"):
        open_engine("opa")


def test_an_executable_that_is_no_opa_is_unavailable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "opa").write_text("#!/bin/sh\necho Version: new\n")
    (tmp_path / "opa").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineUnavailable, match="does not say which version of OPA it is"):
        open_engine("opa")
