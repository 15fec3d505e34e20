"""The machine's view: `{result, decision}` as JSON, and the one way in which every command prints JSON."""

import io
import json
from typing import Any

from msgspec.structs import replace

from in_toto_done_receipt.results.decision import Decision
from in_toto_done_receipt.results.model import Untrusted, VerificationResult
from in_toto_done_receipt.wire.escape import ascii_json
from in_toto_done_receipt.wire.record import to_tree


def render_json(result: VerificationResult, decision: Decision, *, indent: int | None) -> str:
    """Both documents in one object; `indent` None gives one line, for several receipts."""
    return dump({"result": result_tree(result), "decision": to_tree(decision)}, indent=indent)


def result_tree(result: VerificationResult) -> Any:
    """The result as a tree; the statement in it is the one that was read, not a copy, for it may be large."""
    tree = to_tree(replace(result, untrusted=Untrusted()))
    if result.untrusted.statement is not None:
        tree["untrusted"] = {"statement": result.untrusted.statement}
    return tree


def dump(tree: Any, *, indent: int | None) -> str:
    """ASCII only and no command of a CI runner in it, so that no terminal and no log acts on what a receipt says."""
    if indent is None:
        return ascii_json(json.dumps(tree, separators=(",", ":"), ensure_ascii=True, allow_nan=False))
    # With an indent, dumps would hold each bracket as a string of its own, and StringIO four bytes a character.
    whole = io.BytesIO()
    text = io.TextIOWrapper(whole, encoding="ascii", newline="")
    json.dump(tree, text, indent=indent, ensure_ascii=True, allow_nan=False)
    text.flush()
    return ascii_json(str(whole.getbuffer(), "ascii"))
