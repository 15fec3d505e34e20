"""Globs on paths: one matcher for seals and for the acceptance profile.

`*`, `?` and `[]` stay within one part of the path, `**` stands for whole parts, any number of them; at the end it
stands for one or more, so `src/**` is everything below `src`. Dot files match. Case counts. A path is compared as it
is spelled. The time is linear in the path for every pattern: names are the attacker's.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError, ObservationError
from in_toto_done_receipt.observe.workspace import PathType, Workspace
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import utf8_order
from in_toto_done_receipt.wire.value import Value

_MAGIC: Final = re.compile(r"[*?\[]")
_DEEP: Final = None  # stands for `**` among the parts
_MOST_BYTES: Final = 4096  # of a pattern
_MOST_DEPTH: Final = 256  # folders


class Glob(Value, kw_only=True):
    """A compiled pattern; made by `compile_glob`."""

    pattern: str
    parts: tuple[re.Pattern[str] | None, ...]
    literal: bool

    def matches(self, path: str) -> bool:
        """Whether the whole relative path matches."""
        names = path.split("/")
        if self.parts[-1] is _DEEP:
            # At least one name for the last `**`: the rest may match any proper beginning.
            return self._match(names[:-1], self.parts)
        return self._match(names, self.parts)

    def _match(self, names: list[str], parts: tuple[re.Pattern[str] | None, ...]) -> bool:
        """The classic match with one point of return: only the last `**` has to be tried again, one name later."""
        name = part = 0
        back: tuple[int, int] | None = None
        while name < len(names):
            if part < len(parts) and parts[part] is _DEEP:
                back = (name, part)
                part += 1
            elif part < len(parts) and _fits(parts[part], names[name]):
                name, part = name + 1, part + 1
            elif back is not None:
                back = (back[0] + 1, back[1])
                name, part = back[0], back[1] + 1
            else:
                return False
        return all(rest is _DEEP for rest in parts[part:])

    def may_lie_below(self, folder: str) -> bool:
        """Whether a path below this folder can match: False saves a walk, True promises nothing."""
        for part, name in zip(self.parts, folder.split("/"), strict=False):
            if part is _DEEP:
                return True
            if not _fits(part, name):
                return False
        return folder.count("/") + 1 < len(self.parts)


class GlobSet:
    """Several globs, asked at once: of most paths the last name or the folder says that none matches."""

    def __init__(self, patterns: Iterable[str]) -> None:
        globs = [(index, compile_glob(pattern)) for index, pattern in enumerate(patterns)]
        self._below = [(index, glob) for index, glob in globs if glob.parts[-1] is _DEEP]
        self._named = [(index, glob) for index, glob in globs if glob.parts[-1] is not _DEEP]
        lasts = {glob.pattern.rpartition("/")[2]: glob.parts[-1] for _, glob in self._named}
        self._literals = frozenset(last for last in lasts if not _MAGIC.search(last))
        others = [part.pattern for last, part in lasts.items() if last not in self._literals and part is not None]
        self._others = re.compile("|".join(f"(?:{one})" for one in others) or r"(?!)", re.DOTALL)
        self._folders: dict[str, tuple[int, ...]] = {}

    def matching(self, path: str) -> tuple[int, ...]:
        """The positions of the patterns that match this path, in order."""
        folder, _, name = path.rpartition("/")
        found = self._folders.get(folder)
        if found is None:  # a final `**` sees the folder only
            found = tuple(index for index, glob in self._below if glob.matches(path))
            self._folders[folder] = found
        if name not in self._literals and not self._others.fullmatch(name):
            return found
        return tuple(sorted([*found, *(index for index, glob in self._named if glob.matches(path))]))


def _fits(part: re.Pattern[str] | None, name: str) -> bool:
    return part is not None and part.fullmatch(name) is not None


def compile_glob(pattern: str) -> Glob:
    """The matcher for a pattern. A leading `./` is dropped.

    Raises ConfigurationError for what would never match a normalised path: absolute, empty, `.` or `..` parts, a final
    `/`, a backslash, `**` beside other characters, an unclosed or reversed `[]`.
    """
    text = pattern
    while text.startswith("./"):
        text = text[2:]
    fault = _fault(text)
    if fault:
        raise ConfigurationError(f"glob {escape(pattern)}: {fault[0]}", hint=fault[1])
    parts: list[re.Pattern[str] | None] = []
    for part in text.split("/"):
        if part != "**":
            parts.append(_compile(part, pattern))
        elif not parts or parts[-1] is not _DEEP:
            parts.append(_DEEP)
    return Glob(pattern=text, parts=tuple(parts), literal=not _MAGIC.search(text))


def _fault(text: str) -> tuple[str, str | None] | None:
    parts = text.split("/")
    if not text or len(text.encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        return f"a pattern has 1 to {_MOST_BYTES} bytes", None
    if text.startswith("/"):
        return "it is absolute", "write it relative to the root"
    if "\\" in text or "\0" in text:
        return "it holds a backslash or NUL, which no path has", "quote a special character as [*]"
    if parts[-1] == "" and len(parts) > 1:
        return "it names a directory", f"write {escape(text)}** for everything below it"
    if any(part in {"", ".", ".."} for part in parts):
        return "it has an empty, . or .. part", None
    if any("**" in part and part != "**" for part in parts):
        return "** stands for whole parts of a path", "write **/*.py, not **.py"
    return None


def _compile(part: str, pattern: str) -> re.Pattern[str]:
    """One part as an expression that never goes back over a star: what is between two stars is found once, as early as
    it comes, and kept (an atomic group), which is enough since later stars take whatever is left."""
    pieces: list[str] = [""]
    index = 0
    while index < len(part):
        character = part[index]
        if character == "*":
            pieces.append("")
        elif character == "[":
            expression, index = _bracket(part, index, pattern)
            pieces[-1] += expression
        else:
            pieces[-1] += "." if character == "?" else re.escape(character)
        index += 1
    first, *rest = pieces
    if not rest:
        return re.compile(first, re.DOTALL)
    *middle, last = rest
    body = first + "".join(f"(?>.*?{piece})" for piece in middle if piece) + ".*" + last
    return re.compile(body, re.DOTALL)


def _bracket(part: str, start: int, pattern: str) -> tuple[str, int]:
    """The expression for a `[]` and the index of its end; `!` or `^` first negates, `]` first is itself."""
    index = start + 1
    negated = part[index : index + 1] in {"!", "^"}
    index += negated
    end = part.find("]", index + 1)
    if end < 0:
        raise ConfigurationError(f"glob {escape(pattern)}: [ is not closed", hint="write [[] for the character itself")
    body, pieces = part[index:end], []
    while body:
        if len(body) > 2 and body[1] == "-":  # two ends and the dash between
            if body[0] > body[2]:
                raise ConfigurationError(f"glob {escape(pattern)}: range {escape(body[:3])} is reversed")
            pieces.append(f"{re.escape(body[0])}-{re.escape(body[2])}")
            body = body[3:]
        else:
            pieces.append(re.escape(body[0]))
            body = body[1:]
    return f"[{'^' if negated else ''}{''.join(pieces)}]", end


def expand(ws: Workspace, pattern: str) -> list[str]:
    """What the pattern matches, whatever it is, in order of UTF-8 bytes.

    Directories are listed only where the last part of the pattern names them, not for a final `**`, which goes through
    them. Links are listed and not followed. Raises ObservationError for a directory that cannot be read.
    """
    glob = compile_glob(pattern)
    if glob.literal:
        return [] if ws.type_of(glob.pattern) == "absent" else [glob.pattern]
    found = [path for path, kind in _walk(ws, glob, "") if kind != "directory" or glob.parts[-1] is not _DEEP]
    return sorted(found, key=utf8_order)


def _walk(ws: Workspace, glob: Glob, folder: str) -> Iterator[tuple[str, PathType]]:
    for name, kind in ws.entries(folder):
        path = f"{folder}/{name}" if folder else name
        if glob.matches(path):
            yield path, kind
        if kind == "directory" and glob.may_lie_below(path):
            if path.count("/") >= _MOST_DEPTH:
                raise ObservationError(f"{escape(path)} is nested deeper than {_MOST_DEPTH} folders", kind="other")
            yield from _walk(ws, glob, path)
