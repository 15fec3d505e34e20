"""Attack: links, hard links, special files, mode bits, and files under names that are left out.
Answer: refused or said by name; nothing is left out but the documented defaults right below the root.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_changes import FLAGS, WORK, Case
from tests.threats.conftest import Desk

HIDDEN = (
    "sub/receipt.json",
    "sub/OUTPUT_MANIFEST.json",
    "RECEIPT.json",
    ".gitignore",
    ".hidden/x",
    "node_modules/x",
    "__pycache__/x.pyc",
    "receipt.json.bak",
    "build/out.o",
)
MAKERS: dict[str, Callable[[Path], object]] = {
    "link": lambda place: place.symlink_to("greeting.txt"),
    "dangling link": lambda place: place.symlink_to("nowhere"),
    "link out": lambda place: place.symlink_to("/etc/passwd"),
    "linked folder": lambda place: place.symlink_to("tests"),
    "hard link": lambda place: place.hardlink_to(place.with_name("greeting.txt")),
    "fifo": os.mkfifo,
}


@pytest.mark.parametrize("name", HIDDEN)
def test_threat_40_no_name_hides_a_file(desk: Desk, name: str) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.with_manifest, work={name: "hidden"}))
    assert (seen.code, "output-manifest.differs" in seen.reasons) == (11, True)


@pytest.mark.parametrize("name", ["receipt.json", "OUTPUT_MANIFEST.json"])
def test_threat_40_the_documented_exclusions_are_listed(desk: Desk, name: str) -> None:
    desk.write("tree/a.txt", "a")
    desk.write(f"tree/{name}", "left out")
    seen = desk.run("manifest", "create", "--root", "tree", "--out", "m.json")
    assert (seen.code, f"excluded: {name}" in seen.err) == (0, True)
    assert name in desk.run("manifest", "create", "--root", "tree", "--out", "m.json", "--no-default-excludes").err or (
        name in (desk.folder / "m.json").read_text()
    )


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_threat_40_what_is_no_plain_file_refuses_the_manifest_by_name(
    desk: Desk, make: Callable[[Path], object]
) -> None:
    arguments = desk.lay(generate.Case(why="", change=generate.with_manifest))
    make(desk.folder / "workspace" / "odd")
    seen = desk.run("verify", *arguments, "--json")
    assert (seen.code, "output-manifest.refused" in seen.reasons) == (11, True)
    messages = str([violation["message"] for violation in seen.document["decision"]["violations"]])
    assert "odd is" in messages or "greeting.txt has 2 hard links" in messages


@pytest.mark.parametrize("make", [MAKERS["link"], MAKERS["fifo"]], ids=["link", "fifo"])
@pytest.mark.parametrize("name", ["greeting.txt", "tests/check.sh"])
def test_threat_40_a_subject_or_seal_is_a_plain_file(desk: Desk, make: Callable[[Path], object], name: str) -> None:
    arguments = desk.lay(generate.Case(why=""))
    place = desk.folder / "workspace" / name
    place.unlink()
    make(place)
    assert desk.run("verify", *arguments).code == 11


def test_threat_40_modes_are_said_to_be_left_out(desk: Desk) -> None:
    desk.write("tree/run", "x").chmod(0o755)
    seen = desk.run("manifest", "create", "--root", "tree", "--out", "m.json")
    assert "1 executable file(s), and a manifest does not hold modes: run" in seen.err


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


def test_threat_40_a_change_says_what_bytes_do_not(desk: Desk) -> None:
    case = Case(
        why="",
        base={"run.sh": "true\n", "old.py": "x = 1\n", ".gitattributes": "*.min.js linguist-generated\n"},
        work={**WORK, "old.py": None, "new.py": "x = 1\n", "data": POINTER, "b": "a\0b", "a.min.js": "x\n"},
        links={"again.py": "src/greet.py"},
        executable=("run.sh",),
        sealed=(".gitattributes", "tests/test_greet.py"),
        subjects=("src/greet.py", "new.py", "data", "b", "a.min.js", "run.sh"),
    )
    seen = desk.verify_change(case)
    assert (seen.code, seen.violations) == (0, set())
    paths = {
        reason: set(seen.said_of(f"change-scope.{reason}"))
        for reason in ("mode", "symlink", "lfs", "binary", "generated", "renamed")
    }
    assert paths == {
        "mode": {"run.sh"},
        "symlink": {"again.py"},
        "lfs": {"data"},
        "binary": {"b"},
        "generated": {"a.min.js"},
        "renamed": {"new.py"},
    }


def test_threat_40_a_submodule_is_said_and_no_manifest_has_it(desk: Desk) -> None:
    laid = desk.lay_change(Case(why="", manifest=True))
    repo, base = laid.repo, laid.ids["base"]
    repo.git("checkout", "-q", "work")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},library")
    repo.git("commit", "-q", "-m", "submodule")
    flags = [repo.head() if word == "work" else word for word in FLAGS]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert (seen.code, set(seen.said_of("change-scope.submodule"))) == (11, {"library"})
    assert any("library is a submodule" in text for text in seen.said_of("output-manifest.refused").values())


@pytest.mark.parametrize("name", HIDDEN)
def test_threat_40_no_name_hides_a_changed_path(desk: Desk, name: str) -> None:
    seen = desk.verify_change(Case(why="", work={**WORK, name: "hidden"}, subjects=("src/greet.py",)))
    assert (seen.code, set(seen.said_of("subjects.uncovered"))) == (11, {name})


def test_threat_40_an_old_tools_mode_is_no_fault(desk: Desk) -> None:
    laid = desk.lay_change(Case(why="", work={**WORK, "README.md": "# greet the world\n"}))
    repo, ids = laid.repo, laid.ids
    listed = [line.split(None, 3) for line in repo.git("ls-tree", ids["work"]).splitlines()]
    rows = [("100664" if n == "README.md" else m.lstrip("0"), n.encode(), id) for m, _, id, n in listed]
    head = repo.loose_commit(repo.loose_tree(rows), (ids["base"],))
    flags = [head if word == "work" else word for word in FLAGS]
    seen = desk.run("verify", *laid.with_flags(flags), "--json")
    assert ("change-scope.name" in seen.reasons, "README.md" in seen.said_of("change-scope.mode")) == (False, True)
