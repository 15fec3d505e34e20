"""Plain values of test runs: what ran, what it said, where a canary can be put. Ids are each runner's own."""

from collections.abc import Collection, Iterable
from typing import Literal, Protocol

from in_toto_done_receipt.observe.runners.room import Room
from in_toto_done_receipt.wire.value import Value

TestState = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]
"""How one test ended. `xfailed` was expected to fail and did, `xpassed` was and did not."""

RED: frozenset[TestState] = frozenset({"failed", "error"})


class TestRun(Value, kw_only=True):
    """One run of a test command.

    `planned` are the ids collected before any of them ran, `states` how each that reported ended. `faults` are
    contradictions between plan, start, outcome, end and exit code: with one, nothing of the run may be believed.
    `exit_code` is None iff the run was ended, or never began; a fault says why. `excerpt` is the end of what it wrote.
    """

    __test__ = False

    planned: tuple[str, ...]
    states: dict[str, TestState]
    exit_code: int | None
    faults: tuple[str, ...]
    duration_ms: int
    excerpt: bytes = b""


class Planted(Value, kw_only=True):
    """Canaries to be written into a tree: whole files (new, or in place of one), and what their tests must report.

    There is one of each assertion form, and a passing one, in every process that runs tests. What is planted into an
    existing file is appended to it, so that the positions of sites in it stay right.
    """

    files: dict[str, bytes]
    failing: frozenset[str]
    passing: frozenset[str]


class PlantTemplate(Value, kw_only=True):
    """A planted file as a profile describes it, for runners that we do not know.

    `{token}` in each of them stands for the name that nobody can guess; `failing` and `passing` are ids.
    """

    path: str
    text: str
    failing: tuple[str, ...]
    passing: tuple[str, ...]


class Site(Value, kw_only=True):
    """A place before the first statement of an existing test, where it can be made to fail.

    `position` is in bytes. `fail` is what is inserted there to make it red; `gate` is the same, with `{}` in the place
    of a FIFO's path: the test reads its fate from there. `ids` are the tests that turn red.
    `gate_needs` are insertions (position, text) that the gate needs elsewhere in the same file, such as an import: each
    is made once per file, however many sites name it.
    """

    path: str
    position: int
    fail: bytes
    gate: bytes | None
    ids: frozenset[str]
    gate_needs: tuple[tuple[int, bytes], ...] = ()


class Sources(Protocol):
    """The files of a tree that is not written yet."""

    def paths(self) -> Iterable[str]:
        """All regular files, sorted."""
        ...

    def read(self, path: str) -> bytes:
        """The content. Raises ObservationError for one that is missing or too large."""
        ...


class TestRunner(Protocol):
    """One way to run tests. `argv` is the verifier's command as a person would type it; `{junit}` words are dropped."""

    name: str

    def run(self, room: Room, argv: tuple[str, ...], sources: Sources) -> TestRun:
        """All tests of the tree in this room. Never raises for what the tree does."""
        ...

    def plant(self, argv: tuple[str, ...], sources: Sources, token: str) -> Planted:
        """Canaries under names that begin with `token` or hold it; `token` is letters and digits nobody can guess."""
        ...

    def sites(self, argv: tuple[str, ...], sources: Sources, ids: Collection[str]) -> tuple[Site, ...]:
        """Where the tests with these ids, which passed at base, can be made to fail. Some may have no place."""
        ...
