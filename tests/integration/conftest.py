"""One real Sigstore, and what was signed with it. Every test of this folder is marked `integration` and `loopback`."""

import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import cli
from tests.integration.made import Made, prepare, sign_all
from tests.integration.stack.sigstore import PROGRAMS, SigstoreStack, running

__all__ = ["cli"]


@pytest.fixture(scope="session")
def programs(tool: Callable[[str], Path]) -> Path:
    """The folder with the servers of a Sigstore; a failure when one is missing."""
    (folder,) = {tool(program).parent for program in PROGRAMS}
    return folder


@pytest.fixture(scope="session")
def sigstore_stack(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigstoreStack]:
    """A Sigstore that runs, with issuers, a trusted root and a signing configuration; shared, so nobody stops it."""
    with running(tmp_path_factory.mktemp("sigstore"), programs) as stack:
        yield stack
        stack.servers.check()


@pytest.fixture(scope="session")
def other_root(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trusted root of another Sigstore, whose services have the same names."""
    with running(tmp_path_factory.mktemp("other-sigstore"), programs) as stack:
        return stack.trusted_root


@pytest.fixture(scope="session")
def unsigned(tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An honest receipt that is not signed, and keys; nobody changes them."""
    return prepare(tmp_path_factory.mktemp("made"), tool)


@pytest.fixture(scope="session")
def made(unsigned: Made, sigstore_stack: SigstoreStack, tool: Callable[[str], Path]) -> Made:
    """The same, with all bundles of it."""
    sign_all(unsigned, sigstore_stack, tool)
    return unsigned


@pytest.fixture(scope="session")
def sigstore_bin(tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH with `done-receipt`, `cosign` and `sigstore` in it."""
    folder = tmp_path_factory.mktemp("bin")
    for name, module in (("done-receipt", "in_toto_done_receipt"), ("sigstore", "sigstore")):
        (folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m {module} "$@"\n')
        (folder / name).chmod(0o755)
    (folder / "cosign").symlink_to(tool("cosign"))
    return folder
