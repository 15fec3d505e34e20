"""Small git repositories for tests and cases: made by git itself, with fixed dates; hostile objects written by hand."""

import hashlib
import os
import struct
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path

GIT = "/usr/bin/git"
START = 1_780_000_000  # seconds: 2026-05-28, the first commit; each further one is a minute later

Content = str | bytes | None  # None deletes


class Repo:
    """A repository that git made; `objects` are written into it as loose files, true or not."""

    def __init__(self, path: Path, *, algorithm: str = "sha1", bare: bool = False, branch: str = "main") -> None:
        self.path = path
        self.algorithm = algorithm
        self._clock = START
        path.mkdir(parents=True, exist_ok=True)
        arguments = ["init", "-q", f"--object-format={algorithm}", f"--initial-branch={branch}"]
        self.git(*arguments, *(["--bare"] if bare else []))
        self.git_dir = path if bare else path / ".git"

    def git(self, *arguments: str, data: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """What git prints, without the final newline. Raises CalledProcessError."""
        return self.git_bytes(*arguments, data=data, env=env).decode("utf-8", "surrogateescape").rstrip("\n")

    def git_bytes(self, *arguments: str, data: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """What git prints."""
        date = f"{self._clock} +0000"
        surroundings = {
            "PATH": "/usr/bin:/bin",
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            "LC_ALL": "C",
        }
        command = [GIT, "-c", "core.quotePath=false", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(
            command, cwd=self.path, env=surroundings | dict(env or {}), input=data, capture_output=True, check=True
        )
        return done.stdout

    def write(self, files: Mapping[str, Content]) -> None:
        """Put these files into the work tree, or take them out."""
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, Content] | None = None, message: str = "work") -> str:
        """A commit of the work tree after these changes; its id."""
        self.write(files or {})
        self.git("add", "-A", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        self._clock += 60
        return self.head()

    def head(self) -> str:
        """The id of HEAD."""
        return self.git("rev-parse", "HEAD")

    def tree(self, revision: str = "HEAD") -> str:
        """The id of a commit's tree."""
        return self.git("rev-parse", f"{revision}^{{tree}}")

    # --- objects by hand -----------------------------------------------------------------------------------------

    def id_of(self, kind: str, data: bytes) -> str:
        """The id that git gives to these bytes."""
        return hashlib.new(self.algorithm, b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()

    def loose(self, kind: str, data: bytes, *, id: str | None = None, size: int | None = None) -> str:
        """A loose object; with `id` or `size` one that lies."""
        name = id or self.id_of(kind, data)
        path = self.git_dir / "objects" / name[:2] / name[2:]
        path.parent.mkdir(exist_ok=True)
        if path.exists():
            path.unlink()
        header = b"%s %d\0" % (kind.encode(), len(data) if size is None else size)
        path.write_bytes(zlib.compress(header + data))
        return name

    def loose_tree(self, rows: list[tuple[str, bytes, str]]) -> str:
        """A tree of (mode, name, id), in this order, whatever the names are."""
        data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(id) for mode, name, id in rows)
        return self.loose("tree", data)

    def loose_commit(self, tree: str, parents: tuple[str, ...] = (), *, date: int = START) -> str:
        """A commit of a tree."""
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        who = f"Ada <ada@example.org> {date} +0000"
        text = "\n".join([*lines, f"author {who}", f"committer {who}", "", "made by hand", ""])
        return self.loose("commit", text.encode())

    def pack(self, entries: list[bytes]) -> Path:
        """A pack of raw entries without an index."""
        stream = b"PACK" + struct.pack(">II", 2, len(entries)) + b"".join(entries)
        stream += hashlib.new(self.algorithm, stream).digest()
        path = (
            self.git_dir / "objects" / "pack" / f"pack-{hashlib.sha1(stream, usedforsecurity=False).hexdigest()}.pack"
        )
        path.write_bytes(stream)
        return path


def all_files(folder: Path) -> dict[str, bytes]:
    """Path -> bytes of everything below a folder that is no folder; links as `-> target`."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsdecode(os.fsencode(path.relative_to(folder)))
        if path.is_symlink():
            found[name] = b"-> " + os.fsencode(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
    return found
