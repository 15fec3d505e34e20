"""The old formats: agent-receipt in place against its own tool, and an audit chain against the plainest loop."""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from in_toto_done_receipt.observe.audit_chain.read import read_chain
from tests.benchmarks.measure import Row, in_turn, once, warm

BIN = Path(sys.executable).parent
OURS = [sys.executable, "-I", "-m", "in_toto_done_receipt", "verify", "--as", "agent-receipt", "--unsigned"]
LOOK = ["--root", "work", "--quiet"]
RECORDS = 1_000_000
RECEIPTS = 10_000
ITEMS = 200


# A fresh process that reads a chain.
_READ = """
import sys
from pathlib import Path
from in_toto_done_receipt.observe.audit_chain.read import read_chain
read_chain(Path(sys.argv[1]), request="req-7")
"""


def rows(scratch: Path, rounds: int) -> Iterator[Row]:
    """200 evidence items cold, 10,000 receipts in one call, a chain of a million records."""
    folder = scratch / "old"
    (folder / "work").mkdir(parents=True)
    yield _cold(folder, rounds)
    yield _many(folder)
    yield _chain(scratch, max(1, rounds // 2))


def _built(folder: Path, items: int, out: str) -> Path:
    argv: list[Any] = [BIN / "agent-receipt", "build", "--workspace-root", "work", "--agent", "a", "--task", "t"]
    for number in range(items):
        name = f"f{number:03}.txt"
        (folder / "work" / name).write_text(f"content of {name}\n")
        if number % 20 == 0:
            argv += ["--claim", f"c{number // 20}=files"]
        argv += ["--file-hash", f"c{number // 20}={name}"]
    once([*argv, "--out", out], cwd=folder)
    return folder / out


def _cold(folder: Path, rounds: int) -> Row:
    _built(folder, ITEMS, "large.json")
    theirs = [BIN / "agent-receipt", "verify", "large.json", "--recheck", "--recheck-root", "work"]
    commands: dict[str, tuple[list[Any], int]] = {
        "ours": ([*OURS, "large.json", *LOOK], 0),
        "agent-receipt": (theirs, 0),
    }
    costs = in_turn(commands, cwd=folder, rounds=rounds)
    ours, peer = costs["ours"], costs["agent-receipt"]
    what = f"verify --as agent-receipt, {ITEMS} items, cold"
    return Row(what=what, ours=ours.wall, peer="agent-receipt verify", theirs=peer.wall, target=3.0, memory=ours.peak)


def _many(folder: Path) -> Row:
    """The peer takes one receipt a call: its time is that of 20 calls, scaled."""
    data = _built(folder, 1, "small.json").read_bytes()
    names = [f"r{number:05}.json" for number in range(RECEIPTS)]
    for name in names:
        (folder / name).write_bytes(data)
    ours = once([*OURS, *names, *LOOK], cwd=folder)
    theirs = [BIN / "agent-receipt", "verify", "small.json", "--recheck", "--recheck-root", "work"]
    peer = sum(once(theirs, cwd=folder).wall for _ in range(20)) / 20 * RECEIPTS
    what = f"{RECEIPTS:,} small agent-receipts in one call"
    return Row(
        what=what, ours=ours.wall, peer="as many agent-receipt verify", theirs=peer, target=0.1, memory=ours.peak
    )


def _chain(scratch: Path, rounds: int) -> Row:
    whole, tenth = scratch / "whole.jsonl", scratch / "tenth.jsonl"
    write_chain(whole, RECORDS)
    write_chain(tenth, RECORDS // 10)
    times = warm({"ours": lambda: ours(whole), "loop": lambda: loop(whole)}, rounds=rounds)
    memory = {path: once([sys.executable, "-I", "-c", _READ, path], cwd=scratch).peak for path in (tenth, whole)}
    return Row(
        what=f"audit chain of {RECORDS:,} records",
        ours=times["ours"],
        peer="json.loads and sha256 of each line",
        theirs=times["loop"],
        target=1.5,
        memory=memory[whole],
        note=f"a tenth of them: {memory[tenth]:.0f} MiB",
    )


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
