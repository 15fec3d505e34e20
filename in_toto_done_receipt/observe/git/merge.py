"""The tree that merging would give, made by git from verified objects only.

All trees of the three sides and both sides of every changed blob are copied into the scratch repository's own store as
one pack, with three commits made up for them: git sees no history, attribute, driver or store of the examined
repository. Its `index-pack` also looks for SHA-1 collisions.
"""

import hashlib
import struct
import threading
import zlib
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.changes import differences
from in_toto_done_receipt.observe.git.objects import SMALL, Objects
from in_toto_done_receipt.observe.git.process import OLDEST_MERGE, Git, Start, make_scratch, start
from in_toto_done_receipt.observe.git.refs import FULL_ID
from in_toto_done_receipt.observe.git.trees import SUBMODULE, Trees
from in_toto_done_receipt.wire.escape import escape

_TYPES: Final = {"commit": 1, "tree": 2, "blob": 3}
_WHO: Final = b"x <x> 0 +0000"


def merge_trees(
    git: Git, objects: Objects, trees: Trees, *, base: str, ours: str, theirs: str, scratch: Path
) -> tuple[str, Path]:
    """(id of the merged tree, store that holds its new objects). `scratch` is an empty folder of ours.

    Raises RepositoryRefused: merge for a conflict (with its paths) or a git that is too old, too_large.
    """
    if git.version < OLDEST_MERGE:
        wanted = ".".join(map(str, OLDEST_MERGE))
        raise RepositoryRefused(f"merging needs git {wanted}", kind="merge", hint="install a newer git")
    pack = _Pack(objects.algorithm)
    all_trees: set[str] = set().union(*map(trees.below, (base, ours, theirs)))
    for _, kind, data in objects.metadata(sorted(all_trees)):
        pack.add(kind, data)
    for data in _changed_blobs(objects, trees, base, ours, theirs):
        pack.add("blob", data)
    root = pack.commit(base, ())
    sides = [pack.commit(side, (root,)) for side in (ours, theirs)]
    make_scratch(scratch, objects.algorithm)
    how = Start(git=git, scratch=scratch, written=objects.limits.blob_bytes + (1 << 20), limits=objects.limits)
    code, _ = _run(["index-pack", "--stdin"], how, pack.bytes())
    if code != 0:
        raise RepositoryRefused(f"git index-pack ended with {code}", kind="merge")
    arguments = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]
    code, answer = _run([*arguments, *sides], how, b"")
    tree, *paths = answer.split(b"\0")
    if code not in (0, 1) or not FULL_ID.fullmatch(tree):
        raise RepositoryRefused(f"git merge-tree ended with {code}", kind="merge")
    if conflicts := sorted({path for path in paths if path}):
        named = ", ".join(escape(path) for path in conflicts[:5])
        more = f" and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
        raise RepositoryRefused(
            f"the merge conflicts in {named}{more}", kind="merge", hint="merge or rebase the change, then verify that"
        )
    return tree.decode(), scratch / "objects"


def _changed_blobs(objects: Objects, trees: Trees, base: str, ours: str, theirs: str) -> list[bytes]:
    """Both sides of what either side changed. git holds the same bytes in memory, hence one limit for all of them."""
    ids = {
        entry.id
        for side in (ours, theirs)
        for change in differences(trees, base, side, objects.limits)
        for entry in (change.old, change.new)
        if entry is not None and entry.mode != SUBMODULE
    }
    sizes = objects.sizes(sorted(ids))
    if (total := sum(sizes.values())) > objects.limits.blob_bytes:
        fact = f"the merge would read {total} bytes, limit is {objects.limits.blob_bytes}"
        raise RepositoryRefused(fact, kind="too_large")
    small = [id for id in sorted(ids) if sizes[id] <= SMALL]
    large = [id for id in sorted(ids) if sizes[id] > SMALL]
    found = [data for _, data in objects.blobs(small, sizes)]
    return found + [objects.large_blob(id) for id in large]


class _Pack:
    """A pack without deltas (gitformat-pack(5))."""

    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._parts: list[bytes] = []

    def add(self, kind: str, data: bytes) -> str:
        """Adds one object and returns its id."""
        size = len(data)
        head = [_TYPES[kind] << 4 | size & 15]
        size >>= 4
        while size:
            head[-1] |= 128
            head.append(size & 127)
            size >>= 7
        self._parts.append(bytes(head) + zlib.compress(data, 1))
        return hashlib.new(self._algorithm, b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()

    def commit(self, tree: str, parents: tuple[str, ...]) -> str:
        """Adds a made-up commit of a tree."""
        lines = [f"tree {tree}".encode(), *(f"parent {parent}".encode() for parent in parents)]
        return self.add("commit", b"\n".join([*lines, b"author " + _WHO, b"committer " + _WHO, b"", b""]))

    def bytes(self) -> bytes:
        """The whole pack with its trailing digest."""
        stream = b"PACK" + struct.pack(">II", 2, len(self._parts)) + b"".join(self._parts)
        return stream + hashlib.new(self._algorithm, stream).digest()


def _run(arguments: list[str], how: Start, data: bytes) -> tuple[int, bytes]:
    """(exit code, output) of a git that sees nothing but its scratch repository."""
    with (how.scratch / "stderr").open("wb") as errors:
        process = start(arguments, how, errors.fileno())
        timer = threading.Timer(how.limits.seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            output, _ = process.communicate(data)
        finally:
            timer.cancel()
            process.kill()
            process.wait()
    return process.returncode, output
