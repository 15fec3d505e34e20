"""`python -m tests.fuzz.mutants [COUNT] [SEED]`: so many mutants of genuine attestations, receipts and roots.

Each is refused with an error of ours, or is right: the same payload by the same signer. Anything else is a finding; it
is written as a case, once for each sort, and the exit code is 1.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

from tests.fuzz.findings import fault_of, in_time, silent, sort_of, write_case
from tests.fuzz.targets import Target, by_name

OF_TEN: Final = {0: "root", 5: "recompute"}  # of ten mutants in a row; the others are attestations


def campaign(count: int, seed: int) -> Iterator[tuple[Target, bytes]]:
    """The mutants of a seed, in order, each with the target that it is for."""
    random = Random(seed)
    seeds = {name: tuple(by_name(name).seeds()) for name in ("bundle", *OF_TEN.values())}
    for number in range(count):
        target = by_name(OF_TEN.get(number % 10, "bundle"))
        yield target, target.mutated(random.choice(seeds[target.name]), random)


def main(count: int = 50_000, seed: int = 0) -> int:
    """Run them; how many ended as they must, and what was found, once for each sort."""
    found: Counter[tuple[str, ...]] = Counter()
    for number, (target, data) in enumerate(campaign(count, seed), 1):
        with in_time(), silent() as said:
            fault = fault_of(target, data)
        if fault is None and said:
            fault = AssertionError(f"a library said: {said[0][:200]}")
        if fault is not None:
            found[sort_of(fault)] += 1
            if found[sort_of(fault)] == 1:
                case = write_case(target, data, f"    {type(fault).__name__}: {str(fault)[:300]!a}")
                print(f"finding: {case}", flush=True)
        if number % 5_000 == 0:
            print(f"{number} mutants, {found.total()} found wrong, of {len(found)} sort(s)", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
