"""Commits, ancestors and merge bases, from verified commits; dates only order the work, since they can be forged."""

import heapq
import re
from collections import defaultdict
from typing import Final, NamedTuple

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.objects import Objects

_TAG: Final = re.compile(rb"object ([0-9a-f]{40}(?:[0-9a-f]{24})?)\ntype (commit|tag)\n")
_DATE: Final = re.compile(rb"\ncommitter [^\n]* (\d{1,18}) ")
_HOPS: Final = 8  # tags of tags

_OURS, _THEIRS, _BELOW = 1, 2, 4


class Commit(NamedTuple):
    """What of a commit counts. `date` is what it says, in seconds; 0 without one."""

    tree: str
    parents: tuple[str, ...]
    date: int


class History:
    """Commits by id, each read once. Raises RepositoryRefused: wrong_type, too_large, and as `Objects`."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        hex_bytes = 2 * objects.raw_bytes
        self._commit = re.compile(
            rb"tree ([0-9a-f]{%d})\n((?:parent [0-9a-f]{%d}\n)*)author " % (hex_bytes, hex_bytes),
        )
        self._commits: dict[str, Commit] = {}

    def commit(self, id: str) -> Commit:
        """One commit."""
        self._load((id,))
        return self._commits[id]

    def peel(self, id: str) -> str:
        """The commit that an id means: itself, or what an annotated tag (of a tag, …) names."""
        for _ in range(_HOPS):
            ((_, kind, data),) = self._objects.metadata((id,))
            tag = _TAG.match(data) if kind == "tag" else None
            if tag is None:
                break
            id = tag[1].decode()
        self._load((id,))
        return id

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `old` is reached from `new`; a commit is its own ancestor."""
        return self.merge_bases(old, new) == (old,)

    def merge_bases(self, ours: str, theirs: str) -> tuple[str, ...]:
        """The best common ancestors, sorted: none of them is reached from another. Exact, whatever the dates say."""
        self._load((ours, theirs))
        flags: dict[str, int] = defaultdict(int)
        flags[ours] |= _OURS
        flags[theirs] |= _THEIRS
        queue: list[tuple[int, str]] = []
        live = {ours, theirs}  # queued, and not below a result
        for id in live:
            heapq.heappush(queue, (-self._commits[id].date, id))
        done: set[tuple[str, int]] = set()
        found: set[str] = set()
        while live:
            id = heapq.heappop(queue)[1]
            live.discard(id)
            if (id, flags[id]) in done:
                continue
            done.add((id, flags[id]))
            passed = flags[id]
            if passed == _OURS | _THEIRS:
                found.add(id)
                passed |= _BELOW  # its ancestors are; it is so itself only if another result reaches it
            self._pass_on(id, passed, flags, queue, live)
        best = [id for id in found if not flags[id] & _BELOW]
        if len(best) > 1:
            best = [id for id in best if not any(other != id and self._reaches(other, id) for other in best)]
        return tuple(sorted(best))

    def _pass_on(
        self, id: str, passed: int, flags: dict[str, int], queue: list[tuple[int, str]], live: set[str]
    ) -> None:
        parents = self._commits[id].parents
        self._load(parents)
        for parent in parents:
            if flags[parent] | passed != flags[parent]:
                flags[parent] |= passed
                heapq.heappush(queue, (-self._commits[parent].date, parent))
                if flags[parent] & _BELOW:
                    live.discard(parent)
                else:
                    live.add(parent)

    def _reaches(self, start: str, goal: str) -> bool:
        waiting, seen = {start}, {start}
        while waiting:
            if goal in seen:
                return True
            self._load(tuple(waiting))
            waiting = {parent for id in waiting for parent in self._commits[id].parents} - seen
            seen |= waiting
        return False

    def _load(self, ids: tuple[str, ...]) -> None:
        wanted = sorted({id for id in ids if id not in self._commits})
        for id, kind, data in self._objects.metadata(wanted):
            match = self._commit.match(data) if kind == "commit" else None
            if match is None:
                self._objects.fail("wrong_type", f"{id} is a {kind}, or a commit that is not well formed")
            parents = tuple(line.removeprefix("parent ") for line in match[2].decode().splitlines())
            date = _DATE.search(data)
            self._commits[id] = Commit(match[1].decode(), parents, int(date[1]) if date else 0)
        if len(self._commits) > self._objects.limits.commits:
            fact = f"more than {self._objects.limits.commits} commits would be read"
            raise RepositoryRefused(fact, kind="too_large")
