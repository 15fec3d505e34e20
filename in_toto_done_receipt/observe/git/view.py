"""A folder of our own over an object store: links to loose fan-out folders and to pairs of index and pack.

git would also read a store's alternates, commit-graph, multi-pack-index, bitmaps and `.promisor` files, each of which
can lie, hang or start a fetch; behind a view there are none.
"""

import os
import re
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.wire.escape import escape

_FAN_OUT: Final = re.compile(r"[0-9a-f]{2}")


def make_view(store: Path, view: Path, limits: GitLimits) -> None:
    """Makes the folder `view` over the real path `store`. Raises RepositoryRefused (store).

    Looks at types once; what a writer exchanges later can keep git waiting until its deadline, and is never believed.
    """
    try:
        (view / "pack").mkdir(parents=True)
        _link_loose(store, view, limits)
        _link_packs(store, view, limits)
    except OSError as fault:
        raise RepositoryRefused(f"{escape(str(store))}: {fault.strerror}", kind="store") from None


def _link_loose(store: Path, view: Path, limits: GitLimits) -> None:
    seen = 0
    with os.scandir(store) as folders:
        for folder in folders:
            if not _FAN_OUT.fullmatch(folder.name):
                continue
            if not folder.is_dir(follow_symlinks=False):
                raise _special(folder.path)
            with os.scandir(folder.path) as files:
                for file in files:
                    seen += 1
                    if not file.is_file(follow_symlinks=False):
                        raise _special(file.path)
                    if seen > limits.loose:
                        raise _too_many(store, f"more than {limits.loose} loose objects")
            (view / folder.name).symlink_to(folder.path)


def _link_packs(store: Path, view: Path, limits: GitLimits) -> None:
    folder = store / "pack"
    if folder.is_symlink():
        raise _special(str(folder))
    if not folder.is_dir():
        return
    with os.scandir(folder) as listed:
        names = {entry.name: entry for entry in listed}
    stems = [name[:-4] for name in names if name.endswith(".idx") and name[:-4] + ".pack" in names]
    if len(stems) > limits.packs:
        raise _too_many(store, f"{len(stems)} packs, limit is {limits.packs}")
    for stem in stems:
        for end in (".idx", ".pack"):
            entry = names[stem + end]
            if not entry.is_file(follow_symlinks=False):
                raise _special(entry.path)
            (view / "pack" / entry.name).symlink_to(entry.path)


def _too_many(store: Path, fact: str) -> RepositoryRefused:
    return RepositoryRefused(f"{escape(str(store))}: {fact}", kind="store", hint="pack it with git gc")


def _special(path: str) -> RepositoryRefused:
    return RepositoryRefused(f"{escape(path)} in an object store is not what it has to be", kind="store")
