"""Writes the vectors of the predicate: python testdata/predicate/generate.py [FOLDER].

accept/<case>      a statement that the reader takes
reject/<case>      one that it refuses as malformed; expected.json names reason and pointer of the first fault
incoherent/<case>  one that it takes and that contradicts itself; expected.json lists reason and pointer of all faults

Deterministic: a test writes them again and compares. Each changes a base statement in as few places as can be.
"""

import copy
import hashlib
import json
import shutil
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
Change = Callable[[Json, Json], object]  # of the statement, and of its predicate

REPORT = "# Report\n\nResult: PASS\n"
JUNIT = '<testsuite tests="1"><testcase classname="tests.test_report" name="test_report"/></testsuite>\n'
BASE, HEAD = "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98", "27d5482eebd075de44389774fce28c69f45c8a75"
CLAIM, ITEM = "/predicate/claims/0", "/predicate/claims/0/evidence/0"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file(name: str, content: str) -> Json:
    return {"name": name, "digest": {"sha256": sha256(content)}}


def blob(content: str) -> Json:
    return {"sha256": sha256(content), "bytes": len(content)}


MANIFEST = file("output-manifest.json", "a manifest")


def small() -> Json:
    """The smallest receipt: only what is required."""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [file("report.md", REPORT)],
        "predicateType": "https://w3id.org/done-receipt/v0.1",
        "predicate": {
            "task": {"description": "write the report"},
            "agent": {"id": "worker"},
            "run": {"outcome": "completed", "finishedOn": "2026-11-30T17:21:36Z"},
            "contract": {"sealed": [], "absent": [], "breach": None},
            "verdict": {"checked": False, "passed": False, "reason": ""},
            "claims": [],
        },
    }


def whole() -> Json:
    """A receipt with every member and every kind of evidence: the example of docs/done-receipt.md."""
    statement = small()
    statement["subject"].append(MANIFEST)
    statement["predicate"] = {
        "task": {"description": "write the report", "digest": {"sha256": sha256("write the report")}},
        "agent": {
            "id": "worker",
            "model": "gpt-5",
            "harness": {"uri": "https://example.com/harness", "annotations": {"version": "1.4.0"}},
        },
        "run": {
            "outcome": "completed",
            "startedOn": "2026-11-30T17:20:02Z",
            "finishedOn": "2026-11-30T17:21:36.336Z",
            "iterations": 3,
            "toolCalls": 5,
            "usage": {"inputTokens": 100, "outputTokens": 20},
            "auditLog": {"requestId": "req-7", "records": 5, "head": sha256("the last record")},
        },
        "source": {
            "repository": "https://example.com/acme/report",
            "base": {"digest": {"gitCommit": BASE, "gitTree": "edfb92a5be2a31a47d117f6c1530e1cebe1b4963"}},
            "head": {"digest": {"gitCommit": HEAD, "gitTree": "80f6b1db5d2c25e15a77836728a708218a092cbc"}},
        },
        "context": {
            "packet": {"digest": {"sha256": sha256("the packet")}},
            "input": {"digest": {"gitCommit": BASE}},
            "outputManifest": {"digest": dict(MANIFEST["digest"])},
        },
        "manifest": copy.deepcopy(MANIFEST),
        "contract": {
            "sealed": [file("pytest.ini", "[pytest]\n"), file("tests/test_report.py", "def test_report(): ...\n")],
            "absent": ["conftest.py"],
            "breach": None,
        },
        "verdict": {"checked": True, "passed": True, "reason": ""},
        "claims": [
            {
                "id": "report",
                "statement": "report.md exists and says PASS",
                "evidence": [path_item(), file_item(), text_item(), output_item()],
            },
            {"id": "tests", "statement": "the tests pass", "evidence": [command_item(), tests_item()]},
        ],
    }
    return statement


def path_item() -> Json:
    return {"kind": "path", "path": "report.md", "expect": "file", "observed": {"type": "file"}, "ok": True}


def file_item() -> Json:
    digest = sha256(REPORT)
    return {"kind": "file", "path": "report.md", "expectedSha256": digest, "observed": blob(REPORT), "ok": True}


def text_item() -> Json:
    observed = {"matched": True, "bytes": len(REPORT)}
    return {"kind": "text", "path": "report.md", "literal": "PASS", "observed": observed, "ok": True}


def command_item() -> Json:
    return {
        "kind": "command",
        "argv": ["/usr/bin/grep", "PASS", "report.md"],
        "expected": {"exitCode": 0, "stdoutContains": "PASS"},
        "observed": {"exitCode": 0, "stdout": blob("Result: PASS\n"), "stderr": blob(""), "stdoutMatched": True},
        "ok": True,
    }


def tests_item() -> Json:
    counts = {"passed": 1, "failed": 0, "errored": 0, "skipped": 0}
    return {
        "kind": "tests",
        "argv": ["/usr/bin/python3", "-m", "pytest", "--junitxml={junit}"],
        "cited": ["tests.test_report::test_report"],
        "observed": {"exitCode": 0, "report": blob(JUNIT), **counts},
        "ok": True,
    }


def output_item() -> Json:
    return {"kind": "output", "artifact": file("report.md", REPORT), "observed": {"matched": True}, "ok": True}


class Case(NamedTuple):
    """A vector. `faults` are (reason, pointer); none for an accepted one."""

    name: str
    about: str
    change: Change
    faults: tuple[tuple[str, str], ...] = ()
    base: Callable[[], Json] = whole


def put(pointer: str, value: object) -> Change:
    """Sets a member of the predicate; `pointer` is relative to it, without the first slash."""

    def change(_: Json, predicate: Json) -> None:
        *steps, last = pointer.split("/")
        place: Any = predicate
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[int(last) if isinstance(place, list) else last] = value

    return change


def drop(pointer: str) -> Change:
    """Removes a member of the predicate."""

    def change(_: Json, predicate: Json) -> None:
        *steps, last = pointer.split("/")
        place: Any = predicate
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place[step]
        del place[last]

    return change


def item(evidence: Json, **members: object) -> Change:
    """Makes the item, changed, the only evidence of the first claim."""
    return put("claims/0/evidence", [{**evidence, **members}])


def both(*changes: Change) -> Change:
    def change(statement: Json, predicate: Json) -> None:
        for one in changes:
            one(statement, predicate)

    return change


def subject(*names: str) -> Change:
    return lambda statement, _: statement["subject"].extend(file(name, "x") for name in names)


def claims(count: int, evidence: int) -> Change:
    one = {"statement": "a claim", "evidence": [path_item()] * evidence}
    return put("claims", [{"id": f"c{number}", **one} for number in range(count)])


def verdict(*, checked: bool, passed: bool, reason: str = "") -> Change:
    return put("verdict", {"checked": checked, "passed": passed, "reason": reason})


FAILED = verdict(checked=True, passed=False, reason="the tests fail")
ERROR = {"error": "permission denied"}

ACCEPT = (
    Case("whole", "every member and every kind of evidence", lambda *_: None),
    Case("small", "only what is required", lambda *_: None, base=small),
    Case("unknown_members", "members that nobody knows are ignored, also null ones", put("task/priority", None)),
    Case(
        "unknown_kind",
        "evidence of a kind that nobody knows is kept",
        item({"kind": "https://example.com/screenshot", "ok": True, "observed": {"pixels": 7, "note": None}}, width=3),
    ),
    Case("error_form", "what could not be observed", both(item(file_item(), observed=ERROR, ok=False), FAILED)),
    Case(
        "error_form_unknown_kind",
        "an error in a kind that nobody knows",
        both(item({"kind": "https://example.com/x", "ok": False, "observed": ERROR}), FAILED),
    ),
    Case(
        "breach",
        "the contract moved, and the receipt says so",
        both(put("contract/breach", "pytest.ini was modified"), verdict(checked=True, passed=False)),
    ),
    Case(
        "budget_exhausted",
        "an exhausted budget is a failure with a reason",
        both(put("run/outcome", "budgetExhausted"), verdict(checked=True, passed=False, reason="the budget ran out")),
    ),
    Case(
        "nanoseconds",
        "times to the nanosecond",
        both(put("run/startedOn", "2026-11-30T17:21:36.335999999Z"), put("run/finishedOn", "2026-11-30T17:21:36.336Z")),
    ),
    Case(
        "leap_day",
        "29 February of a leap year",
        both(drop("run/startedOn"), put("run/finishedOn", "2028-02-29T23:59:59Z")),
    ),
    Case(
        "task_by_uri",
        "the digest is of the full text, which is elsewhere",
        both(put("task/uri", "https://example.com/task/7"), put("task/digest", {"sha256": sha256("the full text")})),
    ),
    Case(
        "lines_in_text",
        "texts may have several lines and any character",
        put("claims/0/statement", "first line\nsecond\tline \u202e"),
    ),
    Case("emoji_path", "a path may have any letter in NFC", put("contract/absent", ["d\u00e9j\u00e0/\U0001f600"])),
    Case(
        "sorted_by_bytes",
        "order is that of UTF-8 bytes, not of UTF-16",
        put("contract/absent", ["\uff5e", "\U0001f600"]),
    ),
    Case("ssh_user", "a user without a password is no credential", put("source/repository", "ssh://git@example.com/r")),
    Case("scp_address", "an address as scp writes it", put("source/repository", "git@example.com:acme/r.git")),
    Case(
        "sha512_beside",
        "other SHA-2 digests may stand beside sha256",
        lambda s, _: s["subject"][0]["digest"].update(sha512=hashlib.sha512(REPORT.encode()).hexdigest()),
    ),
    Case(
        "other_algorithm",
        "a subject's digest of another algorithm is ignored",
        lambda s, _: s["subject"][0]["digest"].update(gitBlob="77f6b1db5d2c25e15a77836728a708218a092cbc"),
    ),
    Case("audit_request", "an audit log by its request only", put("run/auditLog", {"requestId": "req-7"})),
    Case("harness_by_digest", "a harness by digest only", put("agent/harness", {"digest": {"sha256": sha256("h")}})),
    Case(
        "signal",
        "a command that a signal ended",
        both(
            item(
                command_item(),
                expected={"exitCode": -9},
                observed={"exitCode": -9, "stdout": blob(""), "stderr": blob("")},
            )
        ),
    ),
    Case("largest_count", "a count may be 2^53-1", put("run/iterations", 2**53 - 1)),
    Case("most_evidence", "100 claims and 200 evidence items", claims(100, 2)),
)

REJECT = (
    Case(
        "other_predicate_type",
        "another version is another type",
        lambda s, _: s.update(predicateType="https://w3id.org/done-receipt/v0.2"),
        (("statement.predicate_type", "/predicateType"),),
    ),
    Case(
        "no_predicate",
        "a statement without predicate",
        lambda s, _: s.pop("predicate"),
        (("statement.required", "/predicate/task"),),
    ),
    Case(
        "no_claims",
        "claims are required, also when there are none",
        drop("claims"),
        (("statement.required", "/predicate/claims"),),
    ),
    Case(
        "no_breach",
        "breach is required: absence must not mean that nothing moved",
        drop("contract/breach"),
        (("statement.required", "/predicate/contract/breach"),),
    ),
    Case(
        "no_observed",
        "an item without what was observed",
        lambda _, p: p["claims"][0]["evidence"][0].pop("observed"),
        (("statement.required", f"{ITEM}/observed"),),
    ),
    Case(
        "half_usage",
        "usage needs both counts",
        drop("run/usage/outputTokens"),
        (("statement.required", "/predicate/run/usage/outputTokens"),),
    ),
    Case(
        "null_member",
        "null is no way to leave something out",
        put("agent/model", None),
        (("statement.null", "/predicate/agent/model"),),
    ),
    Case(
        "null_required",
        "nor to say nothing",
        put("verdict/reason", None),
        (("statement.null", "/predicate/verdict/reason"),),
    ),
    Case(
        "float_count",
        "1.0 is not an integer",
        put("run/iterations", 1.0),
        (("statement.type", "/predicate/run/iterations"),),
    ),
    Case(
        "true_count",
        "true is not an integer",
        put("run/iterations", True),
        (("statement.type", "/predicate/run/iterations"),),
    ),
    Case(
        "text_boolean",
        "a text is not a boolean",
        put("verdict/passed", "true"),
        (("statement.type", "/predicate/verdict/passed"),),
    ),
    Case(
        "observed_array",
        "observed is an object, whatever the kind",
        item({"kind": "https://example.com/x", "ok": True, "observed": []}),
        (("statement.type", f"{ITEM}/observed"),),
    ),
    Case(
        "line_break",
        "a line has no line break",
        put("agent/id", "worker\nadmin"),
        (("statement.format", "/predicate/agent/id"),),
    ),
    Case(
        "line_ends_in_break",
        "also not at its end",
        put("agent/id", "worker\n"),
        (("statement.format", "/predicate/agent/id"),),
    ),
    Case(
        "line_separator",
        "nor U+2028",
        put("agent/model", "a\u2028b"),
        (("statement.format", "/predicate/agent/model"),),
    ),
    Case(
        "bidi_override",
        "nor a format character",
        put("claims/0/id", "a\u202eb"),
        (("statement.format", f"{CLAIM}/id"),),
    ),
    Case(
        "nfd_path",
        "a path is in NFC",
        put("contract/absent", [unicodedata.normalize("NFD", "d\u00e9j\u00e0")]),
        (("statement.format", "/predicate/contract/absent/0"),),
    ),
    Case(
        "parent_path",
        "a path does not climb",
        item(path_item(), path="a/../../b"),
        (("statement.format", f"{ITEM}/path"),),
    ),
    Case(
        "absolute_path",
        "a path is relative",
        item(file_item(), path="/etc/passwd"),
        (("statement.format", f"{ITEM}/path"),),
    ),
    Case(
        "backslash_path",
        "a path has no backslash",
        item(text_item(), path="a\\b"),
        (("statement.format", f"{ITEM}/path"),),
    ),
    Case(
        "long_path",
        "a path is at most 4,096 bytes, not characters",
        put("contract/absent", ["\u00e9" * 2049]),
        (("statement.format", "/predicate/contract/absent/0"),),
    ),
    Case(
        "nul_argument",
        "an argument has no NUL",
        item(command_item(), argv=["/bin/true", "a\0b"]),
        (("statement.format", f"{ITEM}/argv/1"),),
    ),
    Case(
        "uppercase_digest",
        "hex is lowercase",
        put("manifest/digest/sha256", sha256("x").upper()),
        (("statement.format", "/predicate/manifest/digest/sha256"),),
    ),
    Case(
        "short_commit",
        "a git id is whole",
        put("source/base/digest/gitCommit", BASE[:12]),
        (("statement.format", "/predicate/source/base/digest/gitCommit"),),
    ),
    Case(
        "no_such_day",
        "29 February of a common year",
        put("run/finishedOn", "2027-02-29T00:00:00Z"),
        (("statement.format", "/predicate/run/finishedOn"),),
    ),
    Case(
        "leap_second",
        "no second 60",
        put("run/finishedOn", "2016-12-31T23:59:60Z"),
        (("statement.format", "/predicate/run/finishedOn"),),
    ),
    Case(
        "zone",
        "the zone is Z",
        put("run/finishedOn", "2026-11-30T17:21:36+00:00"),
        (("statement.format", "/predicate/run/finishedOn"),),
    ),
    Case(
        "unknown_outcome",
        "outcomes are a closed list",
        put("run/outcome", "succeeded"),
        (("statement.format", "/predicate/run/outcome"),),
    ),
    Case(
        "negative_count",
        "a count is not negative",
        put("run/toolCalls", -1),
        (("statement.range", "/predicate/run/toolCalls"),),
    ),
    Case(
        "large_exit_code",
        "an exit code is 32 bits",
        item(command_item(), expected={"exitCode": 2**31}),
        (("statement.range", f"{ITEM}/expected/exitCode"),),
    ),
    Case(
        "empty_description",
        "a task has words",
        put("task/description", ""),
        (("statement.range", "/predicate/task/description"),),
    ),
    Case(
        "empty_breach",
        "a breach has words",
        put("contract/breach", ""),
        (("statement.range", "/predicate/contract/breach"),),
    ),
    Case(
        "long_line",
        "a line is at most 4,096 characters",
        put("agent/id", "x" * 4097),
        (("statement.range", "/predicate/agent/id"),),
    ),
    Case(
        "no_arguments",
        "a command has an executable",
        item(command_item(), argv=[]),
        (("statement.range", f"{ITEM}/argv"),),
    ),
    Case(
        "no_records",
        "an audit log has records",
        put("run/auditLog/records", 0),
        (("statement.range", "/predicate/run/auditLog/records"),),
    ),
    Case("many_claims", "at most 100 claims", claims(101, 0), (("statement.count", "/predicate/claims"),)),
    Case("many_items", "at most 20 items in a claim", claims(1, 21), (("statement.count", f"{CLAIM}/evidence"),)),
    Case("many_items_in_all", "at most 200 items in all", claims(67, 3), (("statement.count", "/predicate/claims"),)),
    Case(
        "open_context",
        "the context is closed",
        put("context/tool", "x"),
        (("statement.closed", "/predicate/context/tool"),),
    ),
    Case(
        "open_context_digest",
        "and so is all in it",
        put("context/packet/digest/sha512", "x"),
        (("statement.closed", "/predicate/context/packet/digest/sha512"),),
    ),
    Case(
        "token_in_address",
        "no token in the address",
        put("source/repository", "https://token@example.com/r"),
        (("statement.credentials", "/predicate/source/repository"),),
    ),
    Case(
        "password_in_address",
        "no password",
        put("source/repository", "ssh://git:secret@example.com/r"),
        (("statement.credentials", "/predicate/source/repository"),),
    ),
    Case(
        "anonymous_harness",
        "a harness has uri or digest",
        put("agent/harness", {"name": "harness"}),
        (("statement.harness", "/predicate/agent/harness"),),
    ),
    Case(
        "empty_audit_log",
        "an audit log says something",
        put("run/auditLog", {}),
        (("statement.audit_log", "/predicate/run/auditLog"),),
    ),
    Case(
        "half_audit_log",
        "records and head go together",
        drop("run/auditLog/head"),
        (("statement.audit_log", "/predicate/run/auditLog"),),
    ),
    Case(
        "error_and_success",
        "an error stands alone",
        item(file_item(), observed={**ERROR, **blob("")}, ok=False),
        (("statement.error_form", f"{ITEM}/observed"),),
    ),
    Case(
        "error_and_ok",
        "an error is not ok",
        item(file_item(), observed=ERROR),
        (("statement.error_form", f"{ITEM}/ok"),),
    ),
    Case(
        "error_and_ok_unknown_kind",
        "in no kind",
        item({"kind": "https://example.com/x", "ok": True, "observed": ERROR}),
        (("statement.error_form", f"{ITEM}/ok"),),
    ),
    Case(
        "matched_unasked",
        "stdoutMatched without stdoutContains",
        item(command_item(), expected={}),
        (("statement.stdout_matched", f"{ITEM}/observed/stdoutMatched"),),
    ),
    Case(
        "asked_unmatched",
        "stdoutContains without stdoutMatched",
        both(item(command_item()), drop("claims/0/evidence/0/observed/stdoutMatched")),
        (("statement.stdout_matched", f"{ITEM}/observed"),),
    ),
    Case(
        "no_junit",
        "a test command says where its report goes",
        item(tests_item(), argv=["/usr/bin/pytest"]),
        (("statement.junit", f"{ITEM}/argv"),),
    ),
    Case(
        "two_junit",
        "in one argument only",
        item(tests_item(), argv=["/usr/bin/x", "{junit}", "{junit}"]),
        (("statement.junit", f"{ITEM}/argv"),),
    ),
    Case(
        "claim_twice",
        "claim ids are unique",
        put("claims/1/id", "report"),
        (("statement.duplicate", "/predicate/claims/1/id"),),
    ),
    Case(
        "cited_twice",
        "cited tests are unique",
        item(tests_item(), cited=["a", "b", "a"]),
        (("statement.duplicate", f"{ITEM}/cited/2"),),
    ),
    Case(
        "sealed_and_absent",
        "a name is sealed or absent",
        put("contract/absent", ["pytest.ini"]),
        (("statement.duplicate", "/predicate/contract/absent/0"),),
    ),
    Case(
        "unsorted_seals",
        "seals are sorted",
        lambda _, p: p["contract"]["sealed"].reverse(),
        (("statement.order", "/predicate/contract/sealed/1/name"),),
    ),
    Case(
        "unsorted_absent",
        "by bytes of UTF-8, not by units of UTF-16",
        put("contract/absent", ["\U0001f600", "\uff5e"]),
        (("statement.order", "/predicate/contract/absent/1"),),
    ),
    Case(
        "nameless_subject",
        "a subject has a name",
        lambda s, _: s["subject"][0].pop("name"),
        (("statement.subject_name", "/subject/0/name"),),
    ),
    Case("climbing_subject", "which is a path", subject("../x"), (("statement.subject_name", "/subject/2/name"),)),
    Case(
        "sha512_only",
        "a subject has sha256",
        lambda s, _: s["subject"][0].update(digest={"sha512": hashlib.sha512(REPORT.encode()).hexdigest()}),
        (("statement.subject_digest", "/subject/0/digest/sha256"),),
    ),
    Case(
        "subject_twice",
        "subjects' names are unique",
        subject("report.md"),
        (("statement.subject_twins", "/subject/2/name"),),
    ),
    Case(
        "subject_case",
        "also after case folding",
        subject("REPORT.md"),
        (("statement.subject_twins", "/subject/2/name"),),
    ),
    Case(
        "foreign_manifest",
        "the manifest is a subject",
        both(drop("context"), put("manifest/digest/sha256", sha256("another"))),
        (("statement.manifest", "/predicate/manifest/digest"),),
    ),
    Case(
        "other_context_manifest",
        "and the context's",
        put("context/outputManifest/digest/sha256", sha256("another")),
        (("statement.manifest", "/predicate/manifest/digest/sha256"),),
    ),
)

PASSED, REASON = "/predicate/verdict/passed", "/predicate/verdict/reason"
INCOHERENT = (
    Case(
        "passed_with_reason",
        "passed, and why it did not",
        verdict(checked=True, passed=True, reason="no"),
        (("statement.passed", PASSED),),
    ),
    Case(
        "passed_unchecked",
        "passed, and nobody looked",
        verdict(checked=False, passed=True),
        (("statement.passed", PASSED), ("statement.unchecked", PASSED)),
    ),
    Case(
        "passed_with_bad_item",
        "passed, with an item that is not ok",
        both(item(file_item(), observed=blob("other"), ok=False)),
        (("statement.passed", PASSED),),
    ),
    Case(
        "passed_with_breach",
        "passed, and the contract moved",
        put("contract/breach", "pytest.ini was modified"),
        (("statement.passed", PASSED), ("statement.breach", "/predicate/contract/breach")),
    ),
    Case(
        "passed_on_empty_budget",
        "passed, and the budget ran out",
        put("run/outcome", "budgetExhausted"),
        (("statement.passed", PASSED), ("statement.outcome", "/predicate/run/outcome")),
    ),
    Case(
        "unchecked_with_reason",
        "nobody looked, yet there is a reason",
        verdict(checked=False, passed=False, reason="x"),
        (("statement.unchecked", REASON),),
    ),
    Case(
        "failed_without_reason",
        "failed, and nobody knows why",
        verdict(checked=True, passed=False),
        (("statement.failed_without_reason", REASON),),
    ),
    Case(
        "silent_failure",
        "a run that failed and was not checked",
        both(put("run/outcome", "failed"), verdict(checked=False, passed=False)),
        (("statement.outcome", "/predicate/run/outcome"),),
    ),
    Case(
        "path_link",
        "a symbolic link is not a file",
        item(path_item(), observed={"type": "symlink"}),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "file_expectation",
        "the expected digest differs",
        item(file_item(), expectedSha256=sha256("x")),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "text_not_matched",
        "the text is not there",
        item(text_item(), observed={"matched": False, "bytes": 1}),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "text_ok_denied",
        "ok is false although the text is there",
        both(item(text_item(), ok=False), FAILED),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "command_exit",
        "the exit code differs",
        item(command_item(), expected={"exitCode": 1, "stdoutContains": "x"}),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "command_output",
        "the output does not match",
        both(item(command_item()), put("claims/0/evidence/0/observed/stdoutMatched", False)),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "no_tests",
        "no test passed",
        both(item(tests_item()), put("claims/0/evidence/0/observed/passed", 0)),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "red_test",
        "a test failed",
        both(item(tests_item()), put("claims/0/evidence/0/observed/failed", 1)),
        (("statement.evidence_ok", f"{ITEM}/ok"),),
    ),
    Case(
        "output_digest",
        "matched, and the subject has another digest",
        item(output_item(), artifact=file("report.md", "x")),
        (("statement.evidence_ok", f"{ITEM}/observed/matched"),),
    ),
    Case(
        "output_name",
        "an artifact that is no subject",
        item(output_item(), artifact=file("other.md", REPORT)),
        (("statement.output_subject", f"{ITEM}/artifact/name"),),
    ),
    Case(
        "times",
        "finished before it started",
        put("run/startedOn", "2026-11-30T17:21:36.336000001Z"),
        (("statement.times", "/predicate/run/startedOn"),),
    ),
    Case(
        "task_digest",
        "the digest of another task",
        put("task/digest/sha256", sha256("x")),
        (("statement.task_digest", "/predicate/task/digest/sha256"),),
    ),
)


def expected(kind: str, case: Case) -> Json:
    faults = [{"reason": reason, "pointer": pointer} for reason, pointer in case.faults]
    return {"accept": {"accepted": True}, "reject": faults[0] if faults else {}, "incoherent": {"faults": faults}}[kind]


def write(folder: Path) -> None:
    """Writes all vectors below the folder, in place of those that are there."""
    for kind, cases in (("accept", ACCEPT), ("reject", REJECT), ("incoherent", INCOHERENT)):
        shutil.rmtree(folder / kind, ignore_errors=True)
        for case in cases:
            statement = case.base()
            case.change(statement, statement["predicate"])
            place = folder / kind / case.name
            place.mkdir(parents=True)
            (place / "README").write_text(f"{case.about[0].upper()}{case.about[1:]}.\n", encoding="utf-8")
            for name, tree in (("statement", statement), ("expected", expected(kind, case))):
                text = json.dumps(tree, indent=1, ensure_ascii=True) + "\n"
                (place / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
