"""What spoke in a decision, and the values of the facts it stands on."""

from typing import Any

import pytest

from in_toto_done_receipt.admission.catalogue import Catalogue, Rule
from in_toto_done_receipt.admission.explain import Fact, about, at, explain
from in_toto_done_receipt.results.decision import DECISION_SCHEMA, Decision
from in_toto_done_receipt.wire.record import convert

DOCUMENT: dict[str, Any] = {"result": {"run": {"a/b": [1, {"m~n": None}]}}, "demanded": []}


def rule(code: str) -> Rule:
    return Rule(
        code=code,
        title=f"title of {code}",
        description="d",
        short_name=code.partition(".")[2],
        failure_msg="f",
        solution="s",
        collections=(),
        depends_on=(),
        effective_on=None,
        severity="error",
    )


CATALOGUE = Catalogue(
    opa="1",
    policy_digest="0" * 64,
    module_sha256="0" * 64,
    collections={},
    rules=tuple(rule(code) for code in ("a.one", "a.two", "b.three", "profile.evidence")),
)


def decision(**members: Any) -> Decision:
    tree = {
        "schema": DECISION_SCHEMA,
        "allow": False,
        "violations": [],
        "warnings": [],
        "exceptions": [],
        "satisfied": [],
        "demanded": [],
        "collection": "minimal",
        "evaluatedAt": "2026-11-30T12:00:00Z",
        "engine": {"name": "e", "version": "1"},
        "digests": {"policy": "0" * 64, "input": "0" * 64},
        "overrides": [],
    }
    made: Decision = convert(tree | members, Decision, what="decision")
    return made


def entries(**members: Any) -> list[tuple[str, str, str | None]]:
    found = explain(decision(**members), DOCUMENT, catalogue=CATALOGUE, grounds={})
    return [(entry.kind, entry.code, entry.term) for entry in found]


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/result/run/a~1b/0", 1),
        ("/result/run/a~1b/1/m~0n", None),
        ("/demanded", []),
    ],
)
def test_a_pointer_names_a_place(pointer: str, value: Any) -> None:
    assert at(DOCUMENT, pointer) == value


@pytest.mark.parametrize(
    "pointer", ["/none", "/result/run/a~1b/2", "/result/run/a~1b/-1", "/result/run/a~1b/0/x", "/result/run/a~1b/²"]
)
def test_a_pointer_to_nothing_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        at(DOCUMENT, pointer)


def test_facts_are_there_or_absent_or_not_at_hand() -> None:
    said = {"code": "a.one", "message": "m", "facts": ["/result/run/a~1b/0", "/result/none", "/profile/x"]}
    (found,) = explain(decision(violations=[said]), DOCUMENT, catalogue=CATALOGUE, grounds={})
    assert found.facts == (
        Fact(pointer="/result/run/a~1b/0", known=True, there=True, value=1),
        Fact(pointer="/result/none", known=True, there=False),
        Fact(pointer="/profile/x", known=False, there=False),
    )


def test_what_a_violation_says_beats_what_its_rule_says() -> None:
    said = {"code": "a.one", "message": "m", "solution": "do it", "term": "t", "facts": []}
    (found,) = explain(decision(violations=[said]), DOCUMENT, catalogue=CATALOGUE, grounds={})
    assert (found.title, found.message, found.solution, found.term) == ("title of a.one", "m", "do it", "t")


def test_a_rule_that_is_not_ours_is_explained_by_its_own_words() -> None:
    said = {"code": "custom.mine", "message": "m", "facts": []}
    (found,) = explain(decision(warnings=[said]), DOCUMENT, catalogue=CATALOGUE, grounds={})
    assert (found.kind, found.code, found.title, found.description) == ("warning", "custom.mine", "", "")


def test_a_demand_without_a_word_waits_or_is_unmet() -> None:
    waiting = [{"code": "a.two", "on": ["a.one"]}]
    said = [{"code": "a.one", "message": "m", "facts": []}]
    found = entries(demanded=["a.one", "a.two", "b.three"], violations=said, waiting=waiting)
    assert found == [("violation", "a.one", None), ("waiting", "a.two", None), ("unmet", "b.three", None)]


def test_a_waived_demand_is_an_exception_and_nothing_else() -> None:
    waived = [{"code": "a.one", "term": "t", "reason": "r", "approver": "a", "expires": "2027-01-31T00:00:00Z"}]
    assert entries(demanded=["a.one"], exceptions=waived) == [("exception", "a.one", "t")]


def test_of_what_is_satisfied_the_demands_are_told() -> None:
    found = entries(demanded=["profile.evidence:c/file"], satisfied=["a.one", "profile.evidence:c/file"])
    assert found == [("satisfied", "profile.evidence", "c/file")]


def test_a_code_a_term_or_a_category_selects() -> None:
    said = [
        {"code": "a.one", "message": "m", "term": "t", "facts": []},
        {"code": "a.one", "message": "m", "term": "u", "facts": []},
        {"code": "a.two", "message": "m", "facts": []},
        {"code": "b.three", "message": "m", "facts": []},
    ]
    found = explain(decision(violations=said), DOCUMENT, catalogue=CATALOGUE, grounds={})
    assert [len(about(found, text)) for text in ("a.one", "a.one:t", "a", "b", "c", "a.on")] == [2, 1, 3, 1, 0, 0]
