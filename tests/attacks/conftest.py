"""One machine under attack for all tests of a worker, and what each level of the sandbox has there."""

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.results.model import SandboxLevel
from tests.attacks.stage import Stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder: Path = tmp_path_factory.mktemp("stage")
    with Stage(folder) as found:
        yield found


@pytest.fixture(scope="session")
def active() -> Callable[[SandboxLevel], frozenset[str]]:
    """The active layers of a level. Skips where the machine lacks it, with the reason; a CI run must have all."""

    look = functools.cache(lambda level: probe(highest=level))

    def find(level: SandboxLevel) -> frozenset[str]:
        facts = look(level)
        if facts.level != level:
            reason = f"no level {level} here: {next(layer.detail for layer in facts.layers if layer.name == level)}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        return frozenset(layer.name for layer in facts.layers if layer.active)

    return find
