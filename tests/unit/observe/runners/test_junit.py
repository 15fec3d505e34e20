"""Runner junit: commands that write a report, honest and not."""

from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.runners.junit import JUnitRunner
from in_toto_done_receipt.observe.runners.model import PlantTemplate, TestRun
from in_toto_done_receipt.observe.sandbox.model import CommandLimits
from in_toto_done_receipt.results.model import SandboxLevel
from tests.unit.observe.runners.rooms import run_tests
from tests.unit.observe.runners.trees import Files

ARGV = ("/bin/sh", "run.sh", "{junit}")
GREEN = (
    "<testsuite><testcase classname='c' name='a'/><testcase classname='c' name='b'><skipped/></testcase></testsuite>"
)
RED = "<testsuite><testcase classname='c' name='a'><failure/></testcase></testsuite>"


def ran(tmp_path: Path, script: str, report: str = GREEN, **members: Any) -> TestRun:
    files = {"run.sh": script, "report.xml": report}
    return run_tests(JUnitRunner(), tmp_path / "room", ARGV, files, **members)


def test_states(tmp_path: Path) -> None:
    found = ran(tmp_path, 'cat report.xml >"$1"')
    assert (found.states, found.faults, found.exit_code) == ({"c::a": "passed", "c::b": "skipped"}, (), 0)
    assert found.planned == ("c::a", "c::b")


@pytest.mark.parametrize("code", [1, 2, 100])
def test_red_tests_with_any_exit_code(tmp_path: Path, code: int) -> None:
    found = ran(tmp_path, f'cat report.xml >"$1"; exit {code}', RED)
    assert (found.states, found.faults, found.exit_code) == ({"c::a": "failed"}, (), code)


def test_what_it_wrote_is_kept_in_part(tmp_path: Path) -> None:
    assert ran(tmp_path, "echo why; exit 1").excerpt == b"why\n"


FAULTS = {
    "exit code 0 and red": ('cat report.xml >"$1"', RED, "exit code 0, and 1 test(s) failed"),
    "exit code 1 and green": ('cat report.xml >"$1"; exit 1', GREEN, "exit code 1, and no test failed"),
    "killed": ('cat report.xml >"$1"; kill -9 $$', RED, "exit code -9, which the runner does not use"),
    "no report": ("true", GREEN, "no report was written (the command ended with exit code 0)"),
    "a link": ('ln -s "$PWD/report.xml" "$1"', GREEN, "the report is a symbolic link"),
    "a folder": ('mkdir "$1"', GREEN, "the report is a directory"),
    "a FIFO": ('mkfifo "$1"', GREEN, "the report is a FIFO"),
    "a report elsewhere": ('cat report.xml >"$1.2"', GREEN, "no report was written"),
    "no XML": ('echo ok >"$1"', GREEN, "report is not well-formed XML"),
    "no JUnit": ('echo "<html/>" >"$1"', GREEN, "report: expected testsuites or testsuite, got html"),
    "billion laughs": (
        'cat report.xml >"$1"',
        "<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite/>",
        "report declares a document",
    ),
    "contradiction": ('cat report.xml >"$1"', "<testsuite tests='2'/>", "suite without a name says 2 tests, it has 0"),
    "twice": (
        'cat report.xml >"$1"',
        f"<testsuites>{GREEN}{GREEN}</testsuites>",
        "2 id(s) stand for several tests: c::a, c::b",
    ),
    "too large": ('truncate -s 65M "$1"', GREEN, "report {junit}: limit junit-bytes is 67108864, got 68157440"),
    "not permitted": ('cat report.xml >"$1"; chmod 0 "$1"; exit 1', GREEN, "exit code 1, and no test failed"),
}


@pytest.mark.parametrize(("script", "report", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_run_that_is_not_believed(tmp_path: Path, script: str, report: str, fault: str) -> None:
    found = ran(tmp_path, script, report)
    assert any(one.startswith(fault) for one in found.faults), found.faults


@pytest.mark.parametrize("level", ["landlock", "rlimits"])
def test_below_bubblewrap_there_is_no_run(tmp_path: Path, level: SandboxLevel) -> None:
    found = ran(tmp_path, f'touch "{tmp_path}/ran"; cat report.xml >"$1"', level=level)
    assert (found.states, found.exit_code) == ({}, None)
    assert found.faults == (f"a report on disk is no evidence at level {level}: processes may outlive the run",)
    assert not (tmp_path / "ran").exists()


def test_a_process_that_stays_cannot_rewrite_the_report(tmp_path: Path) -> None:
    script = '(sleep 1; echo "<testsuite/>" >"$1") >/dev/null 2>&1 & cat report.xml >"$1"; exit 1'
    found = ran(tmp_path, script, RED)
    assert (found.states, found.faults) == ({"c::a": "failed"}, ())


def test_a_report_of_another_run_is_not_found(tmp_path: Path) -> None:
    """The name is new for each run, and the folder is empty."""
    first = ran(tmp_path / "a", 'echo "<testsuite name=\'$1\'/>" >"$1"; ls "$(dirname "$1")" >&2')
    second = ran(tmp_path / "b", 'echo "<testsuite name=\'$1\'/>" >"$1"; ls "$(dirname "$1")" >&2')
    assert first.excerpt.endswith(b".xml\n")
    assert len(first.excerpt.splitlines()) == 1
    assert first.excerpt != second.excerpt


def test_time_is_bounded(tmp_path: Path) -> None:
    found = ran(tmp_path, "sleep 60", limits=CommandLimits(seconds=0.3))
    assert (found.exit_code, found.faults[0].partition(":")[0]) == (None, "timeout")


@pytest.mark.parametrize("argv", [("/bin/true",), ("/bin/true", "{junit}", "{junit}")])
def test_a_command_without_one_place_for_the_report(argv: tuple[str, ...]) -> None:
    for call in (JUnitRunner().plant, JUnitRunner().sites):
        with pytest.raises(ConfigurationError, match=r"wants \{junit\} in one argument"):
            call(argv, Files({}), "zq1")


def test_no_test_has_a_place() -> None:
    assert JUnitRunner().sites(ARGV, Files({}), ["c::a"]) == ()


TEMPLATE = PlantTemplate(
    path="tests/{token}_test.x", text="check {token} {x}", failing=("{token}::a",), passing=("{token}::b",)
)


def test_templates_are_planted() -> None:
    planted = JUnitRunner((TEMPLATE,)).plant(ARGV, Files({}), "zq1")
    assert planted.files == {"tests/zq1_test.x": b"check zq1 {x}"}
    assert planted.failing == {"zq1::a"}
    assert planted.passing == {"zq1::b"}


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"path": "../{token}"}, "plant ../{token}: "),
        ({"path": "/{token}"}, "plant /{token}: "),
        ({"path": "there"}, "plant there: there is such a file"),
        ({"failing": ("c::a",)}, "id c::a does not hold {token}"),
        ({"passing": ("c::a",)}, "id c::a does not hold {token}"),
    ],
)
def test_templates_that_are_refused(members: dict[str, Any], message: str) -> None:
    kept = {"path": TEMPLATE.path, "text": "", "failing": TEMPLATE.failing, "passing": TEMPLATE.passing}
    template = PlantTemplate(**{**kept, **members})
    with pytest.raises(ConfigurationError, match=message):
        JUnitRunner((template,)).plant(ARGV, Files({"there": b""}), "zq1")
