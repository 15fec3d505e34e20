"""Rules of a verifier's own, as a folder, an archive, a module."""

import gzip
import io
import json
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

NEVER = """# METADATA
# title: Never on a Monday
# description: An example.
package done_receipt.custom.team.never

violations contains {
	"code": "custom.team.never",
	"message": "never on a Monday",
	"solution": "wait",
	"facts": ["/result/contract/state"],
} if input.result.contract.state == "held"
"""
MANIFEST = {"revision": "1", "roots": ["done_receipt/custom"], "rego_version": 1}


def tar(
    files: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, change: Callable[[tarfile.TarInfo], None] | None = None
) -> bytes:
    """A tar file of these, in order; `change` may spoil each entry."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items() if isinstance(files, Mapping) else files:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            if change is not None:
                change(entry)
            archive.addfile(entry, io.BytesIO(data) if entry.isreg() else None)
    return out.getvalue()


def bundle(files: Mapping[str, bytes] | None = None, *, manifest: Any = MANIFEST) -> bytes:
    """A bundle of the rule above, or of these files."""
    rules = {"never.rego": NEVER.encode()} if files is None else files
    head = {} if manifest is None else {".manifest": json.dumps(manifest).encode()}
    return gzip.compress(tar({**head, **rules}), mtime=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the rule above and a test of it."""
    place = tmp_path / "own"
    (place / "team").mkdir(parents=True)
    (place / "team" / "never.rego").write_text(NEVER)
    (place / "team" / "never_test.rego").write_text("package done_receipt.custom.team.never_test\n")
    return place


@pytest.fixture
def opa(tool: Callable[[str], Path]) -> Path:
    return tool("opa")


@pytest.fixture
def run_opa() -> Callable[..., None]:
    def run(opa: Path, *arguments: str) -> None:
        subprocess.run([opa, *arguments], check=True, capture_output=True)

    return run
