"""The receipt's one line, word for word."""

from typing import Any

import pytest

from in_toto_done_receipt.predicates.done_receipt.summary import summary_line

from .conftest import Read

PASSED = {"checked": True, "passed": True, "reason": ""}
FAILED = {"checked": True, "passed": False, "reason": "two tests fail"}
UNCHECKED = {"checked": False, "passed": False, "reason": ""}
COUNTS = {"iterations": 3, "toolCalls": 5}
SEAL = {"name": "pytest.ini", "digest": {"sha256": "0" * 64}}
BREACH = "pytest.ini was modified; conftest.py was created"

LINES = [
    (UNCHECKED, COUNTS, [], BREACH, f"REFUSED — the acceptance contract moved during the run ({BREACH})"),
    (PASSED, COUNTS, [SEAL], BREACH, f"REFUSED — the acceptance contract moved during the run ({BREACH})"),
    (UNCHECKED, COUNTS, [SEAL], None, "UNCHECKED — the model stopped after 5 tool call(s); nothing verified it"),
    (UNCHECKED, {}, [], None, "UNCHECKED — the model stopped; nothing verified it"),
    (UNCHECKED, {"toolCalls": 0}, [], None, "UNCHECKED — the model stopped after 0 tool call(s); nothing verified it"),
    ({**UNCHECKED, "passed": True}, {}, [], None, "UNCHECKED — the model stopped; nothing verified it"),
    (PASSED, COUNTS, [], None, "PASSED — checked, nothing sealed, 3 iteration(s)"),
    (PASSED, {}, [], None, "PASSED — checked, nothing sealed"),
    (PASSED, COUNTS, [SEAL], None, "PASSED — checked against 1 sealed file(s), which did not move, 3 iteration(s)"),
    (PASSED, {}, [SEAL], None, "PASSED — checked against 1 sealed file(s), which did not move"),
    (FAILED, COUNTS, [SEAL], None, "FAILED — two tests fail"),
    ({**FAILED, "reason": ""}, COUNTS, [], None, "FAILED"),
]


def line(small: dict[str, Any], read: Read, **members: Any) -> str:
    predicate = small["predicate"]
    predicate["verdict"] = members["verdict"]
    predicate["run"].update(members.get("counts", {}))
    predicate["contract"].update(sealed=members.get("sealed", []), breach=members.get("breach"))
    return summary_line(read(small)[0])


@pytest.mark.parametrize(("verdict", "counts", "sealed", "breach", "expected"), LINES, ids=range(len(LINES)))
def test_the_line_is(
    small: dict[str, Any],
    read: Read,
    verdict: dict[str, Any],
    counts: dict[str, int],
    sealed: list[Any],
    breach: str | None,
    expected: str,
) -> None:
    assert line(small, read, verdict=verdict, counts=counts, sealed=sealed, breach=breach) == expected


def test_absent_paths_are_no_sealed_files(small: dict[str, Any], read: Read) -> None:
    small["predicate"]["contract"]["absent"] = ["conftest.py"]
    assert line(small, read, verdict=PASSED) == "PASSED — checked, nothing sealed"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\u0085d"),
        ("\x1b[31m\u202e", r"\u001b[31m\u202e"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("\U00013439", r"\U00013439"),  # a format character since Unicode 15, which Python 3.11 does not know
        ("C:\\dir", r"C:\dir"),
        ("déjà vu 😀", "déjà vu 😀"),
    ],
    ids=["breaks", "separators", "terminal", "astral", "newer-than-python", "backslash", "plain"],
)
def test_what_could_end_the_line_is_escaped(small: dict[str, Any], read: Read, text: str, shown: str) -> None:
    assert line(small, read, verdict={**FAILED, "reason": text}) == f"FAILED — {shown}"
    assert line(small, read, verdict=UNCHECKED, breach=text).endswith(f"({shown})")
