"""The tests of base held against those of the change: what is red, gone, skipped or expected to fail that was not so.

Pure: the outcome of the runs in, one finding for each test out, so that an exception can waive exactly one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from in_toto_done_receipt.observe.runners.model import RED, TestState
from in_toto_done_receipt.recompute.case import finding
from in_toto_done_receipt.recompute.clean_room.outcome import RUNS, Outcome, Ran, RunName
from in_toto_done_receipt.results.findings import Finding, Status
from in_toto_done_receipt.wire.escape import escape

_CHANGE: Final[tuple[RunName, ...]] = ("restored", "head")
_PARAMETRISED: Final = ("pytest",)  # runners that write the cases of a test behind its name
_NOT_RUN: Final[dict[TestState, tuple[str, str]]] = {
    "skipped": ("test-inventory.newly_skipped", "is skipped"),
    "xfailed": ("test-inventory.expected_failure", "is expected to fail"),
    "xpassed": ("test-inventory.expected_failure", "is expected to fail, although it passes,"),
}


class Comparison:
    """Base against the change, id by id."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._base = outcome.runs["base"]
        self._ids = [id for id in self._base.states if id not in outcome.unstable]
        self._red: set[str] = set()

    def findings(self) -> Iterator[Finding]:
        """Everything that the runs show about the tests. No run may have a fault."""
        yield from self._none_at_all()
        yield from self._turned_red()
        yield from self._as_agreed([*self._gone(), *self._weakened()])
        yield from self._new()
        yield from self._hidden()
        yield from self._remarks()

    def _none_at_all(self) -> Iterator[Finding]:
        if not self._base.states:
            yield _about("error", "test-inventory.nothing_at_base", "the test command finds no test at base")
        ran = [state for state in self._outcome.runs["head"].states.values() if state != "skipped"]
        if not ran:
            yield _about("fail", "test-inventory.no_tests", f"no test ran on {RUNS['head']}")

    def _turned_red(self) -> Iterator[Finding]:
        """Tests that were good at base and are red: each once, with the first run that shows it."""
        for name in _CHANGE:
            for id in sorted(self._outcome.runs[name].red - self._red):
                before = self._base.states.get(id)
                if before in RED or id in self._outcome.unstable or id in self._outcome.overlay:
                    continue
                if self._flaky(name, id):
                    continue
                self._red.add(id)
                yield self._one_red(name, id, before)

    def _one_red(self, name: RunName, id: str, before: TestState | None) -> Finding:
        states = self._seen(name, id)
        if before is None:
            return _about(
                "fail", "test-inventory.new_test_red", f"{escape(id)} is new and {states} on {RUNS[name]}", id
            )
        path = self._outcome.path_of.get(id)
        as_it_is = self._outcome.runs["head"].states.get(id)
        if name == "restored" and as_it_is not in RED and path in self._outcome.moved:
            text = f"{escape(id)} {states} on {RUNS[name]}; head changed {escape(path or '')}"
            return _about("fail", "test-inventory.changed_test", text, id)
        return _about("fail", "test-inventory.red", f"{escape(id)} {before} at base and {states} on {RUNS[name]}", id)

    def _flaky(self, name: RunName, id: str) -> bool:
        """Whether a red test was good when it ran again. Without a further run it is red."""
        again = self._outcome.reruns.get(name, {}).get(id, ())
        return any(state is not None and state not in RED for state in again)

    def _seen(self, name: RunName, id: str) -> str:
        """What a test did, in the first run and in each further one."""
        states = (self._outcome.runs[name].states.get(id), *self._outcome.reruns.get(name, {}).get(id, ()))
        return ", ".join(state or "missing" for state in states)

    def _gone(self) -> Iterator[Finding]:
        """Tests of base that the change does not have; fewer cases of one test are about the test."""
        told: set[str] = set()
        for name in _CHANGE:
            states = self._outcome.runs[name].states
            missing = [id for id in self._ids if id not in states and id not in told and not self._replaced(name, id)]
            before, after = self._cases(self._ids), self._cases(states)
            for id in missing:
                told.add(id)
                test = self._test_of(id)
                if after[test] == 0 or test == id:
                    yield _about(
                        "fail",
                        "test-inventory.missing",
                        f"{escape(id)} ran at base and is not there on {RUNS[name]}",
                        id,
                    )
                elif after[test] < before[test] and test not in told:
                    told.add(test)
                    text = f"{escape(test)} has {after[test]} case(s) on {RUNS[name]}, {before[test]} at base"
                    yield _about("fail", "test-inventory.shrunk", text, test)
                elif after[test] >= before[test] and test not in told:
                    told.add(test)
                    yield _about(
                        "pass", "test-inventory.other_cases", f"{escape(test)} has other cases on {RUNS[name]}", test
                    )

    def _as_agreed(self, found: list[Finding]) -> Iterator[Finding]:
        """Of a file that an exception names, one finding with the file's name as its term: what it waives."""
        files: Counter[str] = Counter()
        for one in found:
            path = self._path_of(one.path or "")
            if one.status == "fail" and path in self._outcome.agreed:
                files[path or ""] += 1
            else:
                yield one
        for path, count in files.items():
            text = (
                f"{count} test(s) of {escape(path)} are gone or need not pass, which the profile leaves to the change"
            )
            yield _about("fail", "test-inventory.left_to_head", text, path)

    def _path_of(self, test: str) -> str | None:
        """The file of a test, or of the test whose cases they are."""
        known = self._outcome.path_of
        return known.get(test) or next((path for id, path in known.items() if self._test_of(id) == test), None)

    def _cases(self, ids: Iterable[str]) -> Counter[str]:
        return Counter(map(self._test_of, ids))

    def _test_of(self, id: str) -> str:
        """The test whose case this is; itself where the runner has no such thing."""
        if self._outcome.runner not in _PARAMETRISED or not id.endswith("]"):
            return id
        return id.partition("[")[0]

    def _weakened(self) -> Iterator[Finding]:
        """Tests that passed at base and are there without having to pass."""
        told: set[str] = set()
        for name in _CHANGE:
            states = self._outcome.runs[name].states
            for id in self._ids:
                found = _NOT_RUN.get(states.get(id, "passed"))
                if self._base.states[id] == "passed" and found is not None and id not in told:
                    told.add(id)
                    yield _about("fail", found[0], f"{escape(id)} passed at base and {found[1]} on {RUNS[name]}", id)

    def _new(self) -> Iterator[Finding]:
        """New tests that pass on the old product as well show nothing about the change."""
        control = self._outcome.runs.get("control")
        for id in self._new_ids() if control is not None else ():
            if control is not None and control.states.get(id) == "passed":
                yield _about(
                    "fail", "test-inventory.green_at_base", f"{escape(id)} is new and passes on {RUNS['control']}", id
                )

    def _new_ids(self) -> list[str]:
        return sorted(self._outcome.runs["head"].states.keys() - self._base.states.keys() - self._outcome.unstable)

    def _replaced(self, name: RunName, id: str) -> bool:
        """Whether the verifier's own file stands in the place of the one with this test."""
        return name == "restored" and self._outcome.path_of.get(id) in self._outcome.overlaid

    def _hidden(self) -> Iterator[Finding]:
        states = self._outcome.runs["restored"].states
        again = [id for id in self._base.states if self._replaced("restored", id) and id in states]
        if self._outcome.overlaid and not self._outcome.overlay and not again:
            yield _about("error", "test-inventory.no_hidden_test", "no test of the overlay ran")
        for id in sorted(self._outcome.overlay):
            if states.get(id) != "passed" and not self._flaky("restored", id):
                text = f"{escape(id)} of the overlay {self._seen('restored', id)} on {RUNS['restored']}"
                yield _about("fail", "test-inventory.hidden_test", text, id)

    def _remarks(self) -> Iterator[Finding]:
        """What a reader should know and what stands against nobody."""
        for id in sorted(self._base.red):
            yield _about(
                "pass", "test-inventory.preexisting", f"{escape(id)} {self._base.states[id]} at base already", id
            )
        for name, again in self._outcome.reruns.items():
            for id in again:
                if self._flaky(name, id) and id not in self._red:
                    text = f"{escape(id)} is not the same every time on {RUNS[name]}: {self._seen(name, id)}"
                    yield _about("pass", "test-inventory.flaky", text, id)
        for id in sorted(self._outcome.unstable):
            yield _about("pass", "test-inventory.unstable", f"{escape(id)} is not in every run of base", id)


def contradictions(outcome: Outcome, names: Iterable[RunName]) -> Iterator[tuple[str, str]]:
    """(what run, what contradicts itself) of these runs."""
    for name in names:
        ran: Ran | None = outcome.runs.get(name)
        for fault in () if ran is None else ran.faults:
            yield RUNS[name], fault


def _about(status: Status, reason: str, message: str, id: str | None = None) -> Finding:
    return finding(status, reason, message, path=id)
