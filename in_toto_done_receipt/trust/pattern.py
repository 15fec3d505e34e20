"""Regular expressions for identities, matched in time linear in the text.

Python's own matcher backtracks: an expression that looks harmless can take seconds on a subject that an attacker chose.
The syntax is Python's as far as it is regular; look-around, back references and inline flags are refused. The whole
text has to match. Letters are compared as they are; `\\d`, `\\w` and `\\s` mean ASCII.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final

from in_toto_done_receipt.wire.value import Value

MAX_STATES: Final = 2000  # of a compiled expression: time is states times characters
MAX_PATTERN_CHARS: Final = 1024
MAX_TEXT_BYTES: Final = 2048  # of a certificate's subject: longer ones never match


class PatternError(ValueError):
    """The text is not an expression that can be used; the message says why, without naming the place."""


class Pattern(Value, kw_only=True):
    """A compiled expression. State i steps to `targets[i]` on a character `tests[i]` accepts, or freely if None."""

    tests: tuple[Callable[[str], bool] | None, ...]
    targets: tuple[tuple[int, ...], ...]
    accept: int

    def fullmatch(self, text: str) -> bool:
        """Whether the whole text matches. A text of more than 2 KiB never does."""
        if len(text) > MAX_TEXT_BYTES or len(text.encode(errors="surrogatepass")) > MAX_TEXT_BYTES:
            return False
        current = self._closure((0,))
        for character in text:
            stepped: set[int] = set()
            for state in current:
                test = self.tests[state]
                if test is not None and test(character):
                    stepped.update(self.targets[state])
            current = self._closure(stepped)
            if not current:
                return False
        return self.accept in current

    def _closure(self, states: Iterable[int]) -> set[int]:
        """The states that are reached without reading a character."""
        reached = set(states)
        waiting = list(reached)
        while waiting:
            state = waiting.pop()
            if self.tests[state] is None:
                fresh = set(self.targets[state]) - reached
                reached |= fresh
                waiting.extend(fresh)
        return reached


def compile_pattern(text: str) -> Pattern:
    """The expression, compiled. Raises PatternError for what is not regular, not valid or too large."""
    parsed = _parse(text)
    try:
        return _Compiler().compile(parsed)
    except RecursionError:
        raise PatternError("its groups are nested too deeply") from None


def has_lone_dot(text: str) -> bool:
    """Whether a valid expression has a `.` that stands for one character: most often a dot that was meant as itself."""
    return _lone_dot(_parse(text))


def _lone_dot(items: Iterable[Any]) -> bool:
    for kind, argument in items:
        name = str(kind)
        if name == "ANY":
            return True
        if name == "SUBPATTERN" and _lone_dot(argument[3]):
            return True
        if name == "BRANCH" and any(_lone_dot(branch) for branch in argument[1]):
            return True
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            repeated = list(argument[2])
            meant = len(repeated) == 1 and str(repeated[0][0]) == "ANY"  # `.*`
            if not meant and _lone_dot(repeated):
                return True
    return False


def _parse(text: str) -> Any:
    if len(text) > MAX_PATTERN_CHARS:
        raise PatternError(f"{len(text)} characters, at most {MAX_PATTERN_CHARS} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a set in a set, which a later Python may read differently
            # The parser behind `re`: the published one compiles at once and shows no tree.
            parsed = re._parser.parse(text, re.ASCII)  # type: ignore[attr-defined]
    except (re.error, OverflowError, RecursionError) as fault:
        raise PatternError(f"not a regular expression: {fault}") from None
    if parsed.state.flags & ~re.ASCII:
        raise PatternError("inline flags such as (?i) are not supported")
    return parsed


class _Compiler:
    """Thompson's construction over the tree of Python's parser. States are made from the end to the start."""

    def __init__(self) -> None:
        self._tests: list[Callable[[str], bool] | None] = [None]  # state 0 becomes the start
        self._targets: list[tuple[int, ...]] = [()]

    def compile(self, parsed: Any) -> Pattern:
        accept = self._state(None, ())
        items = list(parsed)
        # `^` and `$` at the ends say what is so anyway; elsewhere they would mean something this matcher does not do.
        if items and str(items[0][0]) == "AT" and str(items[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            items = items[1:]
        if items and str(items[-1][0]) == "AT" and str(items[-1][1]) in ("AT_END", "AT_END_STRING"):
            items = items[:-1]
        self._targets[0] = (self._sequence(items, accept),)
        return Pattern(tests=tuple(self._tests), targets=tuple(self._targets), accept=accept)

    def _state(self, test: Callable[[str], bool] | None, targets: tuple[int, ...]) -> int:
        if len(self._tests) >= MAX_STATES:
            raise PatternError(f"too large: more than {MAX_STATES} states when its counted repeats are written out")
        self._tests.append(test)
        self._targets.append(targets)
        return len(self._tests) - 1

    def _sequence(self, items: Iterable[Any], after: int) -> int:
        for name, argument in reversed(list(items)):
            after = self._item(str(name), argument, after)
        return after

    def _item(self, name: str, argument: Any, after: int) -> int:
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return self._state(_character_test(name, argument), (after,))
        if name == "SUBPATTERN":
            _, added, removed, inner = argument
            if added or removed:
                raise PatternError("inline flags such as (?i:…) are not supported")
            return self._sequence(inner, after)
        if name == "BRANCH":
            return self._state(None, tuple(self._sequence(branch, after) for branch in argument[1]))
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = argument
            return self._repeat(least, most, inner, after)
        raise PatternError(f"{_SPOKEN.get(name, name.lower())} cannot be used here")

    def _repeat(self, least: int, most: Any, inner: Any, after: int) -> int:
        """`least` copies, then a loop without an upper bound, or as many optional copies as the bound leaves."""
        if least > MAX_STATES:
            raise PatternError(f"a repeat of at least {least}, at most {MAX_STATES} can be matched")
        if str(most) == "MAXREPEAT":
            loop = self._state(None, ())
            self._targets[loop] = (self._sequence(inner, loop), after)
            after = loop
        else:
            end = after
            for _ in range(int(most) - least):
                after = self._state(None, (self._sequence(inner, after), end))
        for _ in range(least):
            after = self._sequence(inner, after)
        return after


_SPOKEN: Final = {
    "GROUPREF": "a back reference",
    "GROUPREF_EXISTS": "a conditional group",
    "ASSERT": "look-around",
    "ASSERT_NOT": "look-around",
    "AT": "an anchor in the middle",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repeat",
}
_CATEGORIES: Final[dict[str, Callable[[str], bool]]] = {
    "DIGIT": lambda c: c.isascii() and c.isdigit(),
    "WORD": lambda c: c.isascii() and (c.isalnum() or c == "_"),
    "SPACE": lambda c: c in " \t\n\r\f\v",
}


def _character_test(name: str, argument: Any) -> Callable[[str], bool]:
    if name == "ANY":
        return lambda c: c != "\n"
    if name in ("LITERAL", "NOT_LITERAL"):
        character = chr(argument)
        return (lambda c: c == character) if name == "LITERAL" else (lambda c: c != character)
    parts = [_set_part(str(kind), value) for kind, value in argument if str(kind) != "NEGATE"]
    negated = any(str(kind) == "NEGATE" for kind, _ in argument)
    return lambda c: any(part(c) for part in parts) != negated


def _set_part(kind: str, value: Any) -> Callable[[str], bool]:
    if kind == "LITERAL":
        return lambda c: ord(c) == value
    if kind == "RANGE":
        low, high = value
        return lambda c: low <= ord(c) <= high
    category = str(value).removeprefix("CATEGORY_")
    test = _CATEGORIES[category.removeprefix("NOT_")]
    return (lambda c: not test(c)) if category.startswith("NOT_") else test
