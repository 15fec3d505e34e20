"""The `path` type of the predicate, and when two names are twins."""

import unicodedata
from typing import Final

MAX_PATH_BYTES: Final = 4096  # of UTF-8; PATH_MAX on Linux


def check_path(text: str) -> str | None:
    """What is wrong with a relative POSIX path, or None.

    Ensures 1-4,096 bytes of UTF-8, NFC, no empty, `.` or `..` part (so never absolute), no backslash, NUL or control
    character. Says nothing about what is on any disk.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return "path holds a lone surrogate"
    if not 1 <= size <= MAX_PATH_BYTES:
        return f"path is 1 to {MAX_PATH_BYTES} bytes long, got {size}"
    if "\\" in text:
        return "path holds a backslash"
    if any(unicodedata.category(character) == "Cc" for character in text):
        return "path holds a control character"
    if text.startswith("/"):
        return "path is absolute"
    for part in text.split("/"):
        if part in ("", ".", ".."):
            return f"path has {'an empty' if not part else f'a {part!r}'} part"
    if not unicodedata.is_normalized("NFC", text):
        return "path is not in Unicode normalisation form NFC"
    return None


def twin_key(name: str) -> str:
    """Equal for names that some file system or reader takes for the same: case and normalisation put aside."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", folded)


def utf8_order(path: str) -> bytes:
    """The key by which lists of paths are sorted: their bytes, those of names that are no UTF-8 included."""
    return path.encode("utf-8", "surrogateescape")
