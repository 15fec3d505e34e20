"""Trees put together in memory: head's product with base's tests and harness, before a byte is written."""

from collections.abc import Callable, Mapping

from in_toto_done_receipt.observe.git.trees import Entry
from in_toto_done_receipt.wire.value import Value


class Composed(Value, kw_only=True):
    """`restored` were taken from base, `removed` are in head only, `displaced` stood in the way of a restored path."""

    files: dict[bytes, Entry]
    restored: tuple[bytes, ...]
    removed: tuple[bytes, ...]
    displaced: tuple[bytes, ...]


def put_back(head: Mapping[bytes, Entry], base: Mapping[bytes, Entry], taken: Callable[[bytes], bool]) -> Composed:
    """Head with every path that `taken` says as it is in base, and absent where base has none.

    What stands in the way of a restored path goes: a link or file where a folder has to be, a folder's content where a
    file has to be.
    """
    back = {path: entry for path, entry in base.items() if taken(path)}
    kept = {path: entry for path, entry in head.items() if not taken(path)}
    above = {parent for path in back for parent in folders_of(path)}
    clear = {
        path: entry
        for path, entry in kept.items()
        if path not in above and not any(parent in back for parent in folders_of(path))
    }
    removed = [path for path in head if taken(path) and path not in back]
    return Composed(
        files=dict(sorted((clear | back).items())),
        restored=tuple(sorted(path for path, entry in back.items() if head.get(path) != entry)),
        removed=tuple(sorted(removed)),
        displaced=tuple(sorted(kept.keys() - clear.keys())),
    )


def folders_of(path: bytes) -> list[bytes]:
    """The folders on the way to a path, from the top."""
    return [path[:at] for at, byte in enumerate(path) if byte == 0x2F]
