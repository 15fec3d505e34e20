"""What a reviewer should know of the contents of changed files: pointers, binaries, files that reviews hide, links that
lead out of the tree.
"""

import os
from typing import TYPE_CHECKING

from in_toto_done_receipt.recompute.attributes import Generated
from in_toto_done_receipt.recompute.case import Case, finding
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.escape import escape

if TYPE_CHECKING:
    from in_toto_done_receipt.observe.git.change import GitChange
    from in_toto_done_receipt.observe.git.objects import Objects

_LOOKED_AT = 64 << 20  # bytes of all changed files together: beyond it none is looked into
_HEAD = 8_000  # bytes, as git looks for NUL in
_LINK_BYTES = 4_095  # of a target; a longer one leads nowhere
_MATCHES = 1_000_000  # attributes times files
_LFS = b"version https://git-lfs.github.com/spec/"
_LINK = "120000"
_FILES = ("100644", "100755")


def content_remarks(case: Case, change: "GitChange") -> list[Finding]:
    """Remarks on changed files, and a finding on each link that leads out of the tree."""
    from in_toto_done_receipt.observe.git.objects import SMALL
    from in_toto_done_receipt.observe.git.workspace import GitWorkspace

    workspace = case.context.workspace
    if not isinstance(workspace, GitWorkspace):
        return []
    objects = workspace.repository.objects
    wanted = {one.path: one.new for one in change.changes if one.new is not None and one.new.mode in (*_FILES, _LINK)}
    links = {path: entry for path, entry in wanted.items() if entry.mode == _LINK}
    files = {path: entry for path, entry in wanted.items() if entry.mode in _FILES}
    attributes = {
        path: entry
        for path, entry in change.listing.files.items()
        if entry.mode in _FILES and path.rpartition(b"/")[2] == b".gitattributes"
    }
    ids = dict.fromkeys(entry.id for entry in (*wanted.values(), *attributes.values()))
    sizes = objects.sizes(ids)
    # Links first, whatever else there is: a large file beside them must not hide where they lead.
    targets = _read(objects, [entry.id for entry in links.values() if sizes[entry.id] <= _LINK_BYTES], sizes)
    found = [one for path, entry in links.items() for one in _link(path, _text(path), targets.get(entry.id))]
    small = [entry.id for entry in (*files.values(), *attributes.values()) if sizes[entry.id] <= SMALL]
    if sum(sizes[id] for id in dict.fromkeys(small)) > _LOOKED_AT:
        message = "the changed files are too large to be looked into"
        return [*found, finding("pass", "change-scope.unreadable", message)]
    case.time_left()
    texts = _read(objects, [e.id for e in attributes.values() if sizes[e.id] <= SMALL], sizes)
    rows = [(_text(path), texts[e.id].decode("utf-8", "replace")) for path, e in attributes.items() if e.id in texts]
    generated = Generated(rows)
    if generated.rows * len(files) > _MATCHES:
        message = f"{generated.rows} attributes are too many to be held against {len(files)} files"
        found.append(finding("pass", "change-scope.unreadable", message))
        generated = Generated(())
    heads = _read(objects, small, sizes, kept=_HEAD)
    for path, entry in files.items():
        name, content = _text(path), heads.get(entry.id)
        if name in generated:
            found.append(_remark("change-scope.generated", name, "is marked linguist-generated"))
        if content is not None and content.startswith(_LFS):
            found.append(_remark("change-scope.lfs", name, "is a Git LFS pointer, its content was not looked at"))
        elif content is None or b"\0" in content:
            found.append(_remark("change-scope.binary", name, "is binary" if content is not None else "is large"))
    return found


def _read(objects: "Objects", ids: list[str], sizes: dict[str, int], *, kept: int | None = None) -> dict[str, bytes]:
    """The bytes of each blob, or the first ones of them."""
    return {id: data[:kept] for id, data in objects.blobs(list(dict.fromkeys(ids)), sizes)}


def _link(path: bytes, name: str, target: bytes | None) -> list[Finding]:
    folder = path.rpartition(b"/")[0]
    up = os.path.normpath(os.path.join(folder, target or b"/"))  # noqa: PTH118  (bytes of a tree)
    if target is not None and not up.startswith(b"/") and up.split(b"/")[0] != b"..":
        return []
    shown = escape((target or b"")[:200])
    return [
        finding("fail", "change-scope.link_out", f"{escape(name)} is a link to {shown}, out of the tree", path=name)
    ]


def _remark(reason: str, path: str, what: str) -> Finding:
    return finding("pass", reason, f"{escape(path)} {what}", path=path)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
