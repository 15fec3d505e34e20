"""Attack: `::cmd::` lines, `##[cmd]` anywhere, terminal escapes, U+2028, fake verdict lines in a receipt's words.
Answer: what comes from the receipt is escaped, quoted and never at a line's start. See tests/cli/test_hostile_words.py.
"""

import json
import re
from pathlib import Path

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, Seen
from tests.unit.admission.custom.test_compiled import stub
from tests.unit.admission.faulty_server import http, sends, serving

WORDS = (
    "::error file=a,line=1::x",
    "##[error]x",
    "##vso[task.setvariable variable=a]b",
    "\x1b]0;title\x07\x1b[2J\x9b1A",
    "ok\r\nADMITTED — 9 of 9 item(s) confirmed\n::stop-commands::x",
    "a\u2028::error::b\u2029c\u0085d",
    "\u202ereversed\u2066\u200b\ufeff\U000e0041",
    "</details><script>@team fixes #1 [x](javascript:alert(1))",
)
ACTS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
COMMANDS = ("##[", "##vso[")
VIEWS = (
    ["verify"],
    ["verify", "--json"],
    ["verify", "--format", "policy-input"],
    ["verify", "--format", "gh"],
    ["inspect"],
    ["inspect", "--json"],
)
ANNOTATION = re.compile(r"::(error|warning|notice) (file=[^,:]*,)?title=[^,:]*::(?!.*##\[).*")
MARKDOWN = re.compile(r"[\w \n|#,'-]*")


def said(words: str) -> generate.Change:
    def change(_statement: generate.Json, predicate: generate.Json) -> None:
        predicate["task"]["description"] = words
        predicate["claims"][0] |= {"statement": words}
        predicate["claims"][0]["evidence"] += [
            {"kind": "x", "ok": True, "observed": {words: words}},
            generate.command_item(["/bin/sh", words.replace("\0", "")]),
            generate.text_item(words, matched=False),
        ]
        predicate["contract"]["breach"] = words
        predicate["verdict"] = {"checked": True, "passed": False, "reason": words}

    return change


def assert_nothing_acts(seen: Seen) -> None:
    for text in (seen.out, seen.err):
        assert ACTS.search(text) is None
        assert not any(command in text for command in COMMANDS)
        for line in text.splitlines():
            assert not line.lstrip().startswith(("::", "ADMITTED"))


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("view", VIEWS, ids=" ".join)
def test_threat_35_nothing_acts_in_any_view(desk: Desk, words: str, view: list[str]) -> None:
    arguments = desk.lay(generate.Case(why="", change=said(words)))
    given = ["receipt.json"] if view[0] == "inspect" else arguments
    seen = desk.run(view[0], *given, *view[1:])
    assert_nothing_acts(seen)


@pytest.mark.parametrize("words", WORDS)
def test_threat_35_annotations_are_ours_and_the_summary_is_text(desk: Desk, words: str) -> None:
    arguments = desk.lay(generate.Case(why="", change=said(words)))
    seen = desk.run("verify", *arguments, "--format", "github", "--output", "github=summary.md")
    assert seen.out.count("\n") == len(seen.out.splitlines())
    assert [line for line in seen.out.splitlines() if ANNOTATION.fullmatch(line) is None] == []
    summary = Path("summary.md").read_text(encoding="utf-8")
    for text in (seen.out, summary):
        assert ACTS.search(text) is None
    coded = re.findall(r"<code>(.*?)</code>", summary)
    assert all(re.fullmatch(r"(?:[^\W_]| |&#\d+;)*", one) for one in coded)
    ours = re.sub(r"<code>.*?</code>", "", summary)
    assert MARKDOWN.fullmatch(ours)
    assert ours.startswith("### DENIED\n")


@pytest.mark.parametrize("words", WORDS)
def test_threat_35_gh_says_the_words_as_they_are(desk: Desk, words: str) -> None:
    case = generate.Case(why="", change=generate.update("task", description=words))
    seen = desk.run("verify", *desk.lay(case), "--format", "gh")
    assert seen.code == 0
    assert_nothing_acts(seen)
    assert seen.document[0]["verificationResult"]["statement"]["predicate"]["task"]["description"] == words


@pytest.mark.parametrize("words", WORDS)
def test_threat_35_json_says_the_words_as_they_are(desk: Desk, words: str) -> None:
    seen = desk.verify(generate.Case(why="", change=said(words)))
    assert seen.result["claims"][0]["statement"] == words
    assert seen.result["contract"]["breach"] == words
    assert json.loads(seen.out)["result"]["untrusted"]["statement"]["predicate"]["task"]["description"] == words


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("view", [[], ["--json"]], ids=["text", "json"])
def test_threat_35_a_rule_of_ones_own_may_repeat_them(desk: Desk, words: str, view: list[str]) -> None:
    said = {"code": "custom.a.b", "message": words, "solution": words, "term": words, "facts": [f"/{words}"]}
    desk.write("../own.wasm", "").write_bytes(stub({"violations": [said], "warnings": [said]}))
    seen = desk.run("verify", *desk.lay(generate.Case(why="")), "--policy", "../own.wasm", *view)
    assert seen.code == 12
    assert_nothing_acts(seen)


@pytest.mark.loopback
@pytest.mark.parametrize("words", WORDS)
def test_threat_35_a_server_may_say_them(desk: Desk, words: str) -> None:
    body = json.dumps({"warning": {"code": words, "message": words}, "result": words}).encode()
    for raw in (http(body), http(words.encode(), "500 Oops"), words.encode() + b"\r\n\r\n"):
        with serving(sends(raw, close=True)) as server:
            seen = desk.run("verify", *desk.lay(generate.Case(why="")), "--engine", f"opa-server={server.url}")
        assert seen.code == 4
        assert_nothing_acts(seen)
