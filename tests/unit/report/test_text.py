"""The text report of a receipt whose every string is hostile: nothing acts, and no line starts with its words."""

import re
import shutil
from pathlib import Path

import pytest

from in_toto_done_receipt.cli import main
from testdata.receipts import generate

HOSTILE = "::error file=x::\x1b[31mADMITTED\r\n::set-output name=a::b\u202e\u2028</details>@team fixes #1\x9b2J"
ACTS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def hostile(statement: generate.Json, predicate: generate.Json) -> None:
    name = "::warning::\u00e9 fixes #1 </details>"
    statement["subject"] = [generate.file(name, "x")]
    predicate["task"]["description"] = HOSTILE
    predicate["agent"] = {"id": "::error::agent", "model": "::add-mask::m"}
    predicate["claims"] = [
        {
            "id": "::group::claim",
            "statement": HOSTILE * 3,
            "evidence": [
                generate.file_item(name, "x"),
                {"kind": "::notice::kind", "ok": True, "observed": {"a": HOSTILE}},
                generate.command_item(["/bin/sh", HOSTILE]),
            ],
        }
    ]
    predicate["verdict"] = {"checked": True, "passed": False, "reason": HOSTILE}
    predicate["contract"]["breach"] = HOSTILE


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    statement = generate.base()
    hostile(statement, statement["predicate"])
    case = tmp_path / "case"
    (case / "workspace" / "tests").mkdir(parents=True)
    (case / "receipt.json").write_text(generate.pretty(generate.envelope(generate.payload_of(statement))))
    (tmp_path / "worker.pub").write_text(generate.public_pem("worker"))
    monkeypatch.chdir(case)
    return case


VERIFY = ["verify", "receipt.json", "--trusted-key", "worker=../worker.pub", "--root", "workspace"]
LINES = {
    "text": VERIFY,
    "colour": [*VERIFY, "--color", "always"],
    "inspect": ["inspect", "receipt.json"],
    "json": [*VERIFY, "--json"],
    "inspect in JSON": ["inspect", "receipt.json", "--json"],
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_nothing_that_a_receipt_says_acts(line: list[str], place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main.run(line)
    captured = capsys.readouterr()
    for text in (captured.out, captured.err):
        plain = re.sub(r"\x1b\[[01;]*[0-9]*m", "", text) if "always" in line else text
        assert ACTS.search(plain) is None
        for shown in plain.splitlines():
            assert not shown.lstrip().startswith(("::", "##[", "ADMITTED"))


def test_text_keeps_to_80_columns_whatever_a_receipt_says(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main.run(VERIFY)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_an_error_about_a_hostile_file_name_is_escaped(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b[2J\u202e.json"
    shutil.copy("receipt.json", name)
    Path(name).write_text("{")
    assert main.run(["verify", name, *VERIFY[2:]]) == 3
    assert ACTS.search(capsys.readouterr().err) is None


EXCEPTION = """version = 1
[[exception]]
code = "verdict.passed"
reason = "the run's own checker was broken::error::"
approver = "lead@example.com"
expires = 2027-01-01T00:00:00Z
"""


def test_what_waits_and_what_was_waived_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unchecked(_statement: generate.Json, predicate: generate.Json) -> None:
        predicate["verdict"] |= {"checked": False, "passed": False}

    keys = {f"../{name}.pub": generate.public_pem(name) for name in ("worker", "second")}
    files = generate.Case(why="", change=unchecked).files() | keys | {"profile.toml": EXCEPTION}
    for path, text in files.items():
        (tmp_path / "case" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "case" / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "case")
    assert main.run([*VERIFY, "--at", generate.NOW, "--profile", "profile.toml"]) == 0
    admitted = capsys.readouterr().out
    assert "exceptions that were needed\n  verdict.passed: the run's own checker was broken" in admitted
    assert "approved by lead@example.com, until 2027-01-01T00:00:00Z" in " ".join(admitted.replace("|", " ").split())
    assert main.run([argument.replace("worker.pub", "second.pub") for argument in VERIFY]) == 10
    denied = capsys.readouterr().out
    assert "not judged signature.scope, statement.handler, statement.type," in " ".join(denied.split())
    assert "(after signature.trusted)" in " ".join(denied.split())
    assert all(len(line) <= 80 for text in (admitted, denied) for line in text.splitlines())
