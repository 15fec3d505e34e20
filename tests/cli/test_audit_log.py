"""`--audit-log` of build, import and verify; `export harness-receipt`; seals of an old receipt on the command line."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import harness_original as original

Cli = Callable[..., Any]
BUILD = ("--task", "t", "--agent", "a", "--subject", "report.md", "--finished-on", "2026-11-30T12:00:00Z")
REPORTED = ("--unsigned", "--minimum-assurance", "reported")
LINES = original.chain(original.run_records())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "audit.jsonl"
    path.write_bytes(b"".join(LINES))
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.json"
    path.write_bytes(original.pretty(original.receipt(audit_request="req-7")))
    return path


def pin(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())["predicate"]["run"].get("auditLog", {})
    return found


WHOLE = {"requestId": "req-7", "records": len(LINES), "head": json.loads(LINES[-1])["hash"]}


def test_build_pins_the_log_of_one_request(cli: Cli, work: Path, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    assert cli("build", "--root", work, *BUILD, "--audit-log", log, "--out", out).code == 0
    assert pin(out) == WHOLE


def test_what_build_pins_is_what_verify_wants(cli: Cli, work: Path, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    counts = ("--tool-calls", "5", "--input-tokens", "100", "--output-tokens", "20")
    told = ("--verdict", "passed", "--claim", "r=it is there", "--file", "r=report.md")
    assert cli("build", "--root", work, *BUILD, *counts, *told, "--audit-log", log, "--out", out).code == 0
    at = ("--at", "2026-11-30T13:00:00Z", "--audit-log", log)
    assert cli("verify", out, "--unsigned", "--root", work, *at).code == 0
    log.write_bytes(b"".join(LINES[:-1]))
    assert cli("verify", out, "--unsigned", "--root", work, *at).code == 11


def test_of_several_requests_one_has_to_be_named(cli: Cli, work: Path, log: Path, tmp_path: Path) -> None:
    log.write_bytes(b"".join(original.chain([*original.run_records("a"), *original.run_records("b")])))
    arguments = ("build", "--root", work, *BUILD, "--audit-log", log, "--out", tmp_path / "s.json")
    done = cli(*arguments)
    assert done.code == 2
    assert "several requests" in done.err
    assert cli(*arguments, "--audit-request", "b").code == 0
    assert pin(tmp_path / "s.json")["requestId"] == "b"
    assert cli(*arguments, "--audit-request", "c").code == 2


@pytest.mark.parametrize("data", [b"", b"x\n", b"".join(LINES)[:-9]], ids=["empty", "no chain", "torn"])
def test_a_damaged_log_is_not_pinned(cli: Cli, work: Path, log: Path, tmp_path: Path, data: bytes) -> None:
    log.write_bytes(data)
    done = cli("build", "--root", work, *BUILD, "--audit-log", log, "--out", tmp_path / "s.json")
    assert done.code == 4
    assert not (tmp_path / "s.json").exists()


def test_import_pins_the_log_that_the_old_receipt_names(cli: Cli, old: Path, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    assert cli("import", "harness-receipt", old, "--audit-log", log, "--out", out).code == 0
    assert pin(out) == WHOLE
    at = ("--at", "2026-11-30T13:00:00Z")
    assert cli("verify", out, *REPORTED, *at, "--audit-log", log).code == 0
    log.write_bytes(b"".join(LINES[:-1]))
    assert cli("verify", out, *REPORTED, *at, "--audit-log", log).code == 11


def test_import_without_a_request_pins_nothing(cli: Cli, old: Path, log: Path) -> None:
    old.write_bytes(original.pretty(original.receipt()))
    assert cli("import", "harness-receipt", old, "--audit-log", log).code == 2


def test_an_import_never_passes_as_a_verified_run(cli: Cli, old: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    assert cli("import", "harness-receipt", old, "--out", out).code == 0
    done = cli("verify", out, *REPORTED, "--json")
    found = json.loads(done.out)
    assert found["result"]["assurance"] == "reported"
    assert "statement.imported" in {f["reason"] for c in found["result"]["checks"] for f in c["findings"]}
    assert cli("verify", out, "--unsigned").code == 12


@pytest.mark.parametrize("damage", ["digest", "verdict"])
def test_a_file_that_its_own_rules_refute_is_not_imported(cli: Cli, old: Path, damage: str) -> None:
    changes = {"passed": True, "checked": False} if damage == "verdict" else {}
    tree = original.receipt(**changes)
    if damage == "digest":
        tree["digest"] = "0" * 64
    old.write_bytes(original.pretty(tree))
    assert cli("verify", old, "--as", "harness-receipt", *REPORTED).code == 11
    assert cli("import", "harness-receipt", old).code == (3 if damage == "digest" else 0)


def test_export_is_the_file_that_the_harness_would_write(cli: Cli, old: Path, tmp_path: Path) -> None:
    cli("import", "harness-receipt", old, "--out", tmp_path / "s.json")
    assert cli("export", "harness-receipt", tmp_path / "s.json", "--out", tmp_path / "again.json").code == 0
    assert (tmp_path / "again.json").read_bytes() == old.read_bytes()


def test_export_lists_everything_that_it_cannot_say(cli: Cli, work: Path, log: Path, tmp_path: Path) -> None:
    flags = ("--claim", "c=it is there", "--file-exists", "c=report.md", "--audit-log", log, "--harness", "x:y")
    cli("build", "--root", work, *BUILD, *flags, "--task-uri", "x:t", "--out", tmp_path / "s.json")
    done = cli("export", "harness-receipt", tmp_path / "s.json")
    assert done.code == 3
    for said in ("claims: 1 claim(s)", "agent/model", "task/uri", "auditLog/head", "iterations: missing", "harness"):
        assert said in done.err


def test_seals_are_looked_at_again_whatever_the_receipt_says(cli: Cli, old: Path, work: Path) -> None:
    digest = hashlib.sha256(b"assert True\n").hexdigest()
    contract = {"entries": {"tests/test_report.py": digest, "conftest.py": None}}
    old.write_bytes(original.pretty(original.receipt(contract=contract)))
    arguments = ("verify", old, "--as", "harness-receipt", *REPORTED, "--root", work, "--json")
    assert json.loads(cli(*arguments).out)["result"]["contract"]["state"] == "held_as_reported"
    (work / "conftest.py").write_text("")
    (work / "tests" / "test_report.py").write_text("")
    done = cli(*arguments)
    assert done.code == 11
    moved = json.loads(done.out)["result"]["contract"]["moved"]
    assert moved == [
        {"path": "conftest.py", "change": "created"},
        {"path": "tests/test_report.py", "change": "modified"},
    ]


def test_a_directory_where_null_was_sealed_is_neither_held_nor_moved(cli: Cli, old: Path, work: Path) -> None:
    old.write_bytes(original.pretty(original.receipt(contract={"entries": {"tests": None}})))
    done = cli("verify", old, "--as", "harness-receipt", *REPORTED, "--root", work, "--json")
    found = json.loads(done.out)
    assert (done.code, found["result"]["contract"]["state"]) == (0, "not_checked")
    assert cli("verify", old, "--as", "harness-receipt", "--unsigned", "--root", work).code == 12
