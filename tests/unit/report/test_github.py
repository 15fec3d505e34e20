"""What is printed for GitHub Actions: commands that its runner reads back as they were meant, inert Markdown."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.admission.decide import decide
from in_toto_done_receipt.admission.engines import open_engine
from in_toto_done_receipt.report.github import MAX_ANNOTATIONS, annotations, error_annotation, summary
from in_toto_done_receipt.results.decision import Decision, Violation, Waiver
from in_toto_done_receipt.results.past import Past, read_past

INPUT = Path(__file__).parents[3] / "testdata" / "policy-input" / "admitted.json"
COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:\r\n]*,?)+)::([^\r\n]*)")
HOSTILE = (
    "::error::x",
    "a\r\n::set-output name=a::b",
    "50% done%0A::stop-commands::x",
    "title=a,file=b::c",
    "##[error]x",
    "a\u2028::warning::b\u0085c",
    "</details><script>alert(1)</script>",
    "@team fixes #1 [x](javascript:alert(1)) ![y](https://example.com/y) `a` ``b`` **c** | d | <!-- e -->",
    "https://example.com www.example.com owner/repo#1 a@example.com",
    "\u202ereversed\x1b[31m",
)


def unescaped(text: str) -> str:
    """As the runner does it; `%25` last, as in actions/toolkit."""
    for written, meant in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(written, meant)
    return text


def read(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands in what was printed. Every line has to be one."""
    found = []
    for line in text.split("\n")[:-1]:
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        pairs = [pair.partition("=") for pair in match[2].split(",")]
        found.append((match[1], {name: unescaped(value) for name, _, value in pairs}, unescaped(match[3])))
    return found


@pytest.fixture
def past() -> Past:
    (past,) = read_past(INPUT.read_bytes(), what="input")
    return past


@pytest.fixture
def admitted(past: Past) -> Decision:
    settings, engine = past.settings or {}, open_engine("embedded")
    decision = decide(past.result, settings, engine=engine, evaluated_at=past.evaluated_at, seconds=30)
    assert decision.allow
    return decision


def denied(decision: Decision, *violations: Violation, **more: Any) -> Decision:
    return replace(decision, allow=False, violations=violations, **more)


def test_an_admission_is_one_notice(past: Past, admitted: Decision) -> None:
    (first, *others) = read(annotations(past.result, replace(admitted, warnings=())))
    assert first == ("notice", {"title": "ADMITTED"}, past.result.summary)
    assert others == []


def test_a_denial_is_an_error_for_each_violation_and_a_warning_for_each_warning(past: Past, admitted: Decision) -> None:
    first, second = Violation(code="a.b", message="m", solution="s"), Violation(code="c.d", message="n")
    found = read(annotations(past.result, denied(admitted, first, warnings=(second,))))
    assert [(level, properties["title"]) for level, properties, _ in found] == [
        ("error", "DENIED"),
        ("error", "a.b"),
        ("warning", "c.d"),
    ]
    assert found[1][2] == "m — s"


def test_a_finding_that_failed_is_at_its_path(past: Past, admitted: Decision) -> None:
    (check, *others) = past.result.checks
    finding = replace(check.findings[0], status="fail", path="a, b:c%.txt", message="differs")
    result = replace(past.result, checks=(replace(check, status="fail", findings=(finding,)), *others))
    found = read(annotations(result, denied(admitted)))
    assert found[1] == ("error", {"file": "a, b:c%.txt", "title": finding.reason}, "differs")


def test_there_are_no_more_than_github_shows(past: Past, admitted: Decision) -> None:
    many = tuple(Violation(code=f"a.b{number}", message="m") for number in range(50))
    found = read(annotations(past.result, denied(admitted, *many, warnings=many)))
    for level in ("error", "warning"):
        shown = [message for one, _, message in found if one == level]
        assert len(shown) == MAX_ANNOTATIONS
        assert re.fullmatch(r"and 4[12] more, which --format json has", shown[-1])


@pytest.mark.parametrize("words", HOSTILE)
def test_words_stay_words_in_annotations(past: Past, admitted: Decision, words: str) -> None:
    said = Violation(code=words, message=words, solution=words)
    text = annotations(past.result, denied(admitted, said, warnings=(said,)))
    assert [level for level, _, _ in read(text)] == ["error", "error", "warning"]
    assert "##[" not in text


@pytest.mark.parametrize("words", HOSTILE)
def test_words_stay_words_in_an_error(words: str) -> None:
    ((level, properties, message),) = read(error_annotation(words))
    assert (level, properties) == ("error", {"title": "done-receipt"})
    assert "\n" not in message


@pytest.mark.parametrize("words", HOSTILE)
def test_words_stay_words_in_a_summary(past: Past, admitted: Decision, words: str) -> None:
    said = Violation(code=words, message=words, solution=words)
    waived = Waiver(code=words, reason=words, approver=words, expires="2099-01-01T00:00:00Z")
    claims = tuple(replace(claim, id=words, statement=words) for claim in past.result.claims)
    result = replace(past.result, claims=claims, attester_names=(words,), summary=words)
    text = summary(result, denied(admitted, said, warnings=(said,), exceptions=(waived,), overrides=(words,)))
    coded = re.findall(r"<code>(.*?)</code>", text)
    assert len(coded) > 10
    assert [one for one in coded if re.fullmatch(r"(?:[^\W_]|[ ]|&#\d+;)*", one) is None] == []
    ours = re.sub(r"<code>.*?</code>", "", text)
    assert re.fullmatch(r"[\w \n|#,'\-]*", ours), ours
    assert "#1" not in ours


def test_a_summary_says_what_was_decided_in_readers_words(past: Past, admitted: Decision) -> None:
    said = Violation(code="a.b", message="50 % <of> it", solution="mend it")
    text = summary(past.result, denied(admitted, said))
    assert text.startswith("### DENIED\n")
    shown = html.unescape(text)
    assert "| <code>a.b</code> | <code>50 % <of> it</code> | <code>mend it</code> |" in shown
    assert past.result.input.payload_sha256 in shown
    assert text.endswith("\n\n")


def test_a_summary_of_many_says_how_many(past: Past, admitted: Decision) -> None:
    many = tuple(Violation(code=f"a.b{number}", message="m" * 10_000) for number in range(500))
    text = summary(past.result, denied(admitted, *many))
    assert "and 480 more" in text
    assert len(text) < 1 << 16
