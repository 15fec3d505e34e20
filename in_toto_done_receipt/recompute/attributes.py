"""Which files a tree marks as generated: `linguist-generated` in `.gitattributes`, which forges hide in reviews."""

import re
from collections.abc import Iterable
from typing import Final

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.globs import Glob, compile_glob

_NAME: Final = "linguist-generated"
_LINE: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\S+)\s+(.*)')


class Generated:
    """The patterns of all `.gitattributes` of a tree, in the order in which they apply (gitattributes(5))."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        """`files` are (path, text) of the attribute files."""
        self._rows: list[tuple[Glob, bool]] = []
        self._macros: dict[str, bool] = {}
        for path, text in sorted(files, key=lambda file: file[0].count("/")):
            folder = path.rpartition("/")[0]
            for line in text.splitlines():
                self._add(folder, line)

    def __contains__(self, path: str) -> bool:
        return next((on for glob, on in reversed(self._rows) if glob.matches(path)), False)

    @property
    def rows(self) -> int:
        """How many patterns there are."""
        return len(self._rows)

    def _add(self, folder: str, line: str) -> None:
        match = _LINE.fullmatch(line)
        if match is None or match[1].startswith("#"):
            return
        states = [state for word in match[2].split() if (state := self._state(word)) is not None]
        if not states:
            return
        if match[1].startswith("[attr]"):
            if not folder:  # git takes macros from the top only
                self._macros[match[1].removeprefix("[attr]")] = states[-1]
            return
        try:
            self._rows.append((compile_glob(_glob(folder, match[1])), states[-1]))
        except ConfigurationError:
            return  # it ends with a slash, which matches no file, or is no pattern at all

    def _state(self, word: str) -> bool | None:
        """Whether this word marks a file, or takes a mark back; None for another attribute. As linguist reads it."""
        name, has_value, value = word.partition("=")
        if name in self._macros:
            return self._macros[name]
        if name == _NAME:
            return not has_value or value != "false"
        return False if word in (f"-{_NAME}", f"!{_NAME}") else None


def _glob(folder: str, pattern: str) -> str:
    """A pattern of git's as one of ours, relative to the root."""
    quoted = pattern.startswith('"') and pattern.endswith('"')
    text = re.sub(r"\\(.)", r"\1", pattern[1:-1]) if quoted else pattern
    text = re.sub(r"\\(.)", r"[\1]", text)
    text = text.removeprefix("/") if "/" in text else f"**/{text}"
    parts = [part if part == "**" else re.sub(r"\*\*+", "*", part) for part in text.split("/")]
    # A folder's own name holds no pattern.
    above = [re.sub(r"([*?\[])", r"[\1]", part) for part in folder.split("/")] if folder else []
    return "/".join([*above, *parts])
