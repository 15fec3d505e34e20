"""False alarm: a task of several lines, emoji, decomposed names from macOS, one name that is no UTF-8 in the tree.
Answer: the `text` type, twins are a finding and no refusal, names in manifests are escaped so that they can come back.
"""

import os
import unicodedata

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

COMPOSED = "caf\u00e9.txt"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
TASKS = (
    "one\ntwo\r\n\tthree",
    "\U0001f469\u200d\U0001f4bb done",
    "\u05e9\u05dc\u05d5\u05dd \u200f!",
    "a" * 65_536,
    "\x1b[1m",
)


@pytest.mark.parametrize("text", TASKS, ids=["lines", "emoji", "right to left", "long", "escape"])
def test_threat_45_any_text_can_be_a_task(desk: Desk, text: str) -> None:
    change = generate.both(generate.update("task", description=text), generate.update("claims", 0, statement=text))
    assert desk.verify(generate.Case(why="", change=change)).code == 0


def test_threat_45_names_that_look_alike_are_a_remark(desk: Desk) -> None:
    sealed = [generate.file(name, "x") for name in ("A.txt", "a.txt")]
    case = generate.Case(why="", change=generate.update("contract", sealed=sealed), work={"A.txt": "x", "a.txt": "x"})
    seen = desk.verify(case)
    assert (seen.code, "statement.twin_names" in seen.reasons) == (0, True)


def test_threat_45_odd_names_elsewhere_in_the_tree_are_nobodys_business(desk: Desk) -> None:
    arguments = desk.lay(generate.Case(why="", work={DECOMPOSED: "x", "a\nb": "x", " ": "x"}))
    (desk.folder / "workspace" / os.fsdecode(b"bad-\xff")).write_text("x")
    assert desk.run("verify", *arguments).code == 0


def test_threat_45_a_manifest_holds_every_name_and_finds_it_again(desk: Desk) -> None:
    tree = desk.folder / "tree"
    tree.mkdir()
    for name in (DECOMPOSED, COMPOSED, os.fsdecode(b"bad-\xff"), "\U0001f4bb", "a b"):
        (tree / name).write_text(name, errors="surrogateescape")
    made = desk.run("manifest", "create", "--root", "tree", "--out", "m.json")
    assert made.code == 0
    assert "differ only by" in made.err
    assert desk.run("manifest", "verify", "m.json", "--root", "tree").code == 0
    (tree / os.fsdecode(b"bad-\xff")).write_text("changed")
    seen = desk.run("manifest", "verify", "m.json", "--root", "tree")
    assert (seen.code, "bad-\\xff" in seen.out) == (11, True)
