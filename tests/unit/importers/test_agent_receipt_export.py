"""Writing agent-receipt/v1: what comes back, and everything that it cannot say."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from agent_receipt import core

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.importers.agent_receipt import read
from in_toto_done_receipt.importers.agent_receipt_export import export
from in_toto_done_receipt.importers.model import statement_of
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.wire.canonical import canonical
from in_toto_done_receipt.wire.statement import read_statement
from testdata.agent_receipt import build
from testdata.agent_receipt.build import REPORT, Json, receipt, written

DATA = REPORT.encode()


def exported(payload: bytes) -> Json:
    statement = read_statement(payload)
    tree: Json = json.loads(export(statement, read_predicate(statement), what="s"))
    return tree


def imported(tree: Json) -> bytes:
    return statement_of(read(written(tree), what="r"), what="r")


RECEIPTS: dict[str, Json] = {
    "all kinds": receipt(
        build.exists("report.md"),
        build.exists("src", must_be_file=False, is_file=False),
        build.hashed("report.md", DATA, expect=build.sha256(DATA)),
        build.text("report.md", "PASS", DATA),
        build.command(["/bin/true"]),
        build.command(["/bin/false"], expect=1, code=1),
    ),
    "not ok": receipt(build.failed(build.hashed("gone", b"")), build.text("report.md", "no", DATA)),
    "five commands": receipt(*[build.command([f"/c{n}"], timeout=20) for n in range(5)]),
    "context": receipt(
        build.exists("report.md"),
        context={"packet_digest": "a" * 64, "input_commit": "b" * 64, "output_manifest_digest": "c" * 64},
    ),
    "another zone": receipt(build.exists("report.md"), created_at="2026-11-30T12:00:00+05:00"),
}


@pytest.mark.parametrize("name", RECEIPTS)
def test_what_was_imported_goes_back_as_it_came(name: str) -> None:
    tree = RECEIPTS[name]
    back = exported(imported(tree))
    assert back["claims"] == tree["claims"]
    assert {key: back[key] for key in ("agent", "task", "context", "overall_ok", "signatures")} == {
        key: tree[key] for key in ("agent", "task", "context", "overall_ok", "signatures")
    }
    assert core.verify_receipt(back, minimum_assurance="reported")["ok"] is tree["overall_ok"]


def test_the_digest_is_that_of_the_original() -> None:
    tree = RECEIPTS["all kinds"]
    assert exported(imported(tree))["content_digest"] == tree["content_digest"]


def statement() -> Json:
    """A statement that the old format can say."""
    tree: Json = json.loads(imported(receipt(build.hashed("report.md", DATA))))
    del tree["predicate"]["agent"]["harness"]
    return tree


def test_a_statement_of_the_new_form() -> None:
    assert exported(canonical(statement()))["claims"][0]["evidence"] == [build.hashed("report.md", DATA)]


def _put(*path: Any, value: Any) -> Callable[[Json], None]:
    def change(tree: Any) -> None:
        for step in path[:-1]:
            tree = tree[step]
        tree[path[-1]] = value

    return change


BLOB = {"sha256": "0" * 64, "bytes": 0}
ITEM = ("predicate", "claims", 0, "evidence", 0)
UNSAYABLE: list[tuple[str, Callable[[Json], None], str]] = [
    ("model", _put("predicate", "agent", "model", value="m"), "/predicate/agent/model"),
    ("iterations", _put("predicate", "run", "iterations", value=3), "/predicate/run/iterations"),
    ("a task uri", _put("predicate", "task", "uri", value="https://x.test/1"), "/predicate/task/uri"),
    ("a task of two lines", _put("predicate", "task", "description", value="a\nb"), "/predicate/task/description"),
    (
        "absence",
        _put(
            *ITEM, value={"kind": "path", "path": "x", "expect": "absent", "ok": True, "observed": {"type": "absent"}}
        ),
        "that a path is absent",
    ),
    (
        "an empty argument",
        _put(
            *ITEM,
            value={
                "kind": "command",
                "argv": ["/c", ""],
                "ok": True,
                "observed": {"exitCode": 0, "stdout": BLOB, "stderr": BLOB},
            },
        ),
        "/argv/1: an empty text",
    ),
    ("another kind", _put(*ITEM, value={"kind": "x:y", "ok": True, "observed": {}}), "evidence of kind x:y"),
    ("a large file", _put(*ITEM, "observed", "bytes", value=2**30), "a file of 1073741824 bytes"),
    ("a subject that is not hashed", _put("subject", 0, "name", value="other.md"), "/subject/0: other.md"),
    ("another algorithm", _put("subject", 0, "digest", "sha512", value="0" * 128), "other than sha256"),
    ("no claims", _put("predicate", "claims", value=[]), "a receipt without claims"),
    ("unchecked", _put("predicate", "verdict", value={"checked": False, "passed": False, "reason": ""}), "nobody"),
    (
        "a reason of its own",
        _put("predicate", "verdict", value={"checked": True, "passed": False, "reason": "no"}),
        "a verdict other than",
    ),
    ("nanoseconds", _put("predicate", "run", "finishedOn", value="2026-11-30T12:00:00.123456789Z"), "microsecond"),
    ("seals", _put("predicate", "contract", "absent", value=["x"]), "/predicate/contract/absent"),
]


@pytest.mark.parametrize(("change", "fact"), [case[1:] for case in UNSAYABLE], ids=[case[0] for case in UNSAYABLE])
def test_what_it_cannot_say_is_named(change: Callable[[Json], None], fact: str) -> None:
    tree = copy.deepcopy(statement())
    change(tree)
    with pytest.raises(MalformedInput) as caught:
        exported(canonical(tree))
    assert any(fact in text for text in (caught.value.message, *getattr(caught.value, "faults", ())))


def test_it_says_all_of_it_at_once() -> None:
    tree = statement()
    for _, change, _ in UNSAYABLE[:4]:
        change(tree)
    with pytest.raises(MalformedInput) as caught:
        exported(canonical(tree))
    assert len(getattr(caught.value, "faults", ())) == 3
