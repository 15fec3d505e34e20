"""The levels of the sandbox, and an interpreter to run inside of them."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.observe.sandbox.probe import probe
from in_toto_done_receipt.observe.sandbox.run import run
from in_toto_done_receipt.results.model import SandboxLevel

PYTHON = Path(sys.executable).resolve()
PREFIX = Path(sys.base_prefix).resolve()

Inside = Callable[..., CommandOutcome]


@pytest.fixture(scope="session")
def need() -> Callable[[SandboxLevel], None]:
    """Skips where the machine lacks a level, with the reason; a CI run must have all of them."""

    look = functools.cache(lambda level: probe(highest=level))

    def check(level: SandboxLevel) -> None:
        facts = look(level)
        if facts.level != level:
            reason = f"no level {level} here: {next(layer.detail for layer in facts.layers if layer.name == level)}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)

    return check


@pytest.fixture(params=["bubblewrap", "landlock", "rlimits"])
def level(request: pytest.FixtureRequest, need: Callable[[SandboxLevel], None]) -> SandboxLevel:
    """Each level in turn."""
    found: SandboxLevel = request.param
    need(found)
    return found


@pytest.fixture(params=["bubblewrap", "landlock"])
def confined(request: pytest.FixtureRequest, need: Callable[[SandboxLevel], None]) -> SandboxLevel:
    """Each level that confines files."""
    found: SandboxLevel = request.param
    need(found)
    return found


@pytest.fixture
def bubblewrap(need: Callable[[SandboxLevel], None]) -> SandboxLevel:
    need("bubblewrap")
    return "bubblewrap"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The copy in which a command runs."""
    folder = tmp_path / "copy"
    folder.mkdir()
    return folder


@pytest.fixture
def python(copy: Path) -> Inside:
    """Runs Python source in the copy: `python(level, source, *arguments, limits=…)`."""

    def inside(level: SandboxLevel, source: str, *arguments: str, **options: object) -> CommandOutcome:
        argv = [str(PYTHON), "-I", "-S", "-c", source, *arguments]
        options = {"read_only": (PREFIX,), "excerpt_bytes": 4096, **options}
        return run(argv, copy=copy, level=level, **options)  # type: ignore[arg-type]

    return inside


@pytest.fixture
def shell(copy: Path) -> Inside:
    """Runs a shell script in the copy: `shell(level, script, limits=…)`."""

    def inside(level: SandboxLevel, script: str, **options: object) -> CommandOutcome:
        return run(["/bin/sh", "-c", script], copy=copy, level=level, excerpt_bytes=4096, **options)  # type: ignore[arg-type]

    return inside
