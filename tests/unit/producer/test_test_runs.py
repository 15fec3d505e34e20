"""Evidence of kind tests: what a run and its report are written as."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.producer.commands import run_commands
from in_toto_done_receipt.producer.evidence import Seen, Wanted
from in_toto_done_receipt.producer.test_runs import run_tests

SHELL = "/bin/sh"
GREEN = (
    "<testsuite><testcase classname='c' name='a'/><testcase classname='c' name='b'><skipped/></testcase></testsuite>"
)
RED = (
    "<testsuite><testcase classname='c' name='a'/><testcase name='b'><failure/></testcase>"
    "<testcase name='c'><error/></testcase></testsuite>"
)


def item(script: str, **members: Any) -> Wanted:
    return Wanted(claim="c", kind="tests", members={"argv": [SHELL, "-c", script, "sh", "{junit}"], **members})


def ran(root: Path, script: str, **members: Any) -> Seen:
    (seen,) = run_commands([item(script, **members)], root)
    assert seen is not None
    return seen


def writes(report: str, code: int = 0) -> str:
    return f'printf %s "{report}" >"$1"; exit {code}'


def test_a_success(tmp_path: Path) -> None:
    seen = ran(tmp_path, writes(GREEN), cited=["c::a"])
    assert seen.ok is True
    assert seen.observed == {
        "exitCode": 0,
        "report": {"sha256": hashlib.sha256(GREEN.encode()).hexdigest(), "bytes": len(GREEN)},
        "passed": 1,
        "failed": 0,
        "errored": 0,
        "skipped": 1,
    }


def test_red_tests(tmp_path: Path) -> None:
    seen = ran(tmp_path, writes(RED, 1))
    counts = [seen.observed[name] for name in ("exitCode", "passed", "failed", "errored", "skipped")]
    assert (seen.ok, counts) == (False, [1, 1, 1, 1, 0])


@pytest.mark.parametrize(
    ("report", "code"),
    {
        "red, and exit code 0": (RED, 0),
        "green, and exit code 1": (GREEN, 1),
        "no test": ("<testsuite/>", 0),
        "only skipped ones": ("<testsuite><testcase name='a'><skipped/></testcase></testsuite>", 0),
    }.values(),
)
def test_not_ok(tmp_path: Path, report: str, code: int) -> None:
    seen = ran(tmp_path, writes(report, code))
    assert (seen.ok, seen.observed["exitCode"]) == (False, code)


@pytest.mark.parametrize(
    ("script", "words"),
    {
        "no report": ("exit 3", "exit code 3, and no report was written"),
        "a folder": ('mkdir "$1"', "report {junit} is a directory, not a regular file"),
        "a FIFO": ('mkfifo "$1"', "report {junit} is a FIFO, not a regular file"),
        "an endless file": ('ln -s /dev/zero "$1"', "report {junit} is a character device, not a regular file"),
        "a link to nowhere": ('ln -s nowhere "$1"', "exit code 0, and no report was written"),
        "too large": ('truncate -s 65M "$1"', "report {junit}: limit junit-bytes is 67108864, got 68157440"),
        "no XML": (writes("passed"), "report is not well-formed XML: syntax error: line 1, column 0"),
        "no JUnit": (writes("<html/>"), "report: expected testsuites or testsuite, got html"),
        "contradiction": (writes("<testsuite tests='2'/>"), "report contradicts itself: suite without a name says 2"),
        "killed": ("kill -9 $$", "exit code -9, and no report was written"),
    }.values(),
)
def test_an_error(tmp_path: Path, script: str, words: str) -> None:
    seen = ran(tmp_path, script)
    assert (seen.ok, list(seen.observed)) == (False, ["error"])
    assert seen.observed["error"].startswith(words)


def test_not_started(tmp_path: Path) -> None:
    wanted = Wanted(claim="c", kind="tests", members={"argv": ["/nowhere", "{junit}"]})
    (seen,) = run_commands([wanted], tmp_path)
    assert seen is not None
    assert seen.observed["error"].startswith("not_started: ")


def test_over_time(tmp_path: Path) -> None:
    outcome = run_tests((SHELL, "-c", "sleep 60", "{junit}"), tmp_path, limits=CommandLimits(seconds=0.3))
    assert (outcome.command.failure, outcome.report) == ("timeout", b"")


@pytest.mark.parametrize("cited", [["c::b"], ["nowhere"], ["c::a", "a\tb"]])
def test_cited_tests_that_did_not_pass(tmp_path: Path, cited: list[str]) -> None:
    seen = ran(tmp_path, writes(GREEN), cited=cited)
    assert (seen.ok, list(seen.observed)) == (False, ["error"])
    assert seen.observed["error"].startswith("cited, and not reported as passed: ")


def test_one_command_runs_once(tmp_path: Path) -> None:
    script = "echo x >>ran; " + writes(GREEN)
    first, second, third = run_commands([item(script), item(script, cited=["c::b"]), item(script + " ")], tmp_path)
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first.ok, second.ok, third.ok) == (True, False, True)
    assert (tmp_path / "ran").read_text() == "x\nx\n"


def test_it_runs_in_place_with_a_scrubbed_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    report = "<testsuite><testcase name='$(pwd)-${SECRET_TOKEN:-none}'/></testsuite>"
    seen = ran(tmp_path, writes(report), cited=[f"{tmp_path}-none"])
    assert seen.ok is True


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    assert ran(tmp_path, writes(GREEN)).ok
    assert list((tmp_path / "scratch").iterdir()) == []
