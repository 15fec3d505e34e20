"""`demo`: each part of the story ends as it is told, each cheat for its own reason."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from in_toto_done_receipt.cli import demo, demo_change, demo_tests, main
from in_toto_done_receipt.errors import RepositoryRefused
from tests.runners.lab import need_bubblewrap

FIRST_REASONS = {
    "the work is changed after it was signed": ("greeting.txt has sha256", 11),
    "the sealed contract is changed: the test now tests nothing": ("tests/check.sh is sealed and was modified", 11),
    "the signed envelope is changed: another task": ("none of 1 trusted key(s)", 10),
    "a claim whose evidence nobody can look at": ("assurance is", 12),
    "the test was rewritten first, and sealed after that": ("tests/test_greet.py at the base revision", 11),
    "a pytest.ini came with the change, and deselects the test": ("pytest.ini is added", 12),
    "the receipt ran one test of two, and the other one is red": ("tested[0] (tests) is refuted: test_prices", 11),
    "the product is wrong, and makes every assertion agree": ("tested[0] (tests) could not be evaluated", 11),
}


@pytest.fixture(scope="module", autouse=True)
def bubblewrap() -> None:
    """The whole story takes it."""
    need_bubblewrap()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("demo")
    line = [sys.executable, "-c", "import sys; from in_toto_done_receipt.cli import main; sys.exit(main.run(['demo']))"]
    done = subprocess.run(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert list(folder.iterdir()) == []
    return done.stdout


def part(told: str, title: str) -> str:
    return told.partition(f"\n## Refused: {title}\n")[2].partition("\n## ")[0]


def test_every_cheat_that_is_told_has_a_reason(told: str) -> None:
    assert re.findall(r"^## Refused: (.*)$", told, re.MULTILINE) == list(FIRST_REASONS)


@pytest.mark.parametrize("title", FIRST_REASONS)
def test_a_cheat_is_refused_for_its_own_reason(told: str, title: str) -> None:
    reason, code = FIRST_REASONS[title]
    denied = part(told, title).partition("\nDENIED — ")[2]
    assert denied.startswith(reason)
    assert f"(exit code {code})" in denied


def test_all_kinds_of_honest_work_are_admitted(told: str) -> None:
    assert len(re.findall("^ADMITTED — ", told, re.MULTILINE)) == 3
    assert told.endswith("As it should be: three admitted, eight refused, each for its own reason.\n")


def test_the_tests_of_the_honest_change_ran(told: str) -> None:
    feature = told.partition("\n## An honest feature")[2].partition("\n## ")[0]
    assert "unittest: 2 at base, 3 on head, 1 new" in feature


def test_the_callers_git_configuration_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    (tmp_path / "config").write_text(f"[core]\n hooksPath = {hooks}\n[commit]\n gpgSign = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setattr(demo, "tests_story", lambda level: ([], False))  # the same git, and it takes its time
    assert main.run(["demo"]) == 0


def test_without_git_the_rest_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise RepositoryRefused("no git at /usr/bin/git", kind="git")

    monkeypatch.setattr(demo_change, "find_git", missing)
    monkeypatch.setattr(demo_tests, "find_git", missing)
    assert main.run(["demo"]) == 0
    printed = capsys.readouterr().out
    assert "(left out: no git at /usr/bin/git)" in printed
    assert printed.endswith("As it should be: one admitted, four refused, each for its own reason.\n")


def test_without_bubblewrap_the_tests_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo_tests.tests_story("landlock") == ([], False)
    assert "(left out: tests of a change run under bubblewrap" in capsys.readouterr().out


def test_the_callers_identity_is_away_while_evidence_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_TOKEN", "sesame")
    with demo._without_identity():
        assert "VAULT_TOKEN" not in os.environ
    assert os.environ.get("VAULT_TOKEN") is not None
