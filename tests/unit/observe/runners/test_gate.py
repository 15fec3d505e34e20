"""The gate answers each test once, whoever asks and in whatever order."""

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from in_toto_done_receipt.observe.runners.gate import Gate
from in_toto_done_receipt.observe.runners.model import Site

ASK = "import sys\nfor path in sys.stdin.read().split():\n    print(open(path).read(), end='')\n"


def sites(count: int, cases: int = 1) -> list[Site]:
    return [
        Site(path="t.py", position=0, fail=b"", gate=b"", ids=frozenset(f"t{n}[{case}]" for case in range(cases)))
        for n in range(count)
    ]


def answers(gate: Gate, numbers: Iterable[int]) -> str:
    """What another process gets that asks for these, one after the other."""
    paths = " ".join(str(gate.path(number)) for number in numbers)
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", ASK], input=paths, capture_output=True, text=True, check=True, timeout=60
    ).stdout


def test_half_are_told_to_fail(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(6), {1, 4}) as gate:
        assert answers(gate, range(6)) == "oxooxo"


def test_the_order_does_not_matter(tmp_path: Path) -> None:
    order = [number * 37 % 100 for number in range(100)]
    with Gate(tmp_path, sites(100), set(range(0, 100, 2))) as gate:
        assert answers(gate, order) == "".join("o" if number % 2 else "x" for number in order)


def test_files_may_come_in_any_order_and_their_tests_too(tmp_path: Path) -> None:
    rows = [
        Site(path=f"{number // 10}.py", position=0, fail=b"", gate=b"", ids=frozenset({str(number)}))
        for number in range(300)
    ]
    order = [file * 10 + number for file in (20, 3, 29, 0) for number in (7, 1, 9, 0)]
    with Gate(tmp_path, rows, set(range(0, 300, 2))) as gate:
        assert answers(gate, order) == "".join("o" if number % 2 else "x" for number in order)


def test_who_asked_is_known(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(4), set()) as gate:
        answers(gate, [0, 2])

        assert gate.asked == {0, 2}


def test_a_second_question_finds_nothing(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(2), set()) as gate:
        answers(gate, [1])

        assert not gate.path(1).exists()


def test_a_function_with_cases_may_ask_once_for_each(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(2, cases=3), {0}) as gate:
        assert answers(gate, [0, 1, 0, 0, 1, 1]) == "xoxxoo"
        assert not gate.path(0).exists()


def test_somebody_who_asks_ahead_uses_the_answer_up(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(1), {0}) as gate:
        fd = os.open(gate.path(0), os.O_RDONLY | os.O_NONBLOCK)
        while gate.path(0).exists():
            time.sleep(0.001)
        ready, _, _ = select.select([fd], [], [], 10)
        os.close(fd)

        assert ready
        assert gate.asked == {0}


def test_a_fifo_that_somebody_took_away_is_not_waited_for(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(2), set()) as gate:
        gate.path(0).unlink()
        time.sleep(0.05)  # several looks, at that one and at all of them

        assert answers(gate, [1]) == "o"
    assert gate.asked == {1}


def test_nothing_is_left_when_it_closes(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(50), set()) as gate:
        answers(gate, [3])

    assert list(tmp_path.iterdir()) == []


def test_it_closes_when_what_it_served_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="elsewhere"), Gate(tmp_path, sites(3), set()):
        raise RuntimeError("elsewhere")

    assert list(tmp_path.iterdir()) == []


def test_it_needs_one_thread_for_thousands(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with Gate(tmp_path, sites(1000), set()):
        assert len(set(threading.enumerate()) - before) == 1


def test_names_cannot_be_guessed(tmp_path: Path) -> None:
    with Gate(tmp_path, sites(100), set()) as gate:
        names = {gate.path(number).name for number in range(100)}

    assert {len(name) for name in names} == {16}
    assert len(names) == 100
