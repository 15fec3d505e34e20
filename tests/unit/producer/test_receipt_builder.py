"""What a harness gets from its run."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.producer.receipt_builder import ReceiptBuilder
from in_toto_done_receipt.wire.statement import read_statement

NOW = datetime(2026, 11, 30, 17, 21, 36, 336_000, tzinfo=UTC)
A, B = "a" * 64, "b" * 64
SEALED = {"tests/test_report.py": A, "conftest.py": None, "Makefile": B}


def harness(**finish: Any) -> ReceiptBuilder:
    builder = ReceiptBuilder(task="write report", agent="worker", model="gpt-5").subject("report.md", A)
    run = {"finished_on": NOW, "iterations": 3, "tool_calls": 5, "input_tokens": 100, "output_tokens": 20}
    return builder.finish(**{**run, **finish})


def tree(builder: ReceiptBuilder) -> dict[str, Any]:
    statement = json.loads(builder.build())
    assert isinstance(statement, dict)
    return statement


def predicate(builder: ReceiptBuilder) -> dict[str, Any]:
    found = tree(builder)["predicate"]
    assert isinstance(found, dict)
    return found


def test_the_run_is_told_as_it_was() -> None:
    assert predicate(harness())["run"] == {
        "outcome": "completed",
        "finishedOn": "2026-11-30T17:21:36.336Z",
        "iterations": 3,
        "toolCalls": 5,
        "usage": {"inputTokens": 100, "outputTokens": 20},
    }


def test_what_is_not_known_is_left_out() -> None:
    builder = ReceiptBuilder(task="t", agent="a").subject("x", A).finish(finished_on=NOW.replace(microsecond=0))
    found = predicate(builder)
    assert found["run"] == {"outcome": "completed", "finishedOn": "2026-11-30T17:21:36Z"}
    assert found["agent"] == {"id": "a"}
    assert found.keys() == {"task", "agent", "run", "contract", "verdict", "claims"}


def test_times_are_written_in_utc() -> None:
    moment = NOW.astimezone(timezone(timedelta(hours=5)))
    assert predicate(harness(finished_on=moment))["run"]["finishedOn"] == "2026-11-30T17:21:36.336Z"


def test_the_bytes_are_canonical_and_the_same_again() -> None:
    first, second = harness().build(), harness().build()
    assert first == second
    assert first == json.dumps(json.loads(first), sort_keys=True, separators=(",", ":")).encode()


def test_a_pass_is_only_a_pass_when_the_seal_also_held() -> None:
    held = harness(verdict="passed").seals(SEALED)
    assert predicate(held)["verdict"] == {"checked": True, "passed": True, "reason": ""}
    moved = harness(verdict="passed", breach="Makefile was modified").seals(SEALED)
    assert predicate(moved)["verdict"]["passed"] is False
    assert moved.summary() == "REFUSED — the acceptance contract moved during the run (Makefile was modified)"


def test_unchecked_is_not_the_same_as_failed() -> None:
    assert predicate(harness())["verdict"] == {"checked": False, "passed": False, "reason": ""}
    assert harness().summary() == "UNCHECKED — the model stopped after 5 tool call(s); nothing verified it"


def test_a_failure_carries_the_checks_own_words() -> None:
    builder = harness(verdict="failed", reason='answer.txt must contain "42"')
    assert builder.summary() == 'FAILED — answer.txt must contain "42"'


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        ("budgetExhausted", "FAILED — the run hit its budget before finishing"),
        ("failed", "FAILED — the run did not complete"),
    ],
)
def test_a_run_that_ended_early_is_a_failure_not_silence(outcome: str, line: str) -> None:
    assert harness(outcome=outcome).summary() == line


def test_the_summary_does_not_claim_a_count_it_does_not_have() -> None:
    assert harness(verdict="passed").summary() == "PASSED — checked, nothing sealed, 3 iteration(s)"
    sealed = harness(verdict="passed").seals({"contract.txt": A})
    assert sealed.summary() == "PASSED — checked against 1 sealed file(s), which did not move, 3 iteration(s)"


def test_seals_are_split_and_sorted_by_bytes() -> None:
    found = predicate(harness().seals({"z": A, "\U0001f600": A, "\uff5e": A, "b": None, "B": None}))["contract"]
    assert [entry["name"] for entry in found["sealed"]] == ["z", "\uff5e", "\U0001f600"]
    assert found["absent"] == ["B", "b"]
    assert found["breach"] is None


def test_evidence_that_is_not_ok_takes_the_pass_away() -> None:
    item = {"kind": "path", "path": "x", "expect": "file", "observed": {"type": "absent"}, "ok": False}
    builder = harness(verdict="passed").claim("there", "x is there", evidence=[item])
    assert builder.summary() == "FAILED — evidence not ok: there[0] (path)"


def test_a_contradiction_is_refused() -> None:
    item = {"kind": "path", "path": "x", "expect": "file", "observed": {"type": "absent"}, "ok": True}
    with pytest.raises(ProducerError, match="would contradict itself"):
        harness(verdict="passed").claim("there", "x is there", evidence=[item]).build()


def test_the_task_has_its_digest_unless_it_is_elsewhere() -> None:
    digest = predicate(harness())["task"]["digest"]["sha256"]
    assert digest == "12a9dea1a1404a405257b94d476dcfed263eb494f0142af8d65cf7a762a93f46"
    elsewhere = ReceiptBuilder(task="t", agent="a", task_uri="https://example.com/1").subject("x", A)
    assert predicate(elsewhere.finish(finished_on=NOW))["task"] == {
        "description": "t",
        "uri": "https://example.com/1",
    }


def test_audit_context_manifest_harness() -> None:
    builder = ReceiptBuilder(task="t", agent="a", harness={"uri": "https://example.com/h"})
    builder.audit("req-7", records=5, head=B).manifest("OUTPUT_MANIFEST.json", A)
    builder.context(packet_digest=B, input_commit="c" * 40, output_manifest_digest=A)
    statement = tree(builder.finish(finished_on=NOW))
    found = statement["predicate"]
    assert statement["subject"] == [{"name": "OUTPUT_MANIFEST.json", "digest": {"sha256": A}}]
    assert found["manifest"] == statement["subject"][0]
    assert found["run"]["auditLog"] == {"requestId": "req-7", "records": 5, "head": B}
    assert found["context"]["input"] == {"digest": {"gitCommit": "c" * 40}}
    assert found["agent"]["harness"] == {"uri": "https://example.com/h"}


def test_it_is_read_back_by_our_reader() -> None:
    statement = read_statement(harness(verdict="passed").seals(SEALED).build())
    assert coherence_faults(read_predicate(statement), statement) == ()


def test_it_is_accepted_by_in_toto_attestation() -> None:
    from google.protobuf import json_format  # type: ignore[import-untyped]
    from in_toto_attestation.v1.statement import Statement
    from in_toto_attestation.v1.statement_pb2 import Statement as Message  # type: ignore[attr-defined]

    message = json_format.Parse(harness(verdict="passed").seals(SEALED).build(), Message(), ignore_unknown_fields=True)
    Statement.copy_from_pb(message).validate()


def test_it_is_accepted_by_sigstore() -> None:
    from sigstore.dsse import Statement

    payload = harness(verdict="passed").seals(SEALED).build()
    assert Statement(payload)._contents == payload


WRONG = {
    "empty task": ({"task": ""}, "description"),
    "two-line agent": ({"agent": "a\nb"}, "agent"),
    "empty model": ({"model": ""}, "model"),
    "surrogate": ({"task": "\ud800"}, "task is not UTF-8"),
    "surrogate model": ({"model": "\ud800"}, "cannot be said"),
    "harness without uri": ({"harness": {"name": "x"}}, "harness"),
}


@pytest.mark.parametrize(("change", "match"), WRONG.values(), ids=WRONG)
def test_what_a_receipt_cannot_say_is_named(change: dict[str, Any], match: str) -> None:
    with pytest.raises(ProducerError, match=match):
        builder = ReceiptBuilder(**{"task": "t", "agent": "a", **change})
        builder.subject("x", A).finish(finished_on=NOW).build()


@pytest.mark.parametrize("name", ["/abs", "../up", "a//b", "a\\b", "", "e\u0301", "a\nb"])
def test_a_subject_is_a_path(name: str) -> None:
    with pytest.raises(ProducerError, match="cannot be said"):
        harness().subject(name, A).build()


def test_subjects_differ_after_case_folding() -> None:
    with pytest.raises(ProducerError, match="subject"):
        harness().subject("REPORT.md", B).build()


def test_a_digest_is_hex() -> None:
    with pytest.raises(ProducerError, match="64 lowercase hex"):
        harness().subject("y", A.upper()).build()


def test_a_run_names_a_subject() -> None:
    with pytest.raises(ProducerError, match="needs a subject"):
        ReceiptBuilder(task="t", agent="a").finish(finished_on=NOW).build()


def test_a_run_has_to_be_finished() -> None:
    with pytest.raises(ProducerError, match="has not finished"):
        ReceiptBuilder(task="t", agent="a").subject("x", A).build()


def test_a_time_has_a_zone() -> None:
    with pytest.raises(ProducerError, match="finished_on has no time zone"):
        harness(finished_on=NOW.replace(tzinfo=None))


def test_tokens_come_in_pairs() -> None:
    with pytest.raises(ProducerError, match="together or not at all"):
        harness(output_tokens=None)


def test_times_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ProducerError, match="contradict"):
        harness(started_on=NOW + timedelta(seconds=1)).build()


def test_a_receipt_larger_than_verifiers_read_is_refused() -> None:
    item = {"kind": "https://example.com/x", "observed": {"x": "y" * (11 << 20)}, "ok": True}
    with pytest.raises(ProducerError, match="verifiers read"):
        harness().claim("c", "s", evidence=[item]).build()


def test_the_example_of_the_module(shared: Path) -> None:
    example = json.loads((shared / "prototypes" / "example-statement.json").read_bytes())
    claims = example["predicate"]["claims"]
    builder = harness(verdict="passed")
    for claim in claims:
        builder.claim(claim["id"], claim["statement"], evidence=claim["evidence"][:3])
    assert predicate(builder)["claims"][0]["evidence"] == claims[0]["evidence"][:3]
