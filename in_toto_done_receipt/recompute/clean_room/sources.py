"""The files of a tree that is not written yet, as a runner looks for tests in it."""

import threading
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from in_toto_done_receipt.errors import ObservationError, RepositoryRefused
from in_toto_done_receipt.observe.git.objects import SMALL
from in_toto_done_receipt.observe.git.repository import Repository
from in_toto_done_receipt.observe.git.trees import EXECUTABLE, FILE
from in_toto_done_receipt.recompute.clean_room.trees import Tree
from in_toto_done_receipt.wire.escape import escape

READ_BYTES: Final = 16 << 20  # of one file that is looked into


class TreeSources:
    """See `observe.runners.model.Sources`. One at a time reads from the repository."""

    def __init__(self, repository: Repository, tree: Tree, lock: threading.Lock) -> None:
        self._repository = repository
        self._tree = tree
        self._lock = lock

    def paths(self) -> Iterable[str]:
        """All regular files, sorted."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The content. Raises ObservationError for one that is missing or too large."""
        raw = path.encode("utf-8", "surrogateescape")
        if (own := self._tree.literal.get(raw)) is not None:
            return own
        entry = self._tree.files.get(raw)
        if entry is None or entry.mode not in (FILE, EXECUTABLE):
            raise ObservationError(f"{escape(path)} is no file of the tree", kind="missing")
        with self._lock:
            return self._blob(path, entry.id)

    def _blob(self, path: str, id: str) -> bytes:
        objects = self._repository.objects
        try:
            sizes = objects.sizes([id])
            if sizes[id] > READ_BYTES:
                fact = f"{escape(path)} has {sizes[id]} bytes, at most {READ_BYTES} are looked into"
                raise ObservationError(fact, kind="too_large")
            if sizes[id] > SMALL:
                return objects.large_blob(id)
            ((_, data),) = objects.blobs([id], sizes)
        except RepositoryRefused as fault:
            raise ObservationError(f"{escape(path)}: {fault.message}", kind="other", hint=fault.hint) from None
        return data

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        plain = {path for path, entry in self._tree.files.items() if entry.mode in (FILE, EXECUTABLE)}
        return tuple(sorted(path.decode("utf-8", "surrogateescape") for path in plain | self._tree.literal.keys()))
