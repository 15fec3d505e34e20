"""Which files of the tree decide how an argv ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.workspace import DirectoryWorkspace
from in_toto_done_receipt.recompute.scripts import deciding_files


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[DirectoryWorkspace]:
    for name in ("tests/check.sh", "tests/test_a.py", "Makefile", "GNUmakefile", "pytest.py", "data.txt", "tools/m.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    (tmp_path / "run").write_text("x")
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "link.sh").symlink_to("/bin/true")
    (tmp_path / "folder").symlink_to("tests")
    with DirectoryWorkspace(tmp_path) as workspace:
        yield workspace


DECIDED: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "a script": (["/bin/sh", "tests/check.sh", "data.txt"], ("tests/check.sh",)),
    "after options": (["/bin/bash", "-eu", "./tests/../tests/check.sh"], ("tests/check.sh",)),
    "shell text": (["/bin/sh", "-ec", "python3 tests/test_a.py"], ("tests/test_a.py",)),
    "shell text that runs a file": (["/bin/sh", "-c", "true && ./run"], ("run",)),
    "through a wrapper": (["/usr/bin/env", "A=b", "sh", "tests/check.sh"], ("tests/check.sh",)),
    "an executable as argument": (["/usr/bin/timeout", "5", "./run"], ("run",)),
    "a module beside it": (["/usr/bin/python3.11", "-m", "tools.m"], ("tools/m.py",)),
    "a module that hides an installed one": (
        ["/usr/bin/python3", "-m", "pytest", "tests/test_a.py"],
        ("pytest.py", "tests/test_a.py"),
    ),
    "make takes the first of its files": (["/usr/bin/make", "check"], ("GNUmakefile",)),
    "make with a file": (["/usr/bin/make", "-f", "Makefile"], ("Makefile",)),
    "a link": (["/bin/sh", "link.sh"], ("link.sh",)),
    "through a linked folder": (["/bin/sh", "folder/check.sh"], ("folder/check.sh",)),
}
NOT_DECIDED = {
    "data": ["/usr/bin/grep", "-q", "x", "data.txt"],
    "data in shell text": ["/bin/sh", "-c", "grep -q x data.txt"],
    "program text": ["/usr/bin/python3", "-c", "import sys", "data.txt"],
    "a folder": ["/usr/bin/python3", "-m", "unittest", "discover", "tests"],
    "outside": ["/bin/sh", "/etc/profile", "../x"],
    "nothing there": ["/bin/sh", "missing.sh", ""],
    "half a quote": ["/bin/sh", "-c", "echo 'x"],
    "no name": ["/bin/sh", "a\nb", "x" * 5000],
}


@pytest.mark.parametrize(("argv", "expected"), DECIDED.values(), ids=DECIDED)
def test_deciding_files_names(tree: DirectoryWorkspace, argv: list[str], expected: tuple[str, ...]) -> None:
    assert deciding_files(tree, argv) == expected


@pytest.mark.parametrize("argv", NOT_DECIDED.values(), ids=NOT_DECIDED)
def test_deciding_files_has_no_false_alarm(tree: DirectoryWorkspace, argv: list[str]) -> None:
    assert deciding_files(tree, argv) == ()


def test_deciding_files_finds_an_absolute_name_of_the_tree(tree: DirectoryWorkspace) -> None:
    assert deciding_files(tree, ["/bin/sh", f"{tree.root}/tests/check.sh"]) == ("tests/check.sh",)
