"""False alarm: clocks of honest machines differ, and some times are whole seconds.
Answer: a tolerance that the profile can change, and a finding in `freshness` only.
"""

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile


@pytest.mark.parametrize("finished", ["2026-11-30T13:00:00.999Z", "2026-11-30T13:05:00Z", "2026-11-30T12:59:59.5Z"])
def test_threat_44_within_the_tolerance_it_is_admitted(desk: Desk, finished: str) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.update("run", finishedOn=finished)))
    assert (seen.code, seen.warnings) == (0, set())


def test_threat_44_beyond_it_only_freshness_speaks(desk: Desk) -> None:
    seen = desk.verify(generate.Case(why="", change=generate.update("run", finishedOn="2026-11-30T13:05:01Z")))
    assert (seen.code, seen.violations) == (12, {"freshness.time"})
    failed = {check["id"] for check in seen.result["checks"] if check["status"] == "fail"}
    assert (failed, seen.result["verdict"]["coherent"]) == ({"freshness"}, True)


@pytest.mark.parametrize(("skew", "code"), [(0, 12), (59, 12), (60, 0)])
def test_threat_44_the_tolerance_is_the_verifiers(desk: Desk, skew: int, code: int) -> None:
    change = generate.update("run", finishedOn="2026-11-30T13:01:00Z")
    assert desk.verify(generate.Case(why="", change=change, **profile(f"[freshness]\nskew = {skew}\n"))).code == code


def test_threat_44_the_tolerance_counts_for_the_age_too(desk: Desk) -> None:
    case = generate.Case(why="", **profile("[freshness]\nmaxAge = 3600\n"))
    assert desk.verify(case, "--at", "2026-11-30T13:05:00Z").code == 0
    assert desk.verify(case, "--at", "2026-11-30T13:05:01Z").code == 12
