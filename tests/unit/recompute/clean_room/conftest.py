"""Small changes put through the clean room: a repository, the runner of tests.repositories.plain, what checks say."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from in_toto_done_receipt.observe.git.change import Asked, open_change
from in_toto_done_receipt.observe.git.process import Git, find_git
from in_toto_done_receipt.observe.git.repository import open_repository
from in_toto_done_receipt.observe.git.workspace import GitWorkspace
from in_toto_done_receipt.predicates.done_receipt.v0_1 import read_predicate
from in_toto_done_receipt.profile.model import TestsDemand
from in_toto_done_receipt.profile.settings import Exemption, Settings
from in_toto_done_receipt.recompute.case import Case
from in_toto_done_receipt.recompute.checks import harness_canary, test_inventory
from in_toto_done_receipt.recompute.clean_room.conduct import Conduct
from in_toto_done_receipt.recompute.clean_room.once import CleanRoom
from in_toto_done_receipt.recompute.clean_room.outcome import Outcome
from in_toto_done_receipt.recompute.clean_room.rooms import Rooms, Setup
from in_toto_done_receipt.recompute.clean_room.trees import Trees
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.results.findings import Finding
from in_toto_done_receipt.wire.rfc3339 import parse_time
from in_toto_done_receipt.wire.statement import read_statement
from testdata.receipts import generate
from testdata.receipts.generate import NOW, payload_of
from tests.repositories.history import build_history
from tests.repositories.plain import PlainRunner

Files = dict[str, str | None]
Open = Callable[..., Case]

BASE: Files = {"product.txt": "sum\n", "tests/a.t": "test one\nneeds sum\ntest two\nneeds sum\ntest three\n"}
SETTINGS = Settings(tests=TestsDemand(runner="unittest", argv=("/usr/bin/true",)), contract_protected=("tests/**",))


class Ran(CleanRoom):
    """A clean room that has run."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self._outcome = outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the runs came to, and how many there were."""

    outcome: Outcome
    runs: int
    inventory: tuple[Finding, ...]
    canary: tuple[Finding, ...]

    @property
    def bad(self) -> dict[str, set[str | None]]:
        """Reason -> ids of everything that is no pass."""
        rows: dict[str, set[str | None]] = {}
        for one in (*self.inventory, *self.canary):
            if one.status != "pass":
                rows.setdefault(one.reason, set()).add(one.path)
        return rows

    @property
    def remarks(self) -> dict[str, set[str | None]]:
        """Reason -> ids of what is only said."""
        usual = {"test-inventory.complete", "harness-canary.honest"}
        rows: dict[str, set[str | None]] = {}
        for one in (*self.inventory, *self.canary):
            if one.status == "pass" and one.reason not in usual:
                rows.setdefault(one.reason, set()).add(one.path)
        return rows

    def said_of(self, reason: str) -> str:
        """The messages of the findings with this reason."""
        return "\n".join(one.message for one in (*self.inventory, *self.canary) if one.reason == reason)


@pytest.fixture(scope="session")
def git() -> Git:
    return find_git()


@pytest.fixture
def opened(tmp_path: Path, git: Git) -> Iterator[Open]:
    """A case about a change from these files of base to these of work."""
    with ExitStack() as stack:

        def case(
            base: Files | None = None,
            work: Files | None = None,
            *,
            links: dict[str, str] | None = None,
            settings: Settings = SETTINGS,
        ) -> Case:
            stands = {path: text for path, text in {**BASE, **(base or {})}.items() if text is not None}
            first = {"name": "base", "branch": "main", "files": stands}
            second: dict[str, Any] = {"name": "work", "branch": "work", "from": "base", "files": work or {}}
            second |= {"links": links} if links else {}
            repo, ids = build_history({"commits": [first, second]}, tmp_path)
            repository = stack.enter_context(open_repository(repo.path, git=git))
            change = open_change(repository, Asked(head="work", base=ids["base"]))
            statement = read_statement(payload_of(generate.base()))
            context = RecomputeContext(
                evaluated_at=parse_time(NOW),
                settings=settings,
                workspace=GitWorkspace(repository, change.tree),
                change=change,
                recheck_commands=True,
            )
            return Case(statement=statement, receipt=read_predicate(statement), context=context)

        yield case


@pytest.fixture
def see(opened: Open, tmp_path: Path) -> Callable[..., Seen]:
    """What a change comes to; `demand` are keys of [tests], `hidden` files of the verifier's, `excepted` terms of
    exceptions with their ends."""

    def seen(
        base: Files | None = None,
        work: Files | None = None,
        *,
        hidden: dict[str, bytes] | None = None,
        links: dict[str, str] | None = None,
        excepted: dict[str, str] | None = None,
        **demand: Any,
    ) -> Seen:
        tests = TestsDemand(runner="unittest", argv=("/usr/bin/true",), **demand)
        made = tuple(
            Exemption(code="tests.inventory", reason="r", approver="a", expires=expires, term=term)
            for term, expires in (excepted or {}).items()
        )
        case = opened(base, work, links=links, settings=replace(SETTINGS, tests=tests, exceptions=made))
        outcome, runner = conducted(case, tests, tmp_path, hidden or {})
        case = replace(case, context=replace(case.context, clean_room=Ran(outcome)))
        return Seen(
            outcome=outcome, runs=runner.runs, inventory=test_inventory.run(case), canary=harness_canary.run(case)
        )

    return seen


def conducted(case: Case, tests: TestsDemand, folder: Path, hidden: dict[str, bytes]) -> tuple[Outcome, PlainRunner]:
    """The runs of a case by the plain runner."""
    workspace, change = case.context.workspace, case.context.change
    assert isinstance(workspace, GitWorkspace)
    assert change is not None
    runner, place = PlainRunner(), folder / "place"
    place.mkdir()
    setup = Setup(
        case=case,
        runner=runner,
        argv=tests.argv,
        repository=workspace.repository,
        level="rlimits",
        place=place,
    )
    outcome = Conduct(Rooms(setup), Trees(case.context, change), tests, hidden).outcome("0" * 64)
    assert [path.name for path in place.iterdir() if path.name.startswith("run")] == []
    return outcome, runner
