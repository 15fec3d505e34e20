"""Evidence of kind tests: a command that writes a report in JUnit XML, run in place, read once it has ended.

The report is a file that the run writes, and so what the run says of itself. Which tests it cites is checked against
the report; whether any of it is true is the verifier's to find out, with a command of its own.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from in_toto_done_receipt.errors import InputError, MalformedInput
from in_toto_done_receipt.observe.files import read_file
from in_toto_done_receipt.observe.sandbox.model import CommandLimits, CommandOutcome
from in_toto_done_receipt.observe.sandbox.run import run_in_place
from in_toto_done_receipt.observe.sandbox.scratch import scratch
from in_toto_done_receipt.producer.evidence import JUNIT, Seen, Wanted, failed
from in_toto_done_receipt.profile.limits import LIMITS
from in_toto_done_receipt.wire.digests import sha256_hex
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

# Test runs are longer and louder than commands. Runtimes of tests (Node, Go) reserve much more addresses than they use.
TEST_LIMITS: Final = CommandLimits(seconds=600.0, stream_bytes=16 * 2**20, memory=None, data=4 * 2**30)


class TestOutcome(Value, kw_only=True):
    """How a test command ended, and the bytes of its report; `fault` says why there are none."""

    __test__ = False

    command: CommandOutcome
    report: bytes = b""
    fault: str | None = None


def run_tests(argv: tuple[str, ...], root: Path, *, limits: CommandLimits = TEST_LIMITS) -> TestOutcome:
    """One run in `root`. The report's path, which is ours and gone afterwards, stands in the place of `{junit}`."""
    with scratch() as place:
        path = place / "junit.xml"
        command = run_in_place([word.replace(JUNIT, str(path)) for word in argv], root=root, limits=limits)
        if command.exit_code is None:
            return TestOutcome(command=command)
        if not path.exists():
            return TestOutcome(command=command, fault=f"exit code {command.exit_code}, and no report was written")
        allowed = LIMITS["junit-bytes"].default
        try:
            data = read_file(path, limit=allowed, what="report", limit_name="junit-bytes")
        except InputError as error:
            return TestOutcome(command=command, fault=error.message.replace(str(path), "{junit}"))
        return TestOutcome(command=command, report=data)


def tests_seen(item: Wanted, outcome: TestOutcome) -> Seen:
    """The outcome as the predicate writes it; ok iff it exited with 0, nothing was red and something passed.

    An error instead: no exit code, no report, one that cannot be read or contradicts itself, cited tests that did not
    pass in it.
    """
    command = outcome.command
    if command.exit_code is None:
        return failed(f"{command.failure}: {command.detail}" if command.detail else f"{command.failure}")
    if outcome.fault is not None:
        return failed(outcome.fault)
    from in_toto_done_receipt.observe.runners.junit_xml import read_junit  # loads a parser of XML

    try:
        report = read_junit(outcome.report, what="report")
    except MalformedInput as error:
        return failed(error.message)
    if report.faults:
        return failed(f"report contradicts itself: {'; '.join(report.faults)}")
    missing = [name for name in item.members.get("cited") or () if report.states.get(name) != "passed"]
    if missing:
        return failed(f"cited, and not reported as passed: {_listed(missing)}")
    observed: dict[str, Any] = {
        "exitCode": command.exit_code,
        "report": {"sha256": sha256_hex(outcome.report), "bytes": len(outcome.report)},
        "passed": report.passed,
        "failed": report.failed,
        "errored": report.errored,
        "skipped": report.skipped,
    }
    return Seen(observed, command.exit_code == report.failed == report.errored == 0 < report.passed)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(escape(name) for name in names)
