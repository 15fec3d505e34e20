"""An audit chain of a million records against a loop of json.loads and SHA-256 over the same lines.

    python tests/benchmarks/bench_audit_chain.py [--records N] [--json]

Both run in this process, in turn, over the same file in the page cache; the best of each, in processor time. Memory is
the highest of fresh processes that read a tenth of the chain and all of it.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from in_toto_done_receipt.observe.audit_chain.read import read_chain

ROUNDS = 3
RECORDS = 1_000_000


def write_chain(path: Path, records: int) -> None:
    """Tool calls and answers in turn, 300 to 400 bytes a line, as the original writes them."""
    previous = b"genesis"
    with path.open("wb") as file:
        for number in range(records):
            said: dict[str, object] = {"answer": "I have done it.", "input_tokens": 1200, "output_tokens": 30}
            said = {**said, "tool_calls": 2}
            tool = {"args": {"path": f"src/file{number}.py", "text": "one\ntwo"}, "ok": True, "tool": "write"}
            kind, detail = ("response", said) if number % 2 else ("tool_use", tool)
            record = {
                "ts": "2026-08-17T09:00:00.123456789+08:00",
                "actor": "alice@sales",
                "session": "sess-1",
                "request": "req-7",
                "kind": kind,
                "detail": detail,
            }
            raw = json.dumps(record, separators=(",", ":")).encode()
            digest = sha256(previous + raw).hexdigest().encode()
            file.write(b'{"seq":%d,"prev":"%b","hash":"%b","record":%b}\n' % (number, previous, digest, raw))
            previous = digest


def loop(path: Path) -> None:
    """The least that anybody does with such a file."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
            sha256(line).hexdigest()


def ours(path: Path) -> None:
    """Every record judged, and the run added up."""
    chain = read_chain(path, request="req-7")
    if chain.damage is not None:
        raise SystemExit(chain.damage.detail)


def best(*functions: Callable[[Path], None], path: Path) -> list[float]:
    """The least processor seconds of each, run in turn."""
    found = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for index, function in enumerate(functions):
            begin = time.process_time()
            function(path)
            found[index] = min(found[index], time.process_time() - begin)
    return found


def peak_kib(path: Path) -> int:
    """The most memory of a fresh process that reads the chain."""
    script = "import sys; from tests.benchmarks import bench_audit_chain as b; b.child(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    return int(done.stdout)


def child(path: str) -> None:
    """For `peak_kib`."""
    ours(Path(path))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def main() -> None:
    """Make the chains, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        whole, tenth = Path(scratch) / "whole.jsonl", Path(scratch) / "tenth.jsonl"
        write_chain(whole, given.records)
        write_chain(tenth, given.records // 10)
        peer, own = best(loop, ours, path=whole)
        memory = {"tenth": peak_kib(tenth), "whole": peak_kib(whole)}
    facts = {"records": given.records, "loop": peer, "ours": own, "ratio": own / peer, "peakKiB": memory}
    if given.json:
        print(json.dumps(facts))
        return
    print(f"{given.records} records: json.loads and sha256 {peer:.2f} s, ours {own:.2f} s: {own / peer:.2f} times")
    print(f"peak memory: {memory['tenth']} KiB for a tenth of them, {memory['whole']} KiB for all")


if __name__ == "__main__":
    main()
