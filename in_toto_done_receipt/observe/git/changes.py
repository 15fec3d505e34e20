"""What differs between two trees; subtrees that are equal are never read."""

from typing import Final, Literal, NamedTuple

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.trees import EXECUTABLE, FILE, FOLDER, SUBMODULE, Entry, Trees

# The empty blob, in both hash algorithms.
_EMPTY: Final = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)

ChangeKind = Literal["added", "deleted", "modified", "type"]


class Change(NamedTuple):
    """One path that differs. `modified` also stands for another mode of a file; `type` for another kind of entry."""

    kind: ChangeKind
    path: bytes
    old: Entry | None
    new: Entry | None

    @property
    def mode_changed(self) -> bool:
        """Whether a file became executable, or is so no longer."""
        return self.old is not None and self.new is not None and self.old.mode != self.new.mode

    def touches(self, mode: str) -> bool:
        """Whether either side is of this mode (LINK, SUBMODULE)."""
        return any(side is not None and side.mode == mode for side in (self.old, self.new))


def differences(trees: Trees, base: str, head: str, limits: GitLimits) -> tuple[Change, ...]:
    """Every path that differs, by path. Raises RepositoryRefused (too_large, too_deep).

    The entries of a level are added up before the next level is made.
    """
    found: list[Change] = []
    level: list[tuple[bytes, str | None, str | None]] = [(b"", base, head)] if base != head else []
    compared = depth = 0
    while level:
        ids = {id for _, *sides in level for id in sides if id is not None}
        trees.load(ids)
        compared += sum(len(trees.entries(id)) for _, *sides in level for id in sides if id is not None)
        if compared > limits.entries:
            fact = f"the change compares more than {limits.entries} entries"
            raise RepositoryRefused(fact, kind="too_large")
        if depth > limits.depth:
            raise RepositoryRefused(f"the change is more than {limits.depth} folders deep", kind="too_deep")
        depth += 1
        level = [below for place in level for below in _compare(trees, place, found)]
    return tuple(sorted(found, key=lambda change: change.path))


def _compare(
    trees: Trees, place: tuple[bytes, str | None, str | None], found: list[Change]
) -> list[tuple[bytes, str | None, str | None]]:
    """Adds what differs in one folder, and returns the folders in it that differ."""
    prefix, base, head = place
    old = trees.entries(base) if base is not None else {}
    new = trees.entries(head) if head is not None else {}
    folders = []
    for name in old.keys() | new.keys():
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        below = _folder_id(was), _folder_id(now)
        if below != (None, None):
            folders.append((prefix + name + b"/", *below))
        was = None if below[0] is not None else was
        now = None if below[1] is not None else now
        if was is not None or now is not None:
            found.append(Change(_kind(was, now), prefix + name, was, now))
    return folders


def _folder_id(entry: Entry | None) -> str | None:
    return entry.id if entry is not None and entry.mode == FOLDER else None


def _kind(old: Entry | None, new: Entry | None) -> ChangeKind:
    if old is None:
        return "added"
    if new is None:
        return "deleted"
    files = {FILE, EXECUTABLE}
    same = old.mode == new.mode or {old.mode, new.mode} <= files
    return "modified" if same else "type"


def renames(changes: tuple[Change, ...]) -> dict[bytes, bytes]:
    """New path -> old path, for files of exactly the same content and mode; each deleted path is used once, in order.

    Empty files and submodules are not paired: they are equal without being the same.
    """
    gone: dict[Entry, list[bytes]] = {}
    for change in reversed(changes):
        if change.kind == "deleted" and change.old is not None and change.old.mode != SUBMODULE:
            gone.setdefault(change.old, []).append(change.path)
    pairs = {}
    for change in changes:
        if change.kind == "added" and change.new is not None and change.new.id not in _EMPTY and gone.get(change.new):
            pairs[change.path] = gone[change.new].pop()
    return pairs
