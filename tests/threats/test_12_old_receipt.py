"""Attack: an old valid receipt, presented for later work or for another task.
Answer: bytes, context, payload digest and age are the verifier's to demand (source against git: the clean room).
"""

import pytest

from testdata.receipts import generate
from tests.threats.conftest import Desk, profile


@pytest.mark.parametrize("work", [{"greeting.txt": "hello again\n"}, {"tests/check.sh": "exit 0\n"}])
def test_threat_12_later_work_has_other_bytes(desk: Desk, work: dict[str, str]) -> None:
    assert desk.verify(generate.Case(why="", work=work)).code == 11


@pytest.mark.parametrize("position", [1, 3, 5])
def test_threat_12_another_handoff_is_another_context(desk: Desk, position: int) -> None:
    flags = list(generate.CONTEXT_FLAGS)
    flags[position] = "e" * len(flags[position])
    seen = desk.verify(generate.Case(why="", change=generate.context(), flags=flags))
    assert (seen.code, seen.violations) == (11, {"context.equal"})


def test_threat_12_another_payload_is_not_the_expected_one(desk: Desk) -> None:
    expected = generate.sha256(generate.payload_of(generate.base()).decode())
    later = generate.update("run", finishedOn="2026-11-30T12:30:00Z")
    assert desk.verify(generate.Case(why="", flags=["--expected-digest", expected])).code == 0
    assert desk.verify(generate.Case(why="", change=later, flags=["--expected-digest", expected])).code == 11


def test_threat_12_too_old_is_denied(desk: Desk) -> None:
    seen = desk.verify(generate.Case(why="", **profile("[freshness]\nmaxAge = 60\n")))
    assert (seen.code, seen.violations) == (12, {"freshness.time"})


def test_threat_12_the_age_counts_from_the_verifiers_clock(desk: Desk) -> None:
    case = generate.Case(why="", **profile("[freshness]\nmaxAge = 7200\n"))
    assert desk.verify(case).code == 0
    assert desk.verify(case, "--at", "2026-12-01T12:00:00Z").code == 12


OURS = "https://github.com/example/work"
SOURCE = {"base": {"digest": {"gitCommit": "a" * 40}}, "head": {"digest": {"gitCommit": "b" * 40}}}


def of(repository: str) -> generate.Change:
    return generate.update(source=SOURCE | {"repository": repository})


def test_threat_12_a_receipt_of_another_repository_is_denied(desk: Desk) -> None:
    ours = profile(f'[source]\nrepository = "{OURS}"\n')
    assert desk.verify(generate.Case(why="", change=of(OURS), **ours)).code == 0
    for other in (of("https://github.com/other/work"), generate.update()):
        seen = desk.verify(generate.Case(why="", change=other, **ours))
        assert (seen.code, seen.violations) == (12, {"freshness.repository"})
        assert "freshness.other_repository" in seen.reasons


def test_threat_12_a_repository_that_only_admit_demands_was_not_compared(desk: Desk) -> None:
    desk.lay(generate.Case(why="", change=of(OURS)))
    trusted = ["--trusted-key", "worker=../trust/worker.pub"]
    seen = desk.run("recompute", "receipt.json", *trusted, "--root", "workspace", "--out", "result.json")
    assert seen.code == 0
    assert desk.run("admit", "result.json").code == 0
    assert desk.run("admit", "result.json", "--repository", OURS).code == 12
