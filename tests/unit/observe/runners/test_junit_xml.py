"""Reports of tests, honest ones as tools write them, and hostile ones."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput
from in_toto_done_receipt.observe.runners.junit_xml import MAX_BYTES, JUnitReport, read_junit

NODE = Path("/usr/bin/node")


def read(text: str | bytes) -> JUnitReport:
    return read_junit(text if isinstance(text, bytes) else text.encode(), what="report")


def suite(cases: str, **said: object) -> str:
    attributes = "".join(f" {word}='{value}'" for word, value in said.items())
    return f"<testsuite name='s'{attributes}>{cases}</testsuite>"


GREEN = "<testcase classname='c' name='{}'/>"
RED = "<testcase classname='c' name='{}'><failure/></testcase>"


def test_states_of_every_outcome() -> None:
    cases = (
        "<testcase classname='c' name='a' time='0.5'/>"
        "<testcase classname='c' name='b'><failure message='x'>trace</failure></testcase>"
        "<testcase classname='c' name='c'><error/></testcase>"
        "<testcase classname='c' name='d'><skipped/></testcase>"
        "<testcase classname='c' name='e'><skipped type='pytest.xfail'/></testcase>"
        "<testcase classname='c' name='f' status='notrun'/>"
        "<testcase classname='c' name='g' result='FAILED'/>"
    )
    report = read(suite(cases, tests=7, failures=2, errors=1, skipped=3))
    assert report.states == {
        "c::a": "passed",
        "c::b": "failed",
        "c::c": "error",
        "c::d": "skipped",
        "c::e": "xfailed",
        "c::f": "skipped",
        "c::g": "failed",
    }
    assert (report.passed, report.failed, report.errored, report.skipped) == (1, 2, 1, 3)
    assert (report.seconds, report.faults, report.repeated) == (0.5, (), ())


def test_no_classname_takes_the_suite() -> None:
    assert list(read("<testsuites><testsuite><testcase name='a'/></testsuite></testsuites>").states) == ["a"]
    assert list(read(suite("<testcase name='a'/>")).states) == ["s::a"]


def test_empty_report() -> None:
    report = read("<testsuites/>")
    assert (report.states, report.passed, report.faults) == ({}, 0, ())


def test_repeated_id_takes_the_worst_state() -> None:
    report = read(suite(RED.format("a") + GREEN.format("a"), tests=2, failures=1))
    assert (report.states, report.repeated, report.passed, report.failed) == ({"c::a": "failed"}, ("c::a",), 1, 1)


def test_failure_and_error_is_one_error() -> None:
    report = read(suite("<testcase name='a'><failure/><error/></testcase>", tests=1, failures=1, errors=1))
    assert (report.states, report.faults) == ({"s::a": "error"}, ())


@pytest.mark.parametrize(
    ("text", "fault"),
    {
        "a failure was taken out": (
            suite(GREEN.format("a"), failures=1),
            "suite s says 1 failures and errors, it has 0",
        ),
        "an error was taken out": (suite(GREEN.format("a"), errors=1), "suite s says 1 failures and errors, it has 0"),
        "a failure is not counted": (
            suite(RED.format("a"), failures=0),
            "suite s says 0 failures and errors, it has 1",
        ),
        "a test was taken out": (suite(GREEN.format("a"), tests=2), "suite s says 2 tests, it has 1"),
        "a skip was taken out": (suite(GREEN.format("a"), skipped=1), "suite s says 1 skipped tests, it has 0"),
        "an outer suite counts more": (
            f"<testsuites tests='9'>{suite(GREEN.format('a'))}</testsuites>",
            "suite without a name says 9 tests, it has 1",
        ),
        "negative": (suite("", tests=-1), "suite s says tests=-1"),
        "other digits": (suite("", tests="\u0661"), "suite s says tests=\u0661"),
        "endless number": (suite("", tests="9" * 5000), f"suite s says tests={'9' * 100}…"),
        "time": (suite("<testcase name='a' time='soon'/>"), "a test case says time=soon"),
        "time is no number": (suite("<testcase name='a' time='NaN'/>"), "a test case says time=NaN"),
        "time runs back": (suite("<testcase name='a' time='-1'/>"), "a test case says time=-1"),
        "no name": (suite("<testcase classname='c'/>"), "a test case has no name"),
        "suite error": (suite("<error/>"), "suite s reports error outside its tests"),
        "the terminal is not touched": (
            suite("", tests="\u202e[2J"),
            "suite s says tests=\\u202e[2J",
        ),
    }.values(),
)
def test_contradiction_is_a_fault(text: str, fault: str) -> None:
    assert read(text).faults == (fault,)


def test_faults_are_bounded() -> None:
    assert len(read(suite("".join(f"<testcase name='a' time='x{n}'/>" for n in range(1000)))).faults) == 20


@pytest.mark.parametrize(
    "text",
    {
        "suites among the tests are counted as one (node)": suite(
            GREEN.format("a") + suite(RED.format("b") + RED.format("c"), tests=2, failures=2), tests=2, failures=1
        ),
        "all below (phpunit)": suite(suite(GREEN.format("a") + RED.format("b"), tests=2), tests=2, failures=1),
        "own only": suite(GREEN.format("a") + suite(GREEN.format("b"), tests=1), tests=1),
        "a test that failed twice is counted once (pytest)": suite(
            RED.format("a") + "<testcase classname='c' name='a'><error/></testcase>", tests=1, failures=1, errors=1
        ),
        "disabled apart (ctest)": suite(
            "<testcase name='a' status='disabled'/><testcase name='b'><skipped/></testcase>", skipped=1, disabled=1
        ),
        "a comma for thousands (surefire)": suite("<testcase name='a' time='1,234.5'/>"),
        "empty counts": suite("<testcase name='a' time=''/>", tests="", failures=""),
    }.values(),
)
def test_ways_of_counting(text: str) -> None:
    assert read(text).faults == ()


BILLION = "<!DOCTYPE x [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "billion laughs": (BILLION + "]><testsuite name='&i;'/>", "declares a document type or an entity"),
    "external entity": (
        "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><testsuite name='&a;'/>",
        "declares a document type or an entity",
    ),
    "external document type": ("<!DOCTYPE x SYSTEM 'http://127.0.0.1:9/x'><testsuite/>", "declares a document type"),
    "parameter entity": ("<!DOCTYPE x [<!ENTITY % a SYSTEM 'file:///x'> %a;]><testsuite/>", "declares a document type"),
    "unknown entity": ("<testsuite name='&a;'/>", "not well-formed"),
    "nothing": ("", "not well-formed"),
    "cut off": ("<testsuite><testcase", "not well-formed"),
    "two documents": ("<testsuite/><testsuite/>", "not well-formed"),
    "NUL": ("<testsuite name='a\0b'/>", "not well-formed"),
    "NUL by number": ("<testsuite name='a&#0;b'/>", "not well-formed"),
    "half of a pair": ("<testsuite name='&#xd800;'/>", "not well-formed"),
    "attribute twice": ("<testsuite name='a' name='b'/>", "not well-formed"),
    "UTF-16": ("<testsuite/>".encode("utf-16"), "report is not UTF-8: byte 0"),
    "UTF-16 declared": ("<?xml version='1.0' encoding='utf-16'?><testsuite/>", "declares the encoding utf-16"),
    "UTF-7 declared": ("<?xml version='1.0' encoding='utf-7'?><testsuite/>", "declares the encoding utf-7"),
    "Latin-1": ("<testsuite name='é'/>".encode("latin-1"), "report is not UTF-8: byte 17"),
    "made-up encoding": ("<?xml version='1.0' encoding='x-'?><testsuite/>", "the encoding x-"),
    "other root": ("<html><testsuite/></html>", "expected testsuites or testsuite, got html"),
    "deep": ("<testsuite>" * 65 + "</testsuite>" * 65, "nested deeper than 64"),
    "long name": (suite(f"<testcase name='{'a' * 70_000}'/>"), "a name of 70000 characters"),
    "a test in a test": (suite("<testcase name='a'><testcase name='b'/></testcase>"), "a test case inside testcase"),
    "a test elsewhere": (suite("<properties><testcase name='b'/></properties>"), "a test case inside properties"),
    "a suite in a test": (suite("<testcase name='a'><testsuite/></testcase>"), "a suite inside testcase"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_report_is_refused(name: str) -> None:
    text, message = HOSTILE[name]
    with pytest.raises(MalformedInput, match=message):
        read(text)


def test_too_large() -> None:
    with pytest.raises(LimitExceeded, match="report: limit junit-bytes is 67108864, got 67108865"):
        read(bytes(MAX_BYTES + 1))


def test_other_limit() -> None:
    with pytest.raises(LimitExceeded, match="limit junit-bytes is 3"):
        read_junit(b"<a/>", what="report", limit=3)


def test_huge_attribute_takes_no_time() -> None:
    started = time.monotonic()
    report = read(suite(f"<testcase name='a' x='{'a' * (16 << 20)}'/>"))
    assert list(report.states) == ["s::a"]
    assert time.monotonic() - started < 5


def test_byte_order_mark_is_fine() -> None:
    assert list(read(b"\xef\xbb\xbf" + suite(GREEN.format("é")).encode()).states) == ["c::é"]


def test_namespace_is_no_hiding_place() -> None:
    assert read("<testsuite xmlns='urn:x'><testcase name='a'><failure/></testcase></testsuite>").failed == 1


@given(st.binary(max_size=200) | st.text(alphabet="<>/testsuicafrx='\" &#;!-[]", max_size=200).map(str.encode))
def test_bytes_give_a_report_or_a_clear_error(data: bytes) -> None:
    try:
        message = " ".join(read(data).faults)
    except MalformedInput as error:
        message = error.message
    assert message.isprintable()


TESTS = """
import pytest
def test_ok(): pass
def test_red(): assert 0
def test_skip(): pytest.skip()
@pytest.mark.xfail
def test_xfail(): assert 0
@pytest.fixture
def broken():
    yield
    raise ValueError
def test_twice(broken): assert 0
class TestC:
    @pytest.mark.parametrize("x", ["a b", "\\x00", "é"])
    def test_m(self, x): pass
"""


def test_report_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(TESTS)
    out = tmp_path / "out.xml"
    command = [sys.executable, "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={out}", "test_x.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 1
    report = read(out.read_bytes())
    assert report.faults == ()
    assert report.states == {
        "test_x::test_ok": "passed",
        "test_x::test_red": "failed",
        "test_x::test_skip": "skipped",
        "test_x::test_xfail": "xfailed",
        "test_x::test_twice": "error",
        "test_x.TestC::test_m[a b]": "passed",
        "test_x.TestC::test_m[\\x00]": "passed",
        "test_x.TestC::test_m[\\xe9]": "passed",
    }


def test_report_of_node(tmp_path: Path) -> None:
    if not NODE.exists():
        pytest.skip("no node")
    (tmp_path / "a.test.js").write_text(
        "const {test, describe, it} = require('node:test'); const a = require('assert');"
        "test('top', () => {}); describe('s', () => { it('in', () => {}); it('red', () => a(0));"
        "describe('t', () => { it.skip('off', () => {}); it('red', () => a(0)) }) })"
    )
    command = [str(NODE), "--test", "--test-reporter=junit", "a.test.js"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, env={"PATH": "/usr/bin"})
    assert ran.returncode == 1
    report = read(ran.stdout)
    assert report.faults == ()
    assert (report.passed, report.failed, report.skipped) == (2, 2, 1)
