"""Where the first fault of a JSON text is. Read only after `strict_json` has found that there is one.

A reader that never recurses by itself and takes linear time. It leaps over what the C scanner accepts and looks closely
only at the rest.
"""

import json
import re
from typing import Final, NamedTuple

from in_toto_done_receipt.wire.json_values import (
    DECODER,
    MAX_INTEGER,
    NotStrictError,
    float_in_range,
    integer_in_range,
)
from in_toto_done_receipt.wire.pointer import quote

_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_PLAIN: Final = r'(?:"[^"\\\x00-\x1f]*+"|(?:-?(?:0|[1-9][0-9]{0,14}+)|true|false|null)(?![0-9A-Za-z.]))'
_PLAIN_VALUE: Final = re.compile(_PLAIN)
_PLAIN_ITEMS: Final = re.compile(rf"(?:{_PLAIN}[ \t\n\r]*+,[ \t\n\r]*+)*+")
_PLAIN_NAME: Final = re.compile(r'"([^"\\\x00-\x1f]*+)"[ \t\n\r]*+:[ \t\n\r]*+')
_STRING_START: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][-+]?[0-9]++)?+")
_LONE_SURROGATE: Final = re.compile(
    r"\\u(?:[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u)[dD][c-fC-F])", re.DOTALL
)
_WORD: Final = re.compile(r"-?[A-Za-z]+")
_LITERALS: Final = ("true", "false", "null")
_NOT_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
_FRUITLESS_LEAPS: Final = 3  # in lengths of the text: after that, containers are looked at closely at once


class Fault(NamedTuple):
    """A fault: its `MalformedJson.kind`, what it is, and the offset in characters."""

    kind: str
    fact: str
    offset: int


class _FoundError(Exception):
    """Carries the fault out of the reader, and no further."""

    def __init__(self, kind: str, fact: str, offset: int) -> None:
        super().__init__(fact)
        self.fault = Fault(kind, fact, offset)


def first_fault(text: str, *, max_depth: int, shallow: bool, max_integer: int = MAX_INTEGER) -> Fault:
    """The first fault in document order. For a text without one it says so, at offset 0, as a syntax fault.

    `shallow` is the promise that brackets nest at most `max_depth` deep, so that the C scanner may be let loose.
    """
    try:
        _Reader(text, max_depth, shallow, max_integer).read()
    except _FoundError as found:
        return found.fault
    return Fault("syntax", "not strict JSON", 0)


class _Reader:
    """One pass over one text; `open` holds, for each open container, its names so far (an array: None)."""

    def __init__(self, text: str, max_depth: int, shallow: bool, max_integer: int) -> None:
        self.text = text
        self.max_integer = max_integer
        self.max_depth = max_depth
        self.offset = 0
        self.open: list[set[str] | None] = []
        self.leaps_left = _FRUITLESS_LEAPS * len(text) if shallow else 0
        lone = _LONE_SURROGATE.search(text.replace("\\\\", "  "))
        self.surrogate = lone.start() if lone else len(text)

    def read(self) -> None:
        """Raises _FoundError at the first fault; returns if there is none."""
        self._skip_space()
        while True:
            # Before a value.
            if self._value_opens_container():
                continue
            # After a value: close what ends here.
            while self.open and self._closes():
                pass
            if not self.open:
                break
        self._skip_space()
        if self.offset < len(self.text):
            raise _FoundError("trailing", f"{self._here()} after the end of the document", self.offset)

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Goes past the pattern if it is next."""
        match = pattern.match(self.text, self.offset)
        if match is None:
            return False
        self.offset = match.end()
        return True

    def _skip_space(self) -> None:
        self._skip(_SPACE)

    def _is_next(self, character: str) -> bool:
        return self.text.startswith(character, self.offset)

    def _here(self) -> str:
        character = self.text[self.offset : self.offset + 1]
        return quote(character) if character else "the end"

    def _value_opens_container(self) -> bool:
        """Reads one value, or opens a container that is not empty and returns True: its first value comes next."""
        if self.open and self.open[-1] is None:
            self._skip(_PLAIN_ITEMS)
        if self._skip(_PLAIN_VALUE):
            return False
        if self._is_next("[") or self._is_next("{"):
            return not self._leaps() and self._opens()
        if self._is_next('"'):
            self._string()
        else:
            self._scalar()
        return False

    def _leaps(self) -> bool:
        """Goes past a whole container if the C scanner finds no fault in it."""
        if self.leaps_left <= 0:
            return False
        try:
            _, end = DECODER.raw_decode(self.text, self.offset)
        except json.JSONDecodeError as error:
            self.leaps_left -= error.pos - self.offset
            return False
        except (NotStrictError, RecursionError):
            self.leaps_left -= len(self.text) - self.offset
            return False
        if end > self.surrogate:
            self.leaps_left -= end - self.offset
            return False
        self.offset = end
        return True

    def _opens(self) -> bool:
        if len(self.open) >= self.max_depth:
            raise _FoundError("depth", f"nested deeper than {self.max_depth}", self.offset)
        names: set[str] | None = None if self._is_next("[") else set()
        self.offset += 1
        self._skip_space()
        if self._is_next("]" if names is None else "}"):
            self.offset += 1
            return False
        self.open.append(names)
        if names is not None:
            self._name(names)
        return True

    def _closes(self) -> bool:
        """After a value in an open container: True if the container ends here, False if a further value follows."""
        names = self.open[-1]
        end = "]" if names is None else "}"
        self._skip_space()
        if self._is_next(end):
            self.offset += 1
            self.open.pop()
            return True
        if not self._is_next(","):
            raise _FoundError("syntax", f'expected "," or "{end}", got {self._here()}', self.offset)
        self.offset += 1
        self._skip_space()
        if names is not None:
            self._name(names)
        return False

    def _name(self, names: set[str]) -> None:
        """Reads a member's name and the colon after it."""
        start = self.offset
        plain = _PLAIN_NAME.match(self.text, start)
        if plain:
            name = plain[1]
        elif self._is_next('"'):
            name = self._string()
        else:
            raise _FoundError("syntax", f"expected a member name in double quotes, got {self._here()}", start)
        if name in names:
            raise _FoundError("duplicate_key", f"duplicate member {quote(name)}", start)
        names.add(name)
        if plain:
            self.offset = plain.end()
            return
        self._skip_space()
        if not self._is_next(":"):
            raise _FoundError("syntax", f'expected ":", got {self._here()}', self.offset)
        self.offset += 1
        self._skip_space()

    def _string(self) -> str:
        """Reads one string and returns its value."""
        start = self.offset
        self._skip(_STRING_START)
        if start <= self.surrogate < self.offset:
            raise _FoundError("surrogate", f"lone surrogate {self.text[self.surrogate :][:6]}", self.surrogate)
        if not self._is_next('"'):
            raise self._fault_in_string(start)
        self.offset += 1
        return str(json.loads(self.text[start : self.offset]))

    def _fault_in_string(self, start: int) -> _FoundError:
        if self.offset >= len(self.text):
            return _FoundError("syntax", "a string without end", start)
        if self._is_next("\\"):
            return _FoundError("syntax", "an escape that JSON does not have", self.offset)
        return _FoundError("syntax", f"a control character {self._here()} in a string", self.offset)

    def _scalar(self) -> None:
        """Reads a literal or a number."""
        start = self.offset
        word = _WORD.match(self.text, start)
        if word and word[0] in _NOT_NUMBERS:
            raise _FoundError("nan", f"{word[0]} is not a JSON number", start)
        if word and word[0] in _LITERALS:
            self.offset = word.end()
            return
        number = _NUMBER.match(self.text, start)
        if number is None:
            got = quote(word[0]) if word else self._here()
            raise _FoundError("syntax", f"expected a value, got {got}", start)
        _refuse_number(number, start, self.max_integer)
        self.offset = number.end()


def _refuse_number(number: re.Match[str], start: int, max_integer: int) -> None:
    digits = number[0]
    has_fraction = number[1] or number[2]
    try:
        float_in_range(digits) if has_fraction else integer_in_range(digits, max_integer)
    except NotStrictError:
        power = max_integer.bit_length()
        kind, fact = ("nan", "too large for a double") if has_fraction else ("integer", f"beyond 2^{power}-1")
        raise _FoundError(kind, f"number {quote(digits)} is {fact}", start) from None
