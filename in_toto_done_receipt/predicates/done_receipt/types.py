"""The primitive types of a done receipt: limits and patterns, as `docs/done-receipt.md` gives them.

The same patterns stand in `v0.1.schema.json`; they mean the same in ECMA-262 (flag u) and in Python.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

# Python's `$` also matches before a last line feed; `(?![\s\S])` is the end in both languages.
_END: Final = r"(?![\s\S])"
# Categories Cc and Cf of Unicode 16 and U+2028, U+2029: a pinned table, so that no two readers differ. `wire.escape`
# has the same one for other uses; this one is written out as the published schema has it, and a test compares them.
_NOT_IN_LINE: Final = (
    r"\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u180e\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f"
)
_PART: Final = rf"(?!\.{{1,2}}(?:/|{_END}))[^/\\\u0000-\u001f\u007f-\u009f]+"
_DAY: Final = (
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)"
)

PATTERNS: Final[dict[str, str]] = {
    "sha256": f"^[0-9a-f]{{64}}{_END}",
    "sha384": f"^[0-9a-f]{{96}}{_END}",
    "sha512": f"^[0-9a-f]{{128}}{_END}",
    "gitId": f"^(?:[0-9a-f]{{40}}|[0-9a-f]{{64}}){_END}",
    "time": rf"^(?!0000){_DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,9}})?Z{_END}",
    "line": f"^[^{_NOT_IN_LINE}]+{_END}",
    "arg": rf"^[^\u0000]*{_END}",
    "path": f"^{_PART}(?:/{_PART})*{_END}",
}
PATTERN_WORDS: Final[dict[str, str]] = {
    "sha256": "64 lowercase hex digits",
    "sha384": "96 lowercase hex digits",
    "sha512": "128 lowercase hex digits",
    "gitId": "40 or 64 lowercase hex digits",
    "time": "a real date and time like 2026-01-31T23:59:59Z",
    "line": "one line without control or format characters",
    "arg": "an argument without NUL",
    "path": "a relative path without empty, . or .. part, backslash or control character",
}

Sha256 = Annotated[str, Meta(pattern=PATTERNS["sha256"])]
Sha384 = Annotated[str, Meta(pattern=PATTERNS["sha384"])]
Sha512 = Annotated[str, Meta(pattern=PATTERNS["sha512"])]
GitId = Annotated[str, Meta(pattern=PATTERNS["gitId"])]
Time = Annotated[str, Meta(pattern=PATTERNS["time"])]
Line = Annotated[str, Meta(min_length=1, max_length=4096, pattern=PATTERNS["line"])]
Text = Annotated[str, Meta(min_length=1, max_length=65_536)]
ShortText = Annotated[str, Meta(min_length=1, max_length=4096)]
Reason = Annotated[str, Meta(max_length=65_536)]
Breach = Annotated[str, Meta(min_length=1, max_length=1_048_576)]
Arg = Annotated[str, Meta(max_length=4096, pattern=PATTERNS["arg"])]
Argv = Annotated[tuple[Arg, ...], Meta(min_length=1, max_length=64)]
PathText = Annotated[str, Meta(min_length=1, max_length=4096, pattern=PATTERNS["path"])]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**53 - 1)]
ExitCode = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]

Outcome = Literal["completed", "budgetExhausted", "failed"]
Expect = Literal["file", "directory", "present", "absent"]
PathType = Literal["file", "directory", "symlink", "other", "absent"]
