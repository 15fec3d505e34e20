"""Verified trees. Budgets are spent by arithmetic over unique trees before anything is listed: a few kilobytes of
objects can name thirty million paths."""

import re
from typing import Final, NamedTuple

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.names import collisions, hazards, unremarkable
from in_toto_done_receipt.observe.git.objects import Objects
from in_toto_done_receipt.wire.value import Value

FOLDER: Final = "40000"
EXECUTABLE: Final = "100755"
FILE: Final = "100644"
LINK: Final = "120000"
SUBMODULE: Final = "160000"
MODES: Final = frozenset({FOLDER, EXECUTABLE, FILE, LINK, SUBMODULE})

# git writes these itself or has no other words for them.
_WORDS: Final = {mode.encode(): mode for mode in MODES}
_NAMES_SHOWN: Final = 1_000  # odd names of one folder that are reported


class Entry(NamedTuple):
    """What stands at a path: one of MODES, and the id of the blob, tree or commit."""

    mode: str
    id: str


class Odd(NamedTuple):
    """A name or mode that is worth a finding; `code` as in `names`, or `mode_NNNNNN`."""

    path: bytes
    code: str


class Listing(Value, kw_only=True):
    """Every path of a tree that is not a folder, in tree order, and what is odd about names and modes."""

    files: dict[bytes, Entry]
    odd: tuple[Odd, ...]


class _Measure(NamedTuple):
    paths: int
    height: int
    longest: int


class Trees:
    """Trees by id: each is read, checked and judged once, however often it is named."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._limits = objects.limits
        self._row = re.compile(rb"([0-7]{5,6}) ([^\0/]+)\0(.{%d})" % objects.raw_bytes, re.DOTALL)
        self._entries: dict[str, dict[bytes, Entry]] = {}
        self._odd: dict[str, list[tuple[bytes, str]]] = {}
        self._below: dict[str, list[tuple[bytes, str]]] = {}  # the folders of each tree
        self._measures: dict[str, _Measure] = {}
        self._closed: set[str] = set()  # roots that are read as a whole and within the limits

    def entries(self, id: str) -> dict[bytes, Entry]:
        """The entries of one tree by name, in tree order."""
        self.load({id})
        return self._entries[id]

    def load(self, ids: set[str]) -> None:
        """Read these trees, nothing below them. Raises RepositoryRefused: wrong_type, tree_malformed, too_large."""
        for id, kind, data in self._objects.metadata(sorted(ids - self._entries.keys())):
            if kind != "tree":
                self._objects.fail("wrong_type", f"{id} is a {kind}, expected a tree")
            self._read(id, data)

    def close_over(self, root: str) -> None:
        """Read everything below `root`, and hold it against the limits: entries, depth, length of paths.

        Raises RepositoryRefused (too_large, too_deep).
        """
        if root in self._closed:
            return
        level, seen, steps = {root}, {root}, 0
        while level:
            steps += 1
            if steps > self._limits.depth + 1:
                raise _too_deep(self._limits.depth)
            self.load(level)
            # What is read already counts too: a difference reads trees without what is below them.
            below = {folder for id in level for _, folder in self._below[id]}
            level = below - seen
            seen |= level
        measure = self._measure(root, 0)
        if measure.height > self._limits.depth:
            raise _too_deep(self._limits.depth)
        if measure.paths > self._limits.entries:
            fact = f"tree {root} has {measure.paths} paths, limit is {self._limits.entries}"
            raise RepositoryRefused(fact, kind="too_large")
        if measure.longest > self._limits.path_bytes:
            fact = f"tree {root} has a path of {measure.longest} bytes, limit is {self._limits.path_bytes}"
            raise RepositoryRefused(fact, kind="too_large")
        self._closed.add(root)

    def listing(self, root: str) -> Listing:
        """Every file, link and submodule below `root`. Raises as `close_over`."""
        self.close_over(root)
        files: dict[bytes, Entry] = {}
        odd: list[Odd] = []
        waiting = [(b"", root)]
        while waiting:
            prefix, id = waiting.pop()
            odd += [Odd(prefix + name, code) for name, code in self._odd.get(id, ())[:_NAMES_SHOWN]]
            files |= {prefix + name: entry for name, entry in self._entries[id].items() if entry.mode != FOLDER}
            waiting += [(prefix + name + b"/", folder) for name, folder in self._below[id]]
        return Listing(files=files, odd=tuple(sorted(odd)))

    def below(self, root: str) -> set[str]:
        """The ids of `root` and of every tree below it."""
        self.close_over(root)
        found, waiting = set(), [root]
        while waiting:
            id = waiting.pop()
            if id not in found:
                found.add(id)
                waiting += [folder for _, folder in self._below[id]]
        return found

    def _measure(self, id: str, depth: int) -> _Measure:
        """Paths, height and longest path below a tree that is read as a whole."""
        if (known := self._measures.get(id)) is not None:
            return known
        if depth > self._limits.depth:
            raise _too_deep(self._limits.depth)
        entries = self._entries[id]
        paths, height, longest = len(entries), 0, max(map(len, entries), default=-1) + 1
        for name, folder in self._below[id]:
            below = self._measure(folder, depth + 1)
            paths += below.paths
            height = max(height, below.height + 1)
            longest = max(longest, len(name) + 1 + below.longest)
        measure = _Measure(paths, height, longest)
        self._measures[id] = measure
        return measure

    def _read(self, id: str, data: bytes) -> None:
        rows = self._row.findall(data)
        if len(rows) > self._limits.entries:
            fact = f"tree {id} has {len(rows)} entries, limit is {self._limits.entries}"
            self._objects.fail("too_large", fact)
        modes = [mode for mode, _, _ in rows]
        names = [name for _, name, _ in rows]
        whole = sum(map(len, modes)) + sum(map(len, names)) + len(rows) * (2 + self._objects.raw_bytes)
        if whole != len(data) or not {b".", b".."}.isdisjoint(names):
            self._objects.fail("tree_malformed", f"tree {id} has a bad mode, or an empty, dot or slash name")
        odd: list[tuple[bytes, str]] = []
        if not unremarkable(names):
            odd += [(name, code) for name in names for code in hazards(name)]
            odd += [(name, "collides") for name in collisions(names)]
        words = dict(_WORDS)
        for mode in set(modes) - words.keys():
            word = _old_mode(mode)
            if word is None:
                self._objects.fail("tree_malformed", f"tree {id} has an entry of mode {mode.decode()}")
            words[mode] = word
        if len(words) > len(_WORDS):
            odd += [(name, f"mode_{mode.decode()}") for mode, name, _ in rows if mode not in _WORDS]
        entries = {name: Entry(words[mode], raw.hex()) for mode, name, raw in rows}
        below = [(name, entry.id) for name, entry in entries.items() if entry.mode == FOLDER]
        keys = [name + b"/" if words[mode] == FOLDER else name for mode, name, _ in rows] if below else names
        if len(entries) != len(rows) or keys != sorted(keys):
            self._objects.fail("tree_malformed", f"tree {id} has names doubled or out of order")
        self._entries[id] = entries
        self._below[id] = below
        if odd:
            self._odd[id] = odd


def _old_mode(mode: bytes) -> str | None:
    """Old tools wrote 100664 and 040000: read as git does, by the owner's bit."""
    value = int(mode, 8)
    if value == 0o40000:
        return FOLDER
    if value >> 12 == 0o10:
        return EXECUTABLE if value & 0o100 else FILE
    return None


def _too_deep(limit: int) -> RepositoryRefused:
    return RepositoryRefused(f"a tree has files more than {limit} folders deep", kind="too_deep")
