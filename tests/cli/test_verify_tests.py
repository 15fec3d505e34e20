"""`verify` with tests: what is a mistake of the verifier's, what is not run and why, and that nothing runs twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_toto_done_receipt.cli import main
from testdata.receipts.generate_clean_room import FLAGS, RoomCase
from testdata.receipts.room_projects import NODE, PYTEST
from tests.repositories.rooms import CASES, Desk
from tests.runners.lab import need_bubblewrap

Lay = Callable[[RoomCase], list[str]]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """The words of `verify` for a change that is laid out."""

    def laid(case: RoomCase) -> list[str]:
        for path, text in case.files().items():
            place = tmp_path / "room" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        words = Desk(str(tmp_path / "room"), tmp_path).words
        return [word.replace("../../trust", str(CASES.parent / "trust")) for word in words]

    return laid


def found(out: str) -> dict[str, str]:
    """Reason -> status of what the checks of tests say."""
    checks: list[Any] = json.loads(out)["result"]["checks"]
    own = ("test-inventory", "harness-canary", "evidence-tests")
    return {one["reason"]: one["status"] for check in checks if check["id"] in own for one in check["findings"]}


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"argv": ("{python}", "-m", "unittest", "discover", "-s", "tests", "-k", "x")}, "-k is not honoured"),
        ({"argv": ("{python}", "-m", "pytest")}, "tests.argv: runner unittest"),
        ({"tests": 'cache = "/var/cache/x"\n'}, "tests.cache: goes with runner go"),
        ({"tests": 'nodeModules = "/opt/x"\n'}, "tests.nodeModules: goes with runner node"),
        ({"tests": "reruns = 11\n"}, "tests.reruns"),
        ({"tests": "jobs = 0\n"}, "tests.jobs"),
        ({"tests": "timeout = 0\n"}, "tests.timeout"),
        ({"tests": '[[tests.plant]]\npath = "a"\ntext = "b"\nfailing = ["c"]\npassing = []\n'}, "tests.plant"),
    ],
)
def test_a_test_command_that_cannot_be_run_as_it_is(
    lay: Lay, capsys: pytest.CaptureFixture[str], members: dict[str, Any], message: str
) -> None:
    code = main.run(["verify", *lay(RoomCase(why="", **members))])
    assert (code, message in capsys.readouterr().err) == (4, True)


def test_nothing_runs_that_nobody_asked_for(lay: Lay, capsys: pytest.CaptureFixture[str]) -> None:
    code = main.run(["verify", *lay(RoomCase(why="", flags=FLAGS[:-1])), "--json"])
    assert (code, set(found(capsys.readouterr().out).items())) == (
        12,
        {(f"{check}.not_asked", "not_checked") for check in ("test-inventory", "harness-canary", "evidence-tests")},
    )


def test_nothing_runs_from_an_executable_that_the_change_can_write(
    lay: Lay, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    need_bubblewrap()
    argv = (f"{tmp_path}/repo/python", "-m", "unittest", "discover", "-s", "tests")
    case = RoomCase(why="", argv=argv, base={"python": "#!/bin/sh\n"}, executable=("python",))
    code = main.run(["verify", *lay(case), "--json"])
    said = found(capsys.readouterr().out)
    assert (code, said["test-inventory.untrusted_executable"]) == (12, "not_checked")


def test_packages_that_the_change_can_put_in_the_place_of_others(
    lay: Lay, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    need_bubblewrap()
    words = lay(RoomCase(why="", project=NODE, tests=f'nodeModules = "{tmp_path}/repo/node_modules"\n'))
    code = main.run(["verify", *words])
    assert (code, "tests.nodeModules: " in (err := capsys.readouterr().err), "lies inside --repo" in err) == (
        4,
        True,
        True,
    )


def test_an_overlay_that_is_no_folder(lay: Lay, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    need_bubblewrap()
    code = main.run(["verify", *lay(RoomCase(why="")), "--overlay", str(tmp_path / "nothing")])
    assert (code, "does not exist" in capsys.readouterr().err) == (4, True)


@pytest.mark.integration
def test_two_receipts_about_one_change_share_one_clean_room(
    lay: Lay, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    need_bubblewrap()
    words = lay(RoomCase(why="", project=PYTEST))
    counts = []
    for receipts in ([words[0]], [words[0], words[0]]):
        assert main.run(["verify", *receipts, *words[1:], "--show-output"]) == 0
        counts.append(capsys.readouterr().err.count("output of "))
    assert counts == [4, 4]


@pytest.mark.integration
@pytest.mark.parametrize("removed", [0, 1])
def test_recompute_and_admit_come_to_what_verify_does(
    lay: Lay, capsys: pytest.CaptureFixture[str], tmp_path: Path, removed: int
) -> None:
    need_bubblewrap()
    work: dict[str, str | None] = {"tests/test_prices.py": None} if removed else {}
    words = lay(RoomCase(why="", work=work))
    whole = main.run(["verify", *words])
    result = tmp_path / "result.json"
    main.run(["recompute", *words, "--out", str(result)])
    profile = words[words.index("--profile") + 1]
    capsys.readouterr()
    decided = main.run(["admit", str(result), "--profile", profile, "--at", words[words.index("--at") + 1], "--json"])
    tests = json.loads(capsys.readouterr().out)["result"]["tests"]
    assert (decided, whole) == (11 if removed else 0,) * 2
    assert (tests["runner"], tests["missing"]["total"]) == ("unittest", 3 if removed else 0)
