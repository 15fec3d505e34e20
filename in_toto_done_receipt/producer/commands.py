"""Evidence that runs: each distinct command runs once, in place, before anything else is looked at.

In place means that a command can change the work: that is why it runs first, and why everything is looked at twice
afterwards. The environment is scrubbed and bounded, but this is no sandbox against the command: the verifier's is.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from in_toto_done_receipt.observe.sandbox.model import Captured, CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run_in_place
from in_toto_done_receipt.producer.evidence import Seen, Wanted, failed
from in_toto_done_receipt.producer.test_runs import TestOutcome, run_tests, tests_seen


def run_commands(wanted: Sequence[Wanted], root: Path) -> list[Seen | None]:
    """What each item's command gave, in the order of the items; None for an item that runs nothing."""
    outcomes: dict[tuple[str, ...], CommandOutcome] = {}
    tested: dict[tuple[str, ...], TestOutcome] = {}
    seen: list[Seen | None] = []
    for item in wanted:
        found: Seen | None = None
        if item.kind == "command":
            if item.argv not in outcomes:
                outcomes[item.argv] = run_in_place(item.argv, root=root, limits=CommandLimits())
            found = command_seen(item, outcomes[item.argv])
        elif item.kind == "tests":
            if item.argv not in tested:
                tested[item.argv] = run_tests(item.argv, root)
            found = tests_seen(item, tested[item.argv])
        seen.append(found)
    return seen


def command_seen(item: Wanted, outcome: CommandOutcome) -> Seen:
    """The outcome as the predicate writes it; ok iff the exit code is the expected one and the text was written."""
    if outcome.exit_code is None:
        return failed(f"{outcome.failure}: {outcome.detail}" if outcome.detail else f"{outcome.failure}")
    expected = item.members.get("expected", {})
    observed: dict[str, Any] = {
        "exitCode": outcome.exit_code,
        "stdout": _stream(outcome.stdout),
        "stderr": _stream(outcome.stderr),
    }
    ok = outcome.exit_code == expected.get("exitCode", 0)
    if "stdoutContains" in expected:
        observed["stdoutMatched"] = expected["stdoutContains"].encode() in outcome.stdout_data
        ok = ok and observed["stdoutMatched"]
    return Seen(observed, ok)


def _stream(stream: Captured) -> dict[str, Any]:
    return {"sha256": stream.sha256, "bytes": stream.bytes}
