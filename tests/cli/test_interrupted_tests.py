"""A verification that is stopped while tests run: neither processes nor scratch are left, one run or two at a time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from testdata.receipts.generate_clean_room import RoomCase
from tests.cli.test_interrupted import _processes, _until
from tests.repositories.rooms import CASES, Desk
from tests.runners.lab import need_bubblewrap

SLEEPS = """import subprocess
import unittest


class SleepTest(unittest.TestCase):
    def test_sleep(self):
        subprocess.run(["/bin/sleep", "{seconds}"], check=True)
"""


@pytest.mark.parametrize(
    ("how", "jobs", "level"),
    [
        (signal.SIGINT, 1, "bubblewrap"),
        pytest.param(signal.SIGTERM, 1, "rlimits", marks=pytest.mark.integration),
        (signal.SIGINT, 2, "rlimits"),
        pytest.param(signal.SIGTERM, 2, "bubblewrap", marks=pytest.mark.integration),
    ],
)
def test_stopped_while_tests_run(tmp_path: Path, how: signal.Signals, jobs: int, level: str) -> None:
    need_bubblewrap()
    seconds = f"18.{how.value:02}{jobs}{os.getpid()}"  # tells our command from anybody's
    case = RoomCase(
        why="",
        base={"tests/test_sleep.py": SLEEPS.replace("{seconds}", seconds)},
        tests=f"jobs = {jobs}\n",
        more=f'\n[sandbox]\nrequired = "{level}"\n',
    )
    folder = tmp_path / "room"
    for path, text in case.files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (tmp_path / "scratch").mkdir()
    words = [word.replace("../../trust", str(CASES.parent / "trust")) for word in Desk(str(folder), tmp_path).words]
    verification = subprocess.Popen(
        [sys.executable, "-I", "-m", "in_toto_done_receipt", "verify", *words],
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    mark = f"sleep\0{seconds}"
    assert _until(lambda: len(_processes(mark)) >= jobs or verification.poll() is not None)
    assert verification.poll() is None, verification.communicate()
    verification.send_signal(how)
    out, err = verification.communicate(timeout=30)
    assert (verification.returncode, out, err.strip()) == (130, "", "interrupted")
    assert _processes(mark) == []
    assert list((tmp_path / "scratch").iterdir()) == []
