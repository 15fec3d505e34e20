"""Plain values: what the runs of the clean room came to, before anybody makes findings of it."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from in_toto_done_receipt.observe.runners.model import RED, TestState
from in_toto_done_receipt.profile.model import Canary
from in_toto_done_receipt.wire.value import Value

RunName = Literal["base", "restored", "head", "control"]

# What each run is, in messages.
RUNS: Final[Mapping[RunName, str]] = {
    "base": "base",
    "restored": "head's product with base's tests",
    "head": "head as it is",
    "control": "base's product with head's tests",
}


class Ran(Value, kw_only=True):
    """One of the runs, without the verifier's own canaries in it.

    `faults` are contradictions: with one, nothing of the run may be believed. `lost` are planted canaries that were not
    collected, `wrong` those that were reported otherwise than they must be, with what was reported.
    """

    states: Mapping[str, TestState]
    exit_code: int | None
    duration_ms: int
    faults: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    wrong: Mapping[str, TestState] = msgspec.field(default_factory=dict)

    @property
    def red(self) -> frozenset[str]:
        """The ids that failed."""
        return frozenset(id for id, state in self.states.items() if state in RED)


class Trial(Value, kw_only=True):
    """Existing tests made to fail, in two complementary halves.

    `way` is how: by the gate, by an edit, or not at all. `ids` are those that had a place. `deaf` stayed green although
    they were made to fail, and would not have at base; `unasked` never asked the gate, and did at base. `remarks` say
    why a better way was not taken, and what could not be made to fail at base either.
    """

    way: Literal["gate", "edit", "none"] = "none"
    ids: frozenset[str] = frozenset()
    deaf: frozenset[str] = frozenset()
    unasked: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Comparing(Value, kw_only=True):
    """The value canary: `ids` turned red at base when what they expect equals nothing; `blind` stayed green on head."""

    active: bool = False
    ids: frozenset[str] = frozenset()
    blind: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Outcome(Value, kw_only=True):
    """Everything that ran. `runs` has `base`, `restored` and `head`, and `control` if the profile asks for it.

    `reruns` are the states of red ids in further runs, per run, in order. `unstable` are ids that base itself has in
    one run and not in the other. `path_of` tells in which file of base a test stands, as far as that is known, and
    `moved` are the files of base that head changed or took away. `overlay` are ids that only the verifier's own tests
    have, `overlaid` the files in which they stand. `agreed` are files of base that an exception leaves to head.
    """

    runner: str
    argv: tuple[str, ...]
    executable: str
    runs: Mapping[RunName, Ran]
    trial: Trial
    comparing: Comparing
    layers: tuple[Canary, ...]
    reruns: Mapping[RunName, Mapping[str, tuple[TestState | None, ...]]] = msgspec.field(default_factory=dict)
    unstable: frozenset[str] = frozenset()
    path_of: Mapping[str, str] = msgspec.field(default_factory=dict)
    moved: frozenset[str] = frozenset()
    overlay: frozenset[str] = frozenset()
    overlaid: frozenset[str] = frozenset()
    agreed: frozenset[str] = frozenset()
