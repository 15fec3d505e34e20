"""Revisions to full ids, by reading refs as files: git's own resolver would read the repository's configuration.

Taken: a full id, HEAD, `refs/…`, and the exact name of one branch, tag or remote branch. Refused: short ids,
expressions (`x~1`, `x@{1}`), names that look like options, names that mean two things.
"""

import os
import re
from pathlib import Path
from typing import Final

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.limits import GitLimits
from in_toto_done_receipt.observe.git.places import Places
from in_toto_done_receipt.observe.git.plain import read_plain
from in_toto_done_receipt.observe.git.reftable import read_reftable
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

FULL_ID: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")

# git-check-ref-format(1), and nothing that begins with a dash.
_BAD_NAME: Final = re.compile(
    rb"[\0-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|\.$|/$|^[./-]|^@$",
)
_PREFIXES: Final = (b"refs/heads/", b"refs/tags/", b"refs/remotes/")
_OWN_OF_WORK_TREE: Final = (b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/")
_REF_BYTES: Final = 4_096
_HOPS: Final = 5
_NAME_BYTES: Final = 1_024
_PART_BYTES: Final = 255


class Revision(Value, kw_only=True):
    """What a name means: the object's full id, the ref that it was read from, refs that are called like the id."""

    id: str
    ref: str | None
    look_alikes: tuple[str, ...] = ()


class Refs:
    """The refs of one repository, each read when it is asked for."""

    def __init__(self, places: Places, limits: GitLimits) -> None:
        self._places = places
        self._limits = limits
        self._packed: bytes | None = None

    def resolve(self, name: str) -> Revision:
        """The object that this name means. Raises RepositoryRefused (revision).

        A full id is itself, whatever refs are called; that the object exists is not checked.
        """
        spelt = os.fsencode(name)
        if (
            not spelt
            or _BAD_NAME.search(spelt)
            or len(spelt) > _NAME_BYTES
            or max(map(len, spelt.split(b"/"))) > _PART_BYTES
        ):
            raise _unknown(name, "is not a full id or the name of a branch or tag")
        exact = spelt == b"HEAD" or spelt.startswith(b"refs/")
        tries = [spelt] if exact else [prefix + spelt for prefix in _PREFIXES]
        found = {ref: value for ref in tries if (value := self._lookup(ref, _HOPS)) is not None}
        if FULL_ID.fullmatch(spelt):
            return Revision(id=name, ref=None, look_alikes=tuple(os.fsdecode(ref) for ref in found))
        if len(found) != 1:
            several = ", ".join(escape(ref) for ref in found)
            raise _unknown(name, f"is ambiguous: {several}" if found else "is no branch, tag or full id")
        ((ref, value),) = found.items()
        return Revision(id=value.decode(), ref=os.fsdecode(ref))

    def target(self, name: str) -> str | None:
        """The id that the ref with this full name holds now, None if there is none. Raises RepositoryRefused."""
        self._packed = None  # read again: somebody may have packed refs, or moved one, since
        value = self._lookup(os.fsencode(name), _HOPS)
        return None if value is None else value.decode()

    def _lookup(self, ref: bytes, hops: int) -> bytes | None:
        if self._places.reftable:
            text = read_reftable(self._folder(ref), ref, self._limits.refs_bytes)
        else:
            text = read_plain(self._folder(ref), ref, _REF_BYTES)
            text = self._in_packed(ref) if text is None else text.strip()
        if text is None or FULL_ID.fullmatch(text):
            return text
        target = text.removeprefix(b"ref:").strip()
        if hops == 0 or target == text or not target.startswith(b"refs/") or _BAD_NAME.search(target):
            raise RepositoryRefused(f"ref {escape(ref)} holds {escape(text[:80])}", kind="revision")
        return self._lookup(target, hops - 1)

    def _folder(self, ref: bytes) -> Path:
        own = not ref.startswith(b"refs/") or ref.startswith(_OWN_OF_WORK_TREE)
        return self._places.git_dir if own else self._places.common

    def _in_packed(self, ref: bytes) -> bytes | None:
        """The id in packed-refs. What it says of peeled tags can lie and is not read."""
        if self._packed is None:
            self._packed = b"\n" + (read_plain(self._places.common, b"packed-refs", self._limits.refs_bytes) or b"")
        rows = set(re.findall(rb"\n([0-9a-f]+) " + re.escape(ref) + rb"(?=\r?\n)", self._packed))
        if len(rows) > 1:
            raise RepositoryRefused(f"ref {escape(ref)} stands twice in packed-refs", kind="revision")
        return next(iter(rows), None)


def _unknown(name: str, fact: str) -> RepositoryRefused:
    return RepositoryRefused(
        f"revision {escape(name[:80])} {fact}",
        kind="revision",
        hint="short ids and expressions such as HEAD~1 are not taken; git rev-parse gives the full id",
    )
