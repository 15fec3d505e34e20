"""Attack: links, hard links, special files, mode bits, and files under names that are left out.
Answer: refused or said by name; nothing is left out but the documented defaults right below the root.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from testdata.receipts import generate
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
