"""Any command that writes JUnit XML: believed as far as a file can be that the tested process could have written.

The report is read when everything that ran is dead, which only level bubblewrap promises; below it there is no run. Who
rewrites it in time is found out by the canaries that the profile describes, and by nothing else: no test has a place
where it could be made to fail, and nothing arrives while the run goes on.
"""

import secrets
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from in_toto_done_receipt.errors import ConfigurationError, InputError, UnreadableInput
from in_toto_done_receipt.observe.files import kind_of, read_file
from in_toto_done_receipt.observe.runners.judge import judge
from in_toto_done_receipt.observe.runners.junit_xml import MAX_BYTES, JUnitReport, read_junit
from in_toto_done_receipt.observe.runners.model import Planted, PlantTemplate, Site, Sources, TestRun
from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.observe.sandbox.model import CommandOutcome
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.paths import check_path

JUNIT: Final = "{junit}"
TOKEN: Final = "{token}"  # noqa: S105  (a name, no secret of anybody)
_LISTED: Final = 3  # ids named in a fault


class JUnitRunner:
    """See `TestRunner`. The command is anything with `{junit}` in exactly one word; ids are `classname::name`.

    Every method raises ConfigurationError for a command or a template that cannot be honoured.
    """

    name = "junit"

    def __init__(self, templates: tuple[PlantTemplate, ...] = (), *, limit: int = MAX_BYTES) -> None:
        """`limit`: bytes of a report."""
        self._templates = templates
        self._limit = limit

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:  # noqa: ARG002
        """All tests that the command runs, by its report."""
        checked(argv)
        if room.level != "bubblewrap":
            return _nothing(f"a report on disk is no evidence at level {room.level}: processes may outlive the run")
        place = room.work / f"{secrets.token_hex(16)}.xml"
        # Which runtime this is, nobody knows; many reserve much more addresses than they use.
        own = replace(room, limits=replace(room.limits, memory=None, data=room.limits.memory))
        outcome = own.execute(tuple(word.replace(JUNIT, str(place)) for word in argv))
        if outcome.exit_code is None:
            return _nothing(f"{outcome.failure}: {outcome.detail}", outcome)
        try:
            report = read_junit(self._report(place), what="report", limit=self._limit)
        except InputError as fault:
            message = fault.message.replace(str(place), JUNIT)
            return _nothing(f"{message} (the command ended with exit code {outcome.exit_code})", outcome)
        return _judged(report, outcome)

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """The templates under this name."""
        checked(argv)
        known = frozenset(sources.paths())
        files, failing, passing = dict[str, bytes](), set[str](), set[str]()
        for template in self._templates:
            path = template.path.replace(TOKEN, token)
            if fault := check_path(path):
                raise ConfigurationError(f"plant {escape(template.path)}: {fault}")
            if path in known or path in files:
                raise ConfigurationError(f"plant {escape(template.path)}: there is such a file", hint=f"use {TOKEN}")
            files[path] = template.text.replace(TOKEN, token).encode()
            for identity in (*template.failing, *template.passing):
                if TOKEN not in identity:
                    fact = f"plant {escape(template.path)}: id {escape(identity)} does not hold {TOKEN}"
                    raise ConfigurationError(fact, hint="a test of the change could have this id")
            failing |= {identity.replace(TOKEN, token) for identity in template.failing}
            passing |= {identity.replace(TOKEN, token) for identity in template.passing}
        return Planted(files=files, failing=frozenset(failing), passing=frozenset(passing))

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:  # noqa: ARG002
        """None: where a test of an unknown runner stands is not known."""
        checked(argv)
        return ()

    def _report(self, place: Path) -> bytes:
        """The report. A link, which could lead out of the sandbox, is none."""
        try:
            mode = place.lstat().st_mode
        except OSError:
            raise UnreadableInput("no report was written") from None
        if not stat.S_ISREG(mode):
            raise UnreadableInput(f"the report is {kind_of(mode)}")
        return read_file(place, limit=self._limit, what="report", limit_name="junit-bytes")


def checked(argv: tuple[str, ...]) -> None:
    count = sum(JUNIT in word for word in argv)
    if count != 1:
        raise ConfigurationError(
            f"the runner junit wants {JUNIT} in one argument, got it in {count}",
            hint=f"say where the command writes its report, as in --junitxml={JUNIT}",
        )


def _judged(report: JUnitReport, outcome: CommandOutcome) -> TestRun:
    code, ids = outcome.exit_code, tuple(report.states)
    events = [("plan", ids), *((kind, id) for id in ids for kind in ("start", report.states[id])), ("end", "")]
    # The codes of an unknown runner are unknown; that something failed is all that they have to agree on.
    _, states, faults = judge(events, code, red=(code,) if code is not None and code > 0 else ())
    repeated = [escape(id) for id in report.repeated[:_LISTED]]
    more = (f"{len(report.repeated)} id(s) stand for several tests: {', '.join(repeated)}",) if repeated else ()
    return TestRun(
        planned=ids,
        states=states,
        exit_code=code,
        faults=(*report.faults, *more, *faults),
        duration_ms=outcome.duration_ms,
        excerpt=outcome.stderr.excerpt or outcome.stdout.excerpt,
    )


def _nothing(fault: str, outcome: CommandOutcome | None = None) -> TestRun:
    return TestRun(
        planned=(),
        states={},
        exit_code=None,
        faults=(fault,),
        duration_ms=0 if outcome is None else outcome.duration_ms,
        excerpt=b"" if outcome is None else outcome.stderr.excerpt or outcome.stdout.excerpt,
    )
