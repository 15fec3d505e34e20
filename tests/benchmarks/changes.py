"""A change in git: reading it, writing its tree, whole commands, bombs; git itself in the same run."""

import hashlib
import random
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.observe.git.change import Asked, open_change
from in_toto_done_receipt.observe.git.repository import open_repository
from testdata.receipts import generate
from tests.benchmarks.measure import Row, in_turn
from tests.repositories.build import START, Repo

OURS: Final = [sys.executable, "-I", "-m", "in_toto_done_receipt"]
COMMAND: Final = ["/bin/true"]
MEMORY: Final = ("Python, 100 MiB", 100.0)
WHO: Final = f"Ada <ada@example.org> {START} +0000"


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """1,000 and 20,000 files, and repositories that want to cost a lot."""
    place = place_of(scratch)
    try:
        for files, changed in ((1_000, 50), (20_000, 200)):
            yield from _Sample(place / f"files-{files}", files, changed).rows(rounds)
        yield from _bombs(place / "bombs", rounds)
    finally:
        if place != scratch:
            shutil.rmtree(place)


def place_of(scratch: Path) -> Path:
    """In memory if there is room: for a minute after a large tree is deleted, ext4 makes files many times slower."""
    memory = Path("/dev/shm")  # noqa: S108 - only a speed is measured there
    if not memory.is_dir() or shutil.disk_usage(memory).free < 2 << 30:
        return scratch
    place = memory / scratch.name
    place.mkdir(mode=0o700)
    return place


class _Sample:
    """A packed repository of so many files, some of them changed at head, and a signed receipt for the change."""

    def __init__(self, folder: Path, files: int, changed: int) -> None:
        folder.mkdir(parents=True)
        self._folder, self._files, self._changed = folder, files, changed
        self._repo = Repo(folder / "repo")
        random_ = random.Random(files)  # noqa: S311 - the same files in each run
        names = [f"d{number // 360:03}/e{number // 18:04}/file{number % 18:02}.txt" for number in range(files)]
        first = {name: b"%d %s\n" % (at, random_.randbytes(1_650).hex().encode()) for at, name in enumerate(names)}
        moved = {name: first[name] + b"more\n" for name in names[:: files // changed][:changed]}
        stream = _commit("main", first, None) + _commit("work", moved, "refs/heads/main")
        self._repo.git("fast-import", "--quiet", data=stream)
        self._base, self._head = (self._repo.git("rev-parse", name) for name in ("main", "work"))
        self._receipt(moved)

    def rows(self, rounds: int) -> Iterator[Row]:
        """Listing and difference, writing, whole commands."""
        size = f"{self._files:,} files"
        read = _least(self._read, rounds)
        theirs = _least(self._git_reads, rounds)
        what = f"{size}: two listings and their difference"
        if self._files == 20_000:
            yield Row(what=what, ours=read, peer="target, 0.1 s", theirs=0.1, target=1.0)
        yield Row(what=what, ours=read, peer="git ls-tree -r, git diff", theirs=theirs)
        written, worktree = self._writes(rounds)
        target = 1.5 if self._files == 20_000 else None
        what = f"{size}: a tree written"
        yield Row(what=what, ours=written, peer="git worktree add", theirs=worktree, target=target)
        yield from self._commands(size, rounds)

    def _commands(self, size: str, rounds: int) -> Iterator[Row]:
        git = ["--repo", "repo", "--base", self._base, "--head", self._head]
        verify = [*OURS, "verify", "receipt.json", "--trusted-key", "worker=worker.pub", "--at", generate.NOW, *git]
        run = [*verify[: -len(git)], *git, "--recheck-commands", "--allow-command", *COMMAND]
        run[run.index("receipt.json")] = "ran.json"
        manifest = [*OURS, "manifest", "create", "--repo", "repo", "--head", self._head, "--out", "manifest.json"]
        commands: dict[str, tuple[list[Any], int]] = {
            "verify": (verify, 0),
            "verify, tree written, a command": (["env", f"TMPDIR={self._folder}", *run], 0),
            "manifest create": (manifest, 0),
        }
        seconds = 0.2 if self._files == 1_000 else 1.0
        for name, cost in in_turn(commands, cwd=self._folder, rounds=rounds).items():
            what, peer = f"{size}: {name}, whole command", f"target, {seconds} s"
            judged = 1.0 if name == "verify" or self._files == 20_000 else None
            yield Row(what=what, ours=cost.wall, peer=peer, theirs=seconds, target=judged, memory=cost.peak)
            if self._files == 20_000:
                yield Row(what=what, ours=cost.peak, peer=MEMORY[0], theirs=MEMORY[1], target=1.0, unit="MiB")

    def _read(self) -> None:
        with open_repository(self._repo.path) as repository:
            change = open_change(repository, Asked(head=self._head, base=self._base))
            assert len(change.changes) == self._changed
            assert len(change.listing.files) == self._files

    def _git_reads(self) -> None:
        for name in (self._base, self._head):
            self._repo.git("ls-tree", "-r", name)
        self._repo.git("diff", "--name-status", self._base, self._head)

    def _writes(self, rounds: int) -> tuple[float, float]:
        """Ours and git's, in turn, each into a new folder; the first time does not count."""
        best = [float("inf"), float("inf")]
        with open_repository(self._repo.path) as repository:
            commit, _ = repository.commit_id(self._head)
            files = repository.listing(repository.tree_of(commit)).files
            for number in range(rounds + 1):
                ours, theirs = self._folder / f"ours{number}", self._folder / f"theirs{number}"
                begin = time.perf_counter()
                repository.write(files, ours)
                between = time.perf_counter()
                self._repo.git("worktree", "add", "--quiet", "--detach", str(theirs), self._head)
                end = time.perf_counter()
                if number:
                    best = [min(best[0], between - begin), min(best[1], end - between)]
        for path in (*self._folder.glob("ours*"), *self._folder.glob("theirs*")):
            shutil.rmtree(path)
        return best[0], best[1]

    def _receipt(self, moved: dict[str, bytes]) -> None:
        """receipt.json with every changed path as a subject, ran.json with a command besides, worker.pub."""
        statement = generate.base()
        predicate: dict[str, Any] = statement["predicate"]
        predicate["contract"]["sealed"] = []
        statement["subject"] = [generate.file(name, data.decode()) for name, data in moved.items()]
        shown = next(iter(moved))
        predicate["claims"][0]["evidence"] = [generate.file_item(shown, moved[shown].decode())]
        predicate["source"] = {
            word: {"digest": {"gitCommit": id, "gitTree": self._repo.tree(id)}}
            for word, id in (("base", self._base), ("head", self._head))
        }
        for name in ("receipt.json", "ran.json"):
            text = generate.pretty(generate.envelope(generate.payload_of(statement)))
            (self._folder / name).write_text(text)
            predicate["claims"][0]["evidence"].append(generate.command_item(COMMAND))
        (self._folder / "worker.pub").write_text(generate.public_pem("worker"))


def _commit(branch: str, files: dict[str, bytes], start: str | None) -> bytes:
    """A commit in the language of git fast-import."""
    lines = [f"commit refs/heads/{branch}\ncommitter {WHO}\ndata 4\nwork\n".encode()]
    if start is not None:
        lines.append(f"from {start}\n".encode())
    lines += [b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data) for name, data in files.items()]
    return b"".join(lines)


def _least(work: Callable[[], object], rounds: int) -> float:
    best = float("inf")
    for number in range(rounds + 1):
        begin = time.perf_counter()
        work()
        if number:
            best = min(best, time.perf_counter() - begin)
    return best


def _bombs(folder: Path, rounds: int) -> Iterator[Row]:
    """Each is refused by the whole command, exit code 4, in less than a second."""
    folder.mkdir()
    repo = Repo(folder / "repo")
    wide, deep = _folders(repo, 32, 5, b"a"), _folders(repo, 10, 61, b"a")
    other = _folders(repo, 32, 5, b"b")
    first = repo.loose_commit(wide)
    bombs = {
        "32^5 paths": first,
        "10^61 paths": repo.loose_commit(deep),
        "a tree of 1 GiB in 1 MiB": repo.loose_commit(_zeros(repo, "tree", 1 << 30)),
    }
    manifest = [*OURS, "manifest", "create", "--repo", "repo", "--out", "manifest.json", "--head"]
    commands: dict[str, tuple[list[Any], int]] = {name: ([*manifest, id], 4) for name, id in bombs.items()}
    second = repo.loose_commit(other, (first,))
    (folder / "none.json").write_text("{}")
    verify = [*OURS, "verify", "none.json", "--unsigned", "--repo", "repo", "--base", first, "--head", second]
    commands["the difference of two of 32^5 paths"] = (verify, 4)
    for name, cost in in_turn(commands, cwd=folder, rounds=rounds).items():
        yield Row(what=f"refused: {name}", ours=cost.wall, peer="target, 1 s", theirs=1.0, target=1.0, memory=cost.peak)


def _folders(repo: Repo, width: int, height: int, content: bytes) -> str:
    """A tree of `width` to the power of `height` files in `height` objects."""
    id, mode = repo.loose("blob", content), "100644"
    for _ in range(height):
        id, mode = repo.loose_tree([(mode, b"%02d" % number, id) for number in range(width)]), "40000"
    return id


def _zeros(repo: Repo, kind: str, size: int) -> str:
    """A loose object of so many zero bytes, compressed."""
    digest, packer, pieces = hashlib.sha1(usedforsecurity=False), zlib.compressobj(1), []
    for piece in (b"%s %d\0" % (kind.encode(), size), *[bytes(1 << 20)] * (size >> 20)):
        digest.update(piece)
        pieces.append(packer.compress(piece))
    id = digest.hexdigest()
    path = repo.git_dir / "objects" / id[:2] / id[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join([*pieces, packer.flush()]))
    return id
