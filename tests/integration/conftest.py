"""One real Sigstore for all tests of this folder. Each of them is marked `integration` and `loopback`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.stack.sigstore import PROGRAMS, SigstoreStack, running


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
