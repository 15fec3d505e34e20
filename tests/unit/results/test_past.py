"""What earlier runs wrote, read back: four shapes, one document or one a line."""

import json
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.results.decision import DECISION_SCHEMA
from in_toto_done_receipt.results.past import read_past

INPUT: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "testdata" / "policy-input" / "admitted.json").read_bytes()
)
RESULT = INPUT["result"]
DECISION = {
    "schema": DECISION_SCHEMA,
    "allow": True,
    "violations": [],
    "warnings": [],
    "exceptions": [],
    "satisfied": [],
    "demanded": [],
    "collection": "minimal",
    "evaluatedAt": "2026-12-01T00:00:00Z",
    "engine": {"name": "e", "version": "1"},
    "digests": {"policy": "0" * 64, "input": "0" * 64},
    "overrides": [],
}


def line(tree: Any) -> bytes:
    return json.dumps(tree).encode()


def test_a_result_has_its_own_time_and_no_decision() -> None:
    (found,) = read_past(line(RESULT), what="r")
    assert (found.name, found.evaluated_at, found.decision, found.settings) == ("r", RESULT["evaluatedAt"], None, None)


def test_a_decision_has_the_time_at_which_it_was_made() -> None:
    (found,) = read_past(json.dumps({"result": RESULT, "decision": DECISION}, indent=2).encode(), what="r")
    assert found.decision is not None
    assert (found.evaluated_at, found.decision.allow) == ("2026-12-01T00:00:00Z", True)


def test_a_policy_input_brings_its_settings() -> None:
    (found,) = read_past(line(INPUT), what="r")
    assert (found.settings, found.evaluated_at) == (INPUT["profile"], INPUT["evaluatedAt"])


def test_one_a_line_is_named_by_its_line_and_errors_are_passed_over() -> None:
    lines = [line({"error": {"message": "no"}}), line({"result": RESULT, "decision": DECISION}), line(RESULT)]
    found = read_past(b"\n".join(lines) + b"\n", what="r")
    assert [past.name for past in found] == ["r: line 2", "r: line 3"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "r: "),
        (b"[]", "r: is not an object"),
        (b"null", "r: is not an object"),
        (b"{}", "r: is neither a result"),
        (line({"result": RESULT}), "r: is neither a result"),
        (line({"error": {}}), "r: holds no result"),
        (line({"error": {}}) + b"\n" + line({"error": {}}), "r: holds no result"),
        (line({"result": RESULT, "decision": {}}), "r: decision: is not a decision"),
        (line({"result": RESULT, "decision": DECISION | {"allow": "true"}}), "r: decision: /allow"),
        (line({"result": {}, "decision": DECISION}), "r: result: is not a result document"),
        (line(RESULT | {"assurance": "partially_rechecked"}), "r: assurance is partially_rechecked"),
        (line(INPUT | {"profile": []}), "r: is neither"),
        (line(RESULT)[:-1], "r: "),
        (line(RESULT) + b"\n" + line(RESULT)[:-1] + b"x}", "r: line 2"),
        (b'{"schema": 1, "schema": 2}', "r: "),
    ],
)
def test_anything_else_is_malformed(data: bytes, message: str) -> None:
    with pytest.raises(MalformedInput) as caught:
        read_past(data, what="r")
    assert caught.value.message.startswith(message)
