"""Rego as a tree, made by OPA's own parser, and what the checks look for in it."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.admission.opa import look
from in_toto_done_receipt.errors import ConfigurationError

Path_ = tuple[str | None, ...]  # the steps of a reference; None for one that is not a literal name
_QUERY: Final = "{name: module | some name, text in input; module := rego.parse_module(name, text)}"


def parse(opa: Path, texts: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Name -> syntax tree of every text. Raises ConfigurationError with OPA's message for one that is no Rego."""
    try:
        given = json.dumps({name: data.decode() for name, data in texts.items()})
    except UnicodeDecodeError:
        name = next(name for name, data in texts.items() if not _is_utf8(data))
        raise ConfigurationError(f"{name}: is not UTF-8") from None
    with tempfile.TemporaryDirectory(prefix="done-receipt-rego-") as scratch:
        place = Path(scratch, "input.json")
        place.write_text(given, encoding="utf-8")
        ran = look(opa, ["eval", "--format", "json", "--strict-builtin-errors", "--input", str(place), _QUERY])
    try:
        tree = json.loads(ran.stdout)
    except ValueError:
        raise ConfigurationError(f"OPA cannot read the policy: {ran.text}") from None
    match tree:
        case {"result": [{"expressions": [{"value": dict(modules)}]}]} if set(modules) == set(texts):
            return modules
        case {"errors": [{"message": str(message)}, *_]}:
            raise ConfigurationError(f"OPA cannot read it: {message.partition('occurred: ')[2] or message}")
    raise ConfigurationError("OPA does not parse the policy")


def package_of(module: Mapping[str, Any]) -> Path_:
    """The steps of the package's name, without `data`."""
    return _steps(module["package"]["path"])[1:]


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of the tree, outermost first."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            stack.extend(reversed(node))


def references(tree: Any, *heads: str) -> Iterator[Path_]:
    """Every reference that begins with one of these variables, and every such variable that stands alone."""
    taken: set[int] = set()
    for node in nodes(tree):
        value = node.get("value")
        if node.get("type") == "ref" and isinstance(value, list) and value:
            taken.add(id(value[0]))
            steps = _steps(value)
            if steps[0] in heads:
                yield steps
        elif node.get("type") == "var" and value in heads and id(node) not in taken:
            yield (value,)


def calls(tree: Any) -> Iterator[tuple[str, list[Any]]]:
    """Every call of a function: its name and its arguments; operators have the names that OPA gives them."""
    for node in nodes(tree):
        parts = node.get("value") if node.get("type") == "call" else node.get("terms")
        if isinstance(parts, list) and parts and isinstance(parts[0], dict) and parts[0].get("type") == "ref":
            yield ".".join(step or "_" for step in _steps(parts[0]["value"])), parts[1:]


def dotted(steps: Path_) -> str:
    """A reference as one writes it."""
    return ".".join(step if step is not None else "_" for step in steps)


def line_of(text: bytes, steps: Path_) -> str:
    """`:LINE` of the first line that holds the literal beginning of the reference, or nothing."""
    literal = steps[: steps.index(None)] if None in steps else steps
    wanted = dotted(literal).encode()
    for number, line in enumerate(text.splitlines(), 1):
        if wanted in line.partition(b"#")[0]:
            return f":{number}"
    return ""


def _steps(terms: list[Any]) -> Path_:
    head, *rest = terms
    return head.get("value"), *(term["value"] if term.get("type") == "string" else None for term in rest)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
