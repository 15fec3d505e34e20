"""The canonical manifest of a tree of git objects: the bytes that a scan of its checkout would give, without one."""

import hashlib
from array import array
from collections import defaultdict

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.observe.git.objects import Sink
from in_toto_done_receipt.observe.git.repository import Repository
from in_toto_done_receipt.observe.git.trees import EXECUTABLE, LINK, SUBMODULE, Listing
from in_toto_done_receipt.observe.git.write import STEP, Progress
from in_toto_done_receipt.observe.manifest.model import (
    Manifest,
    ManifestFiles,
    ManifestLimits,
    ScanNotes,
    make_manifest,
    name_text,
    path_fault,
)
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import twin_key


def tree_manifest(
    repository: Repository,
    listing: Listing,
    *,
    exclude: frozenset[str],
    limits: ManifestLimits,
    progress: Progress | None = None,
) -> Manifest:
    """The manifest of the files of a listing, less those at the paths of `exclude`.

    Raises ProducerError naming the path for a link, a submodule, a name that the format cannot hold, and over the
    limits; RepositoryRefused for an object that cannot be believed.
    """
    paths, ids, noted = _rows(listing, exclude)
    if len(paths) > limits.entries:
        raise ProducerError(f"limit manifest-entries is {limits.entries}, got {len(paths)}")
    objects = repository.objects
    sizes = objects.sizes(dict.fromkeys(ids))
    _refuse_sizes(paths, ids, sizes, limits)
    unique = list(dict.fromkeys(ids))
    digests = [hashlib.sha256() for _ in unique]

    done = 0

    def take(index: int, data: bytes | None) -> Sink | None:
        nonlocal done
        done += sizes[unique[index]]
        if progress is not None and index % STEP == 0:
            progress(index, done)
        if data is None:
            return digests[index].update
        digests[index].update(data)
        return None

    objects.each_blob(unique, sizes, take)
    found = {id: state.digest() for id, state in zip(unique, digests, strict=True)}
    files = ManifestFiles(paths, array("q", (sizes[id] for id in ids)), b"".join(found[id] for id in ids))
    manifest = make_manifest(files, noted)
    if manifest.size > limits.manifest_bytes:
        raise ProducerError(f"limit manifest-bytes is {limits.manifest_bytes}, the manifest has {manifest.size} bytes")
    return manifest


def _rows(listing: Listing, exclude: frozenset[str]) -> tuple[list[str], list[str], ScanNotes]:
    """Paths as a manifest spells them, in its order, the ids of their blobs, and what the manifest does not say."""
    rows, excluded, executables = [], [], []
    for raw, entry in listing.files.items():
        path = name_text(raw)
        if entry.mode in (LINK, SUBMODULE):
            what = "a symbolic link" if entry.mode == LINK else "a submodule"
            raise ProducerError(f"{escape(path)} is {what}, which a manifest cannot hold")
        if fault := path_fault(path):
            raise ProducerError(f"{escape(path)} cannot stand in a manifest: {fault}")
        if path in exclude:
            excluded.append(path)
            continue
        if entry.mode == EXECUTABLE:
            executables.append(path)
        rows.append((path, entry.id))
    rows.sort()
    notes = ScanNotes(
        excluded=tuple(sorted(excluded)),
        executables=tuple(sorted(executables)),
        twins=_twins([path for path, _ in rows]),
    )
    return [path for path, _ in rows], [id for _, id in rows], notes


def _twins(paths: list[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of paths, of files or folders, that differ only by case or Unicode normalisation in one folder."""
    groups: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for path in paths:
        parts = path.split("/")
        for at, name in enumerate(parts):
            folder = "/".join(parts[:at])
            groups[folder, name.lower() if name.isascii() else twin_key(name)]["/".join(parts[: at + 1])] = None
    return tuple((first, other) for (first, *others) in map(list, groups.values()) for other in others)


def _refuse_sizes(paths: list[str], ids: list[str], sizes: dict[str, int], limits: ManifestLimits) -> None:
    total = 0
    for path, id in zip(paths, ids, strict=True):
        total += sizes[id]
        if sizes[id] > limits.file_bytes:
            raise ProducerError(f"{escape(path)}: limit manifest-file-bytes is {limits.file_bytes}, got {sizes[id]}")
        if total > limits.total_bytes:
            raise ProducerError(f"{escape(path)}: limit manifest-total-bytes is {limits.total_bytes}, got {total}")
