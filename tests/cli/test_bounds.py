"""What a receipt may cost: memory and time by ratio, and over a limit an error that names it and the value."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from in_toto_done_receipt.handlers.registry import handlers_by_type
from in_toto_done_receipt.pipeline import recompute
from in_toto_done_receipt.profile.settings import Settings
from in_toto_done_receipt.recompute.context import RecomputeContext
from in_toto_done_receipt.trust.flags import from_flags
from in_toto_done_receipt.wire.rfc3339 import parse_time
from testdata.receipts import generate
from tests.cli.conftest import Cli

Json = dict[str, Any]

TIMES_FILE: Final = 8  # peak memory of a verification, in sizes of the receipt
# Printing JSON holds the document once more, and what json.dump has not handed over. This was hidden while the policy
# engine took 20 MiB more at the start than it does now: the whole peak fell from 74 to 59 MiB.
TIMES_FILE_AS_JSON: Final = 12
STEPS: Final = 2 << 20  # bytes; the interpreter takes memory in steps of 1 MiB, and two measurements are compared
SLOWER: Final = 2.0  # how much longer than in proportion a larger receipt may take, on a machine that does other things
MIB: Final = 1 << 20

MEASURED = """
import sys
from in_toto_done_receipt.cli.main import run
code = run(sys.argv[1:])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print("measured", code, peak, file=sys.stderr)
"""


class Measured(NamedTuple):
    """A command that ran in a process of its own; `peak` is its resident memory at the most, in bytes."""

    code: int
    out: str
    err: str
    peak: int


def measured(*line: str | Path, cwd: Path) -> Measured:
    """Not by getrusage: its peak begins with the parent's, which has read larger files."""
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, line)], cwd=cwd, capture_output=True, text=True, check=False
    )
    *err, last = ended.stderr.splitlines()
    word, code, peak = last.split()
    assert word == "measured", ended.stderr
    return Measured(int(code), ended.stdout, "\n".join(err), int(peak) * 1024)


# --- receipts of a size ---------------------------------------------------------------------------------------------


def _subjects(statement: Json, count: int) -> None:
    statement["subject"] = [generate.file(f"src/file{number:05}.txt", str(number)) for number in range(count)]


def _seals(statement: Json, count: int) -> None:
    sealed = [generate.file(f"tests/file{number:05}.txt", str(number)) for number in range(count)]
    statement["predicate"]["contract"]["sealed"] = sealed


def _evidence(statement: Json, count: int) -> None:
    items = [generate.text_item(f"{number}" * 100) for number in range(count)]
    claims = [items[start : start + 20] for start in range(0, count, 20)]
    statement["predicate"]["claims"] = [
        {"id": f"c{number}", "statement": "it greets", "evidence": claim} for number, claim in enumerate(claims)
    ]


def _claims(statement: Json, count: int) -> None:
    statement["predicate"]["claims"] = [
        {"id": f"c{number}", "statement": "it greets", "evidence": []} for number in range(count)
    ]


def _commands(statement: Json, count: int) -> None:
    _evidence(statement, count)
    for claim in statement["predicate"]["claims"]:
        claim["evidence"] = [generate.command_item() for _ in claim["evidence"]]


def _text(statement: Json, count: int) -> None:
    statement["predicate"]["more"] = "x" * count


def _members(statement: Json, count: int) -> None:
    statement["predicate"] |= {f"m{number}": number for number in range(count)}


def _payload_of_bytes(statement: Json, size: int) -> None:
    statement["predicate"]["more"] = ""
    statement["predicate"]["more"] = "x" * (size - len(generate.payload_of(statement)))


def _deep(statement: Json, depth: int) -> None:
    value: Any = 1
    for _ in range(depth - 2):  # the statement and its predicate are two
        value = [value]
    statement["predicate"]["more"] = value


def receipt(folder: Path, **sizes: int) -> Path:
    """A signed receipt with so many of each, and the key that it is signed with."""
    statement = generate.base()
    for name, size in sizes.items():
        globals()[f"_{name}"](statement, size)
    (folder / "worker.pub").write_text(generate.public_pem("worker"))
    path = folder / "receipt.json"
    path.write_text(json.dumps(generate.envelope(generate.payload_of(statement))))
    return path


VERIFY: Final = ["verify", "receipt.json", "--trusted-key", "worker=worker.pub", "--at", generate.NOW]

# --- memory and time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    ("small", "large"),
    [
        pytest.param({"subjects": 1000, "evidence": 200}, {"subjects": 10_000, "evidence": 200}, id="subjects"),
        pytest.param({"payload_of_bytes": MIB}, {"payload_of_bytes": 10 * MIB}, id="bytes"),
    ],
)
def test_memory_grows_with_the_file(
    tmp_path: Path, small: dict[str, int], large: dict[str, int], flags: list[str]
) -> None:
    peaks, files = [], []
    for sizes in (small, large):
        files.append(receipt(tmp_path, **sizes).stat().st_size)
        seen = measured(*VERIFY, *flags, cwd=tmp_path)
        assert seen.code == 12, seen.err  # nothing to look at was given: examined as a whole, and denied
        peaks.append(seen.peak)
    times = TIMES_FILE_AS_JSON if flags else TIMES_FILE
    assert peaks[1] - peaks[0] <= times * (files[1] - files[0]) + STEPS


def _seconds(work: Callable[[], object]) -> float:
    """Of processor, the least of three."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


@pytest.mark.parametrize(
    ("name", "small", "large"),
    [
        ("subjects", 2_500, 10_000),
        ("seals", 2_500, 10_000),
        ("evidence", 60, 200),
        ("text", MIB, 4 * MIB),
        ("members", 5_000, 20_000),
    ],
)
def test_time_grows_no_faster_than_the_receipt(tmp_path: Path, name: str, small: int, large: int) -> None:
    public = generate.public_pem("worker").encode()
    trust = from_flags(read=lambda path: public, trusted_keys=("worker=worker.pub",))
    context = RecomputeContext(settings=Settings(), evaluated_at=parse_time(generate.NOW))
    handlers = handlers_by_type()
    spent = []
    for count in (small, large):
        data = receipt(tmp_path, **{name: count}).read_bytes()
        spent.append(_seconds(lambda data=data: recompute(data, trust=trust, context=context, handlers=handlers)))  # type: ignore[misc]
    assert spent[1] / spent[0] <= SLOWER * large / small


# --- limits, by name and value --------------------------------------------------------------------------------------

LIMITS: Final = [
    ({"subjects": 10_001}, "limit subjects is 10000, got 10001"),
    ({"seals": 10_001}, "limit seals is 10000, got 10001"),
    ({"claims": 101}, "limit claims is 100, got 101"),
    ({"evidence": 201}, "limit evidence is 200, got 201"),
    ({"commands": 21}, "limit commands is 20, got 21"),
    ({"payload_of_bytes": 10 * MIB + 1}, f"limit payload-bytes is {10 * MIB}, got {10 * MIB + 1}"),
    ({"text": 12 * MIB}, f"limit file-bytes is {16 * MIB}, got 1677"),
    ({"deep": 65}, "deeper than 64"),
]


@pytest.mark.parametrize(("sizes", "said"), LIMITS, ids=lambda value: next(iter(value)) if value is not str else "")
def test_over_a_limit_the_error_names_it_and_the_value(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: dict[str, int], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    receipt(tmp_path, **sizes)
    ended = cli(*VERIFY)
    assert ended.code == 3
    assert said in ended.err


@pytest.mark.parametrize(
    "sizes",
    [{"subjects": 10_000}, {"seals": 10_000}, {"claims": 100}, {"evidence": 200}, {"commands": 20}, {"deep": 64}],
    ids=lambda sizes: next(iter(sizes)),
)
def test_at_the_limit_a_receipt_is_examined(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: dict[str, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    receipt(tmp_path, **sizes)
    assert cli(*VERIFY).code == 12


def test_signatures_and_attestations_have_their_limits(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = receipt(tmp_path)
    envelope = json.loads(path.read_bytes())
    path.write_text(json.dumps(envelope | {"signatures": envelope["signatures"] * 33}))
    assert "limit signatures is 32, got 33" in cli(*VERIFY).err
    lines = (json.dumps(envelope | {"payload": base64.b64encode(b"%d" % n).decode()}) for n in range(1025))
    path.write_text("\n".join(lines) + "\n")
    assert "limit attestations is 1024, got at least 1025" in cli(*VERIFY).err


# --- files that are none, or have no end ----------------------------------------------------------------------------


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


READERS: Final = {
    "receipt": (["verify", "{}", *VERIFY[2:]], 3),
    "statement": (["sign", "{}", "--key", "receipt.json"], 3),
    "key": (["verify", "receipt.json", "--trusted-key", "worker={}"], 4),
    "trust": (["verify", "receipt.json", "--trust", "{}"], 4),
    "profile": ([*VERIFY, "--profile", "{}"], 4),
    "contract": ([*VERIFY, "--contract", "{}"], 4),
    "manifest": ([*VERIFY, "--root", "work", "--manifest", "{}"], 4),
    "artifact": ([*VERIFY, "--artifact", "{}"], 4),
    "result": (["admit", "{}"], 3),
    "inspected": (["inspect", "{}"], 3),
    "manifest to compare": (["manifest", "verify", "{}", "--root", "work"], 3),
    "evidence": (["build", "--root", "work", "--task", "t", "--agent", "a", "--evidence", "{}", "--out", "o"], 4),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("make", "said"),
    [pytest.param(os.mkfifo, "a FIFO", id="fifo"), pytest.param(_endless, "not a regular file", id="device")],
)
def test_what_is_no_regular_file_is_not_opened(
    cli: Cli,
    work: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reader: str,
    make: Callable[[Path], None],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    receipt(tmp_path)
    make(tmp_path / "given")
    line, code = READERS[reader]
    ended = cli(*(part.replace("{}", "given") for part in line))
    assert (ended.code, said in ended.err) == (code, True), ended.err


def test_an_endless_standard_input_is_read_up_to_the_limit(tmp_path: Path) -> None:
    receipt(tmp_path)
    line = ["verify", "-", *VERIFY[2:]]
    with Path("/dev/zero").open("rb") as zeros:
        ended = subprocess.run(
            [sys.executable, "-I", "-m", "in_toto_done_receipt", *line],
            cwd=tmp_path,
            stdin=zeros,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 3
    assert f"standard input: limit file-bytes is {16 * MIB}, got more than {16 * MIB}" in ended.stderr


def test_a_growing_file_ends(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was there when it was opened is all that is read: a change in that time is an error, later ones not."""
    monkeypatch.chdir(tmp_path)
    path = receipt(tmp_path, text=4 * MIB)
    with path.open("ab") as file, subprocess.Popen(["head", "-c", str(64 * MIB), "/dev/zero"], stdout=file) as writer:
        try:
            ended = cli(*VERIFY)
        finally:
            writer.kill()
    assert ended.code in (3, 12)
    assert ended.code == 12 or any(said in ended.err for said in ("changed while", "limit file-bytes", "line 1"))


@pytest.mark.parametrize("where", ["evidence", "sealed", "subject"])
def test_a_fifo_in_the_work_is_not_opened(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    statement = generate.base()
    (tmp_path / "work" / "tests").mkdir(parents=True)
    for path, text in generate.WORK.items():
        (tmp_path / "work" / path).write_text(text)
    if where == "evidence":
        statement["predicate"]["claims"][0]["evidence"].append(generate.file_item("pipe", ""))
    elif where == "sealed":
        statement["predicate"]["contract"]["sealed"].insert(0, generate.file("pipe", ""))
    else:
        statement["subject"].append(generate.file("pipe", ""))
    os.mkfifo(tmp_path / "work" / "pipe")
    receipt(tmp_path).write_text(json.dumps(generate.envelope(generate.payload_of(statement))))
    ended = cli(*VERIFY, "--root", "work", "--json")
    assert ended.code in (11, 12)
    assert "special file" in ended.out or "FIFO" in ended.out


# --- the work itself ------------------------------------------------------------------------------------------------


def _said(tmp_path: Path, items: list[Json], *flags: str, cli: Cli) -> str:
    statement = generate.base()
    statement["predicate"]["claims"][0]["evidence"] = items
    receipt(tmp_path).write_text(json.dumps(generate.envelope(generate.payload_of(statement))))
    return cli(*VERIFY, "--root", "work", "--json", *flags).out


COMMANDS: Final = ["--recheck-commands", "--sandbox", "rlimits"]


def test_text_beyond_its_limit_is_not_searched(
    cli: Cli, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with (work / "greeting.txt").open("wb") as file:
        file.truncate(10 * MIB + 1)
    found = _said(tmp_path, [generate.text_item()], cli=cli)
    assert f"greeting.txt: limit text-bytes is {10 * MIB}, got {10 * MIB + 1}" in found


def test_a_command_that_writes_without_end_is_killed(
    cli: Cli, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    item = generate.command_item(["/bin/cat", "/dev/zero"])
    found = _said(tmp_path, [item], *COMMANDS, "--allow-command", "/bin/cat /dev/zero", cli=cli)
    assert f"output: limit command-stream-bytes is {64 << 10}, got more on standard output" in found


def test_a_command_that_does_not_end_is_killed(
    cli: Cli, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    item = generate.command_item(["/bin/sleep", "100"])
    flags = [*COMMANDS, "--allow-command", "/bin/sleep 100", "--limit", "command-seconds=1"]
    found = _said(tmp_path, [item], *flags, cli=cli)
    assert "timeout: limit command-seconds is 1, got more" in found


@pytest.mark.parametrize(
    ("limit", "said"),
    [("copy-entries=2", "limit copy-entries is 2, got 3 or more"), ("copy-bytes=10", "limit copy-bytes is 10, got ")],
)
def test_a_copy_beyond_its_limit_is_not_made(
    cli: Cli, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    item = generate.command_item(["/bin/true"])
    found = _said(tmp_path, [item], *COMMANDS, "--allow-command", "/bin/true", "--limit", limit, cli=cli)
    assert said in found


# --- manifests ------------------------------------------------------------------------------------------------------

MANIFESTS = """
import sys
from pathlib import Path
from in_toto_done_receipt.observe.manifest.diff import diff
from in_toto_done_receipt.observe.manifest.read import read_manifest
one = read_manifest(Path(sys.argv[1]).read_bytes())
two = read_manifest(Path(sys.argv[2]).read_bytes())
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(len(one.files), len(diff(one, two).changed), peak)
"""
BYTES_A_FILE: Final = 200  # beyond the manifests themselves; performance.md


def write_manifest(path: Path, count: int, changed: bytes) -> int:
    """A manifest of so many files, one of which has these bytes; the size of the file."""
    row = '{"bytes":%d,"path":"src/package%04d/module%02d/file%07d.py","sha256":"%s"}'
    rows = (
        row % (n % 1000, n // 1000, n // 100 % 10, n, hashlib.sha256(changed if n == 7 else b"%d" % n).hexdigest())
        for n in range(count)
    )
    total = sum(n % 1000 for n in range(count))
    head, tail = f'{{"file_count":{count},"files":[', f'],"schema":"agent-output-manifest/v1","total_bytes":{total}}}'
    return path.write_text(head + ",".join(rows) + tail)


def compared(folder: Path, count: int) -> tuple[int, int]:
    """(peak memory, size of both files) of reading two manifests and comparing them."""
    size = sum(write_manifest(folder / name, count, name.encode()) for name in ("one", "two"))
    line = [sys.executable, "-c", MANIFESTS, str(folder / "one"), str(folder / "two")]
    ended = subprocess.run(line, capture_output=True, text=True, check=True)
    files, changed, peak = map(int, ended.stdout.split())
    assert (files, changed) == (count, 1)
    return peak * 1024, size


@pytest.mark.parametrize(
    ("small", "large"),
    [(20_000, 100_000), pytest.param(100_000, 1_000_000, marks=pytest.mark.benchmark)],
    ids=["100,000", "1,000,000"],
)
def test_memory_of_manifests_that_are_compared(tmp_path: Path, small: int, large: int) -> None:
    before, size_before = compared(tmp_path, small)
    after, size_after = compared(tmp_path, large)
    assert (after - before) - (size_after - size_before) <= BYTES_A_FILE * (large - small)


def test_a_manifest_file_beyond_its_limit_is_not_read(cli: Cli, work: Path, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    with path.open("wb") as file:
        file.truncate((512 << 20) + 1)
    ended = cli("manifest", "verify", path, "--root", work)
    assert ended.code == 3
    assert f"limit manifest-bytes is {512 << 20}, got {(512 << 20) + 1}" in ended.err
