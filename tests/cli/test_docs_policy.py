"""The pages on rules of one's own and on the OPA server: each command shown is typed, and does what it shows."""

import shlex
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testdata.receipts import generate
from tests.cli.test_docs import DOCS, HONEST, Step, steps, transcript, typed_in

pytestmark = [pytest.mark.integration, pytest.mark.loopback]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """receipt.json, its work, and a gate that trusts its signer."""
    shutil.copytree(HONEST / "workspace", tmp_path / "work")
    shutil.copy(HONEST / "receipt.json", tmp_path / "receipt.json")
    gate = tmp_path / "gate"
    gate.mkdir()
    (gate / "worker.pub").write_text(generate.public_pem("worker"))
    (gate / "trust.toml").write_text('version = 1\n[[key]]\nname = "worker"\npath = "worker.pub"\n')
    return tmp_path


@pytest.fixture
def with_opa(tool: Callable[[str], Path], tmp_path: Path) -> Path:
    """A folder with `done-receipt` and `opa` in it, for PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m in_toto_done_receipt "$@"\n'
    (folder / "done-receipt").write_text(command)
    (folder / "done-receipt").chmod(0o755)
    (folder / "opa").symlink_to(tool("opa"))
    return folder


def test_the_page_on_own_rules_does_what_it_shows(desk: Path, with_opa: Path) -> None:
    wanted = steps(DOCS / "how-to" / "own-rules.md")
    assert len(wanted) > 20
    assert "\n".join(transcript(typed_in(desk, with_opa, wanted), wanted)) == ""


def test_the_page_on_the_server_does_what_it_shows(desk: Path, with_opa: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    def moved(text: str) -> str:
        return text.replace("8181", port)

    shown = steps(DOCS / "how-to" / "opa-server.md")
    wanted = [Step(typed=moved(step.typed), shown=tuple(map(moved, step.shown))) for step in shown]
    assert len(wanted) > 8
    assert "\n".join(transcript(typed_in(desk, with_opa, wanted), wanted)) == ""
