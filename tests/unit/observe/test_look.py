"""observe/look.py"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from in_toto_done_receipt.errors import ObservationError
from in_toto_done_receipt.observe.look import find_text, hash_file, path_type, read_bytes
from in_toto_done_receipt.observe.workspace import DirectoryWorkspace


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[DirectoryWorkspace]:
    with DirectoryWorkspace(tmp_path) as workspace:
        yield workspace


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_000])
def test_hash_file_gives_every_digest_of_one_reading(ws: DirectoryWorkspace, tmp_path: Path, size: int) -> None:
    data = bytes(index % 251 for index in range(1000)) * (size // 1000 + 1)
    (tmp_path / "file").write_bytes(data[:size])
    facts = hash_file(ws, "file", algorithms=("sha256", "sha384", "sha512"))
    assert facts.bytes == size
    assert facts.digests == {name: hashlib.new(name, data[:size]).hexdigest() for name in facts.digests}


def test_path_type_of_a_missing_path_is_absent(ws: DirectoryWorkspace) -> None:
    assert path_type(ws, "nothing") == "absent"


@pytest.mark.parametrize(("literal", "matched"), [("é中", True), ("e", False), ("", True), ("\ud800", False)])
def test_find_text(ws: DirectoryWorkspace, tmp_path: Path, literal: str, matched: bool) -> None:
    (tmp_path / "file").write_text("aé中z", encoding="utf-8")
    facts = find_text(ws, "file", literal)
    assert (facts.matched, facts.bytes) == (matched, 7)


def test_find_text_wants_utf8_throughout(ws: DirectoryWorkspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"found \xff")
    with pytest.raises(ObservationError, match="not UTF-8: byte 6") as caught:
        find_text(ws, "file", "found")
    assert caught.value.kind == "not_utf8"


def test_find_text_over_the_limit_is_too_large(ws: DirectoryWorkspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    with pytest.raises(ObservationError, match="limit text-bytes is 4, got 5") as caught:
        find_text(ws, "file", "1", limit=4)
    assert caught.value.kind == "too_large"


def test_read_bytes_up_to_the_limit(ws: DirectoryWorkspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_bytes(ws, "file", 5) == b"12345"
