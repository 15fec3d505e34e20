"""Where tests stand in JavaScript."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.observe.runners.node_source import found_tests


def names(source: str) -> list[tuple[str, ...]]:
    return [test.names for test in found_tests(source.encode())]


FORMS = {
    "arrow": "test('a', () => {});",
    "double quotes": 'test("a", () => {});',
    "template": "test(`a`, () => {});",
    "it": "it('a', () => {});",
    "async": "test('a', async () => {});",
    "context": "test('a', (t) => {});",
    "context without brackets": "test('a', t => {});",
    "destructured context": "test('a', ({ signal }) => {});",
    "default of the context": "test('a', (t = { x: [1, 2] }) => {});",
    "function": "test('a', function () {});",
    "named function": "test('a', async function check(t) {});",
    "generator": "test('a', function* () {});",
    "options": "test('a', { timeout: 1000, only: true }, () => {});",
    "callback": "test('a', (t, done) => { done(); });",
    "awaited": "await test('a', () => {});",
    "over lines": "test(\n  'a',\n  // why\n  async () => {\n});",
    "after a comment": "/* test('b', () => {}) */ test('a', () => {});",
    "after a comment of one line": "// test('b', () => {\ntest('a', () => {});",
    "after a string": "const s = \"test('b', () => {\"; test('a', () => {});",
    "after a template": "const s = `test('b', () => { ${ {x: `}`} } `; test('a', () => {});",
    "after a regular expression": "const r = /[/'\"`{]'/g; test('a', () => {});",
    "after a division": "const r = x / 2; const s = '/'; test('a', () => {});",
    "after a regular expression in a call": "f(/'/); test('a', () => {});",
    "hashbang": "#!/usr/bin/env node ' `\ntest('a', () => {});",
    "types": "test('a', (t: TestContext) => {});",
    "what it returns": "test('a', async (t): Promise<void> => {});",
    "inside a condition": "if (x) { test('a', () => {}); }",
}


@pytest.mark.parametrize("source", FORMS.values(), ids=FORMS)
def test_a_test_is_found(source: str) -> None:
    assert names(source) == [("a",)]


@pytest.mark.parametrize("source", FORMS.values(), ids=FORMS)
def test_its_position_is_after_the_brace(source: str) -> None:
    (test,) = found_tests(source.encode())
    assert source.encode()[test.position - 1 : test.position] == b"{"


def test_positions_are_in_bytes() -> None:
    source = "// é\ntest('é', () => { body(); });".encode()
    (test,) = found_tests(source)
    assert source[test.position :].startswith(b" body()")


def test_suites() -> None:
    source = """
    describe('s', () => {
      beforeEach(() => { x = {}; });
      it('a', () => { if (x) { y(); } });
      describe("t", function () { test('b', () => {}); });
      suite('u', { concurrency: true }, () => { it('c', () => {}) });
    });
    test('d', () => {});
    """
    assert names(source) == [("s", "a"), ("s", "t", "b"), ("s", "u", "c"), ("d",)]


@pytest.mark.parametrize(
    "source",
    {
        "a name that is made": "test('a' + x, () => {});",
        "a template with a value": "test(`a${x}`, () => {});",
        "an escape": r"test('it\'s', () => {});",
        "no block": "test('a', () => assert(1));",
        "a function by name": "test('a', check);",
        "skipped": "test.skip('a', () => {});",
        "a method": "runner.test('a', () => {});",
        "a definition": "function test(a, b) { }",
        "a name of a member": "const x = { test: 1 };",
        "no function": "test('a');",
        "not closed": "test('a', (",
        "a string not closed": "test('a, () => {});",
        "a comment not closed": "/* test('a', () => {});",
        "a template not closed": "`${ test('a', () => {})",
        "not UTF-8": "test('\udcff', () => {});",
        "nothing": "",
    }.values(),
)
def test_no_place(source: str) -> None:
    assert found_tests(source.encode("utf-8", "surrogateescape")) == ()


def test_tests_in_tests_are_left_out() -> None:
    assert names(
        "test('a', async (t) => { await t.test('b', () => {}); test('c', () => {}); }); it('d', () => {});"
    ) == [
        ("a",),
        ("d",),
    ]


@pytest.mark.parametrize(
    "piece", ["test('a', {", "(", "/*", "`${", "'", "/[", "test('a',(", "}", "\\", "describe('a', () => {"]
)
def test_hostile_sources_take_no_time(piece: str) -> None:
    started = time.monotonic()
    found_tests((piece * (100_000 // len(piece))).encode())
    assert time.monotonic() - started < 8


def test_a_large_file_has_no_place() -> None:
    assert found_tests(b"test('a', () => {});" + b" " * (2 << 20)) == ()


@given(st.text(alphabet="test('a\"`,){}=>/*$\\ \n.xdescrib", max_size=120))
def test_places_are_after_braces(source: str) -> None:
    for test in found_tests(source.encode()):
        assert source.encode()[test.position - 1 : test.position] == b"{"
