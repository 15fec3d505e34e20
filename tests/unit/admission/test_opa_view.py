"""The view of the policy input's schema for `opa check`: what is published, and nothing that no rule may read."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

from in_toto_done_receipt.admission import decide
from in_toto_done_receipt.admission.opa_view import UNSEEN, opa_view
from in_toto_done_receipt.admission.sources import policy_folder
from in_toto_done_receipt.results import model

VIEW: dict[str, Any] = json.loads((policy_folder() / "schemas" / "input.json").read_bytes())
INPUT: dict[str, Any] = json.loads((Path(decide.__file__).parent / "policy-input.v0.1.schema.json").read_bytes())
RESULT: dict[str, Any] = json.loads((Path(model.__file__).parent / "result.v0.1.schema.json").read_bytes())


def members(node: Any, definitions: dict[str, Any], result: dict[str, Any], at: str = "") -> set[str]:
    """The place of every member that the schema names, whatever the schema refers to."""
    found: set[str] = set()
    if not isinstance(node, dict):
        return found
    if target := node.get("$ref"):
        name = target.rpartition("/")[2]
        if target.startswith("#/properties/"):
            return found  # a time
        return members(definitions.get(name, result), definitions, result, at)
    for name, member in node.get("properties", {}).items():
        found.add(f"{at}/{name}")
        found |= members(member, definitions, result, f"{at}/{name}")
    for member in node.get("anyOf", []):
        found |= members(member, definitions, result, at)
    return found | members(node.get("items"), definitions, result, f"{at}/*")


def test_it_has_exactly_the_published_members_but_what_the_agent_says() -> None:
    published = members(INPUT, RESULT["$defs"], RESULT)
    seen = members(VIEW, VIEW["definitions"], VIEW["definitions"]["result"])
    assert len(seen) > 100
    assert {place for place in published if f"/{UNSEEN}" not in place} == seen
    assert published - seen == {f"/result/{UNSEEN}", f"/result/{UNSEEN}/statement"}


def test_it_is_what_is_made_of_them() -> None:
    assert opa_view(INPUT, RESULT) == VIEW


def test_it_is_a_schema_that_fits_what_it_is_a_view_of(admitted: dict[str, Any]) -> None:
    Draft7Validator.check_schema(VIEW)
    del admitted["result"][UNSEEN]
    assert [error.message for error in Draft7Validator(VIEW).iter_errors(admitted)] == []
    admitted["result"]["more"] = 1
    assert not Draft7Validator(VIEW).is_valid(admitted)
