"""The schema of the policy input as `opa check --schema` wants it: draft-07, in one file, without what OPA ignores.

What the receipt says in its own words (`result.untrusted`) is left out, so that a rule that reads it is a type error.
"""

from collections.abc import Mapping
from typing import Any, Final

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
UNSEEN: Final = "untrusted"  # member of the result that no rule may read
_KEPT: Final = frozenset({"type", "properties", "items", "required", "additionalProperties", "enum", "anyOf", "$ref"})


def opa_view(policy_input: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """The view of the published schema of policy inputs, in which that of results is a definition."""
    definitions = {name: _view(node, policy_input) for name, node in result.get("$defs", {}).items()}
    whole = _view({key: value for key, value in result.items() if key != "$defs"}, policy_input)
    del whole["properties"][UNSEEN]
    whole["required"] = [name for name in whole["required"] if name != UNSEEN]
    definitions.pop(UNSEEN.capitalize(), None)
    head = {"$schema": DRAFT, "title": "Policy input, as opa check --schema wants it"}
    view: dict[str, Any] = head | _view(policy_input, policy_input)
    return view | {"definitions": {"result": whole, **definitions}}


def _view(node: Any, root: Mapping[str, Any]) -> Any:
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        return _referred(node["$ref"], root)
    view: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            view[key] = {name: _view(member, root) for name, member in value.items()}
        elif key == "anyOf":
            view[key] = [_view(member, root) for member in value]
        elif key == "items":
            view[key] = _view(value, root)
        elif key in _KEPT and not (key == "additionalProperties" and value is not False):
            view[key] = value
    return view


def _referred(target: str, root: Mapping[str, Any]) -> Any:
    """A definition of the result's, the result itself, or what stands at a path of the policy input's own schema."""
    if target.startswith("#/$defs/"):
        return {"$ref": f"#/definitions/{target.rpartition('/')[2]}"}
    if not target.startswith("#/"):
        return {"$ref": "#/definitions/result"}
    node: Any = root
    for step in target[2:].split("/"):
        node = node[step]
    return _view(node, root)
