"""Attack: a command prints a secret, and the result, which others read, keeps it.
Answer: digests and sizes only; excerpts by a flag, on standard error, with every line marked.
"""

import json
from collections.abc import Callable

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

SECRET = "hunter2-and-more"  # noqa: S105 - the word that must not be kept
PRINTS = ["/bin/sh", "-c", f"echo {SECRET}; echo {SECRET} >&2; echo '::error::x'"]
LINE = f'["/bin/sh", "-c", "{PRINTS[2]}"]'


def arguments(desk: Desk, commands: Callable[..., list[str]]) -> list[str]:
    item = generate.command_item(["/bin/cat", "secret"])
    change = generate.claims(generate.file_item(), item)
    work = {"secret": f"{SECRET}\n::error::x\n"}
    return desk.lay(generate.Case(why="", change=change, work=work, flags=commands("/bin/cat secret")))


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("form", ["text", "json", "policy-input"])
def test_threat_34_no_output_keeps_it(desk: Desk, form: str, commands: Callable[..., list[str]]) -> None:
    seen = desk.run("verify", *arguments(desk, commands), "--format", form)
    assert (seen.code, SECRET in seen.out, SECRET in seen.err) == (0, False, False)


@pytest.mark.usefixtures("bubblewrap")
def test_threat_34_it_is_shown_on_demand_beside_the_data_and_marked(
    desk: Desk, commands: Callable[..., list[str]]
) -> None:
    seen = desk.run("verify", *arguments(desk, commands), "--json", "--show-output")
    assert SECRET not in seen.out
    assert f"  stdout | {SECRET}" in seen.err
    assert not [line for line in seen.err.splitlines() if line.lstrip().startswith("::")]


def test_threat_34_the_producer_keeps_none_either(desk: Desk) -> None:
    desk.write("work/a.txt", "a")
    claim = ["--claim", "c=it runs", "--command", f"c={LINE}", "--subject", "a.txt"]
    seen = desk.run("build", "--root", "work", "--task", "t", "--agent", "a", *claim, "--out", "statement.json")
    assert seen.code == 0
    for text in (seen.out, seen.err):
        assert SECRET not in text
    evidence = json.loads((desk.folder / "statement.json").read_text())["predicate"]["claims"][0]["evidence"]
    assert "excerpt" not in str(evidence)
    assert SECRET not in str(evidence[0]["observed"])
