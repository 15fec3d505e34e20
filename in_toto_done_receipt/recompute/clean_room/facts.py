"""The clean room in the result document: counts of each run, lists of ids in bounded numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from in_toto_done_receipt.observe.runners.model import RED
from in_toto_done_receipt.recompute.clean_room.compare import Comparison
from in_toto_done_receipt.recompute.clean_room.outcome import Outcome, Ran, RunName
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.results.model import Listed, TestCounts, Tests

SHOWN: Final = 100

_ORDER: Final[tuple[RunName, ...]] = ("base", "restored", "head", "control")


def facts_of(outcome: Outcome) -> Tests:
    """What the result says of the tests. Lists that compare are empty where a run contradicts itself."""
    runs = outcome.runs
    believed = not any(runs[name].faults for name in ("base", "restored", "head"))
    found = list(Comparison(outcome).findings()) if believed else []
    return Tests(
        runner=outcome.runner,
        argv=outcome.argv,
        executable=outcome.executable,
        runs=tuple(_counts(name, runs[name]) for name in _ORDER if name in runs),
        layers=outcome.layers,
        made_to_fail=_listed(outcome.trial.ids),
        preexisting=_listed(id for id, state in runs["base"].states.items() if state in RED),
        flaky=_about(found, "flaky"),
        red=_about(found, "red", "new_test_red", "changed_test"),
        missing=_about(found, "missing"),
        newly_skipped=_about(found, "newly_skipped"),
        expected_failure=_about(found, "expected_failure"),
        shrunk=_about(found, "shrunk"),
        unstable=_listed(outcome.unstable),
        new_tests=_listed(runs["head"].states.keys() - runs["base"].states.keys() - outcome.unstable),
    )


def _counts(name: RunName, ran: Ran) -> TestCounts:
    states = Counter(ran.states.values())
    return TestCounts(
        name=name,
        collected=len(ran.states),
        passed=states["passed"],
        failed=states["failed"],
        errored=states["error"],
        skipped=states["skipped"],
        xfailed=states["xfailed"],
        xpassed=states["xpassed"],
        exit_code=ran.exit_code,
        duration_ms=ran.duration_ms,
    )


def _about(found: Sequence[Finding], *words: str) -> Listed:
    reasons = {f"test-inventory.{word}" for word in words}
    return _listed(one.path for one in found if one.reason in reasons and one.path is not None)


def _listed(ids: Iterable[str]) -> Listed:
    every = sorted(ids)
    return Listed(total=len(every), ids=tuple(every[:SHOWN]))
