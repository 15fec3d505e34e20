"""Attestations about a result: what is refused, what they are about, what ran again."""

import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.engines import open_engine
from in_toto_done_receipt.errors import MalformedStatement, ProducerError
from in_toto_done_receipt.producer.attested import Judged, Kind, attestation, judged_by
from in_toto_done_receipt.producer.attested_levels import levels, refusal
from in_toto_done_receipt.producer.attested_subjects import attested_subjects, sealed_files
from in_toto_done_receipt.profile.load import COLLECTIONS
from in_toto_done_receipt.results.findings import Finding, Status
from in_toto_done_receipt.results.model import (
    AllowedCommand,
    Change,
    Check,
    EvidenceResult,
    Listed,
    Tests,
    Untrusted,
    VerificationResult,
)
from in_toto_done_receipt.results.past import Past, read_past
from in_toto_done_receipt.results.states import ItemState
from in_toto_done_receipt.wire.digests import sha256_hex

INPUT = Path(__file__).parents[3] / "testdata" / "policy-input" / "admitted.json"
NOW = datetime(2026, 12, 1, tzinfo=UTC)
A, B, C = "a" * 64, "b" * 64, "c" * 64
Tree = dict[str, Any]


@pytest.fixture(scope="module")
def judged() -> Judged:
    past: Past
    (past,) = read_past(INPUT.read_bytes(), what="input")
    settings = past.settings or {}
    decision = decide(past.result, settings, engine=open_engine("embedded"), evaluated_at=past.evaluated_at, seconds=30)
    assert decision.allow
    result = about(past.result, statement(), matched(0))
    return Judged(result=result, decision=decision, settings=settings, sha256=A, verifier_id="v:x", resource_uri="r:x")


def statement(*subjects: Tree, **predicate: Any) -> Tree:
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": list(subjects) or [{"name": "a", "digest": {"sha256": B}}],
        "predicateType": "https://w3id.org/done-receipt/v0.1",
        "predicate": predicate,
    }


def matched(index: int, name: str = "a") -> Finding:
    return Finding(
        check="subjects",
        status="pass",
        reason="subjects.matched",
        message="m",
        path=name,
        pointer=f"/subject/{index}",
    )


def manifest(status: Any, reason: str, observed: str | None = None) -> Finding:
    return Finding(
        check="output-manifest", status=status, reason=f"output-manifest.{reason}", message="m", observed=observed
    )


def about(result: VerificationResult, tree: Tree, *findings: Finding) -> VerificationResult:
    """The result with this statement, and these findings as the only ones of their checks."""
    names = {finding.check for finding in findings} | {"subjects", "output-manifest"}
    checks = [check for check in result.checks if check.id not in names]
    for name in sorted(names):
        mine = tuple(finding for finding in findings if finding.check == name)
        checks.append(Check(id=name, status="pass", findings=mine))
    return replace(result, untrusted=Untrusted(statement=tree), checks=tuple(checks), change=None)


def made(kind: Kind, judged: Judged) -> Tree:
    tree: Tree = json.loads(attestation(kind, judged, now=NOW))
    return tree


# --- what it is about -----------------------------------------------------------------------------------------------


def test_it_is_about_the_matched_subjects_alone(judged: Judged) -> None:
    tree = statement({"name": "a", "digest": {"sha256": A}}, {"name": "b", "digest": {"sha256": B}})
    result = about(judged.result, tree, matched(1, "b"))
    assert attested_subjects(result) == [{"name": "b", "digest": {"sha256": B}}]


def test_every_digest_that_was_compared_is_kept_and_no_other(judged: Judged) -> None:
    digest = {"sha256": A, "sha512": "d" * 128, "md5": "e" * 32}
    result = about(judged.result, statement({"name": "a", "digest": digest}), matched(0))
    assert attested_subjects(result) == [{"name": "a", "digest": {"sha256": A, "sha512": "d" * 128}}]


def test_a_manifest_has_the_one_digest_that_was_computed(judged: Judged) -> None:
    digest = {"sha256": A, "sha512": "d" * 128}
    tree = statement({"name": "m", "digest": digest}, manifest={"name": "m", "digest": {"sha256": A}})
    result = about(judged.result, tree, matched(0, "m"), manifest("pass", "matched"))
    assert attested_subjects(result) == [{"name": "m", "digest": {"sha256": A}}]


def test_a_finding_of_another_name_matches_nothing(judged: Judged) -> None:
    assert attested_subjects(about(judged.result, statement(), matched(0, "b"))) == []


@pytest.mark.parametrize("pointer", ["/subject/7", "/subject/00", "/subject", "", None])
def test_a_pointer_to_no_subject_matches_nothing(judged: Judged, pointer: str | None) -> None:
    result = about(judged.result, statement(), replace(matched(0), pointer=pointer))
    assert attested_subjects(result) == []


def test_without_a_match_it_is_the_manifest_that_was_computed(judged: Judged) -> None:
    tree = statement(manifest={"name": "m", "digest": {"sha256": A}})
    for finding, digest in (
        (manifest("pass", "matched"), A),
        (manifest("fail", "differs", C), C),  # the tree as it is, not as the receipt says
    ):
        (subject,) = attested_subjects(about(judged.result, tree, finding))
        assert subject == {"name": "OUTPUT_MANIFEST.json", "digest": {"sha256": digest}}


def test_a_manifest_that_nobody_computed_is_nothing(judged: Judged) -> None:
    tree = statement(manifest={"name": "m", "digest": {"sha256": A}})
    assert attested_subjects(about(judged.result, tree, manifest("error", "unreadable"))) == []


def test_without_a_manifest_it_is_heads_tree(judged: Judged) -> None:
    change = Change(head="1" * 40, tree="2" * 40)
    result = replace(about(judged.result, statement()), change=change)
    assert attested_subjects(result) == [{"name": "1" * 40, "digest": {"gitTree": "2" * 40}}]


@pytest.mark.parametrize("tree", [[], {}, "x", statement({"name": "a"}), statement({"digest": {"sha256": "A" * 64}})])
def test_a_statement_that_is_none_is_malformed(judged: Judged, tree: Any) -> None:
    with pytest.raises(MalformedStatement, match="statement"):
        attested_subjects(about(judged.result, tree, matched(0)))


def test_a_result_without_a_statement_is_about_nothing(judged: Judged) -> None:
    result = replace(judged.result, untrusted=Untrusted())
    assert (attested_subjects(result), sealed_files(result)) == ([], [])
    with pytest.raises(ProducerError, match="about nothing"):
        made("vsa", replace(judged, result=result))


SEALED = [{"name": "t.py", "digest": {"sha256": A}}, "x", {"name": "u.py"}, {"name": 1, "digest": {"sha256": B}}]


@pytest.mark.parametrize(("state", "count"), [("held", 1), ("held_as_reported", 1), ("moved", 0), ("not_checked", 0)])
def test_sealed_files_are_told_when_they_were_looked_at(judged: Judged, state: Any, count: int) -> None:
    result = about(judged.result, statement(contract={"sealed": SEALED}))
    assert len(sealed_files(replace(result, contract=replace(result.contract, state=state)))) == count


# --- how much it may say --------------------------------------------------------------------------------------------


def test_an_old_format_is_refused_by_its_media_type(judged: Judged) -> None:
    result = replace(judged.result, input=replace(judged.result.input, media_type="application/x.agent-receipt+json"))
    assert refusal(judged.result, judged.settings) is None
    assert "is of an old format" in (refusal(result, judged.settings) or "")


@pytest.mark.parametrize(
    "change",
    [{"unsigned": True}, {"unsigned": None}, {"minimumAssurance": "reported"}, {"backdated": True}],
    ids=lambda change: next(iter(change)),
)
def test_loosened_settings_are_refused(judged: Judged, change: Tree) -> None:
    with pytest.raises(ProducerError, match="nothing can be attested"):
        made("vsa", replace(judged, settings={**judged.settings, **change}))


@pytest.mark.parametrize("position", range(len(COLLECTIONS)))
def test_a_collection_is_named_with_those_in_it(judged: Judged, position: int) -> None:
    decision = replace(judged.decision, collection=COLLECTIONS[position])
    found = [level for level in levels(judged.result, decision, judged.settings) if "COLLECTION" in level]
    names = [name.upper().replace("-", "_") for name in COLLECTIONS[: position + 1]]
    assert [level.split("COLLECTION_")[1] for level in found] == names


def test_a_collection_contains_the_ones_before(judged: Judged) -> None:
    collections = load_catalogue().collections
    demands = [set(collections[name]) for name in COLLECTIONS]
    assert all(weaker <= stronger for weaker, stronger in pairwise(demands))


def test_no_level_is_one_of_slsa(judged: Judged) -> None:
    found = levels(judged.result, judged.decision, judged.settings)
    assert found
    assert all(level.startswith("DONE_RECEIPT_") for level in found)


@pytest.mark.parametrize("field", ["policy", "profile", "trust", "settings", "allowedCommands"])
def test_the_policy_digest_is_over(judged: Judged, field: str) -> None:
    digests, result = judged.decision.digests, judged.result
    others = {
        "policy": replace(judged, decision=replace(judged.decision, digests=replace(digests, policy=C))),
        "profile": replace(judged, decision=replace(judged.decision, digests=replace(digests, profile=C))),
        "trust": replace(judged, result=replace(result, trust=replace(result.trust, digest=C))),
        "settings": replace(judged, settings={**judged.settings, "include": ["usage"]}),
        "allowedCommands": replace(
            judged, result=replace(result, allowed_commands=(AllowedCommand(argv=("/bin/true",)),))
        ),
    }
    before, after = judged_by(judged), judged_by(others[field])
    assert {name for name, value in json.loads(after).items() if value != json.loads(before)[name]} == {field}
    assert made("vsa", others[field])["predicate"]["policy"]["digest"] == {"sha256": sha256_hex(after)}


# --- what ran again -------------------------------------------------------------------------------------------------


def item(index: int, state: ItemState, ok: bool = True, kind: str = "command") -> EvidenceResult:
    return EvidenceResult(index=index, kind=kind, ok=ok, state=state, reason="r", message="m", argv=("/bin/sh", "a b"))


def ran(judged: Judged, *items: EvidenceResult) -> Judged:
    claim = replace(judged.result.claims[0], id="c", evidence=items)
    return replace(judged, result=replace(judged.result, claims=(claim,)))


OUTCOMES: dict[str, tuple[list[EvidenceResult], str, tuple[int, int, int]]] = {
    "all pass": ([item(0, "confirmed"), item(1, "confirmed", kind="tests")], "PASSED", (2, 0, 0)),
    "one confirmed as failing": ([item(0, "confirmed"), item(1, "confirmed", ok=False)], "FAILED", (1, 0, 1)),
    "one fails now": ([item(0, "refuted")], "FAILED", (0, 0, 1)),
    "one passes now and did not": ([item(0, "confirmed"), item(1, "refuted", ok=False)], "WARNED", (1, 1, 0)),
    "one blocked": ([item(0, "confirmed"), item(1, "blocked")], "WARNED", (1, 1, 0)),
    "one that cannot be run": ([item(0, "confirmed"), item(1, "error")], "WARNED", (1, 1, 0)),
    "tests only reported": ([item(0, "confirmed"), item(1, "reported", kind="tests")], "WARNED", (1, 1, 0)),
    "files are no tests": ([item(0, "confirmed"), item(1, "confirmed", kind="file")], "PASSED", (1, 0, 0)),
}


@pytest.mark.parametrize(("items", "word", "counts"), OUTCOMES.values(), ids=OUTCOMES)
def test_a_test_result_says_what_ran_again(
    judged: Judged, items: list[EvidenceResult], word: str, counts: tuple[int, int, int]
) -> None:
    predicate = made("test-result", ran(judged, *items))["predicate"]
    assert predicate["result"] == word
    assert tuple(len(predicate[f"{name}Tests"]) for name in ("passed", "warned", "failed")) == counts


def test_a_test_has_the_name_of_its_claim_and_command(judged: Judged) -> None:
    predicate = made("test-result", ran(judged, item(0, "confirmed")))["predicate"]
    assert predicate["passedTests"] == ["c[0] /bin/sh 'a b'"]


@pytest.mark.parametrize(
    "items", [[], [item(0, "reported")], [item(0, "blocked")], [item(0, "confirmed", kind="file")]]
)
def test_there_is_none_when_nothing_ran(judged: Judged, items: list[EvidenceResult]) -> None:
    with pytest.raises(ProducerError, match="no test was run again"):
        made("test-result", ran(judged, *items))


def in_a_clean_room(judged: Judged, *, inventory: Status, red: tuple[str, ...] = ()) -> Judged:
    """The same after a clean room that came to this."""
    none = Listed(total=0)
    lists = ("preexisting", "flaky", "missing", "newly_skipped", "expected_failure", "shrunk", "unstable", "new_tests")
    tests = Tests(
        runner="pytest",
        argv=("/usr/bin/python3", "-m", "pytest"),
        executable="0" * 64,
        runs=(),
        layers=("planted", "halves", "gate"),
        made_to_fail=Listed(total=1, ids=("t",)),
        red=Listed(total=len(red), ids=red),
        **dict.fromkeys(lists, none),
    )
    own: tuple[tuple[str, Status], ...] = (("test-inventory", inventory), ("harness-canary", "pass"))
    checks = tuple(Check(id=name, status=status, findings=()) for name, status in own)
    return replace(judged, result=replace(judged.result, tests=tests, checks=(*judged.result.checks, *checks)))


@pytest.mark.parametrize(
    ("inventory", "red", "word"),
    [("pass", (), "PASSED"), ("fail", ("t.py::f",), "FAILED"), ("error", (), "WARNED"), ("not_checked", (), "WARNED")],
)
def test_a_test_result_says_what_the_clean_room_came_to(
    judged: Judged, inventory: Status, red: tuple[str, ...], word: str
) -> None:
    predicate = made("test-result", in_a_clean_room(ran(judged), inventory=inventory, red=red))["predicate"]
    said = [predicate[f"{name}Tests"] for name in ("passed", "warned", "failed")]
    assert predicate["result"] == word
    assert [name for names in said for name in names] == ["clean-room /usr/bin/python3 -m pytest", *red]


def test_an_svr_names_the_layers_of_canaries(judged: Judged) -> None:
    found = made("svr", in_a_clean_room(judged, inventory="pass"))["predicate"]["properties"]
    assert {"DONE_RECEIPT_CANARY_PLANTED", "DONE_RECEIPT_CANARY_HALVES", "DONE_RECEIPT_CANARY_GATE"} <= set(found)
    assert "DONE_RECEIPT_CHECK_TEST_INVENTORY" in found
    assert not any("CANARY" in name for name in made("svr", judged)["predicate"]["properties"])


def test_a_vsa_wants_the_name_of_what_was_verified(judged: Judged) -> None:
    with pytest.raises(ProducerError, match="URI of what was verified"):
        made("vsa", replace(judged, resource_uri=None))
