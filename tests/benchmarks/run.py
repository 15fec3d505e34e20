"""The table of design/performance.md, from one run: ours, peer, ratio, target, memory. `make bench`.

    python -m tests.benchmarks.run [--rounds N] [--only TEXT] [--json OUT] [--compare OLD]

Times are the least of N rounds, ours and the peer in turn; on a machine that does other work only the ratio means
something.
"""

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.benchmarks import bundles, changes, clean_rooms, manifests, old_formats, policies, verifications
from tests.benchmarks.measure import Row

GROUPS: Final[dict[str, Callable[[Path, int], Iterator[Row]]]] = {
    "verifications": verifications.rows,
    "bundles": bundles.rows,
    "policies": policies.rows,
    "manifests": manifests.rows,
    "changes": changes.rows,
    "clean-rooms": clean_rooms.rows,
    "old-formats": old_formats.rows,
}


def main() -> int:
    """Measure and print; 1 when a row with a target misses it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=GROUPS, action="append")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--compare", type=Path)
    given = parser.parse_args()
    before = _before(given.compare)
    say(f"{platform.platform()}, Python {platform.python_version()}, least of {given.rounds} rounds\n")
    say(f"{'what':44} {'ours':>9} {'peer':>9} {'ratio':>6} {'target':>6} {'MiB':>5}  against")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="done-receipt-bench-") as scratch:
        for name in given.only or GROUPS:
            for row in GROUPS[name](Path(scratch), given.rounds):
                rows.append(row)
                say(_line(row, before))
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps([row.tree() for row in rows], indent=1) + "\n", encoding="utf-8")
    missed = [row for row in rows if row.met is False]
    say(f"\n{len(rows)} rows, {len(missed)} over their target")
    return 1 if missed else 0


def say(line: str) -> None:
    """One line at once: a whole run takes minutes."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _before(path: Path | None) -> dict[tuple[str, str], dict[str, Any]]:
    rows = [] if path is None else json.loads(path.read_bytes())
    return {(row["what"], row["peer"]): row for row in rows}


def _line(row: Row, before: dict[tuple[str, str], dict[str, Any]]) -> str:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    target = "" if row.target is None else f"{row.target:.2f}{'' if row.met else ' !'}"
    theirs = "" if row.theirs is None else _shown(row.theirs, row.unit)
    memory = "" if row.memory is None else f"{row.memory:.0f}"
    line = f"{row.what:44} {_shown(row.ours, row.unit):>9} {theirs:>9} {ratio:>6} {target:>6} {memory:>5}  {row.peer}"
    old = before.get((row.what, row.peer))
    if old is not None and old["ratio"]:
        line += f"; ratio was {old['ratio']:.2f}"
    return line + (f" ({row.note})" if row.note else "")


def _shown(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.1f} {unit}"
    return f"{value:.3f} s" if value >= 0.1 else f"{value * 1000:.2f} ms"


if __name__ == "__main__":
    sys.exit(main())
