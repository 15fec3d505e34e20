"""Attacks on a report on disk, each with what sees it: pytest as a runner that nobody knows. Real runs in the sandbox.

F, I, A, P are as in `lab`; nothing else is there for this runner. What none of them sees is told in
docs/how-to/run-tests.md.
"""

import sys
from pathlib import Path
from typing import Final

import pytest

from in_toto_done_receipt.observe.runners.junit import JUnitRunner
from in_toto_done_receipt.observe.runners.model import RED, PlantTemplate
from tests.runners.lab import Files, Lab, Tree, need_bubblewrap

pytestmark = pytest.mark.integration

PYTHON: Final = sys.executable
ARGV: Final = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={junit}", "tests")
TEMPLATE: Final = PlantTemplate(
    path="tests/test_{token}.py",
    text="def test_{token}_fails():\n    assert 1 == 2\n\n\ndef test_{token}_passes():\n    assert 1 == 1\n",
    failing=("tests.test_{token}::test_{token}_fails",),
    passing=("tests.test_{token}::test_{token}_passes",),
)
PRODUCT: Final = "def mul(a, b):\n    return a * b + 1\n"
TESTS: Final = "import m\n\n\ndef test_mul():\n    assert m.mul(3, 4) == 12\n\n\ndef test_one():\n    assert 1 == 1\n"
HEAD: Final[Tree] = {"m.py": PRODUCT, "conftest.py": "", "tests/test_m.py": TESTS}
PASSED: Final = frozenset({"tests.test_m::test_mul", "tests.test_m::test_one"})

# What the product does when the run is over and its report written.
AT_EXIT: Final = """
import atexit, os, re, sys
def rewrite():
    path = next(word.partition("=")[2] for word in sys.argv if word.startswith("--junitxml="))
    text = open(path).read()
    %s
    os._exit(%s)
atexit.register(rewrite)
"""
ONE: Final = (
    're_one = r\'(<testcase classname="tests.test_m" name="test_mul"[^>]*)>.*?</testcase>\'\n'
    '    less = re.sub(re_one, r"\\1/>", text, flags=re.S)\n'
    "    less = re.sub('failures=\"(.)\"', lambda found: 'failures=\"%d\"' % (int(found[1]) - 1), less)\n"
    '    open(path, "w").write(less)'
)
ALL: Final = (
    "text = re.sub(r'>\\s*<failure.*?</failure></testcase>', '/>', text, flags=re.S)\n"
    "    open(path, 'w').write(re.sub('failures=\".\"', 'failures=\"0\"', text))"
)
OF_BASE: Final = (
    '<testsuite tests="2" failures="0"><testcase classname="tests.test_m" name="test_mul"/>'
    '<testcase classname="tests.test_m" name="test_one"/></testsuite>'
)

ATTACKS: Final = {
    "nothing": ("", "F"),
    "all failures taken out, exit code 0": (AT_EXIT % (ALL, 0), "P"),
    "one failure taken out, exit code 0": (AT_EXIT % (ONE, 0), "A"),
    "one failure taken out, its count left": (
        AT_EXIT % (ONE.replace("int(found[1]) - 1", "int(found[1])"), 1),
        "A",
    ),
    "one failure taken out, everything else kept": (AT_EXIT % (ONE, 1), ""),
    "the report of a run at base": (AT_EXIT % (f"open(path, 'w').write('''{OF_BASE}''')", 0), "P"),
    "no report": (AT_EXIT % ("os.unlink(path)", 0), "IAP"),
    "exit code 0": (AT_EXIT % ("", 0), "FA"),
    "exit at import": ("import os\nos._exit(0)\n", "IAP"),
    "a link for a report": (AT_EXIT % ("os.unlink(path); os.symlink('/etc/passwd', path)", 0), "IAP"),
    "an entity in the report": (
        AT_EXIT % ("open(path, 'w').write('<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><testsuite/>')", 0),
        "IAP",
    ),
}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    need_bubblewrap()
    shown = tuple({Path(sys.prefix), Path(sys.base_prefix)})
    return Lab(tmp_path, JUnitRunner((TEMPLATE,)), ARGV, read_only=shown, variables={"PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.parametrize(("code", "expected"), ATTACKS.values(), ids=ATTACKS)
def test_attack_is_caught_by_its_layers(code: str, expected: str, lab: Lab) -> None:
    head = {**HEAD, "m.py": PRODUCT + code}
    planted = lab.runner.plant(ARGV, Files(head), "zq0123456789ab")
    run = lab.run({**head, **planted.files})
    found = ""
    if run.states.get("tests.test_m::test_mul") in RED:
        found += "F"
    if PASSED - run.states.keys():
        found += "I"
    if run.faults:
        found += "A"
    failing = all(run.states.get(id) in RED for id in planted.failing)
    if not failing or any(run.states.get(id) != "passed" for id in planted.passing):
        found += "P"
    assert found == expected, run.faults
