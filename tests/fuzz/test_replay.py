"""Every input that fuzzing ever found, and the finding of one."""

import json
from pathlib import Path
from random import Random

import pytest

from in_toto_done_receipt.errors import MalformedInput
from tests.fuzz import engine
from tests.fuzz.findings import CASES, TooSlow, fault_of, in_time, silent, smaller, sort_of, write_case
from tests.fuzz.mutation import mutated
from tests.fuzz.targets import TARGETS, Target, attempt, by_name

FOUND = sorted(CASES.glob("*/input"))


@pytest.mark.parametrize("case", FOUND, ids=lambda path: path.parent.name)
def test_found_once_never_again(case: Path) -> None:
    target = by_name(case.parent.name.rpartition("-")[0])
    with in_time(), silent() as said:
        attempt(target, case.read_bytes())
    assert said == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_seeds_and_changed_seeds_are_no_findings(target: Target) -> None:
    random = Random(target.name)
    seeds = list(target.seeds())
    with in_time():
        for seed in seeds:
            attempt(target, seed)
        for _ in range(100):
            attempt(target, target.mutated(random.choice(seeds), random))


def _broken(data: bytes) -> None:
    """A reader with a planted fault: a member that another library's exception answers to."""
    if b"boom" in data:
        raise KeyError("boom")
    raise MalformedInput("not what it has to be")


BROKEN = Target(name="broken", run=_broken, seeds=lambda: [b"{}"])


def test_a_fault_is_found_made_small_and_written(tmp_path: Path) -> None:
    fault = fault_of(BROKEN, b'{"kind": "boom", "more": [1, 2, 3]}')
    assert isinstance(fault, KeyError)
    sort = sort_of(fault)
    small = smaller(b'{"kind": "boom", "more": [1, 2, 3]}', lambda data: b"boom" in data)
    case = write_case(BROKEN, small, str(sort), tmp_path)
    assert (case / "input").read_bytes() == b"boom"
    assert "KeyError" in (case / "README.md").read_text()


def test_our_own_error_is_no_finding() -> None:
    assert fault_of(BROKEN, b"{}") is None


def test_another_of_our_errors_is_a_finding() -> None:
    assert fault_of(Target(name="json", run=by_name("trust").run, seeds=list), b"not TOML") is not None


def test_a_message_that_would_fill_the_screen_is_a_finding() -> None:
    def long(_data: bytes) -> None:
        raise MalformedInput("x" * 100_000)

    assert isinstance(fault_of(Target(name="long", run=long, seeds=list), b""), AssertionError)


def test_a_hang_is_a_finding() -> None:
    def hang(_data: bytes) -> None:
        while True:
            pass

    with in_time(1):
        assert isinstance(fault_of(Target(name="hang", run=hang, seeds=list), b""), TooSlow)


def test_without_atheris_hypothesis_searches(capsys: pytest.CaptureFixture[str]) -> None:
    engine.by_hypothesis("trust", 3)
    assert int(capsys.readouterr().out.rpartition(" ")[2]) > 0


def test_changes_keep_the_form() -> None:
    random = Random(1)
    for _ in range(50):
        json.loads(mutated(b'{"a": [1, {"b": "c"}]}', words=("a",), toml=False, random=random))
