"""Tests inside of product files: base's put back into head's file, so that a change of both at once is seen."""

from collections.abc import Sequence

from in_toto_done_receipt.observe.runners.rust_items import Item, cfg, conditions, is_test_only, items
from in_toto_done_receipt.wire.value import Value

_DEEPEST = 32  # modules inside of modules


class _Piece(Value, kw_only=True):
    """What becomes of a span of head's file."""

    start: int
    end: int
    text: bytes


def put_back_inline(base: bytes, head: bytes) -> bytes | None:
    """Head's product file with base's test-only items in it; None if neither file has any.

    An item is test-only if no build but a test build has it: `#[cfg(test)]` alone or in `all(…)`, `#[test]`. Base's
    stand where head has one of the same kind and name, else at the end of their module; head's other ones are gone.
    Not put back: what a macro makes, what stands inside of an `impl`, what stood in a module that head has no more.
    The result need not compile: base's tests may name what head's product no longer has.
    """
    pieces: list[_Piece] = []
    _compare(base, head, (0, len(base)), (0, len(head)), pieces, 0)
    if not pieces:
        return None if not (_has_tests(base) or _has_tests(head)) else head
    result, at = [], 0
    for piece in sorted(pieces, key=lambda piece: (piece.start, piece.end)):
        result += [head[at : piece.start], piece.text]
        at = piece.end
    return b"".join([*result, head[at:]])


def _compare(
    base: bytes, head: bytes, there: tuple[int, int], here: tuple[int, int], pieces: list[_Piece], depth: int
) -> None:
    """Adds what has to become of one module of head, from `here[0]` to `here[1]`, which `there` is in base."""
    theirs, their_inner = items(base, *there)
    ours, our_inner = items(head, *here)
    if depth == 0 and _whole(their_inner) and not _whole(our_inner):
        pieces.append(_Piece(start=here[0], end=here[1], text=base[there[0] : there[1]]))
        return
    waiting = [item for item in theirs if is_test_only(item)]
    for item in ours:
        if not is_test_only(item):
            continue
        match = next((each for each in waiting if _same(base, each, head, item)), None)
        text = b"" if match is None else base[match.start : match.end]
        if match is not None:
            waiting.remove(match)
        if text != head[item.start : item.end]:
            pieces.append(_Piece(start=item.start, end=item.end, text=text))
    _append(base, ours, here[1], waiting, pieces)
    if depth < _DEEPEST:
        for item in ours:
            other = next((each for each in theirs if _is_module(item, each)), None)
            if other is not None:
                _compare(base, head, _content(other), _content(item), pieces, depth + 1)


def _append(base: bytes, ours: Sequence[Item], end: int, waiting: Sequence[Item], pieces: list[_Piece]) -> None:
    """Base's items that head has none in place of: macros come first, for they are seen only after where they stand."""
    first = ours[0].start if ours else end
    for item in waiting:
        text = base[item.start : item.end]
        if item.keyword == "macro_rules" or "macro_use" in item.attributes:
            pieces.append(_Piece(start=first, end=first, text=text + b"\n"))
        else:
            pieces.append(_Piece(start=end, end=end, text=b"\n" + text + b"\n"))


def _same(base: bytes, theirs: Item, head: bytes, ours: Item) -> bool:
    if theirs.keyword != ours.keyword or theirs.name != ours.name:
        return False
    if ours.keyword in ("use", "impl"):
        return base[theirs.start : theirs.end].split() == head[ours.start : ours.end].split()
    return True


def _is_module(ours: Item, theirs: Item) -> bool:
    """Are these the same module of the product, with its content in braces?"""
    if not (ours.keyword == theirs.keyword == "mod" and ours.name == theirs.name):
        return False
    if is_test_only(ours) or is_test_only(theirs):
        return False
    return None not in (ours.opened, ours.closed, theirs.opened, theirs.closed)


def _content(module: Item) -> tuple[int, int]:
    assert module.opened is not None and module.closed is not None  # noqa: S101, PT018  (_is_module looked)
    return module.opened, module.closed


def _whole(inner: Sequence[str]) -> bool:
    """Does an inner attribute make the whole file test-only?"""
    return any(cfg(text, {"test": "no"}) == "no" for text in conditions(inner))


def _has_tests(content: bytes, start: int = 0, end: int | None = None, depth: int = 0) -> bool:
    found, inner = items(content, start, end)
    if _whole(inner) or any(map(is_test_only, found)):
        return True
    inside = (item for item in found if item.keyword == "mod" and item.opened is not None and item.closed is not None)
    return depth < _DEEPEST and any(_has_tests(content, *_content(item), depth + 1) for item in inside)
