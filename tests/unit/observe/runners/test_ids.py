"""Ids as JUnit files have them; those of pytest and Node are compared with what the tools themselves write."""

import subprocess
import sys
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.runners.ids import spellings
from in_toto_done_receipt.observe.runners.junit_xml import read_junit

CASES = {
    "pytest": ("pytest", "tests/test_m.py::test_a", {"tests.test_m::test_a"}),
    "pytest, class": ("pytest", "tests/test_m.py::TestC::test_a", {"tests.test_m.TestC::test_a"}),
    "pytest, parameters": ("pytest", "test_m.py::test_a[x::y-z]", {"test_m::test_a[x::y-z]"}),
    "pytest, a file": ("pytest", "test_m.py", set()),
    "unittest": ("unittest", "test_m.TestC.test_a", {"test_m.TestC::test_a"}),
    "go": ("go", "example.com/m/sub.TestA", {"example.com/m/sub::TestA"}),
    "node": ("node", "t/a.test.js > a", {"test::a", "t/a.test.js::a"}),
    "node, suites": (
        "node",
        "t/a.test.js > s > u > a",
        {"test::a", "s > u::a", "t/a.test.js::s > u > a"},
    ),
    "node, a file": ("node", "t/a.test.js", set()),
    "cargo, unit test": ("cargo", "lib::tests::a", {"tests::a"}),
    "cargo, integration test": ("cargo", "test:prices::a", {"a"}),
    "cargo, member of a workspace": ("cargo", "part/lib::tests::a", {"tests::a", "part::tests::a"}),
    "cargo, integration test of a member": ("cargo", "part/test:it::a", {"a", "part::it::a"}),
    "cargo, program of a member": ("cargo", "part/bin:run::t::a", {"t::a", "part::bin/run::t::a"}),
    "junit": ("junit", "c::a", set()),
    "unknown": ("x", "c.a", set()),
}


@pytest.mark.parametrize(("runner", "identity", "others"), CASES.values(), ids=CASES)
def test_spellings(runner: str, identity: str, others: set[str]) -> None:
    found = spellings(runner, identity)
    assert (found[0], set(found[1:])) == (identity, others)


SOURCE = """
import pytest
def test_a(): pass
class TestC:
    class TestD:
        @pytest.mark.parametrize("x", ["a::b", "[c]", "d e", "/f.py"])
        def test_p(self, x): pass
"""


def test_of_pytest_itself(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "test_m.py").write_text(SOURCE)
    plain = [sys.executable, "-I", "-m", "pytest", "-p", "no:cacheprovider", "-q", "sub"]
    listed = subprocess.run([*plain, "--collect-only"], cwd=tmp_path, capture_output=True, text=True, check=True)
    ids = [line for line in listed.stdout.splitlines() if "::" in line]
    subprocess.run([*plain, "--junitxml=out.xml"], cwd=tmp_path, capture_output=True, check=True)
    report = read_junit((tmp_path / "out.xml").read_bytes(), what="report")
    assert len(ids) == 5
    assert {spellings("pytest", id)[1] for id in ids} == set(report.states)
