"""observe/globs.py"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ConfigurationError
from in_toto_done_receipt.observe.globs import compile_glob, expand
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace

YES = [
    ("a/b.py", "a/b.py"),
    ("./a", "a"),
    ("*", ".hidden"),
    ("*.py", ".py"),
    ("a*c", "abbc"),
    ("a*b*c", "aXbXbXc"),
    ("?", "é"),
    ("[ab]x", "bx"),
    ("[!ab]x", "cx"),
    ("[^ab]x", "cx"),
    ("[a-c]", "b"),
    ("[]x]", "]"),
    ("[!]]", "x"),
    ("[a-]", "-"),
    ("[[]id].tsx", "[id].tsx"),
    ("[.^]", "^"),
    ("*", "a\nb"),
    ("**", "a"),
    ("**", "a/b/c"),
    ("**/x", "x"),
    ("**/x", "a/b/x"),
    ("a/**", "a/b"),
    ("a/**", "a/b/c"),
    ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"),
    ("a/**/**/b", "a/b"),
    ("**/a/**/b/**", "a/b/a/c/b/d"),
    ("**/*.py", "x.py"),
]
NO = [
    ("*", "a/b"),
    ("a?b", "a/b"),
    ("A", "a"),
    ("a/**", "a"),
    ("a/*", "a/b/c"),
    ("a*c", "abcd"),
    ("a*b*c", "ac"),
    ("[!a]", "a"),
    ("[ab]", "["),
    ("**/x", "a/xx"),
    ("a.c", "abc"),
    ("é", "e\u0301"),
]


@pytest.mark.parametrize(("pattern", "path"), YES)
def test_glob_matches(pattern: str, path: str) -> None:
    assert compile_glob(pattern).matches(path)


@pytest.mark.parametrize(("pattern", "path"), NO)
def test_glob_does_not_match(pattern: str, path: str) -> None:
    assert not compile_glob(pattern).matches(path)


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("", "1 to 4096 bytes"),
        ("a" * 4097, "1 to 4096 bytes"),
        ("/a", "absolute"),
        ("a/", "names a directory"),
        ("a//b", "empty"),
        ("a/./b", "empty"),
        ("../a", "empty"),
        ("a\\*", "backslash"),
        ("**.py", "whole parts"),
        ("a/b**/c", "whole parts"),
        ("[a", "not closed"),
        ("[]", "not closed"),
        ("[z-a]", "reversed"),
        ("[a/b]", "not closed"),
    ],
)
def test_a_pattern_that_could_never_match_is_refused(pattern: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        compile_glob(pattern)


def test_many_stars_take_linear_time() -> None:
    glob = compile_glob("**/" + "*a" * 30 + "b/" + "**/" + "*a" * 30 + "b")
    begin = time.perf_counter()
    assert not glob.matches("/".join(["a" * 250] * 16))
    assert time.perf_counter() - begin < 5  # backtracking would take years


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[DirectoryWorkspace]:
    for path in ("tests/test_a.py", "tests/.hidden", "tests/deep/er/test_b.py", "src/x.py", "top.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    (tmp_path / "tests" / "link").symlink_to("../src")
    with DirectoryWorkspace(tmp_path) as workspace:
        yield workspace


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("tests/**", ["tests/.hidden", "tests/deep/er/test_b.py", "tests/link", "tests/test_a.py"]),
        ("**/*.py", ["src/x.py", "tests/deep/er/test_b.py", "tests/test_a.py", "top.py"]),
        ("tests/*", ["tests/.hidden", "tests/deep", "tests/link", "tests/test_a.py"]),
        ("*", ["src", "tests", "top.py"]),
        ("tests/deep", ["tests/deep"]),
        ("nothing", []),
        ("nothing/**", []),
    ],
)
def test_expand_lists_what_matches(ws: DirectoryWorkspace, pattern: str, found: list[str]) -> None:
    assert expand(ws, pattern) == found
