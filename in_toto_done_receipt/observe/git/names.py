"""What a file name may do elsewhere: on another file system, to git itself, to a terminal.

Codes: dot_git (refused when a tree is written), not_utf8, control, backslash, colon, trailing, option_like, device,
long, git_file_alias; `collides` is found where names stand together.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

_PLAIN: Final = re.compile(rb"[A-Za-z0-9_][\w+@=,-]*(?:\.[\w+@=,-]+)*", re.ASCII)
# The same for all names of a folder at once, each with a NUL behind it; possessive, so it never goes back.
_ALL_PLAIN: Final = re.compile(
    rb"(?:(?!(?i:con|prn|aux|nul|com|lpt))[A-Za-z0-9_][\w+@=,-]*+(?:\.[\w+@=,-]++)*+\0)*+", re.ASCII
)
_DEVICES: Final = (b"con", b"prn", b"aux", b"nul", b"com", b"lpt")
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_GIT_FILE: Final = re.compile(r"(?:\.git(?:modules|attributes|ignore)|git(?:mod|att|ign)\w*~\d)")
_GIT_FILES: Final = frozenset({".gitmodules", ".gitattributes", ".gitignore"})
# HFS+ ignores these (git, utf8.c, next_hfs_char).
_IGNORED: Final = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)
_NAME_BYTES: Final = 255


def fold(name: bytes) -> str:
    """Equal for names that some file system takes for one: case, Unicode form, ignored characters, trailing dots."""
    text = name.decode("utf-8", "surrogateescape").translate(_IGNORED).rstrip(" .") or "."
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())


def unremarkable(names: Sequence[bytes]) -> bool:
    """A quick look at all names of a folder, none of which holds a NUL: `hazards` and `collisions` find nothing."""
    return not names or (
        max(map(len, names)) <= _NAME_BYTES
        and _ALL_PLAIN.fullmatch(b"\0".join(names) + b"\0") is not None
        and len(set(map(bytes.lower, names))) == len(names)
    )


def hazards(name: bytes) -> tuple[str, ...]:
    """The codes that apply to one name of a tree."""
    if _PLAIN.fullmatch(name) and name[:3].lower() not in _DEVICES and len(name) <= _NAME_BYTES:
        return ()
    text = name.decode("utf-8", "surrogateescape")
    printable = text.isprintable()
    tests = {
        "dot_git": is_dot_git(name),
        "not_utf8": not printable and any("\udc80" <= character <= "\udcff" for character in text),
        "control": not printable and any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in text),
        "backslash": "\\" in text,
        "colon": ":" in text,
        "trailing": text[-1] in " .",
        "option_like": text[0] == "-",
        "device": bool(_DEVICE.fullmatch(text)),
        "long": len(name) > _NAME_BYTES,
        "git_file_alias": text not in _GIT_FILES and bool(_GIT_FILE.fullmatch(fold(name))),
    }
    return tuple(code for code, found in tests.items() if found)


def is_dot_git(name: bytes) -> bool:
    """Whether some file system takes the name, or a part of it between `\\` or `:`, for `.git`."""
    if "git" not in fold(name):
        return False
    parts = re.split(rb"[\\:]", name)
    return any(fold(part) in {".git", "git~1"} for part in parts)


def collisions(names: Iterable[bytes]) -> list[bytes]:
    """Those names of one folder that some file system takes for another of them."""
    names = list(names)
    simple = all(map(bytes.isascii, names)) and not any(name[-1:] in b" ." for name in names)
    if simple and len(set(map(bytes.lower, names))) == len(names):
        return []
    groups: dict[str, list[bytes]] = defaultdict(list)
    for name in names:
        groups[fold(name)].append(name)
    return [name for group in groups.values() if len(group) > 1 for name in group]
