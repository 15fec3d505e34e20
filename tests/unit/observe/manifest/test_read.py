"""observe/manifest/read.py and model.py"""

import hashlib
import json
import os
from typing import Any

import pytest

from in_toto_done_receipt.errors import LimitExceeded, MalformedInput, MalformedJson
from in_toto_done_receipt.observe.manifest.model import ManifestFile, ManifestLimits, name_bytes, name_text
from in_toto_done_receipt.observe.manifest.read import read_manifest

ONE = hashlib.sha256(b"1").hexdigest()


def _row(at: str, **members: object) -> dict[str, object]:
    return {"bytes": 1, "path": at, "sha256": ONE} | members


def _tree(*rows: dict[str, object], **members: object) -> dict[str, Any]:
    tree = {
        "file_count": len(rows),
        "files": list(rows),
        "schema": "agent-output-manifest/v1",
        "total_bytes": len(rows),
    }
    return tree | members


def _canonical(tree: object) -> bytes:
    return json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


TREE = _tree(_row('a"b'), _row("é"), _row("\U00010000"))


@pytest.mark.parametrize(
    "data",
    [
        _canonical(TREE),
        _canonical(TREE) + b"\n",
        _canonical(TREE) + b"\r\n",
        json.dumps(TREE, indent=2).encode(),
        json.dumps(TREE).encode("ascii"),
    ],
    ids=["canonical", "newline", "crlf", "pretty", "escaped"],
)
def test_read_manifest_digests_the_canonical_bytes_of_any_layout(data: bytes) -> None:
    manifest = read_manifest(data)
    assert manifest.canonical() == _canonical(TREE)
    assert manifest.digest == hashlib.sha256(_canonical(TREE)).hexdigest()
    assert manifest.size == len(_canonical(TREE))


def test_files_are_a_sequence_of_rows() -> None:
    files = read_manifest(_canonical(TREE)).files
    assert files[1] == files[-2] == ManifestFile(path="é", sha256=ONE, bytes=1)
    assert [file.path for file in files[1:]] == ["é", "\U00010000"]
    with pytest.raises(IndexError):
        files[3]


def test_entry_finds_a_path() -> None:
    manifest = read_manifest(_canonical(TREE))
    assert manifest.entry("é") == manifest.files[1]
    assert manifest.entry("e") is None
    assert manifest.entry("\U00010001") is None


def test_spelled_bytes_are_accepted_where_they_are_needed() -> None:
    manifest = read_manifest(_canonical(_tree(_row("caf\\xe9/é"))))
    assert name_bytes(manifest.files[0].path) == b"caf\xe9/\xc3\xa9"


@pytest.mark.parametrize("raw", [b"plain", b"\xff", b"\xc3\xa9\xe9", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"])
def test_names_are_spelled_reversibly(raw: bytes) -> None:
    assert name_bytes(name_text(raw)) == raw
    assert name_text(raw).isprintable()


FAULTS = {
    "not-json": (b"{", MalformedJson, "manifest"),
    "not-utf8": (b'{"a":"\xff"}', MalformedJson, "UTF-8"),
    "list": (b"[]", MalformedInput, "manifest is not an object"),
    "trailing": (_canonical(TREE) + b"x", MalformedJson, "line 1"),
    "missing-member": (_canonical({"schema": "x"}), MalformedInput, "file_count is missing"),
    "unknown-member": (_canonical(_tree(x=1)), MalformedInput, "x is unknown"),
    "schema": (_canonical(_tree(schema="v2")), MalformedInput, "/schema is v2, expected agent"),
    "files-object": (_canonical(_tree(files={}, file_count=0)), MalformedInput, "/files is not an array"),
    "count": (_canonical(_tree(_row("a"), file_count=2)), MalformedInput, "/file_count is 2, /files has 1"),
    "count-true": (
        _canonical(_tree(_row("a"), file_count=True)),
        MalformedInput,
        "/file_count is True, expected an int",
    ),
    "count-float": (
        _canonical(_tree(_row("a"), file_count=1.0)),
        MalformedInput,
        "/file_count is 1.0, expected an int",
    ),
    "total": (_canonical(_tree(_row("a"), total_bytes=2)), MalformedInput, "/total_bytes is 2, the files add up to 1"),
    "row-list": (_canonical(_tree([])), MalformedInput, "/files/0 is not an object"),  # type: ignore[arg-type]
    "row-unknown": (_canonical(_tree(_row("a", mode=1))), MalformedInput, "/files/0: .* mode is unknown"),
    "path-number": (_canonical(_tree(_row("a", path=1))), MalformedInput, "/files/0/path is not a string"),
    "sha-number": (_canonical(_tree(_row("a", sha256=1))), MalformedInput, "/files/0/sha256 is not a string"),
    "negative": (_canonical(_tree(_row("a", bytes=-1))), MalformedInput, "/files/0/bytes is -1, expected 0 or more"),
    "huge": (_canonical(_tree(_row("a", bytes=2**60))), MalformedJson, "beyond 2"),
    "order": (_canonical(_tree(_row("b"), _row("a"))), MalformedInput, "/files/1/path a is not in order"),
    "twice": (_canonical(_tree(_row("a"), _row("a"))), MalformedInput, "/files/1/path a is twice"),
    "empty-path": (_canonical(_tree(_row(""))), MalformedInput, "/files/0/path"),
    "absolute": (_canonical(_tree(_row("/a"))), MalformedInput, "path is absolute"),
    "parent": (_canonical(_tree(_row("a/../b"))), MalformedInput, r"empty, \. or \.\. part"),
    "double-slash": (_canonical(_tree(_row("a//b"))), MalformedInput, r"empty, \. or \.\. part"),
    "control": (_canonical(_tree(_row("a\x1bb"))), MalformedInput, r"path a\\x1bb: path holds a control"),
    "format": (_canonical(_tree(_row("a\u202eb"))), MalformedInput, "control or format"),
    "backslash": (_canonical(_tree(_row("a\\b"))), MalformedInput, "backslash"),
    "needless-escape": (_canonical(_tree(_row("\\xc3\\xa9"))), MalformedInput, "backslash"),
    "escaped-ascii": (_canonical(_tree(_row("\\x41"))), MalformedInput, "backslash"),
    "upper-case-escape": (_canonical(_tree(_row("\\xFF"))), MalformedInput, "backslash"),
    "long": (_canonical(_tree(_row("a" * 4097))), MalformedInput, "1 to 4096 bytes long, got 4097"),
    "sha-short": (_canonical(_tree(_row("a", sha256=ONE[1:]))), MalformedInput, "expected 64 lowercase hex"),
    "sha-newline": (_canonical(_tree(_row("a", sha256=ONE + "\n"))), MalformedInput, "expected 64 lowercase hex"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_read_manifest_refuses(case: str) -> None:
    data, error, fault = FAULTS[case]
    with pytest.raises(error, match=fault):
        read_manifest(data)


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        (ManifestLimits(manifest_bytes=10), "limit manifest-bytes is 10"),
        (ManifestLimits(entries=1), "limit manifest-entries is 1, got 2"),
        (ManifestLimits(file_bytes=0), "/files/0: limit manifest-file-bytes is 0, got 1"),
        (ManifestLimits(total_bytes=1), "/files/1: limit manifest-total-bytes is 1, got 2"),
        (ManifestLimits(depth=1), "/files/1: limit manifest-depth is 1, got 2"),
    ],
)
def test_read_manifest_over_a_limit_names_it(limits: ManifestLimits, fault: str) -> None:
    with pytest.raises(LimitExceeded, match=fault):
        read_manifest(_canonical(_tree(_row("a"), _row("b/c/d"))), limits=limits)


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(MalformedInput) as caught:
        read_manifest(_canonical(_tree(schema="x" * 1_000_000)))
    assert len(caught.value.message) < 200


def test_names_of_this_system_come_back(tmp_path: os.PathLike[str]) -> None:
    assert name_text(os.fsencode(tmp_path)) == str(tmp_path)
