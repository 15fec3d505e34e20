"""What the runs say about "the tests pass": whether they do, how many there were, which of them ran.

Pure. What was red at base already counts against nobody here, and a test that head rewrote is judged as head has it:
that it is red as base has it is a finding of `test-inventory`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from in_toto_done_receipt.observe.runners.ids import spellings
from in_toto_done_receipt.observe.runners.model import RED, TestState
from in_toto_done_receipt.observe.runners.node_events import SEPARATOR
from in_toto_done_receipt.recompute.clean_room.outcome import RUNS, Outcome, RunName
from in_toto_done_receipt.wire.escape import escape
from in_toto_done_receipt.wire.value import Value

# Runners whose own command writes JUnit files that can be compared test by test, and what theirs say of xpassed tests.
_COUNTED: Final[dict[str, str]] = {"pytest": "passed", "junit": "passed", "node": "skipped"}
_GREEN: Final[tuple[TestState, ...]] = ("passed", "xpassed")


class Counts(Value, kw_only=True):
    """Tests by how they ended, as a JUnit file counts them; `red` have failed or been in error."""

    passed: int
    red: int
    skipped: int

    def words(self) -> str:
        """For messages."""
        return f"{self.passed} passed, {self.red} failed, {self.skipped} skipped"


class Passing:
    """The answer of one clean room. No run may have a fault."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._head = outcome.runs["head"].states

    def worse(self) -> tuple[RunName, tuple[str, ...]] | None:
        """The first run in which tests are red that were not at base, and these; None if there is none."""
        for name in ("head", "restored"):
            run: RunName = "head" if name == "head" else "restored"
            if red := tuple(id for id in sorted(self._outcome.runs[run].red) if self._counts_against(run, id)):
                return run, red
        return None

    def _counts_against(self, run: RunName, id: str) -> bool:
        outcome = self._outcome
        if outcome.runs["base"].states.get(id) in RED or id in outcome.unstable or id in outcome.overlay:
            return False
        if run == "restored" and self._head.get(id) not in RED and outcome.path_of.get(id) in outcome.moved:
            return False
        return not self._flaky(run, id)

    def _flaky(self, run: RunName, id: str) -> bool:
        """Whether it was good when it ran again."""
        again = self._outcome.reruns.get(run, {}).get(id, ())
        return any(state is not None and state not in RED for state in again)

    def all_green(self) -> bool:
        """Whether something passed on head as it is and nothing was red, not even what was at base."""
        return self.some_passed() and not any(state in RED for state in self._head.values())

    def some_passed(self) -> bool:
        """Whether a test passed on head as it is."""
        return any(state in _GREEN for state in self._head.values())

    def counts(self) -> Counts:
        """Of head as it is. A test with tests in it is none of its own: in JUnit files it is a suite."""
        ids = self._single()
        xpassed = _COUNTED.get(self._outcome.runner, "passed")
        found = Counter(xpassed if self._head[id] == "xpassed" else self._head[id] for id in ids)
        return Counts(
            passed=found["passed"],
            red=found["failed"] + found["error"],
            skipped=found["skipped"] + found["xfailed"],
        )

    def _single(self) -> Iterable[str]:
        if self._outcome.runner != "node":
            return self._head
        parents = {SEPARATOR.join(parts[:n]) for parts in self._parts() for n in range(2, len(parts))}
        return [id for id in self._head if id not in parents]

    def _parts(self) -> list[list[str]]:
        return [id.split(SEPARATOR) for id in self._head]

    def contradicts(self, said: Counts) -> bool:
        """Whether a run of the very same command cannot have given these counts.

        A test that is skipped here at base as well may have run elsewhere: a machine may have what a sandbox has not.
        What is not the same in every run of the verifier's may be so in the receipt's.
        """
        if self._outcome.runner not in _COUNTED:
            return False
        ours, again = self.counts(), self._outcome.reruns.get("head", {})
        loose = len(self._outcome.unstable) + sum(self._flaky("head", id) for id in again)
        base = self._outcome.runs["base"].states
        here = sum(state == "skipped" and base.get(id) == "skipped" for id, state in self._head.items())
        total = abs(said.passed + said.red + said.skipped - ours.passed - ours.red - ours.skipped)
        more = said.passed - ours.passed
        return total > loose or not -loose <= more <= here + loose or abs(said.red - ours.red) > loose

    def not_passed(self, cited: Iterable[str]) -> tuple[str, ...]:
        """Those of the cited ids that no test on head as it is has which passed, with what is known of each."""
        states: dict[str, list[TestState]] = {}
        for id, state in self._head.items():
            for spelling in spellings(self._outcome.runner, id):
                states.setdefault(spelling, []).append(state)
        found = []
        for name in cited:
            bad = [state for state in states.get(name, ()) if state not in _GREEN]
            if name not in states or bad:
                found.append(f"{escape(name)} {bad[0] if bad else 'did not run'}")
        return tuple(found)


def contradiction(outcome: Outcome) -> str | None:
    """The first way in which a run contradicts itself, so that nothing of it is believed; None if there is none."""
    runs: tuple[RunName, ...] = ("base", "restored", "head")
    found = (f"tests of {RUNS[run]}: {escape(fault)}" for run in runs for fault in outcome.runs[run].faults)
    return next(found, None)


def distrust(outcome: Outcome) -> str | None:
    """Why a good result of these runs cannot be relied on: the first canary that was not seen; None if all were.

    Canaries that are not seen at base either say nothing about the change.
    """
    trial, base, changed = outcome.trial, outcome.runs["base"], ("head", "restored")
    silent = [outcome.runs[name] for name in outcome.runs if name in changed and not (base.lost or base.wrong)]
    found = (
        *(f"tests made to fail: {escape(fault)}" for fault in (*trial.faults, *outcome.comparing.faults)),
        *(f"{escape(id)} was made to fail and is reported good" for id in sorted(trial.deaf)),
        *(f"{escape(id)} is reported good and its body was never entered" for id in sorted(trial.unasked)),
        *(f"{escape(id)} passes although what it expects equals nothing" for id in sorted(outcome.comparing.blind)),
        *("planted tests are not reported as they ended" for ran in silent if ran.lost or ran.wrong),
    )
    return found[0] if found else None
