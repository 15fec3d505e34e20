"""The trees of the runs, put together in memory: nothing is written before all of it is known.

Base as it was; head as it is; head's product with base's tests and harness; base's product with head's. Compiled Python
is in none of them: a `.pyc` of the change can stand in for a test file that was put back.
"""

from collections.abc import Callable, Collection, Mapping
from copy import copy
from typing import TYPE_CHECKING

from in_toto_done_receipt.observe.git.compose import folders_of, put_back
from in_toto_done_receipt.observe.git.trees import LINK, SUBMODULE, Entry
from in_toto_done_receipt.profile.settings import Exemption
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.recompute.harness import harness_keys, harness_of
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.value import Value

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.git.change import GitChange

Files = Mapping[bytes, Entry]

_IN_PLACE = (LINK, SUBMODULE)
_LOCKED = {b"Cargo.lock": b"Cargo.toml", b"go.sum": b"go.mod", b"go.work.sum": b"go.work"}


class Tree(Value, kw_only=True):
    """Files by their objects, and contents of the verifier's own, which win. A path is in one or in both."""

    files: Files
    literal: Mapping[bytes, bytes]


class Trees:
    """The trees of one change."""

    def __init__(self, context: RecomputeContext, change: "GitChange") -> None:
        """`agreed` are test files of base that an exception of the profile leaves to head."""
        assert change.base_listing is not None  # noqa: S101 - nothing is run without a base
        self._base = _without_compiled(change.base_listing.files)
        self._head = _without_compiled(change.listing.files)
        self._harness = harness_of(change, context.settings)
        self._kept = _kept(context, change)
        self._tests: frozenset[bytes] = frozenset()
        self._left = frozenset(excepted.term for excepted in _exceptions(context))
        self.agreed = frozenset(path for path in map(_text, self._base) if path in self._left and self._covers(path))

    def holding(self, tests: Collection[str]) -> "Trees":
        """The same trees, where these files of base or head are known to hold tests, whatever their names are."""
        other = copy(self)
        other._tests = frozenset(path.encode("utf-8", "surrogateescape") for path in tests)
        own = frozenset(map(_text, self._base)).intersection(tests)
        other.agreed = self.agreed | frozenset(path for path in own if path in self._left)
        return other

    def base(self) -> Tree:
        """Base as it was."""
        return Tree(files=self._base, literal={})

    def head(self) -> Tree:
        """Head as it is."""
        return Tree(files=self._head, literal={})

    def restored(self) -> Tree:
        """Head's product with base's tests and harness files, and without those that only head has."""
        return Tree(files=put_back(self._head, self._base, self._taken(self._head, self._base)).files, literal={})

    def control(self) -> Tree:
        """Base's product with head's tests and harness files."""
        return Tree(files=put_back(self._base, self._head, self._taken(self._base, self._head)).files, literal={})

    def _taken(self, kept: Files, back: Files) -> Callable[[bytes], bool]:
        """Whether a path is as in `back` when everything else is as in `kept`."""
        steering = {path for files in (kept, back) for path, entry in files.items() if self._steers(path, entry)}
        shadowing = {path for path in kept.keys() - back.keys() if self._harness.shadows(_text(path)) is not None}
        agreed = {path.encode("utf-8", "surrogateescape") for path in self.agreed}
        taken = (steering - self._kept - agreed) | shadowing
        return taken.__contains__

    def _steers(self, path: bytes, entry: Entry) -> bool:
        text = _text(path)
        if entry.mode in _IN_PLACE:
            covers = self._harness.is_test(text) or self._harness.is_test(f"{text}/-")
            return covers or self._harness.why_in_place_of_a_folder(text) is not None or path in self._tests
        return self._covers(text)

    def _covers(self, path: str) -> bool:
        return self._harness.covers(path) or path.encode("utf-8", "surrogateescape") in self._tests

    @property
    def moved(self) -> frozenset[str]:
        """The test and harness files of base that head has otherwise, or not at all."""
        return frozenset(
            _text(path)
            for path, entry in self._base.items()
            if self._head.get(path) != entry and self._steers(path, entry)
        )


def _kept(context: RecomputeContext, change: "GitChange") -> frozenset[bytes]:
    """Files that are product and harness at once, and stay as they are: their harness part is the same in both.

    A lock goes with its manifests: head's does not fit base's manifest, and nothing would be built.
    """
    same = {one.path for one in change.changes if harness_keys(context, one) == ()}
    back = {_name(one.path) for one in change.changes if one.path not in same}
    return frozenset(path for path in same if _LOCKED.get(_name(path)) not in back)


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def _exceptions(context: RecomputeContext) -> list[Exemption]:
    """Those that still hold and are about tests of base. Whether one waives something is the policy's business."""
    return [
        one
        for one in context.settings.exceptions
        if one.code == "tests.inventory" and parse_time(one.expires) > context.evaluated_at
    ]


def laid_over(tree: Tree, files: Mapping[str, bytes]) -> Tree:
    """The tree with these files; what stands in their way goes."""
    own = {path.encode("utf-8", "surrogateescape"): data for path, data in files.items()}
    above = {parent for path in own for parent in folders_of(path)}

    def in_the_way(path: bytes) -> bool:
        return path in above or any(parent in own for parent in folders_of(path))

    def replaced(path: bytes, entry: Entry) -> bool:
        return path in own and entry.mode in _IN_PLACE

    return Tree(
        files={p: entry for p, entry in tree.files.items() if not in_the_way(p) and not replaced(p, entry)},
        literal={p: data for p, data in tree.literal.items() if not in_the_way(p)} | own,
    )


def _without_compiled(files: Files) -> dict[bytes, Entry]:
    return {
        path: entry
        for path, entry in files.items()
        if not path.endswith(b".pyc") and b"__pycache__" not in path.split(b"/")
    }


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
