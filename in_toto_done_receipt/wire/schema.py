"""The published JSON Schema of a record, made from the record itself so that the two cannot drift apart."""

from typing import Any

import msgspec


def record_schema(record: type[msgspec.Struct], *, identifier: str, title: str) -> dict[str, Any]:
    """JSON Schema 2020-12 of a record. Objects are closed: a member that the record does not know is a fault."""
    (root,), definitions = msgspec.json.schema_components([record])
    name = root["$ref"].rpartition("/")[2]
    rest = {key: _rewritten(value) for key, value in sorted(definitions.items()) if key != name}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": identifier}
    made: dict[str, Any] = head | _rewritten(definitions[name]) | {"title": title}
    return made | ({"$defs": rest} if rest else {})


def _rewritten(node: Any) -> Any:
    """`#/$defs/X` is where msgspec's references already point; objects are closed, `null` is never a default."""
    if isinstance(node, list):
        return [_rewritten(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _rewritten(value) for key, value in node.items() if key != "default"}
    if "properties" in node and node.get("type") == "object":
        out["additionalProperties"] = False
    return out
