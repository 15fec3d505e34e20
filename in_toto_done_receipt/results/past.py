"""What earlier runs wrote: a result, a result with its decision, or a policy input; one, or one a line."""

from typing import Any, Final

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.results.decision import DECISION_SCHEMA, Decision
from in_toto_done_receipt.results.document import result_of
from in_toto_done_receipt.results.model import RESULT_SCHEMA, VerificationResult
from in_toto_done_receipt.wire.record import convert
from in_toto_done_receipt.wire.strict_json import loads
from in_toto_done_receipt.wire.value import Value

_INPUT: Final = frozenset({"result", "profile", "demanded", "evaluatedAt"})


class Past(Value, kw_only=True):
    """One earlier verification. `settings` is the `profile` member of a policy input, where the file is one."""

    name: str
    result: VerificationResult
    decision: Decision | None = None
    settings: dict[str, Any] | None = None
    evaluated_at: str


def read_past(data: bytes, *, what: str) -> tuple[Past, ...]:
    """The verifications in these bytes, each result believed no further than its items go.

    Takes what `recompute` writes, what `verify` and `admit` print as JSON (several receipts: one a line; a line for one
    that could not be verified is passed over) and the policy input. Raises MalformedInput. Does not check who wrote
    the file.
    """
    lines = data.splitlines()
    if len(lines) > 1 and all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines):
        named = [(f"{what}: line {number}", line) for number, line in enumerate(lines, 1)]
    else:
        named = [(what, data)]
    found = [past for name, line in named if (past := _past(line, name)) is not None]
    if not found:
        raise MalformedInput(f"{what}: holds no result")
    return tuple(found)


def _past(data: bytes, name: str) -> Past | None:
    tree = loads(data, what=name, max_bytes=len(data))
    if not isinstance(tree, dict):
        raise MalformedInput(f"{name}: is not an object")
    if set(tree) == {"error"}:
        return None
    if tree.get("schema") == RESULT_SCHEMA:
        result = result_of(tree, what=name)
        return Past(name=name, result=result, evaluated_at=result.evaluated_at)
    if set(tree) == {"result", "decision"}:
        decision = _decision(tree["decision"], f"{name}: decision")
        result = result_of(tree["result"], what=f"{name}: result")
        return Past(name=name, result=result, decision=decision, evaluated_at=decision.evaluated_at)
    if set(tree) == _INPUT and isinstance(tree["profile"], dict) and isinstance(tree["evaluatedAt"], str):
        result = result_of(tree["result"], what=f"{name}: result")
        return Past(name=name, result=result, settings=tree["profile"], evaluated_at=tree["evaluatedAt"])
    raise MalformedInput(
        f"{name}: is neither a result, nor a result with its decision, nor a policy input",
        hint="give what recompute writes, or what verify --format json prints",
    )


def _decision(tree: Any, what: str) -> Decision:
    if not isinstance(tree, dict) or tree.get("schema") != DECISION_SCHEMA:
        raise MalformedInput(f"{what}: is not a decision of schema {DECISION_SCHEMA}")
    found: Decision = convert(tree, Decision, what=what)
    return found
