"""Attack: a back-dated `finishedOn` with an expired key; the year 2999.
Answer: validity is judged at a trusted time or now, never at a time that the receipt claims.
"""

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk

EXPIRED = generate.SCOPED + "notAfter = 2026-06-01T00:00:00Z\n"
NOT_YET = generate.SCOPED + "notBefore = 2027-01-01T00:00:00Z\n"


@pytest.mark.parametrize(
    ("text", "finished"),
    [(EXPIRED, "2026-05-01T00:00:00Z"), (EXPIRED, "2026-11-30T12:00:00Z"), (NOT_YET, "2027-02-01T00:00:00Z")],
)
def test_threat_16_a_window_is_judged_by_the_verifiers_clock(desk: Desk, text: str, finished: str) -> None:
    change = generate.update("run", finishedOn=finished)
    trust = ["--trust", "trust.toml"]
    seen = desk.verify(generate.Case(why="", change=change, inputs={"trust.toml": text}, trust=trust))
    assert (seen.code, "signature.key_not_valid" in seen.reasons) == (10, True)


@pytest.mark.parametrize("finished", ["2999-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-12-01T00:00:00Z"])
def test_threat_16_a_run_cannot_end_in_the_future(desk: Desk, finished: str) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.update("run", finishedOn=finished)))
    assert (seen.code, seen.violations) == (12, {"freshness.time"})


def test_threat_16_the_last_moment_of_the_calendar_is_no_error(desk: Desk) -> None:
    change = generate.update("run", finishedOn="0001-01-01T00:00:00Z")
    assert desk.verify(generate.Case(why="", change=change)).code == 0
    assert desk.verify(generate.Case(why="", change=change), "--at", "9999-12-31T23:59:59Z").code == 0
