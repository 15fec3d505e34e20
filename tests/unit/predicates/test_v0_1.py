"""Reading a predicate: what is kept, what is listed, what the errors say."""

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedStatement
from in_toto_done_receipt.predicates.done_receipt import model
from in_toto_done_receipt.predicates.done_receipt.v0_1 import MAX_FAULTS, read_predicate, unrecognized
from in_toto_done_receipt.wire.record import to_tree
from in_toto_done_receipt.wire.statement import read_statement

from .conftest import Read

DIGEST = {"sha256": "0" * 64}


def test_reading_then_writing_gives_the_same_tree(whole: dict[str, Any], read: Read) -> None:
    receipt, statement = read(whole)
    assert json.loads(json.dumps(to_tree(receipt))) == statement.predicate


def test_absent_members_are_none(small: dict[str, Any], read: Read) -> None:
    receipt, _ = read(small)
    assert (receipt.source, receipt.context, receipt.manifest, receipt.run.usage, receipt.agent.model) == (None,) * 5


def test_a_receipt_is_hashable(small: dict[str, Any], read: Read) -> None:
    receipt, _ = read(small)
    assert receipt in {receipt}


def test_each_kind_has_its_type(whole: dict[str, Any], read: Read) -> None:
    receipt, _ = read(whole)
    items = [item for claim in receipt.claims for item in claim.evidence]
    assert [item.kind for item in items] == ["path", "file", "text", "output", "command", "tests"]
    assert isinstance(items[4], model.CommandEvidence)
    assert isinstance(items[4].observed, model.CommandObserved)


def test_an_unknown_kind_is_kept_whole(whole: dict[str, Any], read: Read) -> None:
    tree = {"kind": "urn:x", "ok": True, "observed": {"a": None}, "path": 7}
    whole["predicate"]["claims"][0]["evidence"] = [tree]
    receipt, statement = read(whole)
    (item,) = receipt.claims[0].evidence
    assert item == model.OtherEvidence(kind="urn:x", ok=True, observed={"a": None}, tree=tree)
    assert unrecognized(receipt, statement) == ()


def test_unknown_members_are_listed(whole: dict[str, Any], read: Read) -> None:
    predicate = whole["predicate"]
    predicate["a/b~c"] = None
    predicate["run"]["usage"]["cached"] = 1
    predicate["contract"]["sealed"][1]["digest"]["gitBlob"] = []
    predicate["claims"][0]["evidence"][1]["observed"]["mtime"] = 1.5
    predicate["agent"]["harness"]["annotations"]["free"] = None
    assert set(unrecognized(*read(whole))) == {
        "/predicate/a~1b~0c",
        "/predicate/run/usage/cached",
        "/predicate/contract/sealed/1/digest/gitBlob",
        "/predicate/claims/0/evidence/1/observed/mtime",
    }


def test_all_faults_are_listed_after_the_first(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["task"] = {}
    whole["predicate"]["run"]["iterations"] = 1.0
    whole["predicate"]["verdict"]["passed"] = None
    with pytest.raises(MalformedStatement) as refused:
        read(whole)
    assert refused.value.message == "statement: /predicate/task/description: required member is missing"
    assert refused.value.faults == (
        "statement: /predicate/run/iterations: expected integer, got number",
        "statement: /predicate/verdict/passed: expected boolean, got null",
    )


def test_at_most_twenty_faults_are_listed(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["contract"]["sealed"] = [{"name": "/", "digest": {}}] * 100
    with pytest.raises(MalformedStatement) as refused:
        read(whole)
    assert len(refused.value.faults) == MAX_FAULTS


def test_at_most_twenty_broken_rules_are_listed(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["contract"]["absent"] = ["a"] * 100
    with pytest.raises(MalformedStatement) as refused:
        read(whole)
    assert len(refused.value.faults) == MAX_FAULTS


def test_the_word_of_an_outcome_cannot_forge_a_place(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["run"]["outcome"] = "x' - at `$.verdict.passed`"
    with pytest.raises(MalformedStatement) as refused:
        read(whole)
    assert refused.value.pointer == "/predicate/run/outcome"


def test_credentials_are_not_repeated(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["source"]["repository"] = "https://user:s3cret@example.com/r"
    with pytest.raises(MalformedStatement) as refused:
        read(whole)
    assert "s3cret" not in str((refused.value.message, refused.value.faults))


@pytest.mark.parametrize("address", ["git+https://token@h/r", " HTTPS://token@h", "http://u:p@h", "ssh://u:p@h/r"])
def test_credentials_in_any_spelling_are_refused(whole: dict[str, Any], read: Read, address: str) -> None:
    whole["predicate"]["source"]["repository"] = address
    with pytest.raises(MalformedStatement, match="user name or password"):
        read(whole)


@pytest.mark.parametrize("address", ["https://h/r@v1", "https://h/?a=b@c", "git@h:r.git", "ssh://git@h/r", "/srv/r"])
def test_addresses_without_credentials_are_read(whole: dict[str, Any], read: Read, address: str) -> None:
    whole["predicate"]["source"]["repository"] = address
    assert read(whole)[0].source is not None


def test_a_breach_of_more_than_a_mebibyte_is_refused(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["contract"]["breach"] = "é" * 2**19 + "x"
    with pytest.raises(MalformedStatement, match="at most 1048576 bytes of UTF-8, got 1048577"):
        read(whole)


def test_too_many_seals_name_the_limit(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["contract"] = {"sealed": [], "absent": [f"{n:05}" for n in range(10_001)], "breach": None}
    with pytest.raises(LimitExceeded, match="seals is 10000, got 10001"):
        read(whole)


def test_a_raised_limit_of_seals_counts(whole: dict[str, Any]) -> None:
    whole["predicate"]["contract"] = {"sealed": [], "absent": [f"{n:05}" for n in range(10_001)], "breach": None}
    receipt = read_predicate(read_statement(json.dumps(whole).encode()), max_seals=20_000)
    assert len(receipt.contract.absent) == 10_001


def test_the_largest_receipts_take_linear_time(whole: dict[str, Any], read: Read) -> None:
    seals = [{"name": f"{number:05}", "digest": DIGEST} for number in range(10_000)]
    whole["predicate"]["contract"] = {"sealed": seals, "absent": [], "breach": None}
    whole["predicate"]["claims"][1]["evidence"][1]["cited"] = [f"t{number}" for number in range(200_000)]
    started = time.perf_counter()
    read(whole)
    assert time.perf_counter() - started < 5  # takes 0.6 s; anything quadratic takes minutes


def test_a_large_refused_receipt_is_not_given_to_the_schema(whole: dict[str, Any], read: Read) -> None:
    whole["predicate"]["claims"][1]["evidence"][1]["cited"] = [1] * 1_000_000
    started = time.perf_counter()
    with pytest.raises(MalformedStatement) as refused:
        read(whole)
    assert time.perf_counter() - started < 5
    assert refused.value.faults == ()


def test_reading_a_good_receipt_does_not_load_jsonschema(small: dict[str, Any]) -> None:
    code = (
        "import sys\n"
        "from in_toto_done_receipt.predicates.done_receipt import coherence, summary, v0_1\n"
        "from in_toto_done_receipt.wire.statement import read_statement\n"
        "statement = read_statement(sys.stdin.buffer.read())\n"
        "summary.summary_line(v0_1.read_predicate(statement))\n"
        "print([name for name in sys.modules if 'jsonschema' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(small).encode(), capture_output=True)
    assert (done.stdout.strip(), done.stderr) == (b"[]", b"")
