"""Text from outside made visible: what a terminal, a log or a reader could mistake for something else is spelled out.

Names of files and words of receipts stand in error messages and reports. A control character, a bidirectional
override, an invisible format character, a line separator or half of a surrogate pair would let them move the cursor,
hide themselves or start a line of their own. Runners of CI systems read logs too: GitHub's acts on a line that begins
with `::`, and on `##[` anywhere in a line; Azure Pipelines' on `##[` and `##vso[`.
"""

import json
import re
from typing import Final

# Category Cf of Unicode 16.0, pinned: the answer must not depend on the Unicode version of the Python that runs.
_FORMAT: Final = (
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"
)
_CONTROL: Final = "\\x00-\\x1f\\x7f-\\x9f"

CONTROL_OR_FORMAT: Final = re.compile(f"[{_CONTROL}{_FORMAT}]")
"""One character of category Cc or Cf."""

# `##[` and `##vso[`, of which the first character is spelled out, and `::` at the start of a line.
_COMMAND: Final = r"#(?=#(?:\[|(?i:vso)\[))"
_HIDDEN: Final = re.compile(f"[{_CONTROL}{_FORMAT}\u2028\u2029\ud800-\udfff]|{_COMMAND}")
_LINE_COMMAND: Final = re.compile(r"\A(\s*):(?=:)")
_JSON_COMMAND: Final = re.compile(_COMMAND)
# Every byte but those of DEL, of U+0080 to U+00FF and of what lies beyond U+FFFF: the rest Python escapes as JSON does.
_AS_IN_PYTHON: Final = bytes(set(range(0x100)) - {0x7F, 0xC2, 0xC3, *range(0xF0, 0xF5)})
_SHORT: Final = 0x100
_PLANE: Final = 0x10000


def escape(text: str | bytes) -> str:
    """The text with everything that could act as `\\xNN`, `\\uXXXX` or `\\UXXXXXXXX`; it is one line afterwards.

    Bytes are read as UTF-8, and bytes that are none become `\\xNN`; so do those of a name that the system handed over
    with surrogates (PEP 383). A backslash stays as it is: the result is for reading, not for reading back.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return _LINE_COMMAND.sub(r"\1\\x3a", _HIDDEN.sub(_visible, text))


def ascii_json(text: str) -> str:
    """JSON written in ASCII, equal for every reader of JSON, in which no CI runner finds a command."""
    return _JSON_COMMAND.sub("\\\\u0023", text)


def ascii_json_bytes(data: bytes) -> bytes:
    """JSON in UTF-8, without blanks, as the same JSON in ASCII with no control character and no CI runner's command."""
    if data.translate(None, _AS_IN_PYTHON):
        data = json.dumps(json.loads(data), separators=(",", ":"), ensure_ascii=True).encode("ascii")
    elif not data.isascii():  # the dash in every summary: ten times as fast
        data = data.decode("utf-8").encode("ascii", "backslashreplace")
    return ascii_json(data.decode("ascii")).encode("ascii") if b"##" in data else data


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8, as os.fsdecode keeps it
        return f"\\x{code - 0xDC00:02x}"
    if code < _SHORT:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _PLANE else f"\\U{code:08x}"
