import re
import time

import pytest

from in_toto_done_receipt.trust.pattern import PatternError, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("abc", ["abc"], ["", "ab", "abcd", "xabc", "ABC"]),
        (r"a\.b", ["a.b"], ["axb"]),
        ("a.b", ["axb", "a\u2028b"], ["ab", "a\nb"]),
        ("a*", ["", "a", "aaa"], ["b", "ab"]),
        ("a+?", ["a", "aaa"], [""]),
        ("a?b", ["b", "ab"], ["aab"]),
        ("a{2,3}", ["aa", "aaa"], ["a", "aaaa"]),
        ("a{2}", ["aa"], ["a", "aaa"]),
        ("a{2,}", ["aa", "aaaaa"], ["a"]),
        ("(a|bc)*", ["", "abca", "bcbc"], ["b", "ab"]),
        ("(?:a|)b", ["ab", "b"], ["a"]),
        ("(?P<x>a)", ["a"], [""]),
        ("[a-c_]", ["a", "b", "_"], ["d", "-"]),
        ("[^@/]+", ["abc", "a\n"], ["a@b", "a/b", ""]),
        (r"\d\w\s", ["1a ", "0_\t"], ["1a", "٣a "]),
        (r"\D\W\S", ["a-a", "é-é"], ["1-a"]),
        (r"[\d.]+", ["1.2"], ["1,2"]),
        ("^abc$", ["abc"], ["abc\n"]),
        (r"\Aabc\Z", ["abc"], ["abc\n"]),
        ("(a*)*b", ["b", "aab"], ["a"]),
        ("(a*|b*)*", ["", "abba"], ["c"]),
        ("é", ["é"], ["e"]),
    ],
)
def test_pattern_matches_the_whole_text(pattern: str, matching: list[str], other: list[str]) -> None:
    compiled = compile_pattern(pattern)
    assert [text for text in matching if not compiled.fullmatch(text)] == []
    assert [text for text in other if compiled.fullmatch(text)] == []


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(a)\1", "a back reference"),
        ("(?=a)a", "look-around"),
        ("a(?<!b)", "look-around"),
        (r"\bfoo", "an anchor in the middle"),
        ("a|^b$", "an anchor in the middle"),
        ("(?i)a", "inline flags"),
        ("(?i:a)", "inline flags"),
        ("(?>a+)b", "an atomic group"),
        ("a++b", "a possessive repeat"),
        ("(a)(?(1)b|c)", "a conditional group"),
        ("(a", "not a regular expression"),
        ("[", "not a regular expression"),
        ("a{1000}{1000}", "not a regular expression|too large"),
        ("(a{1000}){1000}", "too large"),
        ("(){4000000000}", "at most 2000 can be matched"),
        ("a" * 1025, "1025 characters, at most 1024"),
    ],
)
def test_pattern_refuses(pattern: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)b", "(a?){200}a{200}b", "(.*a){20}b"]
)
def test_pattern_takes_linear_time(pattern: str) -> None:
    compiled = compile_pattern(pattern)
    start = time.perf_counter()
    assert not compiled.fullmatch("a" * 2048)
    assert time.perf_counter() - start < 5


def test_pattern_never_matches_a_text_over_two_kibibytes() -> None:
    compiled = compile_pattern(".*")
    assert compiled.fullmatch("a" * 2048)
    assert not compiled.fullmatch("a" * 2049)
    assert not compiled.fullmatch("é" * 1025)


def test_pattern_agrees_with_re_on_a_real_one() -> None:
    text = r"https://github\.com/o/[^/]+/\.github/workflows/(release|ci)\.ya?ml@refs/(heads/main|tags/v\d+(\.\d+)*)"
    compiled = compile_pattern(text)
    for subject in (
        "https://github.com/o/r/.github/workflows/release.yml@refs/tags/v1.22.3",
        "https://github.com/o/r/.github/workflows/ci.yaml@refs/heads/main",
        "https://github.com/o/r/x/.github/workflows/ci.yaml@refs/heads/main",
        "https://github.com/o/r/.github/workflows/ci.yaml@refs/heads/main2",
        "https://githubxcom/o/r/.github/workflows/ci.yaml@refs/heads/main",
    ):
        assert compiled.fullmatch(subject) == bool(re.fullmatch(text, subject))
