"""Whole verifications of key-signed receipts: cold processes against the peers' commands."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from testdata.receipts import generate
from tests.benchmarks.measure import Row, in_turn, once
from tests.benchmarks.policies import OPA
from tests.benchmarks.receipts import make

BIN = Path(sys.executable).parent
OURS = [sys.executable, "-I", "-m", "in_toto_done_receipt"]
VERIFY = [*OURS, "verify", "receipt.json", "--trusted-key", "worker=worker.pub", "--root", "work", "--at", generate.NOW]


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """Start-up, key-signed receipts."""
    yield from _start(scratch, rounds)
    yield from _key_signed(scratch, rounds)
    yield from _linear(scratch, rounds)


def _start(scratch: Path, rounds: int) -> Iterator[Row]:
    commands: dict[str, tuple[list[Any], int]] = {
        "interpreter": ([sys.executable, "-I", "-c", "pass"], 0),
        "import in_toto_done_receipt": ([sys.executable, "-I", "-c", "import in_toto_done_receipt"], 0),
        "done-receipt --help": ([*OURS, "--help"], 0),
    }
    costs = in_turn(commands, cwd=scratch, rounds=rounds)
    for what, note in (
        ("import in_toto_done_receipt", "target: 0.08 s"),
        ("done-receipt --help", "target: 0.15 s"),
    ):
        bare = costs["interpreter"].wall
        yield Row(what=what, ours=costs[what].wall, peer="interpreter", theirs=bare, memory=costs[what].peak, note=note)


def _key_signed(scratch: Path, rounds: int) -> Iterator[Row]:
    folder = make(scratch / "cold", items=20)
    build = [
        BIN / "agent-receipt",
        "build",
        "--workspace-root",
        "work",
        "--agent",
        "a",
        "--task",
        "t",
        "--claim",
        "c=c",
    ]
    for number in range(20):
        build += ["--file-hash", f"c=f{number:05}.txt"]
    once([*build, "--out", "old.json"], cwd=folder)
    old = [BIN / "agent-receipt", "verify", "old.json", "--recheck", "--recheck-root", "work"]
    evaluate = [OPA, "eval", "--data", "policy.rego", "--input", "old.json", "data.p.allow"]
    (folder / "policy.rego").write_text("package p\n\nallow if input.overall_ok\n")
    commands: dict[str, tuple[list[Any], int]] = {
        "ours": (VERIFY, 0),
        "agent-receipt": (old, 0),
        "opa eval": (evaluate, 0),
    }
    costs = in_turn(commands, cwd=folder, rounds=rounds)
    what, ours = "verify, key-signed, 20 file items, cold", costs["ours"]
    both = costs["agent-receipt"].wall + costs["opa eval"].wall
    yield Row(
        what=what,
        ours=ours.wall,
        peer="agent-receipt verify",
        theirs=costs["agent-receipt"].wall,
        target=3.0,
        memory=ours.peak,
        note="target also: 0.16 s",
    )
    yield Row(what=what, ours=ours.wall, peer="agent-receipt verify + opa eval", theirs=both, memory=ours.peak)


def _linear(scratch: Path, rounds: int) -> Iterator[Row]:
    sizes = {"5,000 subjects": make(scratch / "half", items=200, subjects=5_000)}
    sizes["10,000 subjects"] = make(scratch / "whole", items=200, subjects=10_000)
    costs = {name: in_turn({name: (VERIFY, 0)}, cwd=folder, rounds=rounds)[name] for name, folder in sizes.items()}
    half, whole = costs["5,000 subjects"], costs["10,000 subjects"]
    size = (sizes["10,000 subjects"] / "receipt.json").stat().st_size / 2**20
    note = (
        f"twice the subjects; memory is {whole.peak / size:.0f} times the file of {size:.1f} MiB, interpreter included"
    )
    yield Row(
        what="verify, 200 items, 10,000 subjects",
        ours=whole.wall,
        peer="5,000 subjects",
        theirs=half.wall,
        target=2.2,
        memory=whole.peak,
        note=note,
    )
