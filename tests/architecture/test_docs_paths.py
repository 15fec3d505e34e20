"""Every path of this repository that the documentation names exists.

A path is a back-ticked word that begins with one of the folders below, or the target of a relative link. `*` and
`<name>` stand for anything. Fenced blocks are examples and are not looked at, nor is what `make` puts somewhere.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("in_toto_done_receipt/", "policy/", "tests/", "testdata/", "docs/", "tools/", ".ci/")
MADE = ("policy/admission.pulley",)
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def named(text: str) -> Iterator[str]:
    prose = re.sub(r"^( *)(```|~~~).*?^\1\2", "", text, flags=re.MULTILINE | re.DOTALL)
    for word in re.findall(r"(?<!`)`([^`\s]+)`(?!`)", prose):
        if word.startswith(FOLDERS) and not word.startswith(MADE):
            yield re.sub(r":\d+$", "", word)


def links(text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.partition("#")[0]
        if path and ":" not in path:
            yield path


def exists(folder: Path, path: str) -> bool:
    pattern = re.sub(r"<[^>]*>", "*", path).rstrip("/")
    return any(folder.glob(pattern)) if "*" in pattern else (folder / pattern).exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    missing = [path for path in named(text) if not exists(ROOT, path)]
    missing += [path for path in links(text) if not exists(document.parent, path)]
    assert missing == []
