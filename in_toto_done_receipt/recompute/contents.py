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

_LOOKED_AT = 64 << 20  # bytes of all changed files together: beyond it none is looked into
_HEAD = 8_000  # bytes, as git looks for NUL in
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
    attributes = {path: entry for path, entry in change.listing.files.items() if path.endswith(b".gitattributes")}
    ids = dict.fromkeys(entry.id for entry in (*wanted.values(), *attributes.values()))
    sizes = objects.sizes(ids)
    small = [id for id in ids if sizes[id] <= SMALL]
    if sum(sizes[id] for id in small) > _LOOKED_AT:
        return [finding("pass", "change-scope.unreadable", "the changed files are too large to be looked into")]
    data = dict(objects.blobs(small, sizes))
    texts = [(_text(path), data[e.id].decode("utf-8", "replace")) for path, e in attributes.items() if e.id in data]
    generated = Generated(texts)
    found = []
    for path, entry in wanted.items():
        name, content = _text(path), data.get(entry.id)
        if entry.mode == _LINK:
            found += _link(path, name, content)
            continue
        if name in generated:
            found.append(_remark("change-scope.generated", name, "is marked linguist-generated"))
        if content is not None and content.startswith(_LFS):
            found.append(_remark("change-scope.lfs", name, "is a Git LFS pointer, its content was not looked at"))
        elif content is None or b"\0" in content[:_HEAD]:
            found.append(_remark("change-scope.binary", name, "is binary" if content is not None else "is large"))
    return found


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
