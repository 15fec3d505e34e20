"""The canonical manifest beside a receipt: what it is called there, and that it is the directory's."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import UsageError, WorkMoved
from in_toto_done_receipt.observe.manifest.diff import ManifestDiff, diff
from in_toto_done_receipt.observe.manifest.model import Manifest
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.observe.manifest.scan import DEFAULT_EXCLUDES, scan
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

MAX_NAMED: Final = 100  # differing paths in one message; `manifest verify` lists all


class ManifestGiven(Value, kw_only=True):
    """A manifest that the receipt is to name. `exclude`: its own path, when it lies inside the root."""

    name: str
    manifest: Manifest
    exclude: frozenset[str]

    @property
    def digest(self) -> str:
        """Hex sha256 of its canonical bytes."""
        return self.manifest.digest


def manifest_given(data: bytes, *, path: Path, root: Path, out: Path | None) -> ManifestGiven:
    """The manifest in a file at `path`, under the name that it has below the root, else its file name.

    Raises MalformedInput; UsageError when the receipt at `out` would lie among the files that the manifest lists: then
    it would be there when a verifier scans, and is not there now.
    """
    inside = path_inside(path, root)
    exclude = frozenset({inside} if inside is not None else ())
    receipt = path_inside(out, root) if out is not None else None
    if receipt is not None and receipt not in exclude | DEFAULT_EXCLUDES:
        raise UsageError(
            f"--out {escape(str(out))} lies among the files that the manifest lists",
            hint="write it outside --root, or as receipt.json right below it",
        )
    return ManifestGiven(name=inside or path.name, manifest=read_manifest(data, what=str(path)), exclude=exclude)


def path_inside(path: Path, root: Path) -> str | None:
    """The path below the root with `/`, or None when it is not below it. Links are resolved, names need not exist."""
    whole, base = path.resolve(), root.resolve()
    return whole.relative_to(base).as_posix() if whole != base and whole.is_relative_to(base) else None


def demand_same(given: ManifestGiven, root: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Scans the root. Raises WorkMoved, naming paths, when the manifest is not the root's; ProducerError as `scan`."""
    seen = scan(root, exclude=given.exclude, progress=progress)
    if seen.digest != given.digest:
        lines = difference_lines(diff(given.manifest, seen))
        more = f", and {len(lines) - MAX_NAMED} more" if len(lines) > MAX_NAMED else ""
        raise WorkMoved(
            f"the manifest is not that of {escape(str(root))}: {', '.join(lines[:MAX_NAMED])}{more}",
            hint="make it again with `done-receipt manifest create`, with nothing else writing",
        )


def difference_lines(found: ManifestDiff) -> list[str]:
    """`missing: PATH`, `unexpected: PATH`, `changed: PATH`, escaped, in this order."""
    kinds = (("missing", found.missing), ("unexpected", found.unexpected), ("changed", found.changed))
    return [f"{kind}: {escape(path)}" for kind, paths in kinds for path in paths]
