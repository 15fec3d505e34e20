"""Whether a test run agrees with itself: plan, start, outcome, end and exit code. Pure."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, get_args

from in_toto_done_receipt.observe.runners.model import RED, TestState
from in_toto_done_receipt.wire.escape import escape

Event = tuple[str, Any]
"""A kind and what it is about, in the order in which they arrived.

    plan    all ids that were collected, before anything ran
    start   an id
    STATE   an id; one of the states of TestState
    end     whatever; nothing may follow
    bad     text that is no event
    fault   what the runner itself complains about
"""

_STATES: Final = frozenset(get_args(TestState))
_NAMED: Final = 20  # faults of a run that are told one by one
_SHOWN: Final = 120  # characters of an id or of a stray line
_SAID: Final = 500  # characters of what a runner says


def judge(
    events: Iterable[Event], exit_code: int | None, *, red: tuple[int, ...] = (1,)
) -> tuple[tuple[str, ...], dict[str, TestState], tuple[str, ...]]:
    """(planned ids, states, faults). Without a fault each planned test was started once and ended once, the run came to
    its end, and the exit code is 0 exactly when nothing is red, else one of `red`.

    At most 20 faults are told, and how many more there are.
    """
    reading = _Reading()
    for event in events:
        reading.take(*event)
    faults = [*reading.faults, *reading.missing(), *_disagreement(reading.states, exit_code, red)]
    if len(faults) > _NAMED:
        faults = [*faults[:_NAMED], f"and {len(faults) - _NAMED} more"]
    return reading.planned or (), reading.states, tuple(faults)


class _Reading:
    """What has arrived so far."""

    def __init__(self) -> None:
        self.planned: tuple[str, ...] | None = None
        self.states: dict[str, TestState] = {}
        self.faults: list[str] = []
        self._known: frozenset[str] = frozenset()
        self._started: set[str] = set()
        self._ended = False

    def take(self, kind: str, what: Any) -> None:
        """One event."""
        shown = _shown(what)
        if kind == "bad":
            self.faults.append(f"not an event: {shown}")
        elif kind == "fault":
            self.faults.append(_shown(what, _SAID))
        elif self._ended:
            self.faults.append(f"{kind} after the end: {shown}")
        elif kind == "plan":
            self._plan(what)
        elif kind == "end":
            self._ended = True
        elif not isinstance(what, str):
            self.faults.append(f"{kind} of something that is no id: {shown}")
        elif kind == "start":
            if what in self._started:
                self.faults.append(f"started twice: {shown}")
            self._started.add(what)
        elif kind in _STATES:
            self._outcome(kind, what, shown)
        else:
            self.faults.append(f"not an event: {_shown(kind)}")

    def _plan(self, what: Any) -> None:
        if self.planned is not None:
            self.faults.append("a second plan")
        elif self._started or self.states:
            self.faults.append("the plan came after the first test")
        elif not isinstance(what, list | tuple) or not all(isinstance(id, str) for id in what):
            self.faults.append("a plan that is no list of ids")
        else:
            self.planned = tuple(what)
            self._known = frozenset(what)
            if len(self._known) != len(what):
                twice = next(id for id, count in Counter(what).items() if count > 1)
                self.faults.append(f"planned twice: {_shown(twice)}")

    def _outcome(self, kind: Any, what: str, shown: str) -> None:
        if what in self.states:
            self.faults.append(f"a second outcome: {shown}")
            return  # the first one stands
        if what not in self._started:
            self.faults.append(f"an outcome before its start: {shown}")
        if what not in self._known and self.planned is not None:
            self.faults.append(f"not planned: {shown}")
        self.states[what] = kind

    def missing(self) -> list[str]:
        """What should have arrived and did not."""
        found = []
        if self.planned is None:
            found.append("no plan: nothing was collected")
        if unfinished := sorted(self._started - self.states.keys()):
            found.append(f"{len(unfinished)} started and never ended: {_shown(unfinished[0])}")
        if silent := [id for id in self.planned or () if id not in self.states and id not in self._started]:
            found.append(f"{len(silent)} planned and never started: {_shown(silent[0])}")
        if not self._ended:
            found.append("no end: the run broke off")
        return found


def _disagreement(states: dict[str, TestState], exit_code: int | None, red: tuple[int, ...]) -> list[str]:
    if exit_code is None:
        return []  # why it has none is told by whoever ran it
    failed = sum(state in RED for state in states.values())
    if exit_code == 0 and failed:
        return [f"exit code 0, and {failed} test(s) failed"]
    if exit_code != 0 and exit_code not in red:
        return [f"exit code {exit_code}, which the runner does not use for tests that failed"]
    if exit_code != 0 and not failed:
        return [f"exit code {exit_code}, and no test failed"]
    return []


def _shown(what: Any, most: int = _SHOWN) -> str:
    text = what if isinstance(what, str) else repr(what)
    return escape(text if len(text) <= most else text[:most] + "…")
