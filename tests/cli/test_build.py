"""`build`: every flag, what it refuses before anything runs, and that half a receipt is never left behind."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
A = "a" * 64


@pytest.fixture
def base(work: Path, tmp_path: Path) -> list[str]:
    """The flags that every receipt needs; the statement goes to `tmp_path / s`."""
    flags = ["--root", str(work), "--out", str(tmp_path / "s"), "--task", "write report", "--agent", "worker"]
    return ["build", *flags, "--claim", "c=it is done"]


@pytest.fixture
def built(cli: Cli, base: list[str], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The statement that these further flags give."""

    def build(*flags: str | Path, code: int = 0) -> dict[str, Any]:
        done = cli(*base, *flags)
        assert done.code == code, done.err
        statement = json.loads((tmp_path / "s").read_bytes())
        assert isinstance(statement, dict)
        return statement

    return build


Built = Callable[..., dict[str, Any]]


def evidence(statement: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for claim in statement["predicate"]["claims"] for item in claim["evidence"]]


def test_it_prints_the_payloads_digest(cli: Cli, base: list[str], tmp_path: Path) -> None:
    done = cli(*base, "--file", "c=report.md")
    data = (tmp_path / "s").read_bytes()
    assert (done.code, done.out) == (0, hashlib.sha256(data).hexdigest() + "\n")
    assert done.err == "receipt says: PASSED — checked, nothing sealed\n"
    assert not data.endswith(b"\n")


def test_json_facts(cli: Cli, base: list[str]) -> None:
    facts = json.loads(cli(*base, "--file", "c=report.md", "--json").out)
    assert facts.keys() == {"payloadSha256", "out", "summary", "notOk", "breach"}


def test_to_standard_output(cli: Cli, base: list[str]) -> None:
    done = cli(*base, "--file", "c=report.md", "--out", "-")
    assert hashlib.sha256(done.out.encode()).hexdigest() in done.err


SHORT_FORMS = {
    "file-exists": (["--file-exists", "c=report.md"], {"kind": "path", "expect": "file", "path": "report.md"}),
    "dir-exists": (["--dir-exists", "c=tests"], {"kind": "path", "expect": "directory"}),
    "exists": (["--exists", "c=tests"], {"kind": "path", "expect": "present"}),
    "absent": (["--absent", "c=conftest.py"], {"kind": "path", "expect": "absent"}),
    "file": (["--file", "c=./report.md"], {"kind": "file", "path": "report.md"}),
    "file-hash": (["--file-hash", "c=report.md"], {"kind": "file", "path": "report.md"}),
    "text": (["--text", "c=report.md::PASS"], {"kind": "text", "path": "report.md", "literal": "PASS"}),
    "text-contains": (["--text-contains", "c=././report.md::PASS"], {"kind": "text", "path": "report.md"}),
    "command": (["--command", "c=/usr/bin/test -s 'report.md'"], {"argv": ["/usr/bin/test", "-s", "report.md"]}),
    "command json": (
        ["--command", 'c=["/usr/bin/test","-s","report.md"]'],
        {"argv": ["/usr/bin/test", "-s", "report.md"]},
    ),
    "relative command": (["--command", "c=test -s report.md"], {"argv": ["test", "-s", "report.md"]}),
}


@pytest.mark.parametrize(("flags", "members"), SHORT_FORMS.values(), ids=SHORT_FORMS)
def test_short_forms(built: Built, flags: list[str], members: dict[str, Any]) -> None:
    (item,) = evidence(built(*flags, "--subject", "report.md"))
    assert item["ok"] is True
    assert {name: item[name] for name in members} == members


def test_the_first_separator_splits(built: Built, work: Path) -> None:
    (work / "a=b").write_text("x::y\n")
    items = evidence(built("--text", "c=a=b::x::y", "--file", "c=a=b"))
    assert [(item["path"], item.get("literal")) for item in items] == [("a=b", None), ("a=b", "x::y")]


def test_only_64_hex_after_the_last_comma_is_a_digest(built: Built, work: Path) -> None:
    (work / "a,b").write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    plain, expected = evidence(built("--file", "c=a,b", "--file", f"c=a,b,{digest.upper()}"))
    assert (plain["path"], "expectedSha256" in plain) == ("a,b", False)
    assert (expected["path"], expected["expectedSha256"], expected["ok"]) == ("a,b", digest, True)


JUNIT = """["/bin/sh","-c","printf %%s \\"$2\\" >\\"$1\\"","sh","{junit}","<testsuite>%s</testsuite>"]"""


def test_tests(built: Built, tmp_path: Path) -> None:
    report = JUNIT % "<testcase classname='m' name='t'/>"
    entry = {"claim": "c", "kind": "tests", "members": {"argv": json.loads(report), "cited": ["m::t"]}}
    (tmp_path / "e.json").write_text(json.dumps([entry]))
    items = evidence(built("--tests", f"c={report}", "--evidence", tmp_path / "e.json", "--subject", "report.md"))
    assert [item["ok"] for item in items] == [True, True]
    assert [item["kind"] for item in items] == ["tests", "tests"]
    assert (items[0]["argv"][4], items[0]["observed"]["passed"], items[1]["cited"]) == ("{junit}", 1, ["m::t"])


NOT_OK = {
    "path": ["--file-exists", "c=tests"],
    "absent": ["--absent", "c=report.md"],
    "file": ["--file", f"c=report.md,{A}"],
    "missing file": ["--file", "c=nowhere"],
    "text": ["--text", "c=report.md::FAIL"],
    "command": ["--command", "c=false"],
    "no command": ["--command", "c=/nowhere/at/all"],
    "slow": ["--command", "c=sh -c 'yes'"],
    "red tests": ["--tests", "c=" + JUNIT % "<testcase name='t'><failure/></testcase>"],
    "no tests": ["--tests", "c=" + JUNIT % ""],
    "no report": ["--tests", "c=/bin/true {junit}"],
}


@pytest.mark.parametrize("flags", NOT_OK.values(), ids=NOT_OK)
def test_evidence_that_is_not_ok(cli: Cli, base: list[str], tmp_path: Path, flags: list[str]) -> None:
    done = cli(*base, *flags, "--subject", "report.md")
    statement = json.loads((tmp_path / "s").read_bytes())
    (item,) = evidence(statement)
    line = f"evidence not ok: c[0] ({item['kind']})"
    assert (done.code, item["ok"], line in done.err.splitlines()) == (12, False, True)
    assert statement["predicate"]["verdict"] == {"checked": True, "passed": False, "reason": line}


def test_what_cannot_be_looked_at_says_why(built: Built, work: Path) -> None:
    (work / "link").symlink_to("report.md")
    (item,) = evidence(built("--file", "c=link", "--subject", "report.md", code=12))
    assert item["observed"].keys() == {"error"}
    assert "symbolic link" in item["observed"]["error"]


def test_a_command_sees_nothing_of_our_environment(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "sesame")
    (item,) = evidence(built("--command", "c=sh -c 'test -z \"$MY_SECRET\"'", "--subject", "report.md"))
    assert item["ok"] is True


@pytest.mark.parametrize("flags", [["--command", "c=touch ran"], ["--tests", "c=/usr/bin/touch ran {junit}"]])
@pytest.mark.parametrize("name", ["SIGSTORE_ID_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "VAULT_TOKEN"])
def test_nothing_runs_beside_an_identity(
    cli: Cli, base: list[str], tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], name: str
) -> None:
    monkeypatch.setenv(name, "sesame")
    done = cli(*base, *flags, "--subject", "report.md")
    assert (done.code, name in done.err, "sesame" in done.err) == (4, True, False)
    assert "--override identity-near-evidence" in done.err
    assert not (work / "ran").exists()
    assert not (tmp_path / "s").exists()


def test_an_identity_is_no_matter_where_nothing_runs(
    cli: Cli, base: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", "sesame")
    assert cli(*base, "--file", "c=report.md").code == 0


def test_an_identity_by_override(cli: Cli, base: list[str], work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGSTORE_ID_TOKEN", "sesame")
    flags = ["--command", "c=touch ran", "--subject", "report.md"]
    assert cli(*base, *flags, "--override", "identity-near-evidence").code == 0
    assert (work / "ran").exists()


def test_commands_run_first(built: Built) -> None:
    statement = built("--file", "c=made", "--command", "c=touch made")
    assert [item["ok"] for item in evidence(statement)] == [True, True]


def test_the_same_command_runs_once(built: Built, work: Path) -> None:
    argv = '["/bin/sh","-c","echo x >> count"]'
    built("--command", f"c={argv}", "--command", f"c={argv}", "--subject", "report.md")
    assert (work / "count").read_text() == "x\n"


def test_evidence_file(built: Built, tmp_path: Path) -> None:
    digest = hashlib.sha256(b"# Report\nPASS\n").hexdigest()
    entries = [
        {"claim": "c", "kind": "command", "members": {"argv": ["false"], "expected": {"exitCode": 1}}},
        {
            "claim": "c",
            "kind": "command",
            "members": {"argv": ["echo", "hello"], "expected": {"stdoutContains": "ell"}},
        },
        {
            "claim": "c",
            "kind": "output",
            "members": {"artifact": {"name": "report.md", "digest": {"sha256": digest}}},
        },
    ]
    (tmp_path / "e.json").write_text(json.dumps(entries))
    items = evidence(built("--evidence", tmp_path / "e.json", "--subject", "report.md"))
    assert [item["ok"] for item in items] == [True, True, True]
    assert items[1]["observed"]["stdoutMatched"] is True


@pytest.mark.parametrize(
    ("name", "code"),
    [("report.md", 12), ("tests/test_report.py", 4)],  # not this content; not a subject: that would contradict itself
)
def test_an_output_that_is_no_subject(cli: Cli, base: list[str], tmp_path: Path, name: str, code: int) -> None:
    entry = {"claim": "c", "kind": "output", "members": {"artifact": {"name": name, "digest": {"sha256": A}}}}
    (tmp_path / "e.json").write_text(json.dumps([entry]))
    done = cli(*base, "--evidence", tmp_path / "e.json", "--subject", "report.md")
    assert (done.code, (tmp_path / "s").exists()) == (code, code == 12)


EVIDENCE_FILES = {
    "not json": (b"{", 4),
    "duplicate": (b'[{"claim":"c","claim":"d","kind":"file","members":{}}]', 4),
    "not a list": (b'{"claim":"c"}', 4),
    "no members": (b'[{"claim":"c","kind":"file"}]', 4),
    "extra": (b'[{"claim":"c","kind":"file","members":{"path":"report.md"},"ok":true}]', 4),
    "ok inside": (b'[{"claim":"c","kind":"file","members":{"path":"report.md","ok":true}}]', 2),
    "observed inside": (b'[{"claim":"c","kind":"file","members":{"path":"report.md","observed":{}}}]', 2),
    "no path": (b'[{"claim":"c","kind":"file","members":{}}]', 2),
    "path is a number": (b'[{"claim":"c","kind":"file","members":{"path":1}}]', 2),
    "unknown member": (b'[{"claim":"c","kind":"file","members":{"path":"report.md","x":1}}]', 2),
    "bad expect": (b'[{"claim":"c","kind":"path","members":{"path":"report.md","expect":"link"}}]', 2),
    "argv is text": (b'[{"claim":"c","kind":"command","members":{"argv":"true"}}]', 2),
    "argv holds a number": (b'[{"claim":"c","kind":"command","members":{"argv":[1]}}]', 2),
    "argv is missing": (b'[{"claim":"c","kind":"command","members":{}}]', 2),
    "exit code 1.0": (b'[{"claim":"c","kind":"command","members":{"argv":["true"],"expected":{"exitCode":1.0}}}]', 2),
    "escape": (b'[{"claim":"c","kind":"file","members":{"path":"../../etc/passwd"}}]', 2),
    "unknown kind": (b'[{"claim":"c","kind":"https://example.com/x","members":{}}]', 4),
    "tests without a report": (b'[{"claim":"c","kind":"tests","members":{"argv":["x"]}}]', 2),
    "cited is text": (b'[{"claim":"c","kind":"tests","members":{"argv":["x","{junit}"],"cited":"a"}}]', 2),
    "unknown claim": (b'[{"claim":"d","kind":"file","members":{"path":"report.md"}}]', 2),
}


@pytest.mark.parametrize(("data", "code"), EVIDENCE_FILES.values(), ids=EVIDENCE_FILES)
def test_evidence_files_that_are_refused(
    cli: Cli, base: list[str], tmp_path: Path, work: Path, data: bytes, code: int
) -> None:
    (tmp_path / "e.json").write_bytes(data)
    done = cli(*base, "--evidence", tmp_path / "e.json", "--subject", "report.md", "--command", "c=touch ran")
    assert (done.code, done.out) == (code, "")
    assert not (tmp_path / "s").exists()
    assert not (work / "ran").exists()


BAD_FLAGS = {
    "no id": ["--claim", "text"],
    "empty id": ["--claim", "=text"],
    "empty text": ["--claim", "d="],
    "claim twice": ["--claim", "c=again"],
    "unknown claim": ["--file", "d=report.md"],
    "absolute": ["--file", "c=/etc/passwd"],
    "parent": ["--file", "c=../x"],
    "backslash": ["--file", "c=a\\b"],
    "control": ["--file", "c=a\nb"],
    "decomposed": ["--file", "c=e\u0301"],
    "not utf-8": ["--file", "c=\udcff"],
    "text without literal": ["--text", "c=report.md"],
    "text with empty literal": ["--text", "c=report.md::"],
    "open quote": ["--command", "c=sh -c 'x"],
    "empty command": ["--command", "c= "],
    "json command": ["--command", "c=[1]"],
    "tests without a report": ["--tests", "c=/bin/true"],
    "tests of nothing": ["--tests", "c="],
    "json command cut": ["--command", "c=["],
    "empty json": ["--command", "c=[]"],
    "subject outside": ["--subject", "/etc/passwd"],
    "subject twice": ["--subject", "report.md"],
    "reason without failure": ["--reason", "x"],
    "reason with passed": ["--verdict", "passed", "--reason", "x"],
    "verdict word": ["--verdict", "maybe"],
    "outcome word": ["--outcome", "done"],
    "time": ["--finished-on", "yesterday"],
    "leap": ["--started-on", "2026-01-01T23:59:60Z"],
    "count": ["--iterations", "-1"],
    "float": ["--tool-calls", "1.5"],
    "huge": ["--iterations", str(2**53)],
    "one token count": ["--input-tokens", "1"],
    "context is no digest": ["--packet-digest", "x", "--input-commit", "y", "--output-manifest-digest", "z"],
    "empty task": ["--task", ""],
    "agent of two lines": ["--agent", "a\nb"],
    "task not utf-8": ["--task", "\udcff"],
    "empty model": ["--model", ""],
    "id with an escape": ["--claim", "\x1b=x"],
    "wrong order": ["--started-on", "2026-01-02T00:00:00Z", "--finished-on", "2026-01-01T00:00:00Z"],
    "subject twins": ["--subject", "REPORT.md"],
    "two context flags": ["--packet-digest", A, "--input-commit", "c" * 40],
}


@pytest.mark.parametrize("flags", BAD_FLAGS.values(), ids=BAD_FLAGS)
def test_flags_that_are_refused(cli: Cli, base: list[str], tmp_path: Path, work: Path, flags: list[str]) -> None:
    done = cli(*base, "--subject", "report.md", "--command", "c=touch ran", *flags)
    assert (done.code, done.out) == (2, "")
    assert not (tmp_path / "s").exists()
    assert not (work / "ran").exists()


def test_everything_about_the_run(built: Built) -> None:
    flags = [
        *("--task-uri", "https://example.com/1", "--model", "gpt-5", "--harness", "https://example.com/h"),
        *("--outcome", "completed", "--started-on", "2026-01-01T00:00:00Z", "--finished-on", "2026-01-01T00:01:00.25Z"),
        *("--iterations", "3", "--tool-calls", "5", "--input-tokens", "100", "--output-tokens", "20"),
        *("--audit-request", "req-7", "--subject", "report.md"),
    ]
    found = built(*flags)["predicate"]
    assert found["task"] == {"description": "write report", "uri": "https://example.com/1"}
    assert found["agent"] == {"id": "worker", "model": "gpt-5", "harness": {"uri": "https://example.com/h"}}
    assert found["run"] == {
        "outcome": "completed",
        "startedOn": "2026-01-01T00:00:00Z",
        "finishedOn": "2026-01-01T00:01:00.250Z",
        "iterations": 3,
        "toolCalls": 5,
        "usage": {"inputTokens": 100, "outputTokens": 20},
        "auditLog": {"requestId": "req-7"},
    }


def test_a_harness_by_its_digest(built: Built) -> None:
    statement = built("--harness", f"sha256:{A.upper()}", "--subject", "report.md")
    assert statement["predicate"]["agent"]["harness"] == {"digest": {"sha256": A}}


def test_the_finish_is_now_unless_given(built: Built) -> None:
    from datetime import UTC, datetime, timedelta

    finished = built("--subject", "report.md")["predicate"]["run"]["finishedOn"]
    assert datetime.now(UTC) - datetime.fromisoformat(finished) < timedelta(minutes=5)


VERDICTS = {
    "no evidence": ([], (False, False, "")),
    "evidence": (["--file", "c=report.md"], (True, True, "")),
    "said passed": (["--verdict", "passed"], (True, True, "")),
    "said unchecked": (["--file", "c=report.md", "--verdict", "unchecked"], (False, False, "")),
    "said failed": (["--verdict", "failed", "--reason", "no 42"], (True, False, "no 42")),
    "budget": (["--outcome", "budgetExhausted"], (True, False, "the run hit its budget before finishing")),
    "broken off": (["--outcome", "failed", "--verdict", "passed"], (True, False, "the run did not complete")),
}


@pytest.mark.parametrize(("flags", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_verdicts(built: Built, flags: list[str], verdict: tuple[bool, bool, str]) -> None:
    found = built("--subject", "report.md", *flags)["predicate"]["verdict"]
    assert (found["checked"], found["passed"], found["reason"]) == verdict


def test_a_failure_needs_a_reason(cli: Cli, base: list[str]) -> None:
    done = cli(*base, "--subject", "report.md", "--verdict", "failed")
    assert (done.code, "needs a reason" in done.err) == (4, True)


def test_subjects_are_the_hashed_files_by_default(built: Built) -> None:
    statement = built("--file", "c=report.md", "--file", "c=tests/test_report.py", "--text", "c=report.md::PASS")
    assert [subject["name"] for subject in statement["subject"]] == ["report.md", "tests/test_report.py"]


def test_subjects_as_given(built: Built) -> None:
    statement = built("--file", "c=report.md", "--subject", "./tests/test_report.py")
    assert [subject["name"] for subject in statement["subject"]] == ["tests/test_report.py"]


def test_no_subject_at_all(cli: Cli, base: list[str]) -> None:
    done = cli(*base, "--text", "c=report.md::PASS")
    assert (done.code, "--subject" in done.err, "--manifest" in done.err) == (2, True, True)


@pytest.mark.parametrize("path", ["tests", "nowhere", "link"])
def test_a_subject_is_a_file(cli: Cli, base: list[str], tmp_path: Path, work: Path, path: str) -> None:
    (work / "link").symlink_to("report.md")
    done = cli(*base, "--subject", path)
    assert (done.code, path in done.err) == (4, True)
    assert not (tmp_path / "s").exists()


def test_a_manifest_is_a_subject(cli: Cli, built: Built, work: Path) -> None:
    digest = cli("manifest", "create", "--root", work).out.strip()
    statement = built("--manifest", work / "OUTPUT_MANIFEST.json", "--file", "c=report.md")
    entry = {"name": "OUTPUT_MANIFEST.json", "digest": {"sha256": digest}}
    assert statement["predicate"]["manifest"] == entry
    assert [subject["name"] for subject in statement["subject"]] == ["report.md", "OUTPUT_MANIFEST.json"]


def test_a_manifest_alone_is_the_subject(cli: Cli, built: Built, tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m.json")
    assert [subject["name"] for subject in built("--manifest", tmp_path / "m.json")["subject"]] == ["m.json"]


def test_a_manifest_of_something_else(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m.json")
    (work / "report.md").write_text("changed")
    (work / "new").write_text("x")
    done = cli(*base, "--manifest", tmp_path / "m.json")
    assert (done.code, "unexpected: new, changed: report.md" in done.err) == (11, True)
    assert not (tmp_path / "s").exists()


def test_a_command_that_moves_the_work_is_noticed_by_the_manifest(
    cli: Cli, base: list[str], tmp_path: Path, work: Path
) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m.json")
    done = cli(*base, "--manifest", tmp_path / "m.json", "--command", "c=touch made")
    assert (done.code, "unexpected: made" in done.err) == (11, True)


def test_a_receipt_among_the_listed_files(cli: Cli, base: list[str], work: Path) -> None:
    cli("manifest", "create", "--root", work)
    flags = ["--manifest", work / "OUTPUT_MANIFEST.json"]
    assert cli(*base, *flags, "--out", work / "statement.json").code == 2
    assert cli(*base, *flags, "--out", work / "receipt.json").code == 0


def test_a_root_with_git_and_a_manifest(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m.json")
    (work / ".git").mkdir()
    done = cli(*base, "--manifest", tmp_path / "m.json")
    assert (done.code, ".git" in done.err, "hint:" in done.err) == (4, True, True)


@pytest.mark.parametrize("flag", ["--manifest", "--contract", "--evidence"])
@pytest.mark.parametrize(
    "data", [None, b"", b"{}", b"\xff", b'{"a":1,"a":2}'], ids=["none", "empty", "{}", "ff", "dup"]
)
def test_a_named_file_that_is_none(cli: Cli, base: list[str], tmp_path: Path, flag: str, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / "f").write_bytes(data)
    done = cli(*base, "--subject", "report.md", flag, tmp_path / "f")
    assert (done.code, str(tmp_path / "f") in done.err) == (4, True)


def sealed(cli: Cli, tmp_path: Path, work: Path) -> Path:
    out = tmp_path / "contract.json"
    assert cli("seal", "--root", work, "--path", "tests/**", "--path", "conftest.py", "--out", out).code == 0
    return out


def test_a_contract_that_held(cli: Cli, built: Built, tmp_path: Path, work: Path) -> None:
    found = built("--contract", sealed(cli, tmp_path, work), "--file", "c=report.md")["predicate"]
    assert [entry["name"] for entry in found["contract"]["sealed"]] == ["tests/test_report.py"]
    assert (found["contract"]["absent"], found["contract"]["breach"]) == (["conftest.py"], None)
    assert found["verdict"]["passed"] is True


def test_a_contract_that_moved(cli: Cli, built: Built, tmp_path: Path, work: Path) -> None:
    contract = sealed(cli, tmp_path, work)
    (work / "tests" / "test_report.py").write_text("pass\n")
    (work / "conftest.py").write_text("")
    found = built("--contract", contract, "--file", "c=report.md")["predicate"]
    assert found["contract"]["breach"] == "conftest.py was created; tests/test_report.py was modified"
    assert found["verdict"]["passed"] is False


def test_a_contract_moved_by_a_command(cli: Cli, built: Built, tmp_path: Path, work: Path) -> None:
    contract = sealed(cli, tmp_path, work)
    found = built("--contract", contract, "--command", "c=touch conftest.py", "--subject", "report.md")["predicate"]
    assert found["contract"]["breach"] == "conftest.py was created"


def test_context(built: Built) -> None:
    flags = ["--packet-digest", A, "--input-commit", "c" * 40, "--output-manifest-digest", "d" * 64]
    found = built("--subject", "report.md", *flags)["predicate"]["context"]
    assert found["outputManifest"] == {"digest": {"sha256": "d" * 64}}


def test_a_context_for_another_manifest(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    cli("manifest", "create", "--root", work, "--out", tmp_path / "m.json")
    flags = ["--packet-digest", A, "--input-commit", "c" * 40, "--output-manifest-digest", "d" * 64]
    assert cli(*base, "--manifest", tmp_path / "m.json", *flags).code == 2


@pytest.mark.parametrize("root", ["nowhere", "file", "loop"])
def test_a_root_that_is_none(cli: Cli, base: list[str], tmp_path: Path, root: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    assert cli(*base, "--subject", "report.md", "--root", tmp_path / root).code == 4


def test_work_that_moves_between_the_looks(
    cli: Cli, base: list[str], tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes after the first look: made to happen by a second look at other work."""
    from in_toto_done_receipt.producer import build as module

    looks = iter([None, None])
    first = module._look

    def look(*arguments: Any) -> Any:
        found = first(*arguments)
        next(looks)
        (work / "report.md").write_text("changed\n")
        return found

    monkeypatch.setattr(module, "_look", look)
    done = cli(*base, "--file", "c=report.md", "--text", "c=report.md::PASS")
    assert (done.code, "c (file report.md), c (text report.md), subject report.md" in done.err) == (11, True)
    assert not (tmp_path / "s").exists()


def test_hostile_names_are_escaped(cli: Cli, base: list[str], work: Path) -> None:
    (work / "a\u202eb").write_text("x")
    done = cli(*base, "--file", "c=a\u202eb,", "--claim", "d\u202e=x", "--subject", "report.md")
    assert "\u202e" not in done.out + done.err


def test_a_task_of_several_lines(built: Built, cli: Cli, base: list[str]) -> None:
    statement = built("--subject", "report.md", "--task", "first\n::error::second\n\U0001f600")
    assert statement["predicate"]["task"]["description"].endswith("\U0001f600")


TOO_MUCH = {
    "evidence": ["--exists", "c=report.md"] * 201,
    "of one claim": ["--exists", "c=report.md"] * 21,
    "commands": [word for number in range(21) for word in ("--command", f"c=test {number}")],
}


@pytest.mark.parametrize("flags", TOO_MUCH.values(), ids=TOO_MUCH)
def test_too_much(cli: Cli, base: list[str], tmp_path: Path, flags: list[str]) -> None:
    assert cli(*base, "--subject", "report.md", *flags).code == 2
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "nowhere"])
def test_an_output_that_cannot_be_written(cli: Cli, base: list[str], tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "link":
        out.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        out.mkdir()
    elif kind == "fifo":
        os.mkfifo(out)
    else:
        out = tmp_path / "no" / "out"
    assert cli(*base, "--subject", "report.md", "--out", out).code == 4
    assert not (tmp_path / "elsewhere").exists()


def test_help_shows_an_example(cli: Cli) -> None:
    for name in ("keygen", "seal", "build", "sign", "attest"):
        done = cli(name, "--help")
        assert (done.code, "Example:" in done.out) == (0, True)


def test_in_toto_attestation_and_sigstore_accept_it(cli: Cli, base: list[str], tmp_path: Path, work: Path) -> None:
    from google.protobuf import json_format  # type: ignore[import-untyped]
    from in_toto_attestation.v1.statement import Statement
    from in_toto_attestation.v1.statement_pb2 import Statement as Message  # type: ignore[attr-defined]
    from sigstore.dsse import Statement as SigstoreStatement

    contract = sealed(cli, tmp_path, work)
    cli(*base, "--file", "c=report.md", "--command", "c=true", "--contract", contract)
    payload = (tmp_path / "s").read_bytes()
    Statement.copy_from_pb(json_format.Parse(payload, Message(), ignore_unknown_fields=True)).validate()
    assert SigstoreStatement(payload)._contents == payload
