"""Attack: a command rewrites files that are confirmed already, or that another command looks at.
Answer: each command runs in a fresh copy, files are looked at after the last one; the producer looks twice.
"""

import json
from collections.abc import Callable

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

WRITES = ["/bin/sh", "-c", "echo changed > greeting.txt; rm -rf tests; echo x > new.txt"]
LOOKS = ["/bin/sh", "-c", "grep -q hello greeting.txt && test ! -e new.txt"]


@pytest.mark.usefixtures("bubblewrap")
def test_threat_38_the_tree_stays_as_it_is_and_so_does_the_next_commands(
    desk: Desk, commands: Callable[..., list[str]]
) -> None:
    items = [generate.command_item(argv) for argv in (WRITES, LOOKS)]
    flags = commands(*(json.dumps(argv) for argv in (WRITES, LOOKS)))
    change = generate.claims(generate.file_item(), *items, generate.text_item())
    seen = desk.verify(generate.Case(why="", change=change, flags=flags))
    assert (seen.code, seen.states) == (0, {"greets": "confirmed"})
    assert (desk.folder / "workspace" / "greeting.txt").read_text() == generate.GREETING
    assert sorted(path.name for path in (desk.folder / "workspace").iterdir()) == ["greeting.txt", "tests"]


def test_threat_38_files_are_looked_at_after_the_last_command() -> None:
    from in_toto_done_receipt.recompute.checks.registry import CHECKS

    order = [name for name, _ in CHECKS]
    looks = {"output-manifest", "subjects", "contract-seals", "evidence-path", "evidence-file", "evidence-text"}
    assert {name for name in order if order.index(name) > order.index("evidence-command")} >= looks


@pytest.mark.parametrize("form", ["--file", "--text"])
def test_threat_38_what_the_producers_command_wrote_is_what_the_receipt_says(desk: Desk, form: str) -> None:
    desk.write("work/a.txt", "old\n")
    value = "c=a.txt" if form == "--file" else "c=a.txt::new"
    line = json.dumps(["/bin/sh", "-c", "echo new > a.txt"])
    claim = ["--claim", "c=new", "--command", f"c={line}", form, value, "--subject", "a.txt"]
    seen = desk.run("build", "--root", "work", "--task", "t", "--agent", "a", *claim, "--out", "statement.json")
    assert seen.code == 0
    statement = json.loads((desk.folder / "statement.json").read_text())
    assert statement["subject"] == [generate.file("a.txt", "new\n")]
