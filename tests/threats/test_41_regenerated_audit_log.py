"""Attack: the whole audit log is written anew, every hash right, to agree with whatever the receipt says.
Answer: consistency only. It raises no assurance and meets no demand; against a pinned head it is another log.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main
from testdata.receipts import generate
from tests.conformance import harness_original as original

HONEST_RUN = [{"kind": "acceptance", "detail": {"check": "check.sh", "passed": False, "reason": "red"}}]


def verified(tmp_path: Path, case: generate.Case, lines: list[str], *flags: str) -> tuple[int, Any]:
    """Exit code and JSON of `verify` for a case, with this audit log."""
    for path, text in case.files().items():
        (tmp_path / "case" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "case" / path).write_text(text)
    (tmp_path / "trust").mkdir(exist_ok=True)
    (tmp_path / "trust" / "worker.pub").write_text(generate.public_pem("worker"))
    (tmp_path / "case" / "audit.jsonl").write_text("".join(lines))
    arguments = json.loads((tmp_path / "case" / "expected.json").read_text())["arguments"]
    out = ["--audit-log", "audit.jsonl", "--output", f"json={tmp_path / 'out.json'}", "--quiet"]
    code = main.run(["verify", *arguments, *out, *flags])
    return code, json.loads((tmp_path / "out.json").read_bytes())


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "case").mkdir()
    monkeypatch.chdir(tmp_path / "case")


def weak(lines: list[str]) -> generate.Change:
    """A receipt that shows nothing but that a name exists, and pins this log."""
    return generate.both(generate.claims(generate.path_item()), generate.audited(lines))


def test_threat_41_a_log_that_agrees_raises_no_assurance(tmp_path: Path) -> None:
    lines = generate.chain()
    code, document = verified(tmp_path, generate.Case(why="", change=weak(lines)), lines)
    assert code == 12
    assert document["result"]["assurance"] == "reported"
    assert {v["code"] for v in document["decision"]["violations"]} == {"assurance.minimum"}


def test_threat_41_it_is_no_evidence_for_a_demand(tmp_path: Path) -> None:
    lines = generate.chain()
    profile = 'version = 1\n[[evidence]]\nclaim = "greets"\nkind = "command"\n'
    case = generate.Case(why="", change=generate.audited(lines), inputs={"acceptance.toml": profile})
    code, document = verified(tmp_path, case, lines, "--profile", "acceptance.toml")
    assert code == 12
    assert {v["code"] for v in document["decision"]["violations"]} == {"profile.evidence"}


@pytest.mark.parametrize("same_length", [True, False])
def test_threat_41_another_log_than_the_pinned_one_is_refuted(tmp_path: Path, same_length: bool) -> None:
    honest = generate.chain([*generate.RECORDS[:-1], *HONEST_RUN])
    forged = generate.chain() if same_length else generate.chain([*generate.RECORDS, generate.RECORDS[-1]])
    code, document = verified(tmp_path, generate.Case(why="", change=generate.audited(honest)), forged)
    assert code == 11
    reasons = {found["reason"] for check in document["result"]["checks"] for found in check["findings"]}
    assert ("audit-log.head" if same_length else "audit-log.count") in reasons


@pytest.mark.parametrize("member", ["auditLog", "usage", "toolCalls"])
def test_threat_41_leaving_out_what_it_is_compared_with_never_helps(tmp_path: Path, member: str) -> None:
    lines = generate.chain()
    change = generate.both(generate.audited(lines), lambda _statement, predicate: predicate["run"].pop(member))
    assert verified(tmp_path, generate.Case(why="", change=change), lines)[0] == 11


@pytest.mark.parametrize("members", [("records", "head"), ("requestId",)])
def test_threat_41_leaving_out_a_part_of_the_pin_never_helps(tmp_path: Path, members: tuple[str, ...]) -> None:
    lines = generate.chain()

    def without(_statement: Any, predicate: Any) -> None:
        for member in members:
            del predicate["run"]["auditLog"][member]

    case = generate.Case(why="", change=generate.both(generate.audited(lines), without))
    assert verified(tmp_path, case, lines)[0] == 11


def test_threat_41_an_old_receipt_with_its_log_is_reported_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(original.pretty(original.receipt(audit_request="req-7")))
    (tmp_path / "audit.jsonl").write_bytes(b"".join(original.chain(original.run_records())))
    arguments = [str(tmp_path / "r.json"), "--as", "harness-receipt", "--unsigned"]
    assert main.run(["verify", *arguments, "--audit-log", str(tmp_path / "audit.jsonl"), "--quiet"]) == 12
