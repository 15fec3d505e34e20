"""JavaScript as far as tests stand in it: where `test`, `it`, `describe` and `suite` are called, and with which body.

It is no parser. What it does not understand gives no place, and never a wrong one that would go unnoticed: a place is
only believed when its test turned red at base.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    rb"""(?P<space>\s+|//[^\n]*)
    |(?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    |(?P<number>\d[\w.]*)
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    |(?P<mark>=>|[{}()\[\];,<>.=:?!&|+\-*%^~@#/`])""",
    re.VERBOSE | re.DOTALL,
)
_REGEXP: Final = re.compile(rb"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_TEMPLATE: Final = re.compile(rb"(?:[^`\\$]+|\\.|\$(?!\{))*", re.DOTALL)
# After these a slash begins a regular expression; after a name, a number or a closing bracket it divides.
_BEFORE_VALUE: Final = (
    frozenset(b"return typeof case in of delete void throw new do else instanceof yield await".split())
    | frozenset(bytes([mark]) for mark in b"{([;,<>=:?!&|+-*%^~`")
    | {b"=>"}
)
_CLOSING: Final = {b"(": b")", b"{": b"}", b"[": b"]"}
_MOST_BYTES: Final = 2 << 20  # of a file; no test file that people write is larger
_MOST_TOKENS: Final = 200  # of parameters or options
_MOST_TYPE: Final = 30  # tokens of the type that a function returns
_MOST_SUITES: Final = 64  # around a test
_TESTS: Final = (b"test", b"it")
_CALLS: Final = (*_TESTS, b"describe", b"suite")


class Token(NamedTuple):
    """One token; `end` is the byte after it."""

    kind: str
    text: bytes
    end: int


class FoundTest(NamedTuple):
    """A call of `test` or `it` with a name and a block.

    `names` are those of the suites around it and its own, `position` is the byte after the block's opening brace.
    """

    names: tuple[str, ...]
    position: int


def found_tests(source: bytes) -> tuple[FoundTest, ...]:
    """The tests of a file in order; none if the file is not understood. Tests inside tests are left out."""
    if len(source) > _MOST_BYTES:
        return ()
    try:
        tokens = list(_tokens(source))
    except ValueError:
        return ()
    found: list[FoundTest] = []
    bodies: dict[int, str | None] = {}  # index of the opening brace of a body -> name of its suite; None: a test's
    around: list[bool | None] = []  # for each open brace: of a suite; None: of a test
    suites: list[str] = []
    inside = 0  # bodies of tests around here
    for index, token in enumerate(tokens):
        if token.kind == "mark" and token.text == b"{":
            name = bodies.get(index, "")
            around.append(None if name is None else bool(name))
            inside += name is None
            if name:
                suites.append(name)
        elif token.kind == "mark" and token.text == b"}" and around:
            of_suite = around.pop()
            inside -= of_suite is None
            if of_suite:
                suites.pop()
        elif not inside and token.text in _CALLS and (call := _call(tokens, index)) is not None:
            name, brace = call
            is_test = token.text in _TESTS
            bodies[brace] = None if is_test else name
            if is_test and len(suites) <= _MOST_SUITES:
                found.append(FoundTest((*suites, name), tokens[brace].end))
    return tuple(found)


def _tokens(source: bytes) -> Iterator[Token]:
    """Raises ValueError for what is no JavaScript as far as it goes."""
    position = source.index(b"\n") if source.startswith(b"#!") and b"\n" in source else 0
    depths: list[int] = []  # braces open inside each `${`
    before = b";"
    while position < len(source):
        if source.startswith(b"/*", position):
            position = source.index(b"*/", position + 2) + 2
            continue
        if source.startswith(b"/", position) and before in _BEFORE_VALUE and not source.startswith(b"//", position):
            match, kind = _REGEXP.match(source, position), "regexp"
        else:
            match, kind = _TOKEN.match(source, position), ""
        if match is None:
            raise ValueError(position)
        kind = kind or match.lastgroup or ""
        position, text = match.end(), match.group()
        if kind == "space":
            continue
        if text == b"{" and depths:
            depths[-1] += 1
        elif text == b"}" and depths:
            depths[-1] -= 1
        if text == b"`" or (text == b"}" and depths and depths[-1] < 0):
            if text == b"}":
                depths.pop()
            start = position
            position, more = _template(source, position)
            if more:
                depths.append(0)
            plain = text == b"`" and not more
            text, kind = (b"`" + source[start:position], "string") if plain else (b"(", "template")
            before = b"x" if not more else b"("
            yield Token(kind, text, position)
            continue
        before = text if kind in ("word", "mark") else b"x"
        yield Token(kind, text, position)
    if depths:
        raise ValueError(position)


def _template(source: bytes, position: int) -> tuple[int, bool]:
    """The byte after the next piece of a template, and whether an expression follows."""
    match = _TEMPLATE.match(source, position)
    end = match.end() if match else position
    if source.startswith(b"${", end):
        return end + 2, True
    if source.startswith(b"`", end):
        return end + 1, False
    raise ValueError(position)


def _call(tokens: list[Token], index: int) -> tuple[str, int] | None:
    """Name and index of the opening brace of a call `test("name", [{…},] function)` that starts here."""
    if index and not _begins(tokens[index - 1]):
        return None
    if not _is(tokens, index + 1, b"(") or len(tokens) < index + 3:
        return None
    name = _plain(tokens[index + 2])
    at = index + 3
    if name is None or not _is(tokens, at, b","):
        return None
    at += 1
    if _is(tokens, at, b"{"):
        end = _closed(tokens, at)
        if end is None or not _is(tokens, end, b","):
            return None
        at = end + 1
    if _is(tokens, at, b"async"):
        at += 1
    body = _body(tokens, at)
    return None if body is None else (name, body)


def _begins(before: Token) -> bool:
    """Whether a call can begin after this token: not in the middle of a name, nor after `function`."""
    if before.kind == "word":
        return before.text in (b"await", b"return", b"void", b"else", b"do")
    return before.text != b"."


def _body(tokens: list[Token], at: int) -> int | None:
    """The index of the opening brace of a function that starts here."""
    if _is(tokens, at, b"function"):
        at += 1
        at += _is(tokens, at, b"*")
        if at < len(tokens) and tokens[at].kind == "word":
            at += 1
        end = _closed(tokens, at)
        return end if end is not None and _is(tokens, end, b"{") else None
    end = _closed(tokens, at) if _is(tokens, at, b"(") else at + 1
    if end is not None and _is(tokens, end, b":"):  # TypeScript: what it returns
        end = next((here for here in range(end, min(end + _MOST_TYPE, len(tokens))) if _is(tokens, here, b"=>")), None)
    if end is None or not _is(tokens, end, b"=>") or not _is(tokens, end + 1, b"{"):
        return None
    return end + 1


def _is(tokens: list[Token], at: int, text: bytes) -> bool:
    return at < len(tokens) and tokens[at].text == text and tokens[at].kind in ("mark", "word")


def _plain(token: Token) -> str | None:
    """The value of a string without escapes."""
    if token.kind != "string" or b"\\" in token.text:
        return None
    try:
        return token.text[1:-1].decode("utf-8")
    except UnicodeDecodeError:
        return None


def _closed(tokens: list[Token], at: int) -> int | None:
    """The index after the bracket that closes the one that opens here."""
    if at >= len(tokens) or tokens[at].kind != "mark" or tokens[at].text not in _CLOSING:
        return None
    waiting: list[bytes] = []
    for index in range(at, min(len(tokens), at + _MOST_TOKENS)):
        token = tokens[index]
        if token.kind != "mark":
            continue
        if token.text in _CLOSING:
            waiting.append(_CLOSING[token.text])
        elif token.text in _CLOSING.values():
            if waiting.pop() != token.text:
                return None
            if not waiting:
                return index + 1
    return None
