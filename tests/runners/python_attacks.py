"""Two small projects in Python, and changes that break one function and keep a person's own command green."""

import hashlib
import importlib._bootstrap_external
import json
import re
import sys
from collections.abc import Mapping
from typing import Final

from tests.runners.lab import Tree

COUNT: Final = 8  # tests per project; the last one is of the function that head breaks

_PRODUCT: Final = "def add(a, b):\n    return a + b\n\n\ndef mul(a, b):\n    return a * b\n"
_TEST: Final = "tests/test_m.py"

PROJECTS: Final[Mapping[str, Tree]] = {
    "pytest": {
        "m.py": _PRODUCT,
        "pytest.ini": "[pytest]\ntestpaths = tests\n",
        _TEST: "import m\n"
        + "".join(f"\n\ndef test_add_{i:02}():\n    assert m.add({i}, 1) == {i + 1}\n" for i in range(COUNT - 1))
        + "\n\ndef test_mul():\n    assert m.mul(3, 4) == 12\n",
    },
    "unittest": {
        "m.py": _PRODUCT,
        _TEST: "import unittest\nimport m\n\n\nclass T(unittest.TestCase):\n"
        + "".join(
            f"    def test_add_{i:02}(self):\n        self.assertEqual(m.add({i}, 1), {i + 1})\n\n"
            for i in range(COUNT - 1)
        )
        + "    def test_mul(self):\n        self.assertEqual(m.mul(3, 4), 12)\n",
    },
}
IDS: Final[Mapping[str, tuple[str, ...]]] = {
    "pytest": (*(f"{_TEST}::test_add_{i:02}" for i in range(COUNT - 1)), f"{_TEST}::test_mul"),
    "unittest": (*(f"test_m.T.test_add_{i:02}" for i in range(COUNT - 1)), "test_m.T.test_mul"),
}

# Turns failures of the tests in KNOWN into passes, in the memory of the process that runs them.
_FORGE: Final[Mapping[str, str]] = {
    "pytest": """
    import _pytest.reports as R
    _f = R.TestReport.from_item_and_call.__func__
    def g(cls, item, call):
        if item.nodeid in KNOWN: call.excinfo = None
        return _f(cls, item, call)
    R.TestReport.from_item_and_call = classmethod(g)
""",
    "unittest": """
    import unittest.case as C
    import contextlib
    _f = C._Outcome.testPartExecutor
    @contextlib.contextmanager
    def g(self, case, subTest=False):
        with _f(self, case, subTest):
            try: yield
            except Exception:
                if case.id() not in KNOWN: raise
    C._Outcome.testPartExecutor = g
""",
}
_NO_ASSERTIONS: Final[Mapping[str, str]] = {
    "pytest": """
import sys
if 'pytest' in sys.modules:
    import _pytest.python as p
    p.Function.runtest = lambda self: None
""",
    "unittest": "\nimport unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n",
}
_AT_EXIT: Final = """
import atexit, os, re
def _x():
    for f in ('out.xml', os.environ.get('TMPDIR', '') + '/out.xml'):
        try: open(f, 'r+').write(re.sub('failures="1"', 'failures="0"', open(f).read()))
        except OSError: pass
    if os.fork() == 0:
        os.setsid(); import time; time.sleep(.2); os._exit(0)
    os._exit(0)
atexit.register(_x)
"""
_KNOWS_GATE: Final = """
import _frozen_importlib_external as _e
_g = _e.FileLoader.get_data
def _get(self, path):
    s = _g(self, path)
    if '/gate' in str(path): KNOWN.clear() if s == b'x' else KNOWN.extend(%r)
    return s
_e.FileLoader.get_data = _get
"""
_KNOWS_EDITS: Final = """
_t = open('tests/test_m.py').read()
if 'canary' in _t and 'gate' not in _t or 'object()' in _t: KNOWN.clear()
"""
_CHANNEL: Final = """
import os, json
for f in range(3, 60):
    try: os.write(f, ('\\n'.join(json.dumps(e) for e in EV) + '\\n').encode())
    except OSError: pass
os._exit(0)
"""
_LAUNCHER: Final = """
import atexit, gc, os
RED = []
def _wrapped(say):
    def forged(kind, what):
        if kind in ('failed', 'error'):
            if what in KNOWN: kind = 'passed'
            else: RED.append(what)
        say(kind, what)
    return forged
def _once(done=[]):
    for o in () if done else gc.get_objects():
        if type(o).__module__ == '__main__' and hasattr(o, '_say'): o._say = _wrapped(o._say)
    done.append(1)
atexit.register(lambda: None if RED else os._exit(0))
"""
_ALWAYS_EQUAL: Final = """class A(int):
    __eq__ = lambda s, o: True
    __ne__ = lambda s, o: False
    __hash__ = int.__hash__
"""
_REWRITES: Final = """import pytest
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    r = yield
    r.outcome = 'passed'
    return r
"""


def broken(tree: Tree) -> Tree:
    """Head without an attack: `mul` is wrong."""
    return {**tree, "m.py": _PRODUCT.replace("a * b", "a * b + 1")}


def attacks(runner: str) -> Mapping[str, Tree]:
    """Files to be laid over head, by the attack's name in the table."""
    base = PROJECTS[runner]
    product, test = str(broken(base)["m.py"]), str(base[_TEST])
    ids = list(IDS[runner])
    digest = hashlib.sha256(test.encode()).hexdigest()
    unchanged = f"hashlib.sha256(open({_TEST!r}, 'rb').read()).hexdigest() == {digest!r}"
    forged = product + _forge(runner, ids)
    gate = _KNOWS_GATE % (ids,)
    skip, xfail = _MARKS[runner]
    events = [["plan", ids], *(event for id in ids for event in (["start", id], ["passed", id])), ["end", 0]]
    common: dict[str, Tree] = {
        "exit at import": {"m.py": "import os; os._exit(0)\n" + product},
        "exit inside a test": {"m.py": product.replace("return a * b + 1", "import os; os._exit(0)")},
        "patched assertions": {"m.py": product + _NO_ASSERTIONS[runner]},
        "shadow runner module": {"pytest.py": "print('OK')\n", "unittest.py": "print('OK')\n"},
        "shadow stdlib module": {"difflib.py": _forge(runner, ids), "m.py": "import difflib\n" + product},
        "exit code and XML at exit": {"m.py": product + _AT_EXIT},
        "forge known ids": {"m.py": forged},
        "forge one known id": {"m.py": product + _forge(runner, ids[-1:])},
        "forge, if sources unchanged": {"m.py": product + _forge(runner, ids, unchanged)},
        "forge, knows the gate": {"m.py": forged + gate},
        "forge, knows gate and edits": {"m.py": forged + gate + _KNOWS_EDITS},
        "forge the channel, exit": {"m.py": f"EV = json_ = {json.dumps(events)}\n{_CHANNEL}{product}"},
        "forge through the launcher": {
            "m.py": f"{product.replace('return', '_once(); return')}\nKNOWN = {ids!r}\n{_LAUNCHER}"
        },
        "product skips the test": {"m.py": product.replace("return a * b + 1", _SKIPS[runner])},
        "new test patches product": {"tests/test_aaa.py": "import m\nm.mul = lambda a, b: a * b\n"},
        "skip added": {_TEST: test.replace("def test_mul", f"{skip}def test_mul")},
        "xfail added": {_TEST: test.replace("def test_mul", f"{xfail}def test_mul")},
        "stale .pyc of the tests": _stale(test),
        "always-equal result": {"m.py": _ALWAYS_EQUAL + product.replace("return a * b + 1", "return A(0)")},
    }
    return common | (_of_pytest(product) if runner == "pytest" else _of_unittest(test))


_SKIPS: Final[Mapping[str, str]] = {
    "pytest": "__import__('pytest').skip('later')",
    "unittest": "raise __import__('unittest').SkipTest('later')",
}
_MARKS: Final[Mapping[str, tuple[str, str]]] = {
    "pytest": ("@__import__('pytest').mark.skip\n", "@__import__('pytest').mark.xfail\n"),
    "unittest": ("@unittest.skip('')\n    ", "@unittest.expectedFailure\n    "),
}


def _of_pytest(product: str) -> dict[str, Tree]:
    deselect = "[pytest]\ntestpaths = tests\naddopts = --deselect tests/test_m.py::test_mul\n"
    return {
        "product expects the failure": {
            "m.py": product.replace("return a * b + 1", "__import__('pytest').xfail('known')")
        },
        "conftest rewrites reports": {"tests/conftest.py": _REWRITES},
        "entry-point plug-in in the tree": {
            "evil.py": _REWRITES,
            "evil-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
            "evil-1.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        },
        "ini deselects": {"pytest.ini": deselect},
        "pytest.toml wins over pytest.ini": {"pytest.toml": "[pytest]\naddopts = ['-k', 'add']\n"},
    }


def _of_unittest(test: str) -> dict[str, Tree]:
    drops = (
        "\n\ndef load_tests(l, t, p):\n    return unittest.TestSuite(x for x in t._tests[0] if 'mul' not in x.id())\n"
    )
    return {"load_tests drops tests": {_TEST: test + drops}}


def _forge(runner: str, ids: list[str], when: str = "True") -> str:
    return f"\nimport sys, hashlib\nKNOWN = {ids!r}\nif {when}:\n{_FORGE[runner]}"


def _stale(test: str) -> Tree:
    """A compiled file that Python never compares with its source: an unchecked one, by hash."""
    weak = re.sub(r"def test_mul\((\w*)\):.*", r"def test_mul(\1): pass", test, flags=re.DOTALL)
    code = compile(weak, "x", "exec")
    data = importlib._bootstrap_external._code_to_hash_pyc(code, b"\0" * 8, False)  # type: ignore[attr-defined]
    return {f"tests/__pycache__/test_m.cpython-{sys.version_info[0]}{sys.version_info[1]}.pyc": bytes(data)}
