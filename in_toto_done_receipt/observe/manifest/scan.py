"""The scan: two complete walks through a directory that both read every byte and have to see the same.

There is no snapshot of a file system. But when every file read in the first walk was the same when the second one read
it, there was a moment between the two at which all of them were as the manifest says, unless somebody put things back.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.observe.manifest.model import Manifest, ManifestLimits, make_manifest, path_fault
from in_toto_done_receipt.observe.manifest.rows import Again, First
from in_toto_done_receipt.observe.manifest.walk import Rules, Walk
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.wire.escape import escape

DEFAULT_EXCLUDES: Final = frozenset({"receipt.json", "OUTPUT_MANIFEST.json"})
_DEFAULT_LIMITS: Final = ManifestLimits()

Progress = Callable[[int, int], None]
"""Called with the files and the bytes read so far; both walks count, so both numbers end at twice the manifest's."""


def scan(
    root: Path | DirectoryWorkspace,
    *,
    exclude: frozenset[str] = frozenset(),
    exclude_defaults: bool = True,
    allow_git: bool = False,
    limits: ManifestLimits = _DEFAULT_LIMITS,
    progress: Progress | None = None,
) -> Manifest:
    """The manifest of a directory, with notes on what a manifest does not say.

    Left out are regular files at the paths of `exclude` and, unless told otherwise, at DEFAULT_EXCLUDES. Raises
    ProducerError naming the path for a symbolic link, a hard link, a special file, a name the format cannot hold, an
    unreadable or over-limit file, and for a root that holds `.git` unless `allow_git`; WorkMoved when the walks differ.
    A symbolic link given as the root is resolved once, a workspace is scanned as it was opened. Does not say who wrote
    the files or whether they are any good.
    """
    excluded = exclude | DEFAULT_EXCLUDES if exclude_defaults else exclude
    for path in sorted(excluded):
        fault = path_fault(path)
        if fault:
            raise ProducerError(f"{escape(path)} cannot be excluded: {fault}")
    fd = root.open_root() if isinstance(root, DirectoryWorkspace) else _open_root(root)
    try:
        if not allow_git:
            _refuse_git(fd, root if isinstance(root, Path) else root.root)
        rules = Rules(excluded=excluded, limits=limits)
        first = First()
        count = Walk(rules, first, progress).run(fd)
        again = Again(first)
        Walk(rules, again, progress, before=count).run(fd)
        again.finish()
    finally:
        os.close(fd)
    manifest = make_manifest(first.files(), first.notes())
    if manifest.size > limits.manifest_bytes:
        raise ProducerError(f"limit manifest-bytes is {limits.manifest_bytes}, the manifest has {manifest.size} bytes")
    return manifest


def _open_root(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except NotADirectoryError:
        raise ProducerError(f"{escape(str(root))} is not a directory") from None
    except FileNotFoundError:
        raise ProducerError(f"{escape(str(root))} does not exist") from None
    except (OSError, ValueError) as fault:
        words = os.strerror(fault.errno).lower() if isinstance(fault, OSError) and fault.errno else str(fault)
        raise ProducerError(f"{escape(str(root))} cannot be opened: {words}") from None


def _refuse_git(fd: int, root: Path) -> None:
    try:
        os.stat(".git", dir_fd=fd, follow_symlinks=False)
    except OSError:
        return
    raise ProducerError(
        f"{escape(str(root))} holds .git, which every git command changes",
        hint="--repo with --head reads a commit's tree instead",
    )
