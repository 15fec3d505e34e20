"""One examined repository behind one door: revisions to commits, trees, differences, merges, files to disk."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.changes import Change, differences
from in_toto_done_receipt.observe.git.history import History
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.merge import merge_trees
from in_toto_done_receipt.observe.git.objects import Objects
from in_toto_done_receipt.observe.git.places import find_places, find_stores
from in_toto_done_receipt.observe.git.process import Git, find_git
from in_toto_done_receipt.observe.git.refs import Refs, Revision
from in_toto_done_receipt.observe.git.trees import Entry, Listing, Trees
from in_toto_done_receipt.observe.git.write import Written, write_tree
from in_toto_done_receipt.observe.sandbox.scratch import scratch
from in_toto_done_receipt.wire.escape import escape

_ALGORITHMS: Final = {40: "sha1", 64: "sha256"}


class Repository:
    """Made by `open_repository`. Every method raises RepositoryRefused; ids are full and lower case.

    `stores` are the folders that objects were taken from, `confined` says whether git ran inside bubblewrap.
    """

    def __init__(
        self,
        path: Path,
        folder: Path,
        stack: ExitStack,
        *,
        object_dirs: tuple[Path, ...],
        inside_only: bool,
        limits: GitLimits,
        git: Git | None,
    ) -> None:
        self.path = path
        self.limits = limits
        self._folder = folder
        self._stack = stack
        self._places = find_places(path)
        self.stores = find_stores(self._places, object_dirs, limits, inside_only=inside_only)
        self.refs = Refs(self._places, limits)
        self._git = git or find_git()
        self.confined = self._git.bubblewrap is not None
        self._algorithm: str | None = None
        self._folders = 0

    def commit_id(self, name: str) -> tuple[str, Revision]:
        """The commit that a revision means, tags peeled, and how its name was read."""
        revision = self.refs.resolve(name)
        self._use(revision.id)
        return self._history.peel(revision.id), revision

    def tip_of(self, ref: str) -> str | None:
        """The commit that the ref with this full name holds now, tags peeled; None if there is no such ref."""
        target = self.refs.target(ref)
        return None if target is None else self._history.peel(target)

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        self._use(commit)
        return self._history.commit(commit).tree

    def merge_bases(self, ours: str, theirs: str) -> tuple[str, ...]:
        """The best common ancestors of two commits."""
        self._use(ours)
        self._use(theirs)
        return self._history.merge_bases(ours, theirs)

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether a commit is reached from another, or is it."""
        return self.merge_bases(old, new) == (old,)

    def listing(self, tree: str) -> Listing:
        """All files of a tree and what is odd about their names."""
        self._use(tree)
        return self._trees.listing(tree)

    def differences(self, base: str, head: str) -> tuple[Change, ...]:
        """What differs between two trees."""
        self._use(base)
        return differences(self._trees, base, head, self.limits)

    def merged_tree(self, ours: str, theirs: str) -> str:
        """The tree that merging two commits gives, `theirs` onto `ours`; its objects can be read from then on."""
        bases = self.merge_bases(ours, theirs)
        if len(bases) != 1:
            fact = "have no common ancestor" if not bases else f"have {len(bases)} merge bases"
            raise RepositoryRefused(f"{ours} and {theirs} {fact}", kind="merge", hint="merge or rebase the change")
        base, one, other = (self._history.commit(id).tree for id in (bases[0], ours, theirs))
        tree, store = merge_trees(
            self._git,
            self._objects,
            self._trees,
            base=base,
            ours=one,
            theirs=other,
            scratch=self._new_folder("merge"),
        )
        self._start((*self.stores, store))
        return tree

    def write(
        self,
        files: Mapping[bytes, Entry],
        folder: Path,
        *,
        literal: Mapping[bytes, bytes] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Written:
        """Writes these files, and `literal` ones of the caller's, into a folder that is new or empty."""
        return write_tree(self._objects, files, folder, literal=literal, progress=progress)

    @contextmanager
    def spool(self) -> Iterator[int]:
        """The descriptor of a file of ours, gone at the end."""
        with tempfile.TemporaryFile(dir=self._folder, buffering=0) as file:
            yield file.fileno()

    @property
    def objects(self) -> Objects:
        """The object reader, once a revision was read."""
        return self._objects

    def _use(self, id: str) -> None:
        """Starts the reader when the first id tells the hash algorithm: the configuration is never asked."""
        algorithm = _ALGORITHMS[len(id)]
        if self._algorithm is None:
            self._algorithm = algorithm
            self._start(self.stores)
        elif algorithm != self._algorithm:
            raise RepositoryRefused(f"{id} is an id of {algorithm}, others are of {self._algorithm}", kind="revision")

    def _new_folder(self, name: str) -> Path:
        self._folders += 1
        folder = self._folder / f"{name}{self._folders}"
        folder.mkdir(mode=0o700)
        return folder

    def _start(self, stores: tuple[Path, ...]) -> None:
        folder = self._new_folder("reader")
        self._objects = self._stack.enter_context(
            Objects(
                self._git,
                stores,
                algorithm=self._algorithm or "sha1",
                scratch=folder,
                limits=self.limits,
                shallow=self._places.shallow,
            )
        )
        self._history = History(self._objects)
        self._trees = Trees(self._objects)


@contextmanager
def open_repository(
    path: Path,
    *,
    object_dirs: tuple[Path, ...] = (),
    inside_only: bool = False,
    limits: GitLimits | None = None,
    git: Git | None = None,
) -> Iterator[Repository]:
    """A repository to examine. `object_dirs`: stores beside its own, such as a hook's quarantine.

    `inside_only` refuses objects borrowed from outside of it. Raises RepositoryRefused, and OutputError without a
    scratch folder. At the end no process and no scratch is left.
    """
    if not path.is_dir():
        raise RepositoryRefused(f"{escape(str(path))} is no folder", kind="repository")
    with scratch() as folder, ExitStack() as stack:
        yield Repository(
            path,
            folder,
            stack,
            object_dirs=object_dirs,
            inside_only=inside_only,
            limits=limits or GitLimits(),
            git=git,
        )
