"""Lines of an audit chain, taken apart in any layout; and the writer that never leaves or extends a broken one."""

import errno
import json
import os
import resource
import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_toto_done_receipt.errors import LimitExceeded, OutputError, ProducerError, UnreadableInput
from in_toto_done_receipt.observe.audit_chain.append import AuditChain
from in_toto_done_receipt.observe.audit_chain.line import Line, NotALineError, read_line
from in_toto_done_receipt.observe.audit_chain.read import read_chain

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HASH = "a" * 64
RECORD = '{"ts":"t","actor":"a","session":"s","request":"r","kind":"tool_use","detail":{"x":1}}'
LINE = f'{{"seq":7,"prev":"{HASH}","hash":"{HASH}","record":{RECORD}}}'
WANTED = Line(7, HASH.encode(), HASH.encode(), RECORD.encode(), "tool_use", "r", {"x": 1})


def test_a_line_as_the_original_writes_it() -> None:
    assert read_line(LINE.encode()) == WANTED


@pytest.mark.parametrize(
    "line",
    [
        LINE + "\r",
        "\t " + LINE,
        LINE.replace('"seq":7,', '"seq" : 7 ,\t'),
        LINE.replace('"seq":7,', "").replace(RECORD, RECORD + ',"seq":7'),
        LINE.replace('"seq"', '"\\u0073eq"'),
        LINE.replace(",", ", ", 3).replace('":', '": ', 4),
    ],
    ids=["return", "space before", "space within", "order", "escaped name", "spaced"],
)
def test_another_layout_gives_the_same_line(line: str) -> None:
    assert read_line(line.encode()) == WANTED


@pytest.mark.parametrize(
    "record",
    [
        RECORD.replace('"kind"', ' "kind"'),
        '{"kind":"tool_use","ts":"t","request":"r","detail":{"x":1}}',
        RECORD.replace('"a"', '"\u00e9\u2028"'),
        RECORD.replace('"a"', '"\\"}}"'),
        RECORD.replace("{", '{"more":[1e16,0.00001,1E5,123456789012345678901234567890,"\\ud83d\\ude00"],', 1),
    ],
    ids=["space", "order", "not ASCII", "escapes", "more"],
)
def test_the_raw_bytes_are_those_of_the_record(record: str) -> None:
    line = read_line(LINE.replace(RECORD, record).encode())
    assert line.raw == record.encode()
    assert (line.kind, line.request, line.detail) == ("tool_use", "r", {"x": 1})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{}", "is not JSON"),
        ('{"seq":0}', "has no member hash"),
        ("[]", 'expected "{", got "\\["'),
        (LINE[:-1], 'expected "}", got the end'),
        (LINE + "}", "goes on after the end"),
        (LINE + LINE, "goes on after the end"),
        (LINE.replace('{"seq"', '{"note":1,"seq"'), 'a member "note", which no hash covers'),
        (LINE.replace('{"seq"', '{"seq":7,"seq"'), 'two members "seq"'),
        (LINE.replace('"x":1', '"x":1,"x":2').replace("tool_use", "response"), "stands there twice"),
        (LINE.replace('"ts":"t"', '"ts":"t","ts":"u"'), "stands there twice"),
        (LINE.replace("1}", "NaN}"), "NaN"),
        (LINE.replace('"x":1', '"x":"\\ud800"'), "lone surrogate"),
        (LINE.replace('{"x":1}', "[" * 70 + "]" * 70), "nested deeper than 64"),
        (LINE.replace('{"x":1}', "[" * 9000 + "]" * 9000), "nested deeper than 64"),
        (LINE.replace('"seq":7', '"seq":7.0'), "seq is not a whole number"),
        (LINE.replace('"seq":7', '"seq":true'), "seq is not a whole number"),
        (LINE.replace('"seq":7', '"seq":07'), "not a JSON object|is not JSON"),
        (LINE.replace('"seq":7', '"seq":-1'), "seq is not a whole number"),
        (LINE.replace(f'"prev":"{HASH}"', f'"prev":"{HASH.upper()}"'), "prev is neither"),
        (LINE.replace(f'"hash":"{HASH}"', '"hash":"genesis"'), "hash is not 64"),
        (LINE.replace(RECORD, "[]"), "record is not an object"),
        (LINE.replace('"kind"', '"kinds"'), "record has no kind"),
        (LINE.replace('"detail"', '"details"'), "record has no detail"),
        (LINE.replace('"request":"r"', '"request":1'), "record's request is no string"),
        ("\ufeff" + LINE, "byte order mark"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_what_is_no_line_is_refused_with_a_reason(line: str, said: str) -> None:
    with pytest.raises(NotALineError, match=said):
        read_line(line.encode())


@pytest.mark.parametrize("data", [b"\xff", LINE.encode().replace(b'"a"', b'"\xff"'), LINE.encode()[:200] + b"\xc3\x28"])
def test_what_is_not_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(NotALineError, match="is not UTF-8"):
        read_line(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.text(max_size=5), st.sampled_from([(",", ":"), (", ", ": ")]), st.booleans())
def test_any_record_is_read_in_any_layout(
    detail: Any, request: str, separators: tuple[str, str], ascii_only: bool
) -> None:
    tree = {"ts": "t", "request": request, "kind": "note", "detail": detail}
    try:
        raw = json.dumps(tree, separators=separators, ensure_ascii=ascii_only).encode()
        surrogates = "\\ud" in json.dumps(tree) and not json.dumps(tree, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert not surrogates
    line = read_line(b'{"seq":0,"prev":"genesis","hash":"%b","record":%b}' % (HASH.encode(), raw))
    assert (line.raw, line.request, line.detail) == (raw, request, detail)


def test_memory_does_not_grow_with_the_chain(tmp_path: Path) -> None:
    def peak(records: int) -> int:
        path, previous = tmp_path / f"{records}.jsonl", b"genesis"
        with path.open("wb") as file:
            for number in range(records):
                raw = b'{"ts":"t","kind":"tool_use","detail":{"n":%d,"text":"%b"}}' % (number, b"x" * 200)
                digest = sha256(previous + raw).hexdigest().encode()
                file.write(b'{"seq":%d,"prev":"%b","hash":"%b","record":%b}\n' % (number, previous, digest, raw))
                previous = digest
        tracemalloc.start()
        try:
            assert read_chain(path).records == records
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(20_000) < peak(10_000) * 1.2


def test_time_is_looked_at_now_and_then(tmp_path: Path) -> None:
    class OutOfTimeError(Exception):
        pass

    def tick() -> None:
        raise OutOfTimeError

    with AuditChain(tmp_path / "a.jsonl") as chain:
        chain.append("note", {}, ts=NOW)
    (tmp_path / "b.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes() + b"\n" * 5000)
    with pytest.raises(OutOfTimeError):
        read_chain(tmp_path / "b.jsonl", tick=tick)


def test_a_long_line_is_over_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"x" * 5000)
    with pytest.raises(LimitExceeded, match="limit audit-line-bytes is 1000"):
        read_chain(tmp_path / "a.jsonl", limit=1000)


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo"])
def test_what_is_no_file_is_unreadable(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    with pytest.raises(UnreadableInput, match="audit log"):
        read_chain(path)


# --- the writer


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    with AuditChain(path) as chain:
        assert (chain.records, chain.head) == (0, None)
        first = chain.append("request", {"question": "\u00e9\u2028\x01"}, ts=NOW, actor="a", session="s", request="r")
        second = chain.append("tool_use", {"z": 1e16, "a": [0.00001, True, None]}, ts=NOW, request="r")
    assert (chain.records, chain.head) == (2, second)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert (
        f'"hash":"{first}","record":{{"ts":"2026-11-30T12:00:00Z","actor":"a","session":"s","request":"r"' in lines[0]
    )
    assert lines[1].endswith('"kind":"tool_use","detail":{"a":[0.00001,true,null],"z":1e16}}}')
    read = read_chain(path)
    assert (read.damage, read.records, read.head) == (None, 2, second)


def test_a_later_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    for number in range(3):
        with AuditChain(path) as chain:
            assert chain.records == number
            chain.append("note", {"n": number}, ts=NOW)
    assert read_chain(path).records == 3


def test_two_writers_at_once_are_one_too_many(tmp_path: Path) -> None:
    with AuditChain(tmp_path / "a"), pytest.raises(ProducerError, match="has another writer"):
        AuditChain(tmp_path / "a")


def torn(path: Path) -> bytes:
    with AuditChain(path) as chain:
        chain.append("note", {}, ts=NOW)
        whole = path.read_bytes()
        chain.append("note", {}, ts=NOW)
    path.write_bytes(path.read_bytes()[:-20])
    return whole


def test_a_torn_line_is_named_and_never_extended_silently(tmp_path: Path) -> None:
    path = tmp_path / "a"
    whole = torn(path)
    before = path.read_bytes()
    with pytest.raises(ProducerError, match=f"ends in the middle of a line: .* after byte {len(whole)}"):
        AuditChain(path)
    assert path.read_bytes() == before


def test_a_torn_line_is_cut_off_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a"
    whole = torn(path)
    with AuditChain(path, cut_torn_line=True) as chain:
        assert path.read_bytes() == whole
        chain.append("note", {}, ts=NOW)
    assert (read_chain(path).records, read_chain(path).damage) == (2, None)


def test_nothing_but_a_torn_line_is_cut_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"seq":0,')
    with AuditChain(tmp_path / "a", cut_torn_line=True) as chain:
        assert chain.records == 0


def test_a_damaged_chain_is_not_extended(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with AuditChain(path) as chain:
        chain.append("note", {"n": 1}, ts=NOW)
    path.write_bytes(path.read_bytes().replace(b'"n":1', b'"n":2'))
    with pytest.raises(ProducerError, match="is damaged and not extended: line 1 has hash"):
        AuditChain(path)


def test_a_file_that_somebody_else_wrote_to_is_left_alone(tmp_path: Path) -> None:
    with AuditChain(tmp_path / "a") as chain:
        (tmp_path / "a").write_bytes(b"x")
        with pytest.raises(ProducerError, match="written to by somebody else"):
            chain.append("note", {}, ts=NOW)


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "no folder"])
def test_what_is_no_file_is_not_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    if kind == "link":
        path.symlink_to(tmp_path / "b")
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path = path / "b"
    with pytest.raises(OutputError, match="audit log"):
        AuditChain(path)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ({"x": float("nan")}, "not finite"),
        ({"x": 2**64}, "beyond 64 bits"),
        ({"x": "\udc80"}, "lone surrogate"),
        ({1: 2}, "name is not a string"),
        ({"x": object()}, "is no JSON"),
    ],
    ids=["nan", "large", "surrogate", "name", "object"],
)
def test_what_no_record_can_say_is_refused(tmp_path: Path, detail: dict[Any, Any], said: str) -> None:
    with AuditChain(tmp_path / "a") as chain, pytest.raises(ProducerError, match=said):
        chain.append("note", detail, ts=NOW)
    assert (tmp_path / "a").read_bytes() == b""


def test_a_response_without_tokens_is_refused(tmp_path: Path) -> None:
    with AuditChain(tmp_path / "a") as chain, pytest.raises(ProducerError, match='no whole number "input_tokens"'):
        chain.append("response", {"answer": "x"}, ts=NOW)


def test_nesting_that_readers_refuse_is_refused(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(70):
        deep = [deep]
    with AuditChain(tmp_path / "a") as chain, pytest.raises(ProducerError, match="nested deeper than 64"):
        chain.append("note", {"x": deep}, ts=NOW)


def test_a_time_without_a_zone_is_refused(tmp_path: Path) -> None:
    with AuditChain(tmp_path / "a") as chain, pytest.raises(ProducerError, match="no time zone"):
        chain.append("note", {}, ts=NOW.replace(tzinfo=None))


def test_a_closed_chain_takes_nothing(tmp_path: Path) -> None:
    chain = AuditChain(tmp_path / "a")
    chain.close()
    with pytest.raises(ProducerError, match="is closed"):
        chain.append("note", {}, ts=NOW)


def test_a_disk_that_is_full_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """In a process of its own, whose files may not grow beyond 4 KiB."""
    path = tmp_path / "a"
    script = f"""
import resource, signal
from datetime import UTC, datetime
from pathlib import Path
from in_toto_done_receipt.errors import OutputError
from in_toto_done_receipt.observe.audit_chain.append import AuditChain
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
with AuditChain(Path({str(path)!r})) as chain:
    chain.append("note", {{}}, ts=datetime.now(UTC))
    try:
        chain.append("note", {{"text": "x" * 8000}}, ts=datetime.now(UTC))
    except OutputError as error:
        print(error.message)
    chain.append("note", {{}}, ts=datetime.now(UTC))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert os.strerror(errno.EFBIG).lower() in done.stdout
    assert (read_chain(path).records, read_chain(path).damage) == (2, None)
    assert resource.RLIM_INFINITY  # of this process nothing was limited


def test_a_killed_writer_leaves_whole_records(tmp_path: Path) -> None:
    """Every record whose hash was told is there; at most one more line, whole or torn, follows."""
    path = tmp_path / "a"
    script = f"""
import sys
from datetime import UTC, datetime
from pathlib import Path
from in_toto_done_receipt.observe.audit_chain.append import AuditChain
chain = AuditChain(Path({str(path)!r}))
while True:
    print(chain.append("note", {{"text": "x" * 3000}}, ts=datetime.now(UTC)), flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(20)]
    process.kill()
    told += process.stdout.read().split()
    process.wait()
    process.stdout.close()
    with AuditChain(path, cut_torn_line=True) as chain:
        assert chain.records in (len(told), len(told) + 1)
    hashes = [json.loads(line)["hash"] for line in path.read_bytes().splitlines()]
    assert hashes[: len(told)] == told
