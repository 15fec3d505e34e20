"""A manifest says what a simple reading of the tree says, and survives writing, reading and comparing."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from in_toto_done_receipt.errors import MalformedInput
from in_toto_done_receipt.observe.manifest.diff import diff
from in_toto_done_receipt.observe.manifest.model import name_bytes, name_text, path_fault
from in_toto_done_receipt.observe.manifest.read import read_manifest
from in_toto_done_receipt.observe.manifest.scan import scan
from in_toto_done_receipt.wire.escape import escape

# Few letters, so that files and folders meet; `-` and `.` sort before `/`, `0` after it; bytes that are not UTF-8.
NAMES = st.lists(st.sampled_from([b"a", b"B", b"-", b".", b"0", b"\xff", "é".encode(), b'"']), min_size=1, max_size=3)
PARTS = NAMES.map(b"".join).filter(lambda name: name not in {b".", b".."})
TREES = st.dictionaries(st.lists(PARTS, min_size=1, max_size=3).map(tuple), st.binary(max_size=20), max_size=12)


def _make(root: bytes, tree: dict[tuple[bytes, ...], bytes]) -> dict[bytes, bytes]:
    """Write what can be written of the tree (a path may need a folder where a file is); what was written."""
    written = {}
    for parts, data in tree.items():
        path = b"/".join(parts)
        try:
            os.makedirs(os.path.dirname(root + b"/" + path), exist_ok=True)  # noqa: PTH103, PTH120 - bytes
            fd = os.open(root + b"/" + path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except OSError:
            continue
        os.write(fd, data)
        os.close(fd)
        written[path] = data
    return written


def _simple(files: dict[bytes, bytes]) -> bytes:
    """The manifest as one would write it without knowing ours."""
    rows = [
        {
            "path": path.decode("utf-8", "backslashreplace"),
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": len(data),
        }
        for path, data in files.items()
    ]
    tree = {
        "schema": "agent-output-manifest/v1",
        "file_count": len(rows),
        "total_bytes": sum(map(len, files.values())),
        "files": sorted(rows, key=lambda row: str(row["path"])),
    }
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@given(TREES)
@settings(max_examples=20)
def test_scan_is_the_simple_recomputation(tree: dict[tuple[bytes, ...], bytes]) -> None:
    with tempfile.TemporaryDirectory() as root:
        files = _make(os.fsencode(root), tree)
        manifest = scan(Path(root))
    assert manifest.canonical() == _simple(files)
    assert read_manifest(manifest.canonical()) == manifest


@given(TREES, TREES)
@settings(max_examples=20)
def test_diff_is_the_difference_of_the_trees(
    one: dict[tuple[bytes, ...], bytes], two: dict[tuple[bytes, ...], bytes]
) -> None:
    with tempfile.TemporaryDirectory() as before, tempfile.TemporaryDirectory() as after:
        a, b = _make(os.fsencode(before), one), _make(os.fsencode(after), two)
        found = diff(scan(Path(before)), scan(Path(after)))
    assert {name_bytes(path) for path in found.missing} == a.keys() - b.keys()
    assert {name_bytes(path) for path in found.unexpected} == b.keys() - a.keys()
    assert {name_bytes(path) for path in found.changed} == {path for path in a.keys() & b.keys() if a[path] != b[path]}


@given(st.binary(min_size=1, max_size=40).filter(lambda raw: b"\\" not in raw))
def test_names_are_spelled_reversibly(raw: bytes) -> None:
    assert name_bytes(name_text(raw)) == raw


@given(st.text(max_size=40))
def test_a_path_without_fault_is_spelled_in_one_way(path: str) -> None:
    if path_fault(path) is None:
        assert name_text(name_bytes(path)) == path


BASE = _simple({b"a": b"1", b"b/c": b"22", b"caf\xe9": b""})


@given(st.data())
def test_a_mutated_manifest_is_refused_or_has_another_digest(data: st.DataObject) -> None:
    where = data.draw(st.integers(0, len(BASE) - 1))
    what = data.draw(st.binary(max_size=3))
    mutated = BASE[:where] + what + BASE[where + data.draw(st.integers(0, 3)) :]
    try:
        manifest = read_manifest(mutated)
    except MalformedInput:
        return
    if manifest.digest == hashlib.sha256(BASE).hexdigest():
        assert json.loads(mutated) == json.loads(BASE)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda v: (
                st.lists(v)
                | st.dictionaries(st.sampled_from(["file_count", "files", "schema", "total_bytes", "path"]), v)
            ),
        ).map(lambda v: json.dumps(v).encode()),
    )
)
def test_any_bytes_give_a_manifest_or_our_error(data: bytes) -> None:
    message = ""
    try:
        read_manifest(data)
    except MalformedInput as error:
        message = error.message
    assert message == escape(message)
