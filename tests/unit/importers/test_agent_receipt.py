"""Reading agent-receipt/v1: what it becomes, and what is refused, with a place and a reason."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput, MalformedJson, MalformedStatement
from in_toto_done_receipt.importers.agent_receipt import read
from in_toto_done_receipt.importers.model import statement_of
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.wire.statement import read_statement
from testdata.agent_receipt import build
from testdata.agent_receipt.build import REPORT, Json, receipt, written

DATA = REPORT.encode()
CONTEXT = {"packet_digest": "a" * 64, "input_commit": "b" * 40, "output_manifest_digest": "c" * 64}


def honest() -> Json:
    return receipt(
        build.exists("report.md"),
        build.hashed("report.md", DATA),
        build.text("report.md", "PASS", DATA),
        build.command(["/bin/true"]),
    )


def reasons(tree: Json) -> list[tuple[str, str]]:
    return [(found.status, found.reason) for found in read(written(tree), what="r").findings]


def test_its_content_digest_is_what_its_signature_is_over() -> None:
    tree = build.sign(honest(), "worker")
    signed = read(written(tree), what="r").signed
    assert signed is not None
    assert signed.message == b"agent-receipt/v1\x00" + bytes.fromhex(tree["content_digest"])
    assert [signature.keyid for signature in signed.signatures] == ["worker"]


@pytest.mark.parametrize("layout", [{"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_the_layout_does_not_matter(layout: dict[str, Any]) -> None:
    tree = receipt(build.text("ü.md", "für", "für".encode()), task="schreib für 中")
    assert read(json.dumps(tree, **layout).encode(), what="r").findings == ()


def test_what_it_becomes() -> None:
    found = read(written(receipt(*honest()["claims"][0]["evidence"], context=CONTEXT)), what="r")
    assert [(subject.name, subject.digest["sha256"]) for subject in found.statement.subjects] == [
        ("report.md", build.sha256(DATA)),
        ("OUTPUT_MANIFEST.json", "c" * 64),
    ]
    assert found.receipt.run.finished_on == "2026-11-30T12:00:00.123456Z"
    assert [type(item) for item in found.receipt.claims[0].evidence] == [
        model.PathEvidence,
        model.FileEvidence,
        model.TextEvidence,
        model.CommandEvidence,
    ]
    assert found.receipt.verdict == model.Verdict(checked=True, passed=True, reason="")
    assert found.receipt.context is not None
    assert found.receipt.context.input.digest.git_commit == "b" * 40


def test_without_hashes_its_own_file_is_the_subject() -> None:
    data = written(receipt(build.exists("report.md")))
    (subject,) = read(data, what="r").statement.subjects
    assert (subject.name, subject.digest) == ("agent-receipt.json", {"sha256": build.sha256(data)})


def test_an_import_reads_as_a_done_receipt_and_names_its_origin() -> None:
    data = written(honest())
    statement = read_statement(statement_of(read(data, what="r"), what="r"))
    harness = read_predicate(statement).agent.harness
    assert harness is not None
    assert harness.annotations == {"importedFrom": "agent-receipt/v1"}
    assert harness.digest == {"sha256": build.sha256(data)}


@pytest.mark.parametrize(
    ("members", "place"),
    [
        pytest.param({"agent": "a\u2028b"}, "/agent", id="line separator in the agent"),
        pytest.param({}, "/claims/0/evidence/0/detail/path", id="path not NFC"),
    ],
)
def test_what_the_new_form_cannot_say_is_named_and_judged_all_the_same(members: Json, place: str) -> None:
    path = "report.md" if members else "u\u0308.txt"
    old = read(written(receipt(build.exists(path), **members)), what="r")
    with pytest.raises(MalformedInput, match=f"r: {place}: the new form cannot say it"):
        statement_of(old, what="r")


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("2026-11-30", "2026-11-30T00:00:00Z"),
        ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"),
        ("2026-11-30T12:00:00.500+02:00", "2026-11-30T10:00:00.5Z"),
        ("20261130T120000", "2026-11-30T12:00:00Z"),
    ],
)
def test_every_time_of_the_original_is_a_moment_in_utc(text: str, becomes: str) -> None:
    tree = receipt(build.exists("report.md"), created_at=text)
    assert read(written(tree), what="r").receipt.run.finished_on == becomes


@pytest.mark.parametrize("spelled", ["./report.md", "src//a.py", "src/./a.py", "report.md/", "src/."])
def test_a_path_in_another_spelling_is_named(spelled: str) -> None:
    assert reasons(receipt(build.exists(spelled))) == [("pass", "statement.path_spelling")]


def test_a_twin_names_the_path_that_it_may_hide_behind() -> None:
    old = read(written(receipt(build.exists("report.md"), build.exists("./report.md"))), what="r")
    assert "which another item names too" in old.findings[0].message


def test_contradictions_are_findings() -> None:
    tree = honest()
    assert reasons({**tree, "task": "another"}) == [("fail", "statement.content_digest")]
    assert reasons(receipt(build.failed(build.exists("x")), overall_ok=True)) == [("fail", "statement.overall_ok")]
    assert reasons(receipt(build.exists("x"), overall_ok=False)) == [("fail", "statement.overall_ok")]


def _set(*path: Any, to: Any) -> Callable[[Json], None]:
    def change(tree: Any) -> None:
        for step in path[:-1]:
            tree = tree[step]
        tree[path[-1]] = to

    return change


EVIDENCE = ("claims", 0, "evidence")
REFUSED: list[tuple[str, Callable[[Json], None], str]] = [
    ("another schema", _set("schema", to="agent-receipt/v2"), "/schema: expected agent-receipt/v1"),
    ("an unknown member", _set("x", to=1), "unknown field x"),
    ("an unknown member of an item", _set(*EVIDENCE, 0, "x", to=1), "unknown field x"),
    ("an unknown member of a detail", _set(*EVIDENCE, 0, "detail", "x", to=1), "/claims/0/evidence/0/detail"),
    ("an unknown member of observed", _set(*EVIDENCE, 0, "observed", "x", to=1), "/claims/0/evidence/0/observed"),
    ("error beside success", _set(*EVIDENCE, 0, "observed", "error", to="x"), "/claims/0/evidence/0/observed"),
    ("no claims", _set("claims", to=[]), "/claims"),
    ("no evidence", _set("claims", 0, "evidence", to=[]), "/claims/0/evidence"),
    ("a list as kind", _set(*EVIDENCE, 0, "kind", to=[]), "/claims/0/evidence/0/kind"),
    ("a list as id", _set("claims", 0, "id", to=[]), "/claims/0/id"),
    ("an integer for a boolean", _set(*EVIDENCE, 0, "ok", to=1), "/claims/0/evidence/0/ok"),
    ("a float for an integer", _set(*EVIDENCE, 1, "observed", "bytes", to=22.0), "/claims/0/evidence/1/observed/bytes"),
    ("a negative size", _set(*EVIDENCE, 1, "observed", "bytes", to=-1), "/claims/0/evidence/1/observed/bytes"),
    ("a file over 10 MiB", _set(*EVIDENCE, 1, "observed", "bytes", to=10_485_761), "/observed/bytes"),
    ("upper case", _set(*EVIDENCE, 1, "observed", "sha256", to="A" * 64), "64 lowercase hex digits"),
    ("an escape", _set("task", to="\x1b[31m"), "/task: expected text without control or format characters"),
    ("a joiner", _set("agent", to="a\u200db"), "/agent: expected text without control"),
    ("a text too long", _set("task", to="x" * 4097), "/task"),
    ("an empty text", _set("task", to=""), "/task"),
    ("an absolute path", _set(*EVIDENCE, 0, "detail", "path", to="/etc/passwd"), "/claims/0/evidence/0/detail/path"),
    ("a path that climbs", _set(*EVIDENCE, 0, "detail", "path", to="a/../../b"), "/detail/path"),
    ("a backslash", _set(*EVIDENCE, 0, "detail", "path", to="a\\b"), "/detail/path"),
    ("an ok that does not follow", _set(*EVIDENCE, 0, "ok", to=False), "/claims/0/evidence/0/ok: ok is false"),
    ("an expected hash not met", _set(*EVIDENCE, 1, "detail", "expect_sha256", to="0" * 64), "/evidence/1/ok"),
    ("truncated output", _set(*EVIDENCE, 3, "observed", "output_truncated", to=True), "/observed/output_truncated"),
    ("too many seconds", _set(*EVIDENCE, 3, "detail", "timeout", to=61), "/claims/0/evidence/3/detail/timeout"),
    ("a time that is none", _set("created_at", to="yesterday"), "/created_at"),
    (
        "another algorithm",
        _set("signatures", to=[{"algorithm": "x", "key_id": "k", "signature": "x"}]),
        "/signatures/0",
    ),
    ("a context that lacks one", _set("context", to={"packet_digest": "a" * 64}), "/context"),
]


@pytest.mark.parametrize(("change", "place"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_refused(change: Callable[[Json], None], place: str) -> None:
    tree = copy.deepcopy(honest())
    change(tree)
    with pytest.raises(MalformedStatement) as caught:
        read(written(tree), what="r")
    assert place in caught.value.message
    assert caught.value.reason.startswith("statement.")


def _many(claims: int, items: int) -> Json:
    one = build.exists("report.md")
    found = [{"id": str(n), "statement": "s", "evidence": [one] * items} for n in range(claims)]
    return receipt(claims=found)


def test_a_hundred_claims_and_two_hundred_items() -> None:
    assert len(read(written(_many(100, 2)), what="r").receipt.claims) == 100


@pytest.mark.parametrize(("claims", "items"), [(101, 1), (1, 21), (11, 19)])
def test_more_than_the_limits(claims: int, items: int) -> None:
    with pytest.raises(MalformedStatement, match="/claims"):
        read(written(_many(claims, items)), what="r")


@pytest.mark.parametrize(
    ("argvs", "seconds", "fact"),
    [
        ([f"/c{n}" for n in range(6)], 20, "at most 5 commands"),
        (["/c", "/c"], 20, "the command stands there twice"),
        ([f"/c{n}" for n in range(5)], 25, "at most 120 s for all commands, got 125"),
    ],
)
def test_limits_of_commands(argvs: list[str], seconds: int, fact: str) -> None:
    with pytest.raises(MalformedStatement, match=fact):
        read(written(receipt(*[build.command([argv], timeout=seconds) for argv in argvs])), what="r")


def test_a_receipt_of_ten_mebibytes_and_one_byte_more() -> None:
    data = written(honest())
    padding = b" " * (10 * 2**20 - len(data))
    assert read(data + padding, what="r").findings == ()
    with pytest.raises(LimitExceeded, match="limit payload-bytes is 10485760, got 10485761"):
        read(data + padding + b" ", what="r")


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (b"null", b"[" * 100_000 + b"]" * 100_000, "depth"),
        (b'"task"', b'"task": "a", "task"', "duplicate_key"),
        (b'"write report"', rb'"\ud800"', "surrogate"),
        (b"true", b"NaN", "nan"),
        (b"{", b"\xef\xbb\xbf{", "bom"),
    ],
)
def test_what_is_no_strict_json(old: bytes, new: bytes, kind: str) -> None:
    with pytest.raises(MalformedJson) as caught:
        read(written(honest()).replace(old, new, 1), what="r")
    assert caught.value.kind == kind


def test_every_truncation_is_malformed() -> None:
    data = written(honest()).rstrip()
    for length in range(len(data)):
        with pytest.raises(MalformedInput):
            read(data[:length], what="r")
