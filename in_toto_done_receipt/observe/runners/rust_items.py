"""What stands in a Rust file: its items with their attributes, and which of them exist in test builds only.

Read by their words and brackets, not as a compiler does: an item that a macro makes is not seen.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, cast

from in_toto_done_receipt.wire.value import Value

# Comments and literals first, so that nothing inside of them looks like code. Each ends at the end of the file at the
# latest. Block comments nest, and so are ended by hand.
_TOKEN: Final = re.compile(
    rb"""(?P<doc>//[/!][^\n]*+) | (?P<line>//[^\n]*+) | (?P<block>/\*)
    | (?P<raw>\b(?:b|c)?r(?P<hashes>\#*+)"(?:.*?)(?:"(?P=hashes)|\Z))
    | (?P<string>(?:\b[bc])?"(?:\\(?:.|\Z)|[^"\\])*+(?:"|\Z))
    | (?P<char>'(?:\\.[^']*+|[^'\\\n][\x80-\xbf]*+)')
    | (?P<word>(?:r\#)?[A-Za-z_\x80-\xff][\w\x80-\xff]*+)
    | (?P<mark>[{}()\[\];\#!])
    """,
    re.DOTALL | re.VERBOSE,
)
_COMMENT_MARK: Final = re.compile(rb"/\*|\*/")
_MODIFIERS: Final = frozenset({b"pub", b"default", b"unsafe", b"async", b"extern", b"safe", b"auto", b"crate"})
_UNTIL_SEMICOLON: Final = frozenset({"use", "const", "static", "type"})

Truth = Literal["yes", "no", "unknown"]
TokenKind = Literal["word", "mark", "doc", "literal"]


class Token(Value, kw_only=True):
    """A word or a mark that counts. `doc` is a comment that belongs to the item after it."""

    kind: TokenKind
    text: bytes
    start: int
    end: int


class Item(Value, kw_only=True):
    """One item. It begins at its first attribute. `attributes` are what stands between the brackets, without blanks.

    `opened` and `closed` are the ends of the braces' content, for those that have any.
    """

    keyword: str
    name: str
    attributes: tuple[str, ...]
    start: int
    end: int
    opened: int | None = None
    closed: int | None = None


def tokens(content: bytes, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """All tokens of a part of a file that count, in order."""
    at, stop = start, len(content) if end is None else end
    while (match := _TOKEN.search(content, at, stop)) is not None:
        at = match.end()
        kind = match.lastgroup
        if kind == "block":
            at = _after_comment(content, at, stop)
            text = content[match.start() : at]
            if text.startswith(b"/**") and len(text) > len(b"/**/"):
                yield Token(kind="doc", text=text, start=match.start(), end=at)
        elif kind in ("word", "mark", "doc"):
            yield Token(kind=cast(TokenKind, kind), text=match[0], start=match.start(), end=at)
        elif kind != "line":
            yield Token(kind="literal", text=b"", start=match.start(), end=at)


def _after_comment(content: bytes, at: int, stop: int) -> int:
    depth = 1
    while depth:
        match = _COMMENT_MARK.search(content, at, stop)
        if match is None:
            return stop
        depth += 1 if match[0] == b"/*" else -1
        at = match.end()
    return at


class _Reader:
    """The tokens of one level, item by item."""

    def __init__(self, content: bytes, start: int, end: int | None) -> None:
        self.content = content
        self.tokens = list(tokens(content, start, end))
        self.at = 0

    def bracketed(self) -> str:
        """What stands between the brackets that begin here, without blanks; afterwards it has been passed."""
        depth, first = 0, self.tokens[self.at].end
        while self.at < len(self.tokens):
            text = self.tokens[self.at].text
            depth += (text in (b"[", b"(", b"{")) - (text in (b"]", b")", b"}"))
            self.at += 1
            if depth == 0:
                break
        last = self.tokens[self.at - 1].start
        return re.sub(r"\s+", "", self.content[first:last].decode("utf-8", "replace"))

    def is_next(self, *texts: bytes) -> bool:
        """Are the next tokens these?"""
        found = self.tokens[self.at : self.at + len(texts)]
        return [token.text for token in found] == list(texts)


def items(content: bytes, start: int = 0, end: int | None = None) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """The items of a file or of a module's content, and the inner attributes (`#![…]`) before them."""
    reader = _Reader(content, start, end)
    found: list[Item] = []
    inner: list[str] = []
    attributes: list[str] = []
    began: int | None = None
    while reader.at < len(reader.tokens):
        token = reader.tokens[reader.at]
        if reader.is_next(b"#", b"!", b"["):
            reader.at += 2
            inner.append(reader.bracketed())
            continue
        began = token.start if began is None else began
        if token.kind == "doc":
            reader.at += 1
            began = None if token.text.startswith(b"//!") and not attributes else began
        elif reader.is_next(b"#", b"["):
            reader.at += 1
            attributes.append(reader.bracketed())
        else:
            found.append(_item(reader, began, tuple(attributes)))
            began, attributes = None, []
    return tuple(found), tuple(inner)


def _item(reader: _Reader, began: int, attributes: tuple[str, ...]) -> Item:
    keyword, name = _heading(reader.tokens[reader.at : reader.at + 16])
    depth = 0
    opened = closed = None
    end = reader.tokens[reader.at].end
    while reader.at < len(reader.tokens):
        token = reader.tokens[reader.at]
        reader.at += 1
        end = token.end
        if token.kind != "mark":
            continue
        if token.text in (b"{", b"(", b"["):
            depth += 1
            if token.text == b"{" and depth == 1 and opened is None:
                opened = token.end
        elif token.text in (b"}", b")", b"]"):
            depth -= 1
            if depth <= 0 and token.text == b"}":
                closed = token.start
                if keyword not in _UNTIL_SEMICOLON:
                    break
        elif token.text == b";" and depth == 0:
            break
    return Item(keyword=keyword, name=name, attributes=attributes, start=began, end=end, opened=opened, closed=closed)


def _heading(ahead: Sequence[Token]) -> tuple[str, str]:
    """The keyword of an item and the word after it. `const fn` is a function, `macro_rules!` a word of its own."""
    depth = 0
    plain: list[bytes] = []  # without what stands in the parentheses of pub(crate)
    for token in ahead:
        depth += (token.text == b"(") - (token.text == b")")
        if token.kind == "word" and depth == 0:
            plain.append(token.text)
    at = 0
    while at + 1 < len(plain) and (plain[at] in _MODIFIERS or plain[at : at + 2] == [b"const", b"fn"]):
        if plain[at : at + 2] == [b"extern", b"crate"]:
            break
        at += 1
    if plain[at : at + 2] in ([b"const", b"unsafe"], [b"const", b"async"], [b"const", b"extern"]):
        return "fn", _text(plain[plain.index(b"fn") + 1 : plain.index(b"fn") + 2]) if b"fn" in plain else ""
    return _text(plain[at : at + 1]), _text(plain[at + 1 : at + 2])


def _text(words: Sequence[bytes]) -> str:
    return b"".join(words).decode("utf-8", "replace").removeprefix("r#")


def cfg(text: str, known: dict[str, Truth]) -> Truth:
    """Whether what stands in `cfg(…)`, without blanks, holds; options that are not known are unknown."""
    terms = re.findall(r'"[^"]*"|[\w.]+|[(),=]', text)
    value, at = _option(terms, 0, known, 0)
    return value if at >= len(terms) else "unknown"


def _option(terms: list[str], at: int, known: dict[str, Truth], depth: int) -> tuple[Truth, int]:
    if at >= len(terms) or depth > 50:
        return "unknown", len(terms) + 1
    name = terms[at]
    if terms[at + 1 : at + 2] == ["="]:
        return known.get("".join(terms[at : at + 3]), "unknown"), at + 3
    if terms[at + 1 : at + 2] != ["("]:
        return known.get(name, "unknown"), at + 1
    at += 2
    parts: list[Truth] = []
    while at < len(terms) and terms[at] != ")":
        if terms[at] == ",":
            at += 1
            continue
        value, at = _option(terms, at, known, depth + 1)
        parts.append(value)
    return _combined(name, parts) if at < len(terms) else "unknown", at + 1


def _combined(name: str, parts: list[Truth]) -> Truth:
    if name == "not" and len(parts) == 1:
        opposite: dict[Truth, Truth] = {"yes": "no", "no": "yes", "unknown": "unknown"}
        return opposite[parts[0]]
    if name == "all":
        return "no" if "no" in parts else "unknown" if "unknown" in parts else "yes"
    if name == "any":
        return "yes" if "yes" in parts else "unknown" if "unknown" in parts else "no"
    return "unknown"


def conditions(attributes: Sequence[str]) -> Iterator[str]:
    """What stands in each `cfg(…)` among them."""
    for text in attributes:
        if text.startswith("cfg(") and text.endswith(")"):
            yield text[4:-1]


def is_test(item: Item) -> bool:
    """Is it a test function: `#[test]`, or an attribute of that name in a path, such as `#[tokio::test]`?"""
    return item.keyword == "fn" and any(re.match(r"(?:\w+::)*test(?:\(|$)", text) for text in item.attributes)


def is_test_only(item: Item) -> bool:
    """Does it exist in test builds only, whatever else is chosen?"""
    return is_test(item) or any(cfg(text, {"test": "no"}) == "no" for text in conditions(item.attributes))
