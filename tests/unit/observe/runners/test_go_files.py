"""What is read from Go files by their words."""

import platform
import time

import pytest

from in_toto_done_receipt.observe.runners.go_files import holds, is_compiled, read_go

TEST = b"func TestA(t *testing.T) {\n}\n"


def names(content: bytes) -> list[str]:
    file = read_go(content)
    assert file is not None
    return [test.name for test in file.tests]


def test_file_has_a_package_and_tests() -> None:
    content = b'// Package m.\npackage m\n\nimport "testing"\n\n' + TEST
    file = read_go(content)
    assert file is not None
    assert (file.package, content[: file.clause_end], [test.name for test in file.tests]) == (
        "m",
        b"// Package m.\npackage m",
        ["TestA"],
    )


def test_position_of_a_test_is_after_its_brace() -> None:
    content = b"package m\n" + TEST
    file = read_go(content)
    assert file is not None
    assert content[: file.tests[0].position].endswith(b"func TestA(t *testing.T) {")


def test_fuzz_tests_and_other_parameter_names_are_found() -> None:
    content = b"package m\nfunc FuzzA(f *testing.F) {\n}\nfunc TestB( tt  *testing.T ) {\n}\n"
    file = read_go(content)
    assert file is not None
    assert [(test.name, test.parameter) for test in file.tests] == [("FuzzA", b"f"), ("TestB", b"tt")]


@pytest.mark.parametrize(
    "hidden",
    [
        b"/*\n" + TEST + b"*/\n",
        b"var x = `\n" + TEST + b"`\n",
        b"// " + TEST,
        b'var x = "\\"\n' + b"/*" + TEST + b"*/",
        b"func TestA(_ *testing.T) {\n}\n",
        b"func TestA(t *other.T) {\n}\n",
        b"func (s *S) TestA(t *testing.T) {\n}\n",
        b"  " + TEST,
    ],
)
def test_what_only_looks_like_a_test_is_none(hidden: bytes) -> None:
    assert names(b"package m\n" + hidden) == []


@pytest.mark.parametrize("before", [b"var q = '`'\n", b'var q = "/*"\n', b"var q = '\\''\n", b'var q = `"`\n'])
def test_quotes_inside_of_quotes_hide_nothing(before: bytes) -> None:
    assert names(b"package m\n" + before + TEST) == ["TestA"]


def test_package_clause_in_a_comment_is_none() -> None:
    file = read_go(b"/* package wrong */ package right\n")
    assert file is not None
    assert file.package == "right"


def test_file_without_a_package_clause_is_none() -> None:
    assert read_go(b"not go\n") is None


@pytest.mark.parametrize("open_one", [b"/*", b"`", b'"', b"'", b'"\\', b"//", b"/* *", b"func Test", b"package "])
def test_hostile_file_is_read_in_bounded_time(open_one: bytes) -> None:
    began = time.monotonic()
    read_go(b"package m\n" + open_one * 200_000)
    assert time.monotonic() - began < 2


def test_constraint_is_read_above_the_clause_only() -> None:
    above, below = read_go(b"//go:build linux\n\npackage m\n"), read_go(b"package m\n//go:build linux\n")
    assert above is not None
    assert below is not None
    assert (above.constraint, below.constraint) == ("linux", None)


def test_constraint_of_the_old_form_counts_as_not_compiled() -> None:
    file = read_go(b"// +build linux\n\npackage m\n")
    assert file is not None
    assert not is_compiled("m_test.go", file.constraint, frozenset(), 26)


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("linux", True),
        ("windows || linux", True),
        ("!linux", False),
        ("linux && (extra || never)", True),
        ("linux && !(extra || never)", False),
        ("go1.21 && !go1.99", True),
        ("cgo", False),
        ("ignore", False),
        ("linux &&", False),
        ("(linux", False),
        ("linux linux", False),
        ("", False),
        ("linux & unix", False),
        ("(" * 5000 + "linux" + ")" * 5000, False),
        ("!" * 5000 + "linux", False),
    ],
)
def test_constraint_holds(constraint: str, expected: bool) -> None:
    assert is_compiled("m_test.go", constraint, frozenset({"extra"}), 26) is expected


def test_constraint_asks_for_every_name() -> None:
    asked: list[str] = []

    def never(name: str) -> bool:
        asked.append(name)
        return False

    assert not holds("a || b", never)
    assert asked == ["a", "b"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of another processor")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("m_test.go", True),
        ("m_linux_test.go", True),
        ("m_windows_test.go", False),
        ("m_amd64_test.go", True),
        ("m_arm64_test.go", False),
        ("m_linux_amd64_test.go", True),
        ("m_windows_amd64_test.go", False),
        ("windows_test.go", True),
        ("windows.go", True),
        ("m_unix_test.go", True),
    ],
)
def test_name_of_a_file_is_a_constraint(name: str, expected: bool) -> None:
    assert is_compiled(name, None, frozenset(), 26) is expected
