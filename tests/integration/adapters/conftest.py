"""Decisions to compare with, made once, and the adapters as `done-receipt policy adapter` writes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.cli.main import run
from tests.cli.conftest import cli
from tests.integration.adapters.deciding import Decided, decide_all

__all__ = ["cli"]


@pytest.fixture(scope="session")
def decided(tmp_path_factory: pytest.TempPathFactory) -> list[Decided]:
    return decide_all(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="session")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The folder of an adapter; made anew for each call."""

    def make(name: str, *flags: str | Path) -> Path:
        out = tmp_path_factory.mktemp(name) / "out"
        assert run(["policy", "adapter", name, "--out", str(out), *map(str, flags)]) == 0
        return out

    return make
