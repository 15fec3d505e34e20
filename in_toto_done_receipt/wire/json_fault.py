"""Where the first fault of a JSON text is. Read only after `strict_json` has found that there is one.

A tokenizer that never recurses and takes linear time; it builds no values but the names of open objects.
"""

import json
import math
import re
from typing import Final, NamedTuple

from in_toto_done_receipt.wire.pointer import quote

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_STRING_PART: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][-+]?[0-9]++)?+")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})(?:(?<=[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2})?+|.)")
_WORD: Final = re.compile(r"-?[A-Za-z]+")
_LITERALS: Final = ("true", "false", "null")
_NOT_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
_MAX_INTEGER: Final = 2**53 - 1
_MAX_INTEGER_CHARACTERS: Final = len(str(-_MAX_INTEGER))


class Fault(NamedTuple):
    """A fault: its `MalformedJson.kind`, what it is, and the offset in characters."""

    kind: str
    fact: str
    offset: int


class _Found(Exception):
    """Carries the fault out of the reader, and no further."""

    def __init__(self, kind: str, fact: str, offset: int) -> None:
        super().__init__(fact)
        self.fault = Fault(kind, fact, offset)


def first_fault(text: str, max_depth: int) -> Fault:
    """The first fault in document order. For a text without one it says so, at offset 0, as a syntax fault."""
    try:
        _Reader(text, max_depth).read()
    except _Found as found:
        return found.fault
    return Fault("syntax", "not strict JSON", 0)


class _Reader:
    """One pass over one text; `open` holds, for each open container, its names so far (an array: None)."""

    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.offset = 0
        self.open: list[set[str] | None] = []

    def read(self) -> None:
        """Raises _Found at the first fault; returns if there is none."""
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
            raise _Found("trailing", f"{self._here()} after the end of the document", self.offset)

    def _skip_space(self) -> None:
        match = _SPACE.match(self.text, self.offset)
        self.offset = match.end() if match else self.offset

    def _here(self) -> str:
        character = self.text[self.offset : self.offset + 1]
        return quote(character) if character else "the end"

    def _value_opens_container(self) -> bool:
        """Reads one value, or opens a container that is not empty and returns True: its first value comes next."""
        character = self.text[self.offset : self.offset + 1]
        if character == '"':
            self._string()
        elif character and character in "[{":
            return self._opens(character)
        elif character and (character in "-0123456789" or character.isalpha()):
            self._scalar()
        else:
            raise _Found("syntax", f"expected a value, got {self._here()}", self.offset)
        return False

    def _opens(self, character: str) -> bool:
        if len(self.open) >= self.max_depth:
            raise _Found("depth", f"nested deeper than {self.max_depth}", self.offset)
        self.offset += 1
        self._skip_space()
        if self.text.startswith("]" if character == "[" else "}", self.offset):
            self.offset += 1
            return False
        names: set[str] | None = None if character == "[" else set()
        self.open.append(names)
        if names is not None:
            self._name(names)
        return True

    def _closes(self) -> bool:
        """After a value in an open container: True if the container ends here, False if a further value follows."""
        names = self.open[-1]
        end = "]" if names is None else "}"
        self._skip_space()
        if self.text.startswith(end, self.offset):
            self.offset += 1
            self.open.pop()
            return True
        if not self.text.startswith(",", self.offset):
            raise _Found("syntax", f'expected "," or "{end}", got {self._here()}', self.offset)
        self.offset += 1
        self._skip_space()
        if names is not None:
            self._name(names)
        return False

    def _name(self, names: set[str]) -> None:
        start = self.offset
        if not self.text.startswith('"', start):
            raise _Found("syntax", f"expected a member name in double quotes, got {self._here()}", start)
        name = self._string()
        if name in names:
            raise _Found("duplicate_key", f"duplicate member {quote(name)}", start)
        names.add(name)
        self._skip_space()
        if not self.text.startswith(":", self.offset):
            raise _Found("syntax", f'expected ":", got {self._here()}', self.offset)
        self.offset += 1
        self._skip_space()

    def _string(self) -> str:
        """Reads one string and returns its value."""
        start = self.offset
        match = _STRING.match(self.text, start)
        if match is None:
            raise self._fault_in_string(start)
        raw = match[0]
        self.offset = match.end()
        if "\\" not in raw:
            return raw[1:-1]
        if "\\u" in raw:
            _refuse_lone_surrogates(raw, start)
        return str(json.loads(raw))

    def _fault_in_string(self, start: int) -> _Found:
        part = _STRING_PART.match(self.text, start)
        self.offset = part.end() if part else start
        if self.offset >= len(self.text):
            return _Found("syntax", "a string without end", start)
        if self.text[self.offset] == "\\":
            return _Found("syntax", "an escape that JSON does not have", self.offset)
        return _Found("syntax", f"a control character {self._here()} in a string", self.offset)

    def _scalar(self) -> None:
        start = self.offset
        word = _WORD.match(self.text, start)
        if word:
            if word[0] in _NOT_NUMBERS:
                raise _Found("nan", f"{word[0]} is not a JSON number", start)
            if word[0] not in _LITERALS:
                raise _Found("syntax", f"expected a value, got {quote(word[0])}", start)
            self.offset = word.end()
            return
        number = _NUMBER.match(self.text, start)
        if number is None:
            raise _Found("syntax", f"expected a value, got {self._here()}", start)
        _refuse_number(number, start)
        self.offset = number.end()


def _refuse_number(number: re.Match[str], start: int) -> None:
    digits = number[0]
    if number[1] or number[2]:
        if math.isinf(float(digits)):
            raise _Found("nan", f"number {quote(digits)} is too large for a double", start)
    elif len(digits) > _MAX_INTEGER_CHARACTERS or abs(int(digits)) > _MAX_INTEGER:
        raise _Found("integer", f"integer {quote(digits)} is beyond 2^53-1", start)


def _refuse_lone_surrogates(raw: str, start: int) -> None:
    for escape in _ESCAPE.finditer(raw):
        if escape[1] and len(escape[0]) == 6 and escape[1][0] in "dD" and escape[1][1] in "89abcdefABCDEF":
            raise _Found("surrogate", f"lone surrogate {escape[0]}", start + escape.start())
