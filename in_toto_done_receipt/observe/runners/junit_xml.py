"""JUnit XML, read as bytes from an enemy: no document type, no entity, nothing from elsewhere, bounded in every way.

There is no standard for the format, and tools count differently in nested suites. What a suite says of its tests is
believed when it fits one of the ways in which tools count; what fits none is a fault.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput
from in_toto_done_receipt.observe.runners.model import RED, TestState
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

MAX_BYTES: Final = 64 * 2**20
MAX_DEPTH: Final = 64  # elements inside one another; the deepest tool nests a suite for each folder
MAX_ELEMENTS: Final = 2_000_000  # some twenty seconds of reading
MAX_NAME_CHARS: Final = 65_536  # of classname and name; parametrised tests have whole documents in their names
MAX_FAULTS: Final = 20
_SHOWN: Final = 100  # characters of an id in a fault

_SUITES: Final = ("testsuites", "testsuite")
_NOT_RUN: Final = frozenset({"notrun", "skipped", "disabled", "suppressed", "ignored", "pending"})
_FAILED: Final = frozenset({"fail", "failed", "failure", "error", "errored"})
_ORDER: Final[tuple[TestState, ...]] = ("error", "failed", "skipped", "xfailed", "passed")  # of two states, the first


class JUnitReport(Value, kw_only=True):
    """What a report says. `states` has each id once, with the worst state; the counts are of test cases.

    `passed + failed + errored + skipped` is their number: an expected failure is written as a skipped test. `repeated`
    are ids of several test cases. `faults` are contradictions within the report. `seconds` is the sum of the times.
    """

    states: dict[str, TestState]
    passed: int
    failed: int
    errored: int
    skipped: int
    repeated: tuple[str, ...]
    faults: tuple[str, ...]
    seconds: float


def read_junit(data: bytes, *, what: str, limit: int = MAX_BYTES) -> JUnitReport:
    """The report. An id is `classname::name`; without a classname the name of the innermost suite stands in its place.

    Raises LimitExceeded, and MalformedInput for what is not JUnit XML in UTF-8. Does not judge what is reported: a
    report of no test is one, too.
    """
    if len(data) > limit:
        raise LimitExceeded("junit-bytes", allowed=limit, value=len(data), where=what)
    import defusedxml  # loaded only where a report is read
    from defusedxml.ElementTree import DefusedXMLParser, ParseError

    reader = _Reader(what)
    parser = DefusedXMLParser(target=reader, encoding="utf-8", forbid_dtd=True)
    parser.parser.XmlDeclHandler = reader.declaration
    try:
        data.decode("utf-8")
        parser.feed(data)  # at once: a token that comes in pieces is looked at again with each
        parser.close()
    except UnicodeDecodeError as fault:
        raise MalformedInput(f"{what} is not UTF-8: byte {fault.start}") from None
    except defusedxml.DefusedXmlException as fault:
        raise MalformedInput(f"{what} declares a document type or an entity ({type(fault).__name__})") from None
    except ParseError as fault:
        raise MalformedInput(f"{what} is not well-formed XML: {escape(str(fault))}") from None
    return reader.report()


class _Tally:
    """Numbers of test cases: all, red, skipped, with a failure and an error, with an id that came before."""

    def __init__(self) -> None:
        self.cases = self.red = self.skipped = self.double = self.repeated = 0

    def add(self, other: "_Tally") -> None:
        """The numbers of both."""
        self.cases += other.cases
        self.red += other.red
        self.skipped += other.skipped
        self.double += other.double
        self.repeated += other.repeated


class _Suite:
    """An open suite: what it says of itself, its own test cases, those with the ones of its suites, its suites."""

    def __init__(self, name: str, said: Mapping[str, int]) -> None:
        self.name = name
        self.said = said
        self.own, self.total = _Tally(), _Tally()
        self.suites = self.red_suites = 0

    def contradictions(self) -> Iterator[tuple[str, int, int]]:
        """What it says that fits no way of counting: the word, the number it says, the number of all test cases.

        Tools count all test cases below a suite, or its own, or (Node) suites among them as one each. One (pytest)
        writes a test that fails twice as two test cases and counts it once.
        """
        own, total, said = self.own, self.total, self.said
        if "tests" in said:
            fitting = {total.cases, total.cases - total.repeated, own.cases, own.cases + self.suites}
            if said["tests"] not in fitting:
                yield "tests", said["tests"], total.cases
        if "failures" in said or "errors" in said:
            red = said.get("failures", 0) + said.get("errors", 0)
            fitting = {own.red, own.red + self.red_suites}
            if red not in fitting and not total.red <= red <= total.red + total.double:
                yield "failures and errors", red, total.red
        if "skipped" in said:
            fitting = {total.skipped, own.skipped, own.skipped + self.red_suites}
            if not fitting & {said["skipped"], said["skipped"] + said.get("disabled", 0)}:
                yield "skipped tests", said["skipped"], total.skipped


class _Case:
    """An open test case."""

    def __init__(self, identity: str, status: str) -> None:
        self.identity = identity
        self.status = status
        self.said: set[str] = set()

    def state(self) -> TestState:
        """A test that did not run is skipped, whatever else is missing."""
        for word, state in _SAID.items():
            if word in self.said:
                return state
        if self.status in _FAILED:
            return "failed"
        return "skipped" if self.status in _NOT_RUN else "passed"


_SAID: Final[Mapping[str, TestState]] = {
    "error": "error",
    "failure": "failed",
    "xfail": "xfailed",
    "skipped": "skipped",
}


class _Reader:
    """The parser's target: keeps the open suites and one open test case, and no tree."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._open: list[str] = []
        self._suites: list[_Suite] = []
        self._case: _Case | None = None
        self._elements = 0
        self._states: dict[str, TestState] = {}
        self._cases: Counter[TestState] = Counter()
        self._repeated: dict[str, None] = {}
        self._faults: dict[str, None] = {}
        self._seconds = 0.0

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        """Called for `<?xml …?>`. Bytes are read as UTF-8, so nothing else may be declared."""
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise MalformedInput(f"{self._what} declares the encoding {escape(encoding[:_SHOWN])}, expected UTF-8")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Called for each start tag."""
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise MalformedInput(f"{self._what} has more than {MAX_ELEMENTS} elements")
        name = tag.rpartition("}")[2]
        if not self._open and name not in _SUITES:
            raise MalformedInput(f"{self._what}: expected testsuites or testsuite, got {escape(name[:_SHOWN])}")
        if len(self._open) == MAX_DEPTH:
            raise MalformedInput(f"{self._what} is nested deeper than {MAX_DEPTH} elements")
        above = self._open[-1] if self._open else None
        self._open.append(name)
        if name in _SUITES:
            self._start_suite(above, attributes)
        elif name == "testcase":
            self._start_case(above, attributes)
        elif name in ("failure", "error", "skipped"):
            self._outcome(name, above, attributes)

    def data(self, _text: str) -> None:
        """Called for text, of which nothing is kept."""

    def end(self, _tag: str) -> None:
        """Called for each end tag."""
        name = self._open.pop()
        if name == "testcase":
            self._end_case()
        elif name in _SUITES:
            self._end_suite()

    def close(self) -> None:
        """Called at the end."""

    def report(self) -> JUnitReport:
        """What was read."""
        cases = self._cases
        return JUnitReport(
            states=self._states,
            passed=cases["passed"],
            failed=cases["failed"],
            errored=cases["error"],
            skipped=cases["skipped"] + cases["xfailed"],
            repeated=tuple(self._repeated),
            faults=tuple(self._faults),
            seconds=self._seconds,
        )

    def _fault(self, message: str) -> None:
        if len(self._faults) < MAX_FAULTS:
            self._faults[message] = None

    def _start_suite(self, above: str | None, attributes: Mapping[str, str]) -> None:
        name = self._name(attributes, "name")
        if above not in (None, *_SUITES):
            raise MalformedInput(f"{self._what}: a suite inside {escape(str(above)[:_SHOWN])}")
        said = {word: self._count(name, word, attributes[word]) for word in _COUNTED if word in attributes}
        self._suites.append(_Suite(name, {word: count for word, count in said.items() if count is not None}))

    def _start_case(self, above: str | None, attributes: Mapping[str, str]) -> None:
        if above not in _SUITES:
            raise MalformedInput(f"{self._what}: a test case inside {escape(str(above)[:_SHOWN])}")
        name = self._name(attributes, "name")
        if not name:
            self._fault("a test case has no name")
        place = self._name(attributes, "classname") or self._suites[-1].name
        status = attributes.get("status", attributes.get("result", "")).lower()
        self._case = _Case(f"{place}::{name}" if place else name, status)
        self._seconds += self._time(attributes.get("time", "0"))

    def _outcome(self, name: str, above: str | None, attributes: Mapping[str, str]) -> None:
        if self._case is not None and above == "testcase":
            expected = name == "skipped" and attributes.get("type") == "pytest.xfail"
            self._case.said.add("xfail" if expected else name)
        elif name != "skipped" and above in _SUITES:
            self._fault(f"suite {_short(self._suites[-1].name)} reports {name} outside its tests")

    def _end_case(self) -> None:
        case, tally = self._case, self._suites[-1].own
        assert case is not None  # noqa: S101 - a start tag opened it: the document is well-formed
        state, self._case = case.state(), None
        self._cases[state] += 1
        tally.cases += 1
        tally.red += state in RED
        tally.skipped += state in ("skipped", "xfailed")
        tally.double += {"failure", "error"} <= case.said
        earlier = self._states.get(case.identity)
        if earlier is not None:
            tally.repeated += 1
            self._repeated[case.identity] = None
            state = min(earlier, state, key=_ORDER.index)
        self._states[case.identity] = state

    def _end_suite(self) -> None:
        suite = self._suites.pop()
        suite.total.add(suite.own)
        for word, said, found in suite.contradictions():
            self._fault(f"suite {_short(suite.name)} says {said} {word}, it has {found}")
        if self._suites:
            outer = self._suites[-1]
            outer.total.add(suite.total)
            outer.suites += 1
            outer.red_suites += suite.total.red > 0

    def _name(self, attributes: Mapping[str, str], word: str) -> str:
        value = attributes.get(word, "")
        if len(value) > MAX_NAME_CHARS:
            raise MalformedInput(f"{self._what}: a {word} of {len(value)} characters, at most {MAX_NAME_CHARS} can be")
        return value

    def _count(self, suite: str, word: str, text: str) -> int | None:
        if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
            return int(text)
        if text:
            self._fault(f"suite {_short(suite)} says {word}={_short(text)}")
        return None

    def _time(self, text: str) -> float:
        try:
            seconds = float(text.replace(",", "") or 0)  # one tool writes 1,234.5
        except ValueError:
            seconds = math.nan
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
        self._fault(f"a test case says time={_short(text)}")
        return 0.0


_COUNTED: Final = ("tests", "failures", "errors", "skipped", "disabled")
_DIGITS: Final = 9


def _short(text: str) -> str:
    return escape(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "") if text else "without a name"
