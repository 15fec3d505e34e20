"""A builder's whole life: around a run, written with the folders above it, read back, intact."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import OutputError, ProducerError
from in_toto_done_receipt.producer.receipt_builder import EMPTY_MANIFEST, ReceiptBuilder
from in_toto_done_receipt.producer.written import read_receipt
from in_toto_done_receipt.wire.digests import sha256_hex

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class RunError(Exception):
    """What goes wrong in a run."""


def builder(out: Path | None = None) -> ReceiptBuilder:
    return ReceiptBuilder(task="write report", agent="worker", clock=lambda: NOW, out=out)


def finished() -> ReceiptBuilder:
    made = builder().subject("report.md", "a" * 64)
    return made.finish(finished_on=NOW, verdict="passed", iterations=3, tool_calls=5)


def test_it_is_written_with_its_folders_and_read_back_intact(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "7" / "statement.json"
    digest = finished().with_audit_request("req-7").write(path)
    read = read_receipt(path)
    assert path.read_bytes() == read.payload
    assert read.sha256 == digest == sha256_hex(read.payload)
    assert read.intact(digest)
    assert read.summary() == "PASSED — checked, nothing sealed, 3 iteration(s)"
    assert read.receipt.run.audit_log is not None
    assert read.receipt.run.audit_log.request_id == "req-7"


def test_it_is_not_intact_when_it_was_edited(tmp_path: Path) -> None:
    path = tmp_path / "statement.json"
    digest = finished().write(path)
    path.write_bytes(path.read_bytes().replace(b'"iterations":3', b'"iterations":4'))
    assert not read_receipt(path).intact(digest)


def test_it_is_not_intact_when_it_was_written_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "statement.json"
    finished().write(path)
    path.write_bytes(path.read_bytes() + b"\n")
    assert not read_receipt(path).intact(sha256_hex(path.read_bytes()))


@pytest.mark.parametrize("content", [None, b"", b"{}", b"x"], ids=["missing", "empty", "another", "text"])
def test_what_is_no_receipt_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "s").write_bytes(content)
    with pytest.raises(ProducerError):
        read_receipt(tmp_path / "s")


def test_a_file_where_a_folder_has_to_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(OutputError, match="runs"):
        finished().write(tmp_path / "runs" / "s.json")


def test_the_pin_stays_when_the_request_is_named_later() -> None:
    made = finished().audit(records=2, head="b" * 64).with_audit_request("req-7")
    assert b'"auditLog":{"head":"' + b"b" * 64 + b'","records":2,"requestId":"req-7"}' in made.build()


def test_a_run_that_says_nothing_is_unchecked(tmp_path: Path) -> None:
    with builder(tmp_path / "s") as run:
        run.subject("report.md", "a" * 64)
    assert read_receipt(tmp_path / "s").summary() == "UNCHECKED — the model stopped; nothing verified it"


def test_a_run_that_finished_says_so(tmp_path: Path) -> None:
    with builder(tmp_path / "s") as run:
        run.subject("report.md", "a" * 64).finish(finished_on=NOW, verdict="passed")
    assert read_receipt(tmp_path / "s").receipt.verdict.passed


@pytest.mark.parametrize("error", [RunError("boom"), KeyboardInterrupt(), SystemExit(0)], ids=repr)
def test_an_exception_is_the_outcome_failed_and_goes_on_its_way(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)), builder(tmp_path / "runs" / "s") as run:
        run.subject("report.md", "a" * 64).count(tool_calls=2)
        run.finish(finished_on=NOW, verdict="passed").count(input_tokens=7)
        raise error
    read = read_receipt(tmp_path / "runs" / "s")
    assert read.receipt.run.outcome == "failed"
    assert read.receipt.run.tool_calls == 2
    assert (read.receipt.verdict.checked, read.receipt.verdict.passed) == (True, False)
    assert read.summary().startswith(f"FAILED — the run did not complete: {type(error).__name__}")


def test_a_failed_run_without_outputs_names_the_empty_manifest(tmp_path: Path) -> None:
    with pytest.raises(RunError), builder(tmp_path / "s"):
        raise RunError
    subject = read_receipt(tmp_path / "s").statement.subjects[0]
    assert (subject.name, subject.digest["sha256"]) == EMPTY_MANIFEST


def test_words_that_no_receipt_can_say_are_said_another_way(tmp_path: Path) -> None:
    with pytest.raises(RunError), builder(tmp_path / "s"):
        raise RunError("\udc80\x1b" + "x" * 100_000)
    assert "\\udc80" in read_receipt(tmp_path / "s").receipt.verdict.reason


def test_a_breach_that_was_seen_stays(tmp_path: Path) -> None:
    with pytest.raises(RunError), builder(tmp_path / "s") as run:
        run.finish(finished_on=NOW, verdict="failed", reason="no", breach="a was modified")
        raise RunError
    assert read_receipt(tmp_path / "s").summary().startswith("REFUSED")


def test_without_a_clock_it_is_not_used_around_a_run() -> None:
    with pytest.raises(ProducerError, match="nobody says when"), ReceiptBuilder(task="t", agent="a"):
        pass
