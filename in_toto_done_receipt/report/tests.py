"""The clean room in a line or two, for whoever reads a report."""

from typing import Final

from in_toto_done_receipt.results.model import Listed, TestCounts, Tests

_WORSE: Final = (
    ("red", "red"),
    ("missing", "gone"),
    ("newly_skipped", "newly skipped"),
    ("expected_failure", "newly expected to fail"),
    ("shrunk", "with fewer cases"),
)
_NOTED: Final = (
    ("preexisting", "red at base already"),
    ("flaky", "not the same every time"),
    ("unstable", "not in every run of base"),
)


def line_of_tests(tests: Tests) -> str:
    """How many tests there are, and how many are worse than at base."""
    counts = {run.name: run for run in tests.runs}
    base, head = counts.get("base"), counts.get("head")
    said = [f"{tests.runner}: {_collected(base)} at base, {_collected(head)} on head, {tests.new_tests.total} new"]
    said += [f"{listed.total} {word}" for name, word in _WORSE if (listed := _of(tests, name)).total]
    said += [f"{listed.total} {word}" for name, word in _NOTED if (listed := _of(tests, name)).total]
    return ", ".join(said)


def line_of_canaries(tests: Tests) -> str:
    """Which layers of canaries there were."""
    if not tests.layers:
        return "none"
    return f"{', '.join(tests.layers)}; {tests.made_to_fail.total} test(s) made to fail"


def _collected(run: TestCounts | None) -> int:
    return 0 if run is None else run.collected


def _of(tests: Tests, name: str) -> Listed:
    listed: Listed = getattr(tests, name)
    return listed
