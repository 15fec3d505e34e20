"""Fuzz one target in this process: `python -m tests.fuzz.engine TARGET SECONDS FOLDER`.

Coverage-guided by atheris where it is installed, otherwise random changes drawn by hypothesis. What it learns stays in
FOLDER/corpus. An exception is written as a case and the search goes on; what stops the process itself (a hang, a crash
of a C library) is left in FOLDER by libFuzzer, and `run` makes a case of it.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

MAX_BYTES: Final = 16 << 10  # of one input: more only makes it slower
_RSS_MIB: Final = 2048


def main(name: str, seconds: int, folder: Path) -> None:
    """Search for so many seconds, or, with atheris, until the process is ended by libFuzzer."""
    try:
        atheris = import_module("atheris")
    except ImportError:
        by_hypothesis(name, seconds)
        return
    with atheris.instrument_imports(include=["in_toto_done_receipt", "tomllib", "rfc8785"]):
        search = _search(name)
    _by_atheris(atheris, search, name, seconds, folder)


def _search(name: str) -> Callable[[bytes], None]:
    """One input; a fault becomes a case, once for each sort."""
    from tests.fuzz import findings, targets

    target, known = targets.by_name(name), set[tuple[str, ...]]()

    def one(data: bytes) -> None:
        fault = findings.fault_of(target, data)
        if fault is None or (sort := findings.sort_of(fault)) in known:
            return
        known.add(sort)

        def same(shorter: bytes) -> bool:
            other = findings.fault_of(target, shorter)
            return other is not None and findings.sort_of(other) == sort

        small = findings.smaller(data, same)
        case = findings.write_case(target, small, f"    {type(fault).__name__}: {str(fault)[:300]!a}\n    {sort[1:]}")
        print(f"finding: {case}", flush=True)

    return one


def _seeds(name: str) -> Iterator[bytes]:
    from tests.fuzz import targets

    yield from (data for data in targets.by_name(name).seeds() if len(data) <= MAX_BYTES)
    yield from (path.read_bytes() for path in targets.DATA.glob(f"fuzz/{name}-*/input"))


def _by_atheris(atheris: Any, search: Callable[[bytes], None], name: str, seconds: int, folder: Path) -> None:
    from tests.fuzz import findings, targets

    target = targets.by_name(name)
    corpus, seeds, words = folder / "corpus", folder / "seeds", folder / "words"
    for made in (corpus, seeds):
        made.mkdir(parents=True, exist_ok=True)
    for data in _seeds(name):
        (seeds / hashlib.sha256(data).hexdigest()).write_bytes(data)
    words.write_text("".join(f"{json.dumps(word)}\n" for word in target.words), encoding="ascii")

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return bytes(atheris.Mutate(data, max_size))
        return target.mutated(data, random)[:max_size]

    arguments = [
        f"-max_total_time={seconds}",
        f"-timeout={findings.MAX_SECONDS}",
        f"-rss_limit_mb={_RSS_MIB}",
        f"-max_len={MAX_BYTES}",
        f"-artifact_prefix={folder}/",
        "-verbosity=0",
        "-print_final_stats=1",
        *([f"-dict={words}"] if target.words else []),  # libFuzzer refuses an empty one
    ]
    atheris.Setup([sys.argv[0], *arguments, str(corpus), str(seeds)], search, custom_mutator=mutator)
    atheris.Fuzz()


def by_hypothesis(name: str, seconds: int) -> None:
    """Random changes of the seeds, for so many seconds."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    from tests.fuzz import findings, targets

    target, search, seeds = targets.by_name(name), _search(name), list(_seeds(name))
    end, count = time.monotonic() + seconds, 0

    @settings(
        max_examples=200,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(seeds), st.integers(0, 2**64 - 1), st.binary(max_size=8), st.integers(0, MAX_BYTES))
    def some(seed: bytes, number: int, noise: bytes, at: int) -> None:
        nonlocal count
        if time.monotonic() > end:
            return
        count += 1
        data = target.mutated(seed, Random(number))
        if at < len(data) and len(noise) > 4:
            data = data[:at] + noise + data[at + len(noise) :]
        with findings.in_time():
            search(data)

    while time.monotonic() < end:
        some()
    print(f"stat::number_of_executed_units: {count}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
