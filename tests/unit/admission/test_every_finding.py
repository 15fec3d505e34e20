"""Every finding that there can be is decided by a rule: the closed list of reasons, put to the policy one by one."""

import copy
import json
import re
from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import load_catalogue
from in_toto_done_receipt.admission.embedded import EmbeddedEngine
from in_toto_done_receipt.admission.metadata import CATEGORIES
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.recompute.checks.registry import DOCUMENT_ORDER
from in_toto_done_receipt.results.reasons import REASONS

RULES = policy_folder() / "done_receipt"
FAILING = [code for code, reason in REASONS.items() if reason.weight in ("untrusted", "refuted", "denied")]
NEUTRAL = [code for code, reason in REASONS.items() if reason.weight == "neutral"]
ITEMS = {"file": (0, 0), "text": (0, 1), "command": (1, 0)}  # kind -> claim, evidence of the admitted input

# What says that a check was not asked for, or that only remarks on something: it takes nothing away.
HARMLESS = {
    "context.not_demanded",
    "output-manifest.not_claimed",
    "audit-log.not_demanded",
    # Of checks that collection `minimal` does not ask for.
    *(
        code
        for code in NEUTRAL
        if code.startswith(("contract-coverage.", "change-scope.", "test-inventory.", "harness-canary."))
    ),
}


def with_finding(admitted: dict[str, Any], reason: str, status: str, *, item: bool = False) -> dict[str, Any]:
    """The admitted input, whose check says this; about an evidence item where its kind is there."""
    document = copy.deepcopy(admitted)
    result = document["result"]
    name = reason.partition(".")[0]
    check = next((check for check in result["checks"] if check["id"] == name), None)
    if check is None:
        check = {"id": name, "status": "pass", "findings": []}
        result["checks"].append(check)
    finding: dict[str, Any] = {"check": name, "status": status, "reason": reason, "message": "look here"}
    place = ITEMS.get(name.removeprefix("evidence-")) if item else None
    if place is not None:
        claim, evidence = place
        state = {"fail": "refuted", "error": "error", "not_checked": "reported"}[status]
        found = result["claims"][claim]
        found["evidence"][evidence] |= {"state": state, "reason": reason, "message": "look here"}
        found["state"] = state
        result["coverage"]["confirmed"] -= 1
        result["coverage"][state] += 1
        finding = {**finding, "claim": found["id"], "evidence": evidence}
    check["status"], check["findings"] = status, [finding]
    return document


def decided(engine: EmbeddedEngine, document: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = engine.decide(json.dumps(document).encode(), 60.0)
    return answer


def codes(answer: dict[str, Any]) -> set[str]:
    return {violation["code"] for violation in answer["violations"]}


@pytest.mark.parametrize("status", ["fail", "error"])
@pytest.mark.parametrize("reason", REASONS)
def test_a_finding_that_failed_is_a_violation_that_points_at_it(
    embedded: EmbeddedEngine, admitted: dict[str, Any], reason: str, status: str
) -> None:
    document = with_finding(admitted, reason, status)
    answer = decided(embedded, document)
    place = next(i for i, check in enumerate(document["result"]["checks"]) if check["id"] == reason.partition(".")[0])
    told = [
        violation for violation in answer["violations"] if f"/result/checks/{place}/findings/0" in violation["facts"]
    ]
    assert answer["allow"] is False
    assert told, codes(answer)


def kind_of(reason: str) -> str:
    return reason.partition(".")[0].removeprefix("evidence-")


@pytest.mark.parametrize("status", ["fail", "error", "not_checked"])
@pytest.mark.parametrize("reason", [code for code in REASONS if kind_of(code) in ITEMS])
def test_a_finding_about_an_item_is_decided_by_the_item(
    embedded: EmbeddedEngine, admitted: dict[str, Any], reason: str, status: str
) -> None:
    answer = decided(embedded, with_finding(admitted, reason, status, item=True))
    expected = {"fail": "evidence.unrefuted", "error": "evidence.evaluated", "not_checked": "assurance.minimum"}
    assert answer["allow"] is False
    assert expected[status] in codes(answer)


@pytest.mark.parametrize("reason", [code for code in NEUTRAL if kind_of(code) == code.partition(".")[0]])
def test_what_was_not_checked_denies_unless_it_is_said_to_be_harmless(
    embedded: EmbeddedEngine, admitted: dict[str, Any], reason: str
) -> None:
    answer = decided(embedded, with_finding(admitted, reason, "not_checked"))
    assert answer["allow"] is (reason in HARMLESS)
    assert (answer["violations"] == []) is (reason in HARMLESS)


def test_rules_name_only_reasons_that_there_are() -> None:
    """A rule that waits for a misspelt reason would wait for ever, or never object."""
    rules = {rule.code for rule in load_catalogue().rules}
    wrong = set()
    for path in RULES.rglob("*.rego"):
        if path.name.endswith("_test.rego") or path.parent.name == "catalogue":
            continue
        for text in re.findall(r'"([a-z][a-z-]*\.[a-z_]+)"', path.read_text(encoding="utf-8")):
            if text not in REASONS and text not in rules:
                wrong.add(f"{path.name}: {text}")
    assert wrong == set()


def test_every_check_is_spoken_of() -> None:
    lib = (RULES / "lib" / "lib.rego").read_text(encoding="utf-8")
    named = set(re.findall(r'^\t"([a-z-]+)",$', lib.partition("named := {")[2].partition("}")[0], re.MULTILINE))
    items = {name for name in DOCUMENT_ORDER if name.startswith("evidence-")}
    assert set(DOCUMENT_ORDER) - items <= named
    assert named - set(DOCUMENT_ORDER) == set()


def test_what_denies_and_refutes_nothing_is_what_the_list_says() -> None:
    text = (RULES / "waiver" / "waiver.rego").read_text(encoding="utf-8")
    found = re.findall(r'^\t"([a-z_.-]+)",$', text.partition("denied := {")[2].partition("}")[0], re.MULTILINE)
    assert sorted(found) == sorted(code for code, reason in REASONS.items() if reason.weight == "denied")


def test_every_category_has_a_rule() -> None:
    assert {rule.category for rule in load_catalogue().rules} == set(CATEGORIES)
