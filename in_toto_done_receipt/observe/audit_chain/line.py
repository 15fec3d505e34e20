"""One line of an audit chain: `{"seq":N,"prev":HASH,"hash":HASH,"record":{…}}`, and nothing else in it.

The hash covers the bytes of `record` as they stand in the line, so those bytes have to be found, not written again. A
line as the original writes it is taken apart by one expression, up to the record's `detail`, which must be exactly the
rest but two braces; any other layout, and anything doubtful, goes through a scanner that reads member by member.

A member that stands twice is refused, but for one inside the arguments of a tool and the like: the hash covers both,
and nothing here reads either.
"""

import json
import re
from typing import Any, Final, NamedTuple, NoReturn

import msgspec

from in_toto_done_receipt.wire.json_values import NotStrictError
from in_toto_done_receipt.wire.pointer import quote

GENESIS: Final = b"genesis"  # what the first record names as the one before it
MAX_DEPTH: Final = 64  # of a record; verification.md, "Limits"
READ: Final = frozenset({b"response", b"acceptance"})  # kinds of records whose detail is read
_MEMBERS: Final = frozenset({"seq", "prev", "hash", "record"})
_HASH: Final = rb"[0-9a-f]{64}"
_PLAIN: Final = rb'"([^"\\\x00-\x1f]*)"'
_IGNORED: Final = rb'"[^"\\\x00-\x1f]*"'
_LAYOUT: Final = re.compile(
    rb'\{"seq": ?(0|[1-9][0-9]{0,15}), ?"prev": ?"(genesis|%b)", ?"hash": ?"(%b)", ?"record": ?(?=\{)' % (_HASH, _HASH)
)
_RECORD: Final = re.compile(
    rb'\{"ts": ?%b(?:, ?"actor": ?%b)?(?:, ?"session": ?%b)?(?:, ?"request": ?%b)?, ?"kind": ?%b, ?"detail": ?'
    % (_IGNORED, _IGNORED, _IGNORED, _PLAIN, _PLAIN)
)
_TEXTS: Final = {"ts": False, "kind": False, "actor": True, "session": True, "request": True}  # and whether optional
_PREVIOUS: Final = re.compile(rf"genesis|{_HASH.decode()}")
_SPACE: Final = re.compile(r"[ \t\r]*")
_STRUCTURE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])', re.DOTALL)


class Line(NamedTuple):
    """A line taken apart: its number and hashes, the bytes of its record, and what they say."""

    sequence: int
    previous: bytes
    hash: bytes
    raw: bytes
    kind: str
    request: str | None
    detail: Any


class NotALineError(Exception):
    """The bytes are no line of a chain; the message says why. `unknown` when a member is there that no hash covers."""

    def __init__(self, fact: str, *, unknown: bool = False) -> None:
        super().__init__(fact)
        self.fact = fact
        self.unknown = unknown


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrictError("a member stands there twice")
    return members


def _constant(name: str) -> NoReturn:
    raise NotStrictError(f"{name} is not JSON")


# A tool's arguments may hold any integer that Python reads: unlike a receipt's numbers, they are never compared.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_constant)
_decode: Final = _DECODER.raw_decode
_quick: Final = msgspec.json.Decoder().decode  # five times as fast, as strict, but for members that stand twice


def read_line(line: bytes) -> Line:
    """The line, which is without its line end. Raises NotALineError."""
    layout = _LAYOUT.match(line)
    if layout is None or line[-2:] != b"}}":
        return _scanned(line)
    start = layout.end()
    head = _RECORD.match(line, start)
    body = line[start if head is None else head.end() : -1 if head is None else -2]
    if len(body) > MAX_DEPTH and body.count(b"{") + body.count(b"[") > MAX_DEPTH:
        return _scanned(line)  # counts how deep it is
    sequence, previous, digest = layout.groups()
    try:
        line.isascii() or line.decode()  # what the expressions skip is not decoded otherwise
        value = _quick(body)
        if head is None or (head[2] in READ and not _has_no_twins(body, value)):
            _decode(body.decode())  # refuses a member that stands twice
        said = _said(value) if head is None else (head[2].decode(), _text(head[1]), value)
    except (msgspec.MsgspecError, NotStrictError, ValueError, RecursionError):
        return _scanned(line)  # says what is wrong, or finds another layout behind the same start
    return Line._make((int(sequence), previous, digest, line[start:-1], *said))


def _has_no_twins(body: bytes, value: Any) -> bool:
    """Whether it is certain that no member of this flat object stands twice: then all quotes are accounted for."""
    if type(value) is not dict:
        return False
    texts = len(value)
    for one in value.values():
        if type(one) is str:
            texts += 1
        elif type(one) is dict or type(one) is list:
            return False
    return body.count(b'"') == 2 * texts


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def _said(record: Any) -> tuple[str, str | None, Any]:
    """Kind, request and detail of a record. Raises NotALineError."""
    if not isinstance(record, dict):
        raise NotALineError("record is not an object")
    for name, optional in _TEXTS.items():
        value = record.get(name)
        if not isinstance(value, str) and not (optional and value is None):
            raise NotALineError(f"record's {name} is no string" if name in record else f"record has no {name}")
    if "detail" not in record:
        raise NotALineError("record has no detail")
    return record["kind"], record.get("request"), record["detail"]


def _no_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _depth(text: str) -> int:
    deepest = depth = 0
    for match in _STRUCTURE.finditer(text):
        if match[1]:
            depth += 1
            deepest = max(deepest, depth)
        elif match[2]:
            depth -= 1
    return deepest


def _scanned(line: bytes) -> Line:
    """The line, member by member, in any order and with any space between them."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise NotALineError(f"is not UTF-8: byte {error.start}") from None
    if line.startswith(b"\xef\xbb\xbf"):
        raise NotALineError("begins with a byte order mark")
    values, spans = _top_level(text)
    missing = sorted(_MEMBERS - values.keys())
    if missing:
        raise NotALineError(f"has no member {missing[0]}")
    unknown = sorted(values.keys() - _MEMBERS)
    if unknown:
        raise NotALineError(f"has a member {quote(unknown[0])}, which no hash covers", unknown=True)
    start, end = spans["record"]
    return _typed(values, text[start:end].encode())


def _typed(values: dict[str, Any], raw: bytes) -> Line:
    sequence, previous, digest, record = (values[name] for name in ("seq", "prev", "hash", "record"))
    if type(sequence) is not int or sequence < 0:
        raise NotALineError("seq is not a whole number")
    if not isinstance(previous, str) or not _PREVIOUS.fullmatch(previous):
        raise NotALineError("prev is neither genesis nor 64 lowercase hex digits")
    if not isinstance(digest, str) or not _PREVIOUS.fullmatch(digest) or digest == GENESIS.decode():
        raise NotALineError("hash is not 64 lowercase hex digits")
    return Line(sequence, previous.encode(), digest.encode(), raw, *_said(record))


def _top_level(text: str) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    """The members of the one object that the text is, and where the value of each stands."""
    values: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    place = _expect(text, 0, "{")
    while True:
        name, place = _next_value(text, place)
        if not isinstance(name, str):
            raise NotALineError("is not a JSON object: a member's name is no string")
        if name in values:
            raise NotALineError(f"has two members {quote(name)}")
        start = _skip(text, _expect(text, place, ":"))
        values[name], place = _next_value(text, start)
        spans[name] = (start, place)
        place = _skip(text, place)
        if text[place : place + 1] != ",":
            break
        place += 1
    place = _skip(text, _expect(text, place, "}"))
    if place != len(text):
        raise NotALineError("goes on after the end of its object")
    return values, spans


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _expect(text: str, place: int, character: str) -> int:
    place = _skip(text, place)
    if text[place : place + 1] != character:
        got = quote(text[place : place + 1]) if place < len(text) else "the end"
        raise NotALineError(f'is not a JSON object: expected "{character}", got {got}')
    return place + 1


def _next_value(text: str, place: int) -> tuple[Any, int]:
    place = _skip(text, place)
    try:
        value, end = _decode(text, place)
    except NotStrictError as error:
        raise NotALineError(f"is not strict JSON: {error}") from None
    except ValueError as error:
        fact = error.msg if isinstance(error, json.JSONDecodeError) else "a number that cannot be read"
        raise NotALineError(f"is not JSON: {fact[:1].lower()}{fact[1:]}") from None
    except RecursionError:
        raise NotALineError(f"is nested deeper than {MAX_DEPTH}") from None
    if text.count("[", place, end) + text.count("{", place, end) > MAX_DEPTH < _depth(text[place:end]):
        raise NotALineError(f"is nested deeper than {MAX_DEPTH}")
    if "\\u" in text[place:end] and not _no_lone_surrogate(value):
        raise NotALineError("holds a lone surrogate")
    return value, end
