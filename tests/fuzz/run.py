"""`make fuzz SECONDS=60`: so many seconds in all over the targets, one process each. Exit code 1 if anything is found.

What was learnt is kept in build/fuzz, so that the next run goes on where this one stopped.
"""

import argparse
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.findings import CASES, MAX_SECONDS, write_case
from tests.fuzz.targets import ROOT, TARGETS, Target, by_name

FOLDER = ROOT / "build" / "fuzz"
_EXECUTED = re.compile(r"stat::number_of_executed_units: *(\d+)")
_START_SECONDS = 120  # to import, to read the seeds, to run what the last search learnt


def main() -> int:
    """Runs the targets one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=int, help="in all, over the targets")
    parser.add_argument("targets", nargs="*", choices=[[], *(target.name for target in TARGETS)], help="all of them")
    given = parser.parse_args()
    chosen = [by_name(name) for name in given.targets] or list(TARGETS)
    each = max(1, given.seconds // len(chosen))
    engine = "atheris" if find_spec("atheris") else "hypothesis, for want of atheris: nothing guides the search"
    print(f"fuzzing {len(chosen)} target(s), {each} s each, with {engine}", flush=True)
    found = [case for target in chosen for case in _fuzz(target, each)]
    for case in found:
        print(f"finding: {case.relative_to(ROOT)}")
    return 1 if found else 0


def _fuzz(target: Target, seconds: int) -> list[Path]:
    folder = FOLDER / target.name
    folder.mkdir(parents=True, exist_ok=True)
    before = set(CASES.glob("*"))
    command = [sys.executable, "-m", "tests.fuzz.engine", target.name, str(seconds), str(folder)]
    try:
        ended = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=seconds + _START_SECONDS
        )
        said, code = ended.stdout + ended.stderr, ended.returncode
    except subprocess.TimeoutExpired as late:
        raise SystemExit(f"{target.name}: did not end in {late.timeout} s") from None
    executed = _EXECUTED.search(said)
    artifacts = [path for sort in ("crash", "timeout", "oom", "leak") for path in folder.glob(f"{sort}-*")]
    for path in artifacts:
        write_case(target, path.read_bytes(), f"{path.name.partition('-')[0]} (a hang is more than {MAX_SECONDS} s)")
        path.unlink()
    if executed is None or (code and not artifacts):
        raise SystemExit(f"{target.name}: ended with code {code}:\n{said[-3000:]}")
    new = sorted(set(CASES.glob("*")) - before)
    print(f"{target.name:10} {int(executed[1]):9} inputs  {len(new)} finding(s)", flush=True)
    return new


if __name__ == "__main__":
    sys.exit(main())
