"""The pages on rules of one's own and on the OPA server: each command shown is typed, and does what it shows."""

import re
import shlex
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.cli.verify_options import engine_options
from testdata.receipts import generate
from tests.cli.test_docs import DOCS, HONEST, Step, steps, transcript, typed_in


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


@pytest.mark.integration
@pytest.mark.loopback
def test_the_page_on_own_rules_does_what_it_shows(desk: Path, with_opa: Path) -> None:
    wanted = steps(DOCS / "how-to" / "own-rules.md")
    assert len(wanted) > 20
    assert "\n".join(transcript(typed_in(desk, with_opa, wanted), wanted)) == ""


@pytest.mark.integration
@pytest.mark.loopback
def test_the_page_on_the_server_does_what_it_shows(desk: Path, with_opa: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    def moved(text: str) -> str:
        return text.replace("8181", port)

    shown = steps(DOCS / "how-to" / "opa-server.md")
    wanted = [Step(typed=moved(step.typed), shown=tuple(map(moved, step.shown))) for step in shown]
    assert len(wanted) > 8
    assert "\n".join(transcript(typed_in(desk, with_opa, wanted), wanted)) == ""


def test_the_command_page_lists_every_flag_of_policies() -> None:
    section = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8").partition("## Policy\n")[2]
    rows = re.findall(r"^\| `(--[a-z-]+)", section.partition("\n## ")[0], re.MULTILINE)

    @engine_options
    def command() -> None: ...

    assert sorted(rows) == sorted(flag for option in command.__click_params__ for flag in option.opts)  # type: ignore[attr-defined]
