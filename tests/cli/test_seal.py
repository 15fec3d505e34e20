"""`seal`: the acceptance contract before the work."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


def test_it_seals_files_and_absence(cli: Cli, tmp_path: Path, work: Path) -> None:
    out = tmp_path / "contract.json"
    done = cli(
        "seal", "--root", work, "--path", "tests/**", "--path", "./report.md", "--path", "conftest.py", "--out", out
    )
    assert done.code == 0
    contract = json.loads(out.read_bytes())
    assert contract["schema"] == "https://w3id.org/done-receipt/contract/v0.1"
    assert [entry["name"] for entry in contract["sealed"]] == ["report.md", "tests/test_report.py"]
    assert contract["absent"] == ["conftest.py"]
    assert done.out.strip() == hashlib.sha256(out.read_bytes()).hexdigest()
    assert out.read_bytes().endswith(b"}\n")


def test_to_standard_output(cli: Cli, work: Path) -> None:
    done = cli("seal", "--root", work, "--path", "report.md", "--out", "-")
    assert json.loads(done.out)["absent"] == []


def test_json_facts(cli: Cli, tmp_path: Path, work: Path) -> None:
    done = cli("seal", "--root", work, "--path", "*.md", "--path", "x", "--out", tmp_path / "c", "--json")
    facts = json.loads(done.out)
    assert (facts["sealed"], facts["absent"]) == (1, 1)


def special(root: Path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(root / "special")
    elif kind == "link":
        (root / "special").symlink_to("report.md")
    else:
        (root / "special").mkdir()


@pytest.mark.parametrize("kind", ["fifo", "link", "directory"])
def test_only_files_are_sealed(cli: Cli, tmp_path: Path, work: Path, kind: str) -> None:
    special(work, kind)
    done = cli("seal", "--root", work, "--path", "special", "--out", tmp_path / "c")
    assert (done.code, "special" in done.err) == (4, True)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("pattern", ["*.nothing", "/abs", "../up", "a\\b", ""])
def test_patterns_that_seal_nothing(cli: Cli, tmp_path: Path, work: Path, pattern: str) -> None:
    done = cli("seal", "--root", work, "--path", pattern, "--out", tmp_path / "c")
    assert done.code == 4
    assert not (tmp_path / "c").exists()


def test_a_contract_that_would_seal_itself(cli: Cli, work: Path) -> None:
    done = cli("seal", "--root", work, "--path", "contract.json", "--out", work / "contract.json")
    assert (done.code, "is among the sealed paths" in done.err) == (2, True)


def test_a_missing_root(cli: Cli, tmp_path: Path) -> None:
    assert cli("seal", "--root", tmp_path / "no", "--path", "x", "--out", tmp_path / "c").code == 4


@pytest.mark.parametrize("left_out", ["--root", "--path", "--out"])
def test_what_is_required(cli: Cli, work: Path, tmp_path: Path, left_out: str) -> None:
    flags = {"--root": str(work), "--path": "report.md", "--out": str(tmp_path / "c")}
    del flags[left_out]
    assert cli("seal", *(word for pair in flags.items() for word in pair)).code == 2
