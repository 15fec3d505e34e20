"""Writes the cases of a change in a git repository: python testdata/receipts/generate_changes.py [FOLDER].

changes/<case>[_fail]/ has history.json (a repository, built anew wherever it is needed: tests/repositories/history.py),
receipt.json, expected.json and README.md, as the other cases have. Arguments may hold {repo}, {linked} and the names of
commits. What is expected is written here by hand, never by running.
"""

import hashlib
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from testdata.receipts.generate import (  # noqa: E402  (found by the line above)
    NOW,
    envelope,
    file,
    manifest_bytes,
    payload_of,
    pretty,
)
from tests.repositories.ids import commits_of  # noqa: E402

Json = dict[str, Any]
Files = dict[str, str | None]

PROFILE = """version = 1
collection = "minimal"
include = ["change.base", "change.scope", "contract.coverage", "contract.verified"]

[contract]
sealed = ["tests/**"]
"""
GREET, TEST = (
    "def greet():\n    return 'hello'\n",
    "from src.greet import greet\n\n\ndef test_greet():\n    assert greet()\n",
)
BASE: Files = {"src/greet.py": GREET, "tests/test_greet.py": TEST, "README.md": "# greet\n", "acceptance.toml": PROFILE}
WORK: Files = {"src/greet.py": GREET.replace("hello", "hello, world")}
FLAGS = ["--repo", "{repo}", "--base", "{base}", "--head", "work", "--profile", "base:acceptance.toml"]
TRUST = ["--trusted-key", "worker=../../trust/worker.pub"]


@dataclass(kw_only=True)
class Case:
    """One change: `base` and `work` are files of the two commits beside the usual ones, None deletes.

    `sealed`: paths that the receipt seals, as they are in the commit `sealed_at`. `subjects`: paths at head that it
    names; None for all that the change added or changed. `commits` stand after the two. `source` is what the receipt
    says it was made for.
    """

    why: str
    code: int = 0
    violations: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    base: Files = field(default_factory=dict)
    work: Files = field(default_factory=lambda: dict(WORK))
    links: dict[str, str] = field(default_factory=dict)
    executable: tuple[str, ...] = ()
    commits: tuple[Json, ...] = ()
    history: Json = field(default_factory=dict)
    sealed: tuple[str, ...] = ("tests/test_greet.py",)
    sealed_at: str = "base"
    subjects: tuple[str, ...] | None = None
    source: tuple[str, str] | None = ("base", "work")
    flags: list[str] = field(default_factory=lambda: list(FLAGS))
    profile: str = PROFILE
    manifest: bool = False
    contract: str = "held"

    def told(self) -> Json:
        """The history as it stands in history.json."""
        stands: Files = {**BASE, **self.base, "acceptance.toml": self.profile}
        second: Json = {"name": "work", "branch": "work", "from": "base", "files": self.work}
        second |= {"links": self.links} if self.links else {}
        second |= {"executable": list(self.executable)} if self.executable else {}
        files = {path: text for path, text in stands.items() if text is not None}
        first: Json = {"name": "base", "branch": "main", "files": files}
        return {**self.history, "commits": [first, second, *self.commits]}

    def statement(self, repo: Any, ids: dict[str, str]) -> Json:
        """The receipt, before it is signed."""
        head = (self.source or ("base", "work"))[1]
        names = self.subjects
        if names is None:
            names = tuple(path for path, text in self.work.items() if text is not None)
        subjects = [_file(repo, ids[head], path) for path in names]
        shown = subjects[0]
        size = len(repo.git_bytes("cat-file", "blob", f"{ids[head]}:{shown['name']}"))
        observed = {"sha256": shown["digest"]["sha256"], "bytes": size}
        evidence = [{"kind": "file", "path": shown["name"], "observed": observed, "ok": True}]
        sealed = [_file(repo, ids[self.sealed_at], path) for path in sorted(self.sealed, key=str.encode)]
        predicate: Json = {
            "task": {"description": "Greet the world."},
            "agent": {"id": "worker-agent"},
            "run": {"outcome": "completed", "finishedOn": "2026-11-30T12:00:00Z"},
            "contract": {"sealed": sealed, "absent": [], "breach": None},
            "verdict": {"checked": True, "passed": True, "reason": ""},
            "claims": [{"id": "greets", "statement": "it greets the world", "evidence": evidence}],
        }
        if self.manifest:
            listed = repo.git_bytes("ls-tree", "-r", "-z", "--name-only", ids[head]).decode().split("\0")[:-1]
            whole = {path: repo.git_bytes("cat-file", "blob", f"{ids[head]}:{path}").decode() for path in listed}
            entry = file("OUTPUT_MANIFEST.json", manifest_bytes(whole))
            subjects.append(entry)
            predicate["manifest"] = entry
        if self.source is not None:
            ends = {
                word: {"digest": {"gitCommit": ids[name], "gitTree": repo.tree(ids[name])}}
                for word, name in zip(("base", "head"), self.source, strict=True)
            }
            predicate["source"] = ends
        return {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": subjects,
            "predicateType": "https://w3id.org/done-receipt/v0.1",
            "predicate": predicate,
        }

    def files(self) -> dict[str, str]:
        """Name in the case directory -> text."""
        told = self.told()
        receipt = pretty(envelope(payload_of(self.statement(*commits_of(told)))))
        expected: Json = {"arguments": ["receipt.json", *TRUST, "--at", NOW, *self.flags], "exitCode": self.code}
        if self.code not in (2, 3, 4):
            expected |= {"violations": list(self.violations), "warnings": list(self.warnings)}
            expected |= {"contract": self.contract}
        expected |= {"reasons": list(self.reasons)} if self.reasons else {}
        return {
            "README.md": self.why + "\n",
            "history.json": pretty(told),
            "receipt.json": receipt,
            "expected.json": pretty(expected),
        }


def _file(repo: Any, commit: str, path: str) -> Json:
    data = repo.git_bytes("cat-file", "blob", f"{commit}:{path}")
    return {"name": path, "digest": {"sha256": hashlib.sha256(data).hexdigest()}}


def write_cases(folder: Path) -> None:
    """Write everything below this folder, replacing what a former run left there."""
    from testdata.receipts.change_cases import HONEST, REFUSED  # they are made of what stands here

    shutil.rmtree(folder / "changes", ignore_errors=True)
    for name, case in (HONEST | {f"{name}_fail": case for name, case in REFUSED.items()}).items():
        place = folder / "changes" / name
        place.mkdir(parents=True)
        for path, text in case.files().items():
            (place / path).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    sys.modules["testdata.receipts.generate_changes"] = sys.modules["__main__"]
    write_cases(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
