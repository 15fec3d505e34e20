"""The machine's view: `{result, decision}`, and exactly what the policy engine was given."""

import json
from typing import Any

from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import VerificationResult
from in_toto_done_receipt.wire.escape import ascii_json
from in_toto_done_receipt.wire.record import to_tree


def render_json(result: VerificationResult, decision: Decision, *, indent: int | None) -> str:
    """Both documents in one object; `indent` None gives one line, for several receipts."""
    return dump({"result": to_tree(result), "decision": to_tree(decision)}, indent=indent)


def dump(tree: Any, *, indent: int | None) -> str:
    """ASCII only and no command of a CI runner in it, so that no terminal and no log acts on what a receipt says."""
    separators = (",", ":") if indent is None else (",", ": ")
    return ascii_json(json.dumps(tree, indent=indent, separators=separators, ensure_ascii=True, allow_nan=False))
