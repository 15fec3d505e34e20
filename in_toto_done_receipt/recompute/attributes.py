"""Which files a tree marks as generated: `linguist-generated` in `.gitattributes`, which forges hide in reviews."""

from collections.abc import Iterable

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.globs import Glob, compile_glob

_ON = ("linguist-generated", "linguist-generated=true")
_OFF = ("-linguist-generated", "!linguist-generated", "linguist-generated=false")


class Generated:
    """The patterns of all `.gitattributes` of a tree, in the order in which they apply."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        """`files` are (path, text) of the attribute files."""
        self._rows: list[tuple[Glob, bool]] = []
        for path, text in sorted(files, key=lambda file: file[0].count("/")):
            folder = path.rpartition("/")[0]
            for line in text.splitlines():
                self._add(folder, line)

    def __contains__(self, path: str) -> bool:
        marked = False
        for glob, on in self._rows:
            if glob.matches(path):
                marked = on
        return marked

    def _add(self, folder: str, line: str) -> None:
        pattern, *attributes = line.split()[:50] or [""]
        on = any(word in _ON for word in attributes)
        if not pattern or pattern.startswith("#") or not (on or any(word in _OFF for word in attributes)):
            return
        text = pattern.removeprefix("/") if "/" in pattern else f"**/{pattern}"
        try:
            self._rows.append((compile_glob(f"{folder}/{text}" if folder else text), on))
        except ConfigurationError:
            return  # a pattern of git's own kind: it hides nothing that is not shown without it
