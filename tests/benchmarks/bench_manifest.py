"""Manifests against their peers: the same trees, the same run, whole cold processes in turn, the best of each.

    python tests/benchmarks/bench_manifest.py --peer /path/to/agent-receipt [--json]

The peers do less: `git hash-object` and `sha256sum` read every byte once, a manifest is two scans.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROUNDS = 5
SMALL = {"10,000 small files": 10_000, "100,000 small files": 100_000}
LARGE_FILES = 16
LARGE_BYTES = 64 << 20


def make_small(root: Path, count: int) -> None:
    """Files of 40 to 1,200 bytes, 100 in a folder."""
    for number in range(count):
        folder = root / f"d{number // 10_000:02}" / f"e{number // 100:05}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"file{number % 100:02}.txt").write_bytes(b"%d\n" % number * (10 + number % 100))


def make_large(root: Path) -> None:
    """16 files of 64 MiB that no file system stores as a hole."""
    for number in range(LARGE_FILES):
        (root / f"file{number:02}").write_bytes(os.urandom(LARGE_BYTES))


def timed(command: str, root: Path) -> tuple[float, float]:
    """Seconds of wall clock and of processor of a shell command that runs in the tree."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, check=False)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:  # agent-receipt stops at 10,000 files
        return float("inf"), float("inf")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(commands: Mapping[str, str], root: Path) -> dict[str, tuple[float, float]]:
    """The best wall clock and the least processor time of each command, run in turn."""
    best = dict.fromkeys(commands, (float("inf"), float("inf")))
    for _ in range(ROUNDS):
        for name, command in commands.items():
            wall, processor = timed(command, root)
            best[name] = (min(best[name][0], wall), min(best[name][1], processor))
    return best


def commands(peer: str | None, scratch: Path, *, small: bool) -> dict[str, str]:
    """What is run in each tree; outputs go outside of it."""
    ours = f"{sys.executable} -I -m in_toto_done_receipt manifest create --root . --out {scratch}/ours.json"
    found = {"done-receipt": ours}
    if peer:
        found["agent-receipt"] = f"{peer} manifest create --workspace-root . --out {scratch}/peer.json"
    found["sha256sum, all cores"] = f"find . -type f -print0 | xargs -0 -P {os.cpu_count()} -n 200 sha256sum"
    if small:
        found["git hash-object"] = "find . -type f | git hash-object --no-filters --stdin-paths"
    return found


def main() -> None:
    """Make the trees, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="the agent-receipt command")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, count in {**SMALL, "16 x 64 MiB": 0}.items():
            root = Path(scratch) / name.replace(" ", "-")
            root.mkdir()
            if count:
                make_small(root, count)
            else:
                make_large(root)
            results[name] = measure(commands(given.peer, Path(scratch), small=bool(count)), root)
    if given.json:
        json.dump(results, sys.stdout, indent=1)
        return
    for name, rows in results.items():
        sys.stdout.write(f"{name}\n")
        base = rows["done-receipt"]
        for command, (wall, processor) in rows.items():
            ratio = f"{base[0] / wall:.2f} / {base[1] / processor:.2f}" if command != "done-receipt" else ""
            sys.stdout.write(f"  {command:22} {wall:7.3f} s wall {processor:7.3f} s processor   ours/theirs {ratio}\n")


if __name__ == "__main__":
    main()
