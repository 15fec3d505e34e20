"""Engines are chosen by name."""

from pathlib import Path

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.engines import BUILTIN_ENGINES, EngineEntry, engines, open_engine
from in_toto_done_receipt.errors import ConfigurationError, EngineUnavailable, PluginError, UsageError


def test_the_embedded_engine_opens() -> None:
    assert isinstance(open_engine("embedded"), EmbeddedEngine)


@pytest.mark.parametrize("name", ["opa-servers", "", "Embedded"])
def test_an_unknown_name_is_unavailable(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not available in this version") as caught:
        open_engine(name)
    assert caught.value.hint == "available: embedded, opa, opa-server"


@pytest.mark.parametrize("text", ["opa-server", "opa-server="])
def test_a_server_wants_an_address(text: str) -> None:
    with pytest.raises(UsageError, match="--engine opa-server wants an address") as caught:
        open_engine(text)
    assert caught.value.hint == "--engine opa-server=http://127.0.0.1:8181"


def test_another_engine_takes_no_address() -> None:
    with pytest.raises(UsageError, match="embedded takes no address"):
        open_engine("embedded=http://127.0.0.1:8181")


def test_the_whole_policy_can_be_pinned() -> None:
    digest = load_catalogue().policy_digest
    for pinned in (digest, f"sha256:{digest}"):
        assert open_engine("embedded", pinned=pinned).policy_digest == digest


def test_another_policy_than_the_pinned_one_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=f"policy digest is [0-9a-f]{{64}}, pinned is {'0' * 64}"):
        open_engine("embedded", pinned="0" * 64)


def test_a_name_is_given_once() -> None:
    entry = EngineEntry(name="embedded", open=lambda request: EmbeddedEngine())
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
