"""Attack: a VSA for a result that is unsigned, imported, relaxed or excepted; a VSA whose subject is the receipt.
Answer: refused, or named in every level; subjects are what the verifier read; one digest over all that decided.
"""

import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_changes import PROFILE
from testdata.receipts.generate_changes import Case as ChangeCase
from tests.threats.conftest import Desk, Seen

SIGNED = ["--trusted-key", "worker=../trust/worker.pub", "--root", "workspace"]
CASES = Path(generate.__file__).parent
PROFILE_FLAGS = ("--profile", "--minimum-assurance", "--predicate-type", "--repository", "--sandbox", "--override")
KINDS = ("vsa", "svr", "test-result")


def attest(desk: Desk, *flags: str, kind: str = "vsa", result: str = "result.json") -> Seen:
    if not Path("gate.pem").exists():
        assert desk.run("keygen", "--out", "gate").code == 0
    digest = hashlib.sha256(Path(result).read_bytes()).hexdigest()
    named = ["--resource-uri", "git+https://example.com/app"] if kind == "vsa" else []
    line = ["attest-result", result, "--expected-digest", digest, "--type", kind, *named]
    return desk.run(*line, "--key", "gate.pem", "--out", "out.json", *flags)


def recompute(desk: Desk, case: generate.Case, *flags: str) -> None:
    desk.lay(case)
    desk.run("recompute", "receipt.json", *(flags or SIGNED), "--out", "result.json")


def statement() -> Any:
    return json.loads(base64.b64decode(json.loads(Path("out.json").read_bytes())["payload"]))


def levels() -> list[str]:
    found: list[str] = statement()["predicate"]["verifiedLevels"]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_threat_17_nothing_about_an_unsigned_receipt(desk: Desk, kind: str) -> None:
    recompute(desk, generate.Case(why=""), "--unsigned", "--root", "workspace")
    seen = attest(desk, kind=kind)
    assert seen.code != 0
    assert "nobody's signature was asked for" in seen.err
    assert not Path("out.json").exists()


def imported(_statement: generate.Json, predicate: generate.Json) -> None:
    predicate["agent"]["harness"] = {
        "name": "agent-receipt/v1",
        "digest": {"sha256": "0" * 64},
        "annotations": {"importedFrom": "agent-receipt/v1"},
    }


@pytest.mark.parametrize("kind", KINDS)
def test_threat_17_nothing_about_an_imported_receipt(desk: Desk, kind: str) -> None:
    recompute(desk, generate.Case(why="", change=imported))
    seen = attest(desk, kind=kind)
    assert seen.code == 4
    assert "imported from an old format" in seen.err
    assert not Path("out.json").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", ["flag", "profile"])
def test_threat_17_nothing_about_a_result_for_which_nothing_was_looked_at(desk: Desk, kind: str, by: str) -> None:
    desk.write("acceptance.toml", "version = 1\nminimumAssurance = 'reported'\n")
    flags = ["--minimum-assurance", "reported"] if by == "flag" else ["--profile", "acceptance.toml"]
    recompute(desk, generate.Case(why=""), *SIGNED, *flags)
    seen = attest(desk, *flags, kind=kind)
    assert seen.code == 4
    assert "minimumAssurance is reported" in seen.err
    assert not Path("out.json").exists()


def test_threat_17_nothing_about_a_result_as_of_a_time_that_had_passed(desk: Desk) -> None:
    recompute(desk, generate.Case(why=""), *SIGNED, "--at", generate.NOW)
    seen = attest(desk)
    assert seen.code == 4
    assert "as of a time that had passed" in seen.err
    assert not Path("out.json").exists()


def test_threat_17_nothing_about_a_receipt_that_nobody_trusted_signed(desk: Desk) -> None:
    recompute(desk, generate.Case(why=""), "--trusted-key", "second=../trust/second.pub", "--root", "workspace")
    seen = attest(desk)
    assert seen.code == 10
    assert "nobody who is trusted signed" in seen.err
    assert not Path("out.json").exists()


EXCEPTION = """version = 1
include = ["agent.model"]
[agent]
models = ["model-2"]
[[exception]]
code = "agent.model"
reason = "a trial"
approver = "boss"
expires = 2099-01-01T00:00:00Z
"""
LOOSENED: dict[str, tuple[str, list[str], str]] = {
    "an exception": (EXCEPTION, [], "_WITH_EXCEPTIONS"),
    "a rule left out": ("version = 1\nexclude = ['freshness']\n", [], "_WITH_EXCLUSIONS"),
    "an override": ("version = 1\n", ["--override", "freshness.skew", "--skew", "86400"], "_WITH_OVERRIDES"),
    "two of them": (EXCEPTION, ["--override", "limits"], "_WITH_EXCEPTIONS_AND_OVERRIDES"),
}


@pytest.mark.parametrize(("profile", "flags", "suffix"), LOOSENED.values(), ids=LOOSENED)
def test_threat_17_what_was_loosened_is_in_every_level(desk: Desk, profile: str, flags: list[str], suffix: str) -> None:
    desk.write("acceptance.toml", profile)
    named = ["--profile", "acceptance.toml"]
    recompute(desk, generate.Case(why=""), *SIGNED, *named, *flags)
    seen = attest(desk, *named)
    assert seen.code == 0, seen.err
    assert levels() == [f"DONE_RECEIPT_{name}{suffix}" for name in ("FULLY_RECHECKED", "COLLECTION_MINIMAL")]


def test_threat_17_a_lower_assurance_is_in_every_level(desk: Desk) -> None:
    flags = ["--minimum-assurance", "partially_rechecked"]
    change = generate.claims(generate.text_item(), {"kind": "x", "ok": True, "observed": {}})
    recompute(desk, generate.Case(why="", change=change), *SIGNED)
    assert attest(desk).code == 12
    assert attest(desk, *flags).code == 0
    assert "DONE_RECEIPT_PARTIALLY_RECHECKED_WITH_LOWER_ASSURANCE" in levels()
    assert all(level.endswith("_WITH_LOWER_ASSURANCE") for level in levels())


def test_threat_17_a_sandbox_below_the_default_is_in_every_level(desk: Desk) -> None:
    change = generate.claims(generate.command_item(), generate.file_item())
    commands = ["--recheck-commands", "--allow-command", "/bin/sh tests/check.sh", "--sandbox", "rlimits"]
    recompute(desk, generate.Case(why="", change=change), *SIGNED, *commands)
    seen = attest(desk, "--sandbox", "rlimits")
    assert seen.code == 0, seen.err
    assert all(level.endswith("_WITH_OVERRIDES") for level in levels())


def test_threat_17_a_receipt_is_never_what_it_is_about(desk: Desk) -> None:
    """Even where the result, which somebody edited, says that the receipt's own bytes were matched."""
    recompute(desk, generate.Case(why=""))
    tree = json.loads(Path("result.json").read_bytes())
    for digest in (tree["input"]["sha256"], tree["input"]["payloadSha256"]):
        tree["untrusted"]["statement"]["subject"][0]["digest"] = {"sha256": digest}
        Path("result.json").write_text(json.dumps(tree))
        seen = attest(desk)
        assert seen.code == 4
        assert "about nothing" in seen.err


def test_threat_17_a_subject_that_nobody_read_is_not_in_it(desk: Desk) -> None:
    def change(statement: generate.Json, _predicate: generate.Json) -> None:
        statement["subject"].append(generate.file("elsewhere.bin", "famous"))

    recompute(desk, generate.Case(why="", change=change), *SIGNED[:2], "--artifact", "workspace/greeting.txt")
    attest(desk)
    assert [subject["name"] for subject in statement()["subject"]] == ["greeting.txt"]


def test_threat_17_a_subject_that_differs_gets_no_verdict(desk: Desk) -> None:
    """Or anybody's receipt could have somebody else's artifact called failed."""

    def change(statement: generate.Json, _predicate: generate.Json) -> None:
        statement["subject"] = [generate.file("greeting.txt", "famous")]

    recompute(desk, generate.Case(why="", change=change))
    seen = attest(desk)
    assert seen.code == 11
    assert "about nothing" in seen.err
    assert not Path("out.json").exists()


def test_threat_17_only_digests_that_were_compared_are_in_it(desk: Desk) -> None:
    def change(statement: generate.Json, _predicate: generate.Json) -> None:
        statement["subject"][0]["digest"] |= {"gitBlob": "a" * 40, "md5": "b" * 32}

    recompute(desk, generate.Case(why="", change=change))
    attest(desk)
    assert statement()["subject"] == [generate.file("greeting.txt", generate.GREETING)]


def test_threat_17_without_a_match_it_is_about_heads_tree(desk: Desk) -> None:
    """The tree that was read, by the id that was computed for it."""
    laid = desk.lay_change(ChangeCase(why=""))
    words = [word for word in laid.words() if word not in ("--at", generate.NOW)]
    desk.run("recompute", *words, "--out", "result.json")
    tree = json.loads(Path("result.json").read_bytes())
    (check,) = [check for check in tree["checks"] if check["id"] == "subjects"]
    finding = {"check": "subjects", "status": "not_checked", "reason": "subjects.nothing_given", "message": "x"}
    check |= {"status": "not_checked", "findings": [finding]}
    tree["matchedSubjects"] = []
    Path("result.json").write_text(json.dumps(tree))
    desk.write("acceptance.toml", PROFILE)
    assert attest(desk, "--profile", "acceptance.toml").code == 12
    (subject,) = statement()["subject"]
    assert subject == {"name": tree["change"]["head"], "digest": {"gitTree": tree["change"]["tree"]}}


EDITS: dict[str, Callable[[Any], None]] = {
    "signers taken away": lambda tree: tree.update(signers=[], attesterNames=[]),
    "a look that nobody took": lambda tree: tree.update(assurance="partially_rechecked"),
    "a claim made up": lambda tree: tree["claims"].append(tree["claims"][0] | {"id": "x", "evidence": []}),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_threat_17_a_result_that_was_edited_is_refused_by_its_digest(desk: Desk, edit: Callable[[Any], None]) -> None:
    recompute(desk, generate.Case(why=""))
    digest = hashlib.sha256(Path("result.json").read_bytes()).hexdigest()
    tree = json.loads(Path("result.json").read_bytes())
    edit(tree)
    Path("result.json").write_text(json.dumps(tree))
    line = ["attest-result", "result.json", "--expected-digest", digest, "--key", "gate.pem"]
    seen = desk.run(*line, "--resource-uri", "pkg:generic/app")
    assert seen.code != 0


def test_threat_17_no_case_that_is_denied_is_attested_as_passed(desk: Desk) -> None:
    """All cases, as of now: PASSED only for what `verify` admits with the same flags."""
    cases = sorted(path.parent for path in CASES.glob("*/expected.json"))
    passed, denied = 0, 0
    desk.run("keygen", "--out", "gate")
    for case in cases:
        expected = json.loads((case / "expected.json").read_bytes())
        words = without_time(expected["arguments"])
        with chdir(case):
            code = desk.run("verify", *words, "--quiet").code
            desk.run("recompute", *words, "--out", desk.folder / "result.json")
            profile = [word for flag in pairs(words) if flag[0] in PROFILE_FLAGS for word in flag]
            result = desk.folder / "result.json"
            if result.exists():
                digest = hashlib.sha256(result.read_bytes()).hexdigest()
                how: list[str | Path] = ["--key", desk.folder / "gate.pem", "--out", desk.folder / "out.json"]
                desk.run("attest-result", result, "--expected-digest", digest, *profile, "--resource-uri", "a:b", *how)
        if Path("out.json").exists():
            verdict = statement()["predicate"]["verificationResult"]
            assert verdict == "FAILED" or code == 0, case.name
            passed, denied = passed + (verdict == "PASSED"), denied + (verdict == "FAILED")
        for name in ("out.json", "result.json"):
            Path(name).unlink(missing_ok=True)
    assert passed > 10
    assert denied > 20


def without_time(words: list[str]) -> list[str]:
    at = words.index("--at") if "--at" in words else len(words)
    return words[:at] + words[at + 2 :]


def pairs(words: list[str]) -> list[list[str]]:
    return [words[at : at + 2] for at, word in enumerate(words) if word.startswith("--")]


def test_threat_17_what_signs_loads_nothing_that_runs_commands(desk: Desk) -> None:
    recompute(desk, generate.Case(why=""))
    attest(desk)
    digest = hashlib.sha256(Path("result.json").read_bytes()).hexdigest()
    line = ["attest-result", "result.json", "--expected-digest", digest, "--resource-uri", "a:b"]
    script = (
        "import sys; from in_toto_done_receipt.cli.main import run; "
        f"code = run({[*line, '--key', 'gate.pem', '--out', 'out.json']!r}); "
        "print(code, [name for name in sys.modules if 'sandbox' in name or 'observe.git' in name])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr
