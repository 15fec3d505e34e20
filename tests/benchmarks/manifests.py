"""Manifests: whole commands on the same trees. The peers read once; a manifest is two scans that read every byte."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Row, in_turn

LARGE_FILES = 16
LARGE_BYTES = 64 << 20
OURS = [sys.executable, "-I", "-m", "in_toto_done_receipt", "manifest", "create", "--root", "."]
PEER = [Path(sys.executable).with_name("agent-receipt"), "manifest", "create", "--workspace-root", "."]


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """10,000 and 100,000 small files, 16 files of 64 MiB."""
    yield from _small(scratch, 10_000, rounds)
    yield from _small(scratch, 100_000, max(1, rounds // 3))
    yield from _large(scratch, rounds)


def _small(scratch: Path, count: int, rounds: int) -> Iterator[Row]:
    root = scratch / f"small-{count}"
    for number in range(count):  # 40 to 1,200 bytes, 100 in a folder
        folder = root / f"d{number // 10_000:02}" / f"e{number // 100:05}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"file{number % 100:02}.txt").write_bytes(b"%d\n" % number * (10 + number % 100))
    shell = ["sh", "-c"]
    commands: dict[str, tuple[list[Any], int]] = {
        "ours": ([*OURS, "--out", scratch / "ours.json"], 0),
        "git hash-object": ([*shell, "find . -type f | git hash-object --no-filters --stdin-paths"], 0),
        "sha256sum": ([*shell, f"find . -type f -print0 | xargs -0 -P {os.cpu_count()} -n 200 sha256sum"], 0),
    }
    if count <= 10_000:  # agent-receipt refuses more
        commands["agent-receipt"] = ([*PEER, "--out", scratch / "peer.json"], 0)
    costs = in_turn(commands, cwd=root, rounds=rounds)
    what = f"manifest of {count:,} small files"
    for peer in [name for name in costs if name != "ours"]:
        target = 0.5 if peer == "agent-receipt" else None
        ours = costs["ours"]
        yield Row(what=what, ours=ours.wall, peer=peer, theirs=costs[peer].wall, target=target, memory=ours.peak)


def _large(scratch: Path, rounds: int) -> Iterator[Row]:
    root = scratch / "large"
    root.mkdir()
    for number in range(LARGE_FILES):
        (root / f"file{number:02}").write_bytes(os.urandom(LARGE_BYTES))
    commands: dict[str, tuple[list[Any], int]] = {
        "ours": ([*OURS, "--out", scratch / "ours.json"], 0),
        "agent-receipt": ([*PEER, "--out", scratch / "peer.json"], 0),
    }
    costs = in_turn(commands, cwd=root, rounds=rounds)
    what, ours = f"manifest of {LARGE_FILES} files of 64 MiB", costs["ours"]
    yield Row(
        what=what,
        ours=ours.wall,
        peer="agent-receipt",
        theirs=costs["agent-receipt"].wall,
        target=0.75,
        memory=ours.peak,
    )
    limit = 2 * LARGE_FILES * LARGE_BYTES / _openssl()
    note = "two scans at the rate of openssl speed; 1/0.8 while hashing, the command's start included here"
    yield Row(what=what, ours=ours.wall, peer="openssl, all cores", theirs=limit, memory=ours.peak, note=note)


def _openssl() -> float:
    """Bytes a second that openssl hashes on all cores, measured now."""
    argv = ["openssl", "speed", "-seconds", "2", "-bytes", "1048576", "-multi", str(os.cpu_count()), "-evp", "sha256"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"(?m)^sha256\s+([0-9.]+)k", said)
    return float(found[-1]) * 1000
