"""Coherence: the tables of what `ok` has to be, and rules that the vectors do not reach. Vectors: test_vectors.py."""

import hashlib
from types import ModuleType
from typing import Any

import pytest

from in_toto_done_receipt.predicates.done_receipt.coherence import coherence_faults

from .conftest import Read

FITS = {
    ("file", "file"),
    ("directory", "directory"),
    ("present", "file"),
    ("present", "directory"),
    ("absent", "absent"),
}
TYPES = ("file", "directory", "symlink", "other", "absent")


def reasons(tree: dict[str, Any], read: Read) -> list[str]:
    return [fault.reason for fault in coherence_faults(*read(tree))]


def failed(whole: dict[str, Any], *items: dict[str, Any]) -> dict[str, Any]:
    """The statement with these items only and a failed verdict, which fits any `ok`."""
    whole["predicate"]["claims"] = [{"id": "c", "statement": "s", "evidence": list(items)}]
    whole["predicate"]["verdict"] = {"checked": True, "passed": False, "reason": "no"}
    return whole


@pytest.mark.parametrize("found", TYPES)
@pytest.mark.parametrize("expect", ["file", "directory", "present", "absent"])
def test_path_is_ok_iff_the_type_fits(whole: dict[str, Any], read: Read, expect: str, found: str) -> None:
    item = {"kind": "path", "path": "a", "expect": expect, "observed": {"type": found}, "ok": (expect, found) in FITS}
    assert reasons(failed(whole, item), read) == []
    assert reasons(failed(whole, {**item, "ok": not item["ok"]}), read) == ["statement.evidence_ok"]


@pytest.mark.parametrize(
    ("code", "expected", "matched", "ok"),
    [
        (0, None, None, True),
        (1, None, None, False),
        (0, {}, None, True),
        (3, {"exitCode": 3}, None, True),
        (0, {"exitCode": 3}, None, False),
        (0, {"stdoutContains": "x"}, True, True),
        (0, {"stdoutContains": "x"}, False, False),
        (1, {"stdoutContains": "x"}, True, False),
    ],
)
def test_command_is_ok_iff_code_and_output_fit(
    whole: dict[str, Any],
    generator: ModuleType,
    read: Read,
    code: int,
    expected: dict[str, Any] | None,
    matched: bool | None,
    ok: bool,
) -> None:
    item = generator.command_item()
    item["observed"]["exitCode"] = code
    del item["expected"], item["observed"]["stdoutMatched"]
    item |= {"expected": expected} if expected is not None else {}
    item["observed"] |= {"stdoutMatched": matched} if matched is not None else {}
    assert reasons(failed(whole, {**item, "ok": ok}), read) == []
    assert reasons(failed(whole, {**item, "ok": not ok}), read) == ["statement.evidence_ok"]


@pytest.mark.parametrize("member", ["exitCode", "failed", "errored"])
def test_tests_are_not_ok_when_anything_is_red(
    whole: dict[str, Any], generator: ModuleType, read: Read, member: str
) -> None:
    item = generator.tests_item()
    item["observed"][member] = 1
    assert reasons(failed(whole, {**item, "ok": False}), read) == []
    assert reasons(failed(whole, item), read) == ["statement.evidence_ok"]


def test_skipped_tests_are_neither_good_nor_bad(whole: dict[str, Any], generator: ModuleType, read: Read) -> None:
    item = generator.tests_item()
    item["observed"]["skipped"] = 9
    assert reasons(failed(whole, item), read) == []


def test_an_honest_output_that_did_not_match_is_coherent(
    whole: dict[str, Any], generator: ModuleType, read: Read
) -> None:
    artifact = generator.file("report.md", "another content")
    item = {"kind": "output", "artifact": artifact, "observed": {"matched": False}, "ok": False}
    assert reasons(failed(whole, item), read) == []


def test_output_digests_are_compared_on_all_algorithms(
    whole: dict[str, Any], generator: ModuleType, read: Read
) -> None:
    item = generator.output_item()
    item["artifact"]["digest"]["sha512"] = hashlib.sha512(b"another").hexdigest()
    whole["subject"][0]["digest"]["sha512"] = hashlib.sha512(b"this").hexdigest()
    assert reasons(failed(whole, item), read) == ["statement.evidence_ok"]


def test_an_unknown_kind_may_say_anything(whole: dict[str, Any], read: Read) -> None:
    assert reasons(failed(whole, {"kind": "urn:x", "ok": True, "observed": {"matched": False}}), read) == []


@pytest.mark.parametrize("algorithm", ["sha256", "sha384", "sha512"])
def test_each_digest_of_the_task_is_compared(whole: dict[str, Any], read: Read, algorithm: str) -> None:
    size = hashlib.new(algorithm).digest_size
    whole["predicate"]["task"]["digest"][algorithm] = "0" * 2 * size
    (fault,) = coherence_faults(*read(whole))
    assert (fault.reason, fault.pointer) == ("statement.task_digest", f"/predicate/task/digest/{algorithm}")


@pytest.mark.parametrize(
    ("started", "finished", "wrong"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", False),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.50Z", False),
        ("2026-01-01T00:00:00.09Z", "2026-01-01T00:00:00.1Z", False),
        ("2026-01-01T00:00:00.1Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00.9Z", True),
        ("2026-01-01T00:00:00.000000002Z", "2026-01-01T00:00:00.000000001Z", True),
    ],
)
def test_times_are_compared_to_the_nanosecond(
    small: dict[str, Any], read: Read, started: str, finished: str, wrong: bool
) -> None:
    small["predicate"]["run"].update(startedOn=started, finishedOn=finished)
    assert reasons(small, read) == (["statement.times"] if wrong else [])


def test_one_contradiction_may_break_several_rules(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["run"]["outcome"] = "failed"
    whole["predicate"]["verdict"] = {"checked": False, "passed": True, "reason": "x"}
    assert reasons(whole, read) == [
        "statement.passed",
        "statement.unchecked",
        "statement.unchecked",
        "statement.outcome",
    ]
