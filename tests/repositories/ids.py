"""The commits of a description (`history`), computed without git; the ids are those that git would give."""

import hashlib
from typing import Any

from tests.repositories.build import START

_WHO = "Ada <ada@example.org>"
Files = dict[bytes, tuple[bytes, bytes]]  # path -> mode, content


class Commits:
    """As `build.Repo`, as far as generators ask it."""

    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._files: dict[str, Files] = {}
        self._trees: dict[str, str] = {}

    def git_bytes(self, *arguments: str) -> bytes:
        """`cat-file blob COMMIT:PATH`, and `ls-tree -r -z --name-only COMMIT`."""
        if arguments[0] == "ls-tree":
            return b"".join(path + b"\0" for path in sorted(self._files[arguments[-1]]))
        commit, _, path = arguments[-1].partition(":")
        return self._files[commit][path.encode()][1]

    def tree(self, commit: str) -> str:
        """The id of a commit's tree."""
        return self._trees[commit]

    def commit(self, files: Files, parents: list[str], message: str, seconds: int) -> str:
        """One more commit; its id."""
        tree = self._tree(files)
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"{role} {_WHO} {seconds} +0000" for role in ("author", "committer")]
        id = self._id(b"commit", "\n".join([*lines, "", message, ""]).encode())
        self._files[id], self._trees[id] = files, tree
        return id

    def files(self, commit: str) -> Files:
        """Everything in a commit."""
        return dict(self._files[commit])

    def _id(self, kind: bytes, data: bytes) -> str:
        return hashlib.new(self._algorithm, b"%s %d\0" % (kind, len(data)) + data).hexdigest()

    def _tree(self, files: Files) -> str:
        folders: dict[bytes, Files] = {}
        rows: list[tuple[bytes, bytes, str]] = []
        for path, (mode, data) in files.items():
            first, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(first, {})[rest] = (mode, data)
            else:
                rows.append((first, mode, self._id(b"blob", data)))
        rows += [(name, b"40000", self._tree(below)) for name, below in folders.items()]
        rows.sort(key=lambda row: row[0] + (b"/" if row[1] == b"40000" else b""))
        return self._id(b"tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(id) for name, mode, id in rows))


def commits_of(history: dict[str, Any]) -> tuple[Commits, dict[str, str]]:
    """The commits, and the id of each name."""
    made, ids = Commits(history.get("algorithm", "sha1")), dict[str, str]()
    head: str | None = None
    for number, commit in enumerate(history["commits"]):
        head = ids[commit["from"]] if "from" in commit else head
        files = {} if head is None else made.files(head)
        for path, text in commit.get("files", {}).items():
            if text is None:
                del files[path.encode()]
            else:
                mode = files.get(path.encode(), (b"100644", b""))[0]
                files[path.encode()] = (mode, text.encode())
        for path, target in commit.get("links", {}).items():
            files[path.encode()] = (b"120000", target.encode())
        for path in commit.get("executable", ()):
            files[path.encode()] = (b"100755", files[path.encode()][1])
        head = made.commit(files, [] if head is None else [head], commit["name"], START + 60 * number)
        ids[commit["name"]] = head
    return made, ids
