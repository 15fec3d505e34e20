"""Attack: the receipt names a narrow test command, or expects the exit code of a failure.
Answer: only the profile's command and the profile's success count.
"""

from collections.abc import Callable

import pytest

from testdata.receipts import generate
from testdata.receipts.generate_clean_room import RoomCase
from testdata.receipts.room_projects import BROKEN
from tests.threats.conftest import Desk, profile

FULL = ["/bin/sh", "tests/check.sh"]
NARROW = {
    "fewer": ["/bin/sh"],
    "more": ["/bin/sh", "tests/check.sh", "-k", "one"],
    "another": ["/bin/true"],
    "joined": ["/bin/sh tests/check.sh"],
    "spelled otherwise": ["/bin/sh", "./tests/check.sh"],
}
ALLOWED = '[[command]]\nargv = ["/bin/sh", "tests/check.sh"]\n[[evidence]]\nclaim = "greets"\nkind = "command"\n'
DEMAND = 'argv = ["/bin/sh", "tests/check.sh"]\n'


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("argv", NARROW.values(), ids=NARROW)
def test_threat_05_only_exactly_the_allowed_argv_runs(desk: Desk, argv: list[str]) -> None:
    change = generate.claims(generate.file_item(), generate.command_item(argv))
    seen = desk.verify(generate.Case(why="", change=change, **profile(ALLOWED)), "--recheck-commands")
    assert (seen.code, seen.states) == (12, {"greets": "blocked"})


@pytest.mark.usefixtures("bubblewrap")
def test_threat_05_another_allowed_command_does_not_meet_the_demand(desk: Desk) -> None:
    text = ALLOWED + DEMAND + '[[command]]\nargv = ["/bin/true"]\n'
    change = generate.claims(generate.file_item(), generate.command_item(["/bin/true"]))
    seen = desk.verify(generate.Case(why="", change=change, **profile(text)), "--recheck-commands")
    assert (seen.code, seen.states, seen.violations) == (12, {"greets": "confirmed"}, {"profile.evidence"})


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("member", ["expectedExitCode", "exitCode"])
def test_threat_05_the_receipts_own_idea_of_success_does_not_count(
    desk: Desk, member: str, commands: Callable[..., list[str]]
) -> None:
    argv = ["/bin/sh", "-c", "exit 1"]
    item = generate.command_item(argv, 1) | {"ok": True, member: 1}
    change = generate.claims(generate.file_item(), item)
    seen = desk.verify(generate.Case(why="", change=change, flags=commands('["/bin/sh", "-c", "exit 1"]')))
    assert seen.code == 11
    assert "evidence-command.differs" in seen.reasons


@pytest.mark.usefixtures("bubblewrap")
def test_threat_05_success_is_what_the_allow_entry_says(desk: Desk) -> None:
    text = '[[command]]\nargv = ["/bin/echo", "none ran"]\nstdoutContains = "512 passed"\n'
    change = generate.claims(generate.file_item(), generate.command_item(["/bin/echo", "none ran"]))
    seen = desk.verify(generate.Case(why="", change=change, **profile(text)), "--recheck-commands")
    assert (seen.code, seen.states) == (11, {"greets": "refuted"})


@pytest.mark.integration
@pytest.mark.parametrize(
    "claimed",
    [
        ("{python}", "-m", "unittest", "tests.test_prices.TotalTest.test_sum"),
        ("/bin/sh", "-c", "{python} -m unittest discover -s tests || true"),
        ("/bin/true",),
    ],
    ids=["one test", "never fails", "nothing"],
)
def test_threat_05_the_clean_room_runs_the_profiles_command_whatever_the_receipt_ran(
    desk: Desk, claimed: tuple[str, ...]
) -> None:
    seen = desk.verify_tests(RoomCase(why="", work={"shop/prices.py": BROKEN}, claimed=(*claimed, "{junit}")))
    assert seen.code == 11
    assert seen.tests["argv"][1:] == ["-m", "unittest", "discover", "-s", "tests"]
    assert seen.tests["red"]["ids"] == ["test_prices.TotalTest.test_discount"]
