"""The receipt's one line, for build logs and comments. Its wording is part of the interface.

It repeats what the receipt says. Shown before or without verification, it is prefixed `receipt says:` by the caller.
"""

import re
from typing import Final

from in_toto_done_receipt.predicates.done_receipt.model import DoneReceipt
from in_toto_done_receipt.wire.escape import CONTROL_OR_FORMAT

# Control, format, surrogate, line and paragraph separator: what could end the line or change how it is shown.
# By the pinned table: the line is an interface, so it must not depend on the Unicode version of the Python that runs.
_INVISIBLE: Final = re.compile(f"{CONTROL_OR_FORMAT.pattern}|[\u2028\u2029\ud800-\udfff]")
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def summary_line(receipt: DoneReceipt) -> str:
    """REFUSED, UNCHECKED, PASSED or FAILED, the first that applies; a count that is absent drops its clause.

    Always one line: line breaks, control and format characters of the receipt's own words are printed escaped. Does not
    escape for any markup.
    """
    contract, verdict, run = receipt.contract, receipt.verdict, receipt.run
    if contract.breach is not None:
        return f"REFUSED — the acceptance contract moved during the run ({_visible(contract.breach)})"
    if not verdict.checked:
        calls = f" after {run.tool_calls} tool call(s)" if run.tool_calls is not None else ""
        return f"UNCHECKED — the model stopped{calls}; nothing verified it"
    if verdict.passed:
        count = len(contract.sealed)
        sealed = f" against {count} sealed file(s), which did not move" if count else ", nothing sealed"
        iterations = f", {run.iterations} iteration(s)" if run.iterations is not None else ""
        return f"PASSED — checked{sealed}{iterations}"
    return f"FAILED — {_visible(verdict.reason)}" if verdict.reason else "FAILED"


def _visible(text: str) -> str:
    return _INVISIBLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    short = f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
    return _SHORT.get(character, short)
