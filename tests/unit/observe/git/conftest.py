"""A small honest repository, made once, and copies of it to damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.git.process import Git, find_git
from tests.repositories.build import Repo


@pytest.fixture(scope="session")
def git() -> Git:
    """The system's git; asked for its version once."""
    return find_git()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")


@pytest.fixture
def bystander(tmp_path: Path) -> Callable[[], bool]:
    """A script that leaves a mark when it runs, and whether it did."""
    mark = tmp_path / "mark"
    script = tmp_path / "touch.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)

    def ran() -> bool:
        return mark.exists()

    ran.script = script  # type: ignore[attr-defined]
    return ran


def copied(repo: Repo, to: Path) -> Path:
    """A copy of a repository."""
    shutil.copytree(repo.path, to, symlinks=True)
    return to
