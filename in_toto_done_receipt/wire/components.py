"""Paths compared part by part, as Rust's `Path` does: the order of a sealed contract of the harness.

`tests` < `tests/test_a.py` < `tests-extra/x`, where bytes alone would put the last one in the middle.
"""

from typing import Final

_ROOT: Final = (1, b"")
_HERE: Final = (2, b"")
_ABOVE: Final = (3, b"")
_NORMAL: Final = 4

Components = tuple[tuple[int, bytes], ...]


def components(path: str) -> Components:
    """The path's parts in an order of their own: root < leading `.` < `..` < names by bytes.

    Equal for paths that Rust takes for the same: empty parts and every `.` but a leading one do not count.
    """
    parts = path.encode("utf-8", "surrogatepass").split(b"/")
    found = [_ROOT] if path.startswith("/") else []
    for position, part in enumerate(parts):
        if part == b"..":
            found.append(_ABOVE)
        elif part == b".":
            found += [_HERE] if position == 0 else []
        elif part:
            found.append((_NORMAL, part))
    return tuple(found)
