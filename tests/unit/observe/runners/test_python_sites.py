"""Where a test in Python can be made to fail, found in its syntax."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.observe.runners.python_sites import pytest_sites, unittest_sites
from in_toto_done_receipt.observe.runners.python_syntax import parsed
from in_toto_done_receipt.observe.runners.value import value_edits
from tests.runners.lab import Files

CALLED = (
    b'__import__("_frozen_importlib_external").FileLoader("", "/gate/1").get_data("/gate/1") == b"o" or '
    b'(_ for _ in ()).throw(AssertionError("canary"))'
)


def edited(text: str | bytes, *names: str, gate: bool = False) -> str:
    """The file with each of these tests made to fail."""
    data = text.encode() if isinstance(text, str) else text
    sites = pytest_sites(Files({"t.py": data}), [f"t.py::{name}" for name in names])
    for site in sorted(sites, key=lambda site: -site.position):
        insertion = site.gate.replace(b"{}", b"/gate/1") if gate and site.gate is not None else site.fail
        data = data[: site.position] + insertion + data[site.position :]
    assert parsed(data) is not None
    return data.decode()


FAIL = 'raise AssertionError("canary")'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("def test_x():\n    assert 1\n", f"def test_x():\n    {FAIL}\n    assert 1\n", id="plain"),
        pytest.param("def test_x(): assert 1\n", f"def test_x(): {FAIL}; assert 1\n", id="one line"),
        pytest.param("def test_x(): a = 1; b = 2\n", f"def test_x(): {FAIL}; a = 1; b = 2\n", id="two on one line"),
        pytest.param(
            'def test_x():\n    """Über."""\n    assert 1\n',
            f'def test_x():\n    """Über."""\n    {FAIL}\n    assert 1\n',
            id="docstring",
        ),
        pytest.param(
            'def test_x(): "ü"; assert 1\n', f'def test_x(): "ü"; {FAIL}; assert 1\n', id="docstring on the line"
        ),
        pytest.param(
            "def test_x():\n    @a\n    @b\n    def y(): pass\n",
            f"def test_x():\n    {FAIL}\n    @a\n    @b\n    def y(): pass\n",
            id="decorated first statement",
        ),
        pytest.param(
            "def test_x(\n    a,\n):\n\n    # why\n    assert a\n",
            f"def test_x(\n    a,\n):\n\n    # why\n    {FAIL}\n    assert a\n",
            id="comment",
        ),
        pytest.param(
            "def test_x():\r\n\tassert 1\r\n",
            f"def test_x():\r\n\t{FAIL}\n\tassert 1\r\n",
            id="tabs and other line ends",
        ),
        pytest.param("\ufeffdef test_x(): pass\n", f"\ufeffdef test_x(): {FAIL}; pass\n", id="byte order mark"),
        pytest.param(
            "if 1:\n  try:\n    def test_x():\n      pass\n  finally: pass\n",
            f"if 1:\n  try:\n    def test_x():\n      {FAIL}\n      pass\n  finally: pass\n",
            id="below if and try",
        ),
        pytest.param(
            "async def test_x():\n    await a\n", f"async def test_x():\n    {FAIL}\n    await a\n", id="async"
        ),
        pytest.param(
            "x = '''\ndef test_x():\n    pass\n'''\ndef test_x():\n    pass\n",
            f"x = '''\ndef test_x():\n    pass\n'''\ndef test_x():\n    {FAIL}\n    pass\n",
            id="not in a string",
        ),
    ],
)
def test_a_statement_goes_before_the_first_one(text: str, expected: str) -> None:
    assert edited(text, "test_x") == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def test_x():\n    'only a docstring'\n", id="nothing to precede"),
        pytest.param("def test_x(): pass\ndef test_x(): pass\n", id="two of one name"),
        pytest.param("test_x = make()\n", id="made"),
        pytest.param("class test_x: pass\n", id="class"),
        pytest.param("def test_x(:\n", id="no Python"),
        pytest.param("# coding: latin-1\ndef test_x(): pass\n", id="another encoding"),
        pytest.param("def test_x(): \\\n  pass\n", id="continued line"),
        pytest.param("x = " + "(" * 3000 + "\n", id="nested"),
        pytest.param("\0", id="NUL"),
    ],
)
def test_some_tests_have_no_place(text: str) -> None:
    assert edited_or_none(text) == ()


def edited_or_none(text: str) -> tuple[object, ...]:
    return pytest_sites(Files({"t.py": text}), ["t.py::test_x"])


def test_a_test_whose_file_is_gone_has_no_place() -> None:
    assert pytest_sites(Files({}), ["t.py::test_x", "no id", "::", "t.py"]) == ()


def test_a_function_is_all_of_its_cases() -> None:
    ids = ["t.py::test_x[1]", "t.py::test_x[a::b]", "t.py::test_x[[]"]
    (site,) = pytest_sites(Files({"t.py": "def test_x(n): pass\n"}), ids)

    assert site.ids == set(ids)


def test_an_inherited_method_is_a_test_of_each_class() -> None:
    text = "class A:\n  def test_x(self): pass\nclass B(A): pass\nclass C(B):\n  def test_y(self): pass\n"
    sites = pytest_sites(Files({"t.py": text}), ["t.py::A::test_x", "t.py::C::test_x", "t.py::C::test_y"])

    assert [site.ids for site in sites] == [{"t.py::A::test_x", "t.py::C::test_x"}, {"t.py::C::test_y"}]


def test_classes_that_inherit_from_each_other_have_no_place() -> None:
    text = "class A(B): pass\nclass B(A): pass\n"

    assert pytest_sites(Files({"t.py": text}), ["t.py::A::test_x"]) == ()


@pytest.mark.parametrize(
    ("decorator", "has_gate"),
    [
        ("@pytest.mark.parametrize('n', [1])", True),
        ("@mock.patch('x.y')", True),
        ("@unittest.skipIf(0, '')", True),
        ("@given(st.integers())", False),
        ("@flaky", False),
        ("@retry(3)", False),
    ],
)
def test_a_test_that_may_run_more_than_once_has_no_gate(decorator: str, has_gate: bool) -> None:
    (site,) = pytest_sites(Files({"t.py": f"{decorator}\ndef test_x(n): pass\n"}), ["t.py::test_x"])

    assert (site.gate is not None) is has_gate


def test_the_gate_is_one_expression() -> None:
    assert edited("def test_x(): pass\n", "test_x", gate=True) == f"def test_x(): {CALLED.decode()}; pass\n"


@pytest.mark.parametrize(
    ("top", "path", "id"),
    [
        ("tests", "tests/test_m.py", "test_m.T.test_x"),
        (".", "tests/sub/test_m.py", "tests.sub.test_m.T.test_x"),
        (".", "tests/__init__.py", "tests.T.test_x"),
    ],
)
def test_ids_of_unittest_name_modules(top: str, path: str, id: str) -> None:
    files = Files({path: "class T(TestCase):\n  def test_x(self): pass\n"})
    (site,) = unittest_sites(files, top, [id, "unittest.loader._FailedTest.x", "setUpClass (a.B)", "..."])

    assert site.path == path
    assert site.ids == {id}


def valued(body: str) -> str:
    text = f"def test_x(self):\n    {body}\n"
    edits = value_edits("pytest", ("/usr/bin/python3", "-m", "pytest"), Files({"t.py": text}), ["t.py::test_x"])
    return edits.files["t.py"].decode().split("\n    ", 1)[1].rstrip("\n") if edits.files else body


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("assert m.mul(3, 4) == 12", "assert m.mul(3, 4) == object()"),
        ("assert 12 == m.mul(3, 4)", "assert object() == m.mul(3, 4)"),
        ("assert m.mul(3, 4) == m.add(6, 6), 'ü'", "assert m.mul(3, 4) == object(), 'ü'"),
        ("assert 'ü' and m.a == 'ü' and m.b == (1 + 2)", "assert 'ü' and m.a == object() and m.b == (object())"),
        ("self.assertEqual(m.mul(3, 4), 12)", "self.assertEqual(m.mul(3, 4), object())"),
        ("self.assertEqual(12, m.mul(3, 4))", "self.assertEqual(object(), m.mul(3, 4))"),
        ("assert f(a == 1) == [b == 2 for b in c]", "assert f(a == 1) == object()"),
        ("assert a != 1", "assert a != 1"),
        ("assert a == b == c", "assert a == b == c"),
        ("assert a", "assert a"),
        ("self.assertEqual(*both)", "self.assertEqual(*both)"),
        ("assert a == [\n  1]", "assert a == [\n  1]"),
    ],
)
def test_what_a_test_expects_becomes_what_equals_nothing(body: str, expected: str) -> None:
    assert valued(body) == expected


def test_only_tests_of_these_ids_are_edited() -> None:
    text = "def test_x(): assert a == 1\ndef test_y(): assert a == 1\ndef helper(): assert a == 1\n"
    edits = value_edits("pytest", ("/usr/bin/python3", "-m", "pytest"), Files({"t.py": text}), ["t.py::test_y"])

    assert edits.ids == {"t.py::test_y"}
    assert edits.files == {"t.py": text.replace("test_y(): assert a == 1", "test_y(): assert a == object()").encode()}


def test_other_languages_have_no_value_canary() -> None:
    assert value_edits("go", ("/usr/bin/go", "test"), Files({}), ["a.TestX"]).files == {}


@given(
    st.lists(
        st.sampled_from(['"""d"""', "x = 1", "if x:\n        y = 2", "'ü'; x = 1", "# c", "@d\n    def y(): 1", ""])
    )
)
def test_whatever_stands_in_a_test_it_stays_python(lines: list[str]) -> None:
    text = "def test_x():\n    " + "\n    ".join([*lines, "pass"]) + "\n"
    body = ast.parse(edited(text, "test_x")).body[0]
    assert isinstance(body, ast.FunctionDef)
    first = body.body[1] if ast.get_docstring(body) is not None else body.body[0]

    assert isinstance(first, ast.Raise)


@given(st.binary(max_size=60), st.sampled_from(["test_x", "T::test_x", "test_x[1]", "", "::", "test_x[" * 3]))
def test_no_file_is_too_strange(data: bytes, name: str) -> None:
    for text in (data, b"def test_x():\n    " + data + b"\n    pass\n", b"class T:\n  def test_x(self): " + data):
        for site in pytest_sites(Files({"t.py": text}), [f"t.py::{name}"]):
            assert parsed(text[: site.position] + site.fail + text[site.position :]) is not None


@pytest.mark.parametrize("line", ["x = '\\d'", "x = 1 is 1", "assert (1, 'never')"])
def test_nothing_is_said_about_the_style_of_others(line: str, recwarn: pytest.WarningsRecorder) -> None:
    edited_or_none(f"def test_x():\n    {line}\n")

    assert list(recwarn) == []
